"""The explorer of address bits in a page: what the published conflicts share, what stands in for it."""

from __future__ import annotations

import html
import json
import random
import re
from typing import Any

import pytest

from tests.book.invented import invented_results, write
from tests.docs.conftest import Book

LINE_BYTES = 128
EVEN, ODD = 0b1011 * LINE_BYTES, 0b110000 * LINE_BYTES
EXPLORER = "```{{bits-explorer}} {}\nThe *pictures*.\n```"
PAIRS = "tile differences 4096x4096 block=32x8"


def planted() -> list[int]:
    """Differences that are all even under one mask and odd under another."""
    numbers = random.Random(3)
    drawn = [numbers.randrange(1 << 14) * LINE_BYTES for _ in range(400)]
    return [one for one in drawn if not (one & EVEN).bit_count() % 2 and (one & ODD).bit_count() % 2]


@pytest.fixture
def measured(book: Book) -> Book:
    """A step that reports pairs in conflict, and chapter 1's bits of the halves on the same card."""
    (book.root / "build/explorer.wasm").write_bytes(b"\0asm\1\0\0\0")
    results = invented_results()
    entry = next(one for one in results["measurements"] if one["step"] == "tile")
    values = planted()
    entry["series"] = {
        "differences": {"unit": "1", "axes": ["conflict"], "lengths": [len(values)], "values": values}
    }
    write(book.published, results)
    (book.root / "chapters/1-halves").mkdir()
    (book.root / "chapters/1-halves/index.md").write_text("---\norphan: true\n---\n# Halves\n")
    halves = invented_results(chapter=1)
    halves["measurements"] = halves["measurements"][:1]
    halves["measurements"][0] |= {
        "step": "halves",
        "series": {"flips": {"unit": "1", "axes": ["bit"], "lengths": [4], "values": [3, 90, 2, 80]}},
    }
    write(book.published.with_name("chapter1.json"), halves)
    return book


def told(text: str) -> list[dict[str, Any]]:
    found = re.search(r'data-cards="([^"]*)"', text)
    assert found
    return json.loads(html.unescape(found[1]))


def test_it_has_what_the_conflicts_share_and_what_stands_in_for_it(measured: Book) -> None:
    measured.page(EXPLORER.format(PAIRS))
    built = measured.build()
    assert built.warnings == ""
    (card,) = told(built.html())
    assert sorted(card["parities"]) == sorted([[EVEN, 0], [ODD, 1]])
    assert card["halves"] == 1 << 10 | 1 << 12
    assert (card["conflicts"], card["first"]) == (len(planted()), planted()[0])
    still = built.html()[built.html().index('<div class="explorer-still">') :]
    assert "The <em>pictures</em>." in still[: still.index("</div>")]
    for name in ("bits.js", "explorer.css"):
        assert name in built.html()
        assert name not in built.html("index")


def test_without_chapter_1_nothing_is_said_of_halves(measured: Book) -> None:
    measured.published.with_name("chapter1.json").unlink()
    measured.page(EXPLORER.format(PAIRS))
    assert told(measured.build().html())[0]["halves"] == 0


def test_before_it_is_measured_the_pictures_stand_alone(measured: Book) -> None:
    measured.published.unlink()
    measured.page(EXPLORER.format(PAIRS))
    built = measured.build()
    assert "not measured yet" in built.html()
    assert "The <em>pictures</em>." in built.html()
    assert "data-cards" not in built.html()


def test_a_series_that_nobody_reports_fails_the_build(measured: Book) -> None:
    measured.page(EXPLORER.format(PAIRS.replace("differences", "distances")))
    assert "tile reports no series distances" in measured.build().warnings
