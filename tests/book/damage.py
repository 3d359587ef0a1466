"""Damage to JSON files: edits that can be kept, and random ones."""

from __future__ import annotations

import copy
import json
import random
from collections.abc import Iterator
from typing import Any

Edit = dict[str, Any]
"""What is `put` at a place, dropped, stands `twice` or has another `key`; or `text` instead of a `part`."""

VALUES: tuple[Any, ...] = (
    *(
        None,
        True,
        False,
        0,
        1,
        -1,
        -0.0,
        0.5,
        1e-320,
        1e300,
        1e308,
        float("nan"),
        float("inf"),
        2**63,
        10**30,
        10**400,
    ),
    *(
        "",
        " ",
        "x",
        "8192x8192",
        "32x8",
        "nan",
        "\n",
        "a\nb",
        "\0",
        "\ud800",
        "<b>&\"'",
        "$\\frac{1",
        "%s{}",
        "\uff18",
        "a" * 5000,
    ),
    *([], {}, [0], [[]], [None], [-1], [0, 0], [1] * 50, [10**20, 10**20], {"": ""}, {"a": {"a": {"a": []}}}),
)
"""What readers stumble over."""


def damaged(text: str, edits: list[Edit]) -> str:
    """A JSON text after the edits; one whose place is not there has no effect."""
    document = json.loads(text)
    parts = [edit for edit in edits if "at" not in edit]
    for edit in edits:
        if "at" in edit:
            document = _edited(document, edit)
    text = json.dumps(document, indent=1)
    for edit in parts:
        begin, end = (round(share * len(text)) for share in edit["part"])
        text = text[:begin] + edit["text"] + text[end:]
    return text


def random_edits(text: str, chance: random.Random) -> list[Edit]:
    """One to three edits, mostly of values, some of keys, some of the text itself."""
    document = json.loads(text)
    places = list(_places(document))
    return [_random_edit(document, places, chance) for _ in range(chance.choice((1, 1, 1, 2, 3)))]


def _edited(document: Any, edit: Edit) -> Any:
    *path, last = ["document", *edit["at"]]
    holder = whole = {"document": document}
    for part in path:
        if not _holds(holder, part):
            return document
        holder = holder[part]
    if not _holds(holder, last) or (holder is whole and "put" not in edit):
        return document
    if "put" in edit:
        holder[last] = copy.deepcopy(edit["put"])
    elif "key" in edit and isinstance(holder, dict):
        holder[edit["key"]] = holder.pop(last)
    elif "twice" in edit and isinstance(holder, list):
        holder.insert(last, copy.deepcopy(holder[last]))
    elif "drop" in edit:
        del holder[last]
    return whole["document"]


def _holds(holder: Any, part: Any) -> bool:
    if isinstance(holder, dict):
        return part in holder
    return isinstance(holder, list) and isinstance(part, int) and part < len(holder)


def _places(document: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    yield path
    parts = (
        document.items()
        if isinstance(document, dict)
        else enumerate(document)
        if isinstance(document, list)
        else ()
    )
    for part, value in parts:
        yield from _places(value, (*path, part))


def _random_edit(document: Any, places: list[tuple[Any, ...]], chance: random.Random) -> Edit:
    place = chance.choice(places)
    if chance.random() < 0.3:  # else most would lie deep
        place = place[: chance.randint(0, len(place))]
    at = list(place)
    kind = chance.random()
    if kind < 0.35:
        return {"at": at, "put": chance.choice(VALUES)}
    if kind < 0.5:
        return {"at": at, "put": _value(document, chance.choice(places))}
    if kind < 0.65:
        return {"at": at, "put": _near(_value(document, place), chance)}
    if kind < 0.75:
        return {"at": at, "drop": True}
    if kind < 0.8:
        return {"at": at, "twice": True}
    if kind < 0.9:
        keys = [part for path in places for part in path[-1:] if isinstance(part, str)]
        return {"at": at, "key": chance.choice([*keys, ""])}
    begin = chance.random()
    end = min(1, begin + chance.choice((0, 0, 1e-4, 0.01, 1)))
    return {
        "part": [begin, end],
        "text": chance.choice(('"', "{", "]", ",", "\\", "\x80", "1e999", "-", "[" * 2000, "")),
    }


def _value(document: Any, place: tuple[Any, ...]) -> Any:
    for part in place:
        document = document[part]
    return document


def _near(value: Any, chance: random.Random) -> Any:
    """Something of the same kind."""
    if isinstance(value, bool) or value is None:
        return not value
    if isinstance(value, int | float):
        return chance.choice(
            (-value, value + 1, value * 10, value * 1e9, value / 1e9, value * 0, int(value) << 40)
        )
    if isinstance(value, str):
        cut = chance.randint(0, len(value))
        return chance.choice(
            (value[:cut], value * 2, value[:cut] + chance.choice("-_ x0é") + value[cut:], value.upper())
        )
    if isinstance(value, list):
        return chance.choice((value[::-1], value[1:], value * 3, value[:1]))
    return dict(chance.sample(list(value.items()), k=chance.randint(0, len(value))))
