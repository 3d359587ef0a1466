"""The explorer of occupancy in a page: its card, its start, what was measured, what stands in for it."""

from __future__ import annotations

import html
import json
import re
from typing import Any

import pytest

from tests.book.invented import invented_results, write
from tests.docs.conftest import Book

EXPLORER = "```{occupancy-explorer}\n:registers: 103\n:shared: 8\nThe *pictures*.\n```"
SWEPT = "```{occupancy-explorer}\n:measured: tile warps bandwidth\nThe *pictures*.\n```"


@pytest.fixture
def card(book: Book) -> Book:
    """A book with the model's module, and with results of a card whose multiprocessors are known."""
    (book.root / "build/explorer.wasm").write_bytes(b"\0asm\1\0\0\0")
    results = invented_results()
    results["gpu"] |= {"name": "NVIDIA B17", "compute_capability": "8.9", "multiprocessors": 24}
    write(book.published, results)
    return book


@pytest.fixture
def swept(card: Book) -> Book:
    """A step with an axis of warps, timed at each."""
    described = next((card.root / "build/describe/6-transpose").glob("*_tile.json"))
    description = json.loads(described.read_text())
    variant = next(one for one in description["variants"] if one["default"])
    results = json.loads(card.published.read_text())
    entry = next(one for one in results["measurements"] if one["step"] == "tile")
    shape = entry["shape"]
    variants, timed = [], []
    for warps, seconds in ((1, 4e-3), (2, 2e-3), (8, 1e-3)):
        variants.append(
            variant
            | {
                "parameters": {"warps": [warps]},
                "axes": ["warps"],
                "measured": [shape],
                "default": warps == 1,
            }
        )
        interval = dict.fromkeys(("median", "low", "high"), seconds)
        timed.append(entry | {"parameters": {"warps": [warps]}, "seconds": interval})
    write(described, description | {"variants": variants})
    others = [one for one in results["measurements"] if one["step"] != "tile"]
    counters = [one for one in results["counters"] if one["step"] != "tile"]
    write(card.published, results | {"measurements": [*others, *timed], "counters": counters})
    return card


def told(text: str) -> dict[str, Any]:
    found = re.search(r'data-told="([^"]*)"', text)
    assert found
    return json.loads(html.unescape(found[1]))


def test_it_has_the_card_where_it_starts_and_what_stands_in_for_it(card: Book) -> None:
    card.page(EXPLORER)
    built = card.build()
    assert built.warnings == ""
    data = told(built.html())
    assert data["card"] == {"name": "B17", "capability": 89, "multiprocessors": 24}
    assert data["start"] == {"threads": 256, "registers": 103, "shared": 8, "grid": 1024}
    assert "measured" not in data
    still = built.html()[built.html().index('<div class="explorer-still">') :]
    assert "The <em>pictures</em>." in still[: still.index("</div>")]
    for name in ("occupancy.js", "explorer.css"):
        assert name in built.html()
        assert name not in built.html("index")


def test_it_begins_with_what_a_step_takes(card: Book) -> None:
    results = json.loads(card.published.read_text())
    launch = {
        "launch__block_size": 128,
        "launch__registers_per_thread": 40,
        "launch__shared_mem_per_block_static": 1024,
        "launch__shared_mem_per_block_dynamic": 1,
    }
    for entry in results["counters"]:
        if entry["step"] == "tile":
            entry["metrics"] |= launch
    write(card.published, results)
    card.page("```{occupancy-explorer} tile\n:grid: 7\nPictures.\n```")
    built = card.build()
    assert built.warnings == ""
    assert told(built.html())["start"] == {"threads": 128, "registers": 40, "shared": 2, "grid": 7}


def test_it_has_what_was_measured_at_each_number_of_warps(swept: Book) -> None:
    swept.page(SWEPT)
    built = swept.build()
    points = told(built.html())["measured"]
    assert [warps for warps, _, _ in points] == [1, 2, 8]
    assert [round(points[0][1] / value, 3) for _, value, _ in points] == [1, 0.5, 0.25]
    assert all(words.endswith("B/s") for _, _, words in points)
    assert "not measured yet" not in built.html()


def test_what_is_not_measured_yet_is_absent_and_said_to_be(swept: Book) -> None:
    results = json.loads(swept.published.read_text())
    swept.published.unlink()
    write(swept.root / "figures/data/nvidia-b17/chapter2.json", results | {"chapter": 2})
    (swept.root / "chapters/2-other").mkdir()
    swept.page(SWEPT)
    built = swept.build()
    assert told(built.html()).keys() == {"start", "card"}
    assert built.html().index("explorer-still") < built.html().index("not measured yet")


def test_before_anything_is_published_the_pictures_stand_alone(card: Book) -> None:
    card.published.unlink()
    card.page(EXPLORER)
    built = card.build()
    assert "not measured yet" in built.html()
    assert "The <em>pictures</em>." in built.html()
    assert "data-told" not in built.html()


@pytest.mark.parametrize(
    ("option", "problem"),
    [
        ("threads: 33", "not 32, 64"),
        ("registers: 256", "not 16 to 255"),
        ("shared: 228", "not 0 to 227"),
        ("grid: 0", "grid"),
        ("measured: tile bandwidth", "'tile bandwidth' is not STEP AXIS QUANTITY"),
        ("measured: tile warps bandwidth", "tile has no axis warps"),
    ],
)
def test_a_wrong_option_fails_the_build(card: Book, option: str, problem: str) -> None:
    card.page(f"```{{occupancy-explorer}}\n:{option}\nPictures.\n```")
    assert problem in card.build().warnings


def test_a_card_of_which_too_little_is_known_fails_the_build(card: Book) -> None:
    write(card.published, invented_results())
    card.page(EXPLORER)
    assert "the card has no 'compute_capability'" in card.build().warnings
