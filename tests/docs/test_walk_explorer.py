"""The explorer of walks in a page: what was measured, its module, what stands in for both."""

from __future__ import annotations

import html
import json
import re
from typing import Any

import pytest

from tests.book.invented import invented_results, write
from tests.docs.conftest import Book

EXPLORER = "```{walk-explorer} tile time\nThe *pictures*.\n```"
MEASURED = {4096: 32.0, 8191: 280.0, 8192: 281.0, 16384: 660.0}


@pytest.fixture
def measured(book: Book) -> Book:
    """A step whose times are a staircase, on a card with an L2 of 8192 bytes."""
    (book.root / "build/explorer.wasm").write_bytes(b"\0asm\1\0\0\0")
    results = invented_results()
    results["gpu"]["l2_bytes"] = 8192
    for entry in results["measurements"]:
        if entry["step"] == "tile":
            entry["seconds"] = dict.fromkeys(("median", "low", "high"), MEASURED[entry["shape"][0]])
    write(book.published, results)
    return book


def told(text: str) -> dict[str, Any]:
    found = re.search(r'data-measured="([^"]*)"', text)
    assert found
    return json.loads(html.unescape(found[1]))


def test_it_has_what_was_measured_and_what_stands_in_for_it(measured: Book) -> None:
    measured.page(EXPLORER)
    built = measured.build()
    assert built.warnings == ""
    data = told(built.html())
    assert data["points"] == [[12.0, 32.0], [13.0, 280.0], [13.0, 281.0], [14.0, 660.0]]
    assert data["levels"] == [
        {"name": "L1", "most": 12.0, "cycles": 32.0},
        {"name": "L2", "most": 13.0, "cycles": 281.0},
        {"name": "DRAM", "most": 14.0, "cycles": 660.0},
    ]
    still = built.html()[built.html().index('<div class="explorer-still">') :]
    assert "The <em>pictures</em>." in still[: still.index("</div>")]
    for name in ("walk.js", "explorer.css"):
        assert name in built.html()
        assert name not in built.html("index")


def test_before_it_is_measured_the_pictures_stand_alone(measured: Book) -> None:
    measured.published.unlink()
    measured.page(EXPLORER)
    built = measured.build()
    assert "not measured yet" in built.html()
    assert "The <em>pictures</em>." in built.html()
    assert "data-measured" not in built.html()


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        ("tales time", "tales is not timed at several sizes"),
        ("tile weight", "weight is not a measured quantity"),
    ],
)
def test_what_it_does_not_know_fails_the_build(measured: Book, arguments: str, problem: str) -> None:
    measured.page(EXPLORER.replace("tile time", arguments))
    assert problem in measured.build().warnings
