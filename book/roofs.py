"""The roofs of the card: what the chapters' ceilings measured, for those who work a prediction out from them.

`dram-read` is the rating of a step of kind ceiling, `dram-latency access-cycles` another quantity of it, and
`multiprocessors`, or another number of the card's, what the card says of itself.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from book import quantities
from book.documents import BookError, MissingResultsError
from book.keys import Key, near
from book.library import Library
from book.quantities import Quantity, Value
from book.ratings import RATINGS
from book.results import Results

_OF_ONE = {"s each": "s", "cycles each": "cycles"}
"""A latency or a wavefront is of one access as it is."""


@dataclass(frozen=True)
class Roof:
    """What is asked: a ceiling's name, and which of its quantities; without one, its rating."""

    name: str
    quantity: str = ""

    @classmethod
    def parse(cls, text: str) -> Roof:
        """A roof from its text; raises BookError that shows it."""
        words = text.split()
        if not 0 < len(words) <= 2:
            raise BookError(
                f"'{text}' is not ROOF [QUANTITY], e.g. 'dram-read' or 'dram-latency access-cycles'"
            )
        return cls(*words)

    def __str__(self) -> str:
        return f"{self.name} {self.quantity}".rstrip()


def chapter_of(roof: Roof, library: Library) -> int | None:
    """The chapter whose ceiling it is; None if it is a number of the card's; BookError if nobody knows it."""
    found = [chapter for chapter in library.chapters() if roof.name in _ceilings(library, chapter)]
    if len(found) > 1:
        chapters = " and ".join(map(str, found))
        raise BookError(f"roof '{roof}': chapters {chapters} have a ceiling {roof.name}")
    if not found and roof.name not in _numbers(library):
        known = [name for chapter in library.chapters() for name in _ceilings(library, chapter)]
        raise BookError(f"no roof {roof.name}{near(roof.name, (*known, *_numbers(library)))}")
    return found[0] if found else None


def card(library: Library) -> str:
    """The published card's name."""
    return str(_gpu(library).get("name", ""))


def measured(roof: Roof, library: Library, beside: Results | None = None) -> Value:
    """What the published card gives, or the one on which other results were taken.

    Raises:
        MissingResultsError: it is not published yet.
        BookError: nobody knows it.

    """
    chapter = chapter_of(roof, library)
    if chapter is None:
        return _number(roof, _gpu(library) if beside is None else beside.gpu)
    default = next(one for one in library.descriptions(chapter).of(roof.name) if one.is_default)
    if len(default.measured) != 1:
        raise BookError(f"roof '{roof}': {roof.name} is timed at several shapes, so `measured` says at which")
    key = Key(roof.name, default.measured[0], default.parameters)
    runs = library.all_published(chapter)
    results = next((run for run in runs if beside is None or run.path.parent == beside.path.parent), None)
    if results is None:
        raise MissingResultsError(f"{key} is not published yet")
    name = roof.quantity or RATINGS[results.measurements.find(key).rated_by].name
    value = quantities.measured(Quantity(key, name), results)
    return Value.of(value.number, _OF_ONE.get(value.unit, value.unit), value.ends)


def per_second(roof: Roof, library: Library, of_access: float) -> float:
    """What all multiprocessors of the published card do in a second: its rating, if that is a rate.

    A roof that is rated by its accesses says how long one of them takes a multiprocessor. `of_access` is how
    much one of them does: of a wavefront, 128 bytes.
    """
    value = measured(roof, library)
    if value.unit != "s":
        return value.number
    return of_access * measured(Roof("multiprocessors"), library).number / value.number


def _ceilings(library: Library, chapter: int) -> list[str]:
    variants = library.descriptions(chapter).variants
    return [one.step for one in variants if one.kind == "ceiling" and one.is_default]


def _number(roof: Roof, gpu: Mapping[str, Any]) -> Value:
    said = _said(gpu)
    if roof.name not in said:
        raise MissingResultsError(f"{gpu.get('name', 'the card')} does not say its {roof.name}")
    return Value.of(said[roof.name], "count")


def _numbers(library: Library) -> dict[str, int]:
    """What the published card says of itself in numbers; nothing before the first publication."""
    return _said(_gpu(library))


def _said(gpu: Mapping[str, Any]) -> dict[str, int]:
    return {key.replace("_", "-"): value for key, value in gpu.items() if type(value) is int}


def _gpu(library: Library) -> Mapping[str, Any]:
    runs = (library.published(chapter) for chapter in library.chapters())
    return next((run.gpu for run in runs if run), {})
