"""Roofs: what a chapter's ceilings measured, on the pages of all chapters."""

from __future__ import annotations

import json
import re

import pytest

from tests.book.invented import invented_results, write
from tests.docs.conftest import Book
from tests.docs.test_values import text_of

ROOFS = {"dram-read": ("bytes", 2**31, 0.5e-3), "dram-latency": ("accesses", 4096, 4096 * 300e-9)}
"""By what each is rated, how much of it there is, and the seconds that it takes."""


@pytest.fixture
def book(book: Book) -> Book:
    """The book with a chapter of roofs, which has no page; nothing of it is published."""
    (book.root / "chapters/1-roofs").mkdir()
    for number, (name, (rated_by, amount, _)) in enumerate(ROOFS.items()):
        run = {"shape": [1], "arguments": [], "amounts": {rated_by: amount}, "fingerprint": "ab12"}
        variant = {
            **{"step": name, "kind": "ceiling", "default": True, "parameters": {}, "axes": []},
            **{"rated_by": rated_by, "l2": "cold", "quantities": [], "measured": [[1]], "counted": []},
            **{"arguments": {"check": [], "measure": []}, "runs": [run]},
        }
        description = {"program": name, "variants": [variant]}
        write(book.root / f"build/describe/1-roofs/{number:02}_{name}.json", description)
    published = json.loads(book.published.read_text())
    write(book.published, published | {"gpu": {**published["gpu"], "multiprocessors": 132}})
    return book


def publish(book: Book, factor: float = 1) -> None:
    results = invented_results(chapter=1)
    model = results["measurements"][0]
    results["gpu"]["multiprocessors"] = 132
    results["counters"] = []
    results["measurements"] = [
        model
        | {"step": name, "kind": "ceiling", "shape": [1], "parameters": {}, "rated_by": rated_by}
        | {
            "amounts": {rated_by: amount},
            "seconds": dict.fromkeys(("median", "low", "high"), factor * seconds),
        }
        | {"meter": {"sm_mhz": dict.fromkeys(("median", "low", "high"), 2000)}}
        for name, (rated_by, amount, seconds) in ROOFS.items()
    ]
    write(book.published.parent / "chapter1.json", results)


@pytest.mark.parametrize(
    ("prose", "shown"),
    [
        ("{roof}`dram-read`", "4.29 TB/s"),
        ("{roof}`dram-read time`", "500 µs"),
        ("{roof}`dram-latency`", "300 ns"),
        ("{roof}`dram-latency access-cycles`", "600 cycles"),
        ("{roof}`multiprocessors`", "132"),
        (
            "{worked}`[roof dram-read] * [roof dram-latency] / [roof multiprocessors] in KiB`",
            "9.53 KiB",
        ),
        ("{worked}`[counted padded load-sectors 1024x1024] * 32 / [roof dram-read] in s`", "977 ns"),
    ],
)
def test_a_page_of_another_chapter_shows_a_roof(book: Book, prose: str, shown: str) -> None:
    publish(book)
    book.page(f"It is >{prose}<.")
    built = book.build()
    assert built.warnings == ""
    assert text_of(re.search(r"It is &gt;.*?&lt;", built.html(), re.DOTALL)[0]) == f"It is &gt;{shown}&lt;"


def test_a_claim_asks_a_roof(book: Book) -> None:
    publish(book)
    book.page(
        "{claim}`It waits :: [roof dram-latency] > 299e-9`, {claim}`less :: [roof dram-latency] < 299e-9`"
    )
    assert re.findall("false claim: '(.*?)'", book.build().warnings) == ["less"]


def test_a_claim_about_another_card_asks_what_that_card_says_of_itself(book: Book) -> None:
    publish(book)
    slow = invented_results(gpu="NVIDIA A200 Slow", factor=0.5)
    slow["gpu"]["multiprocessors"] = 108
    write(book.root / "figures/data/nvidia-a200/chapter6.json", slow)
    write(book.root / "figures/data/cards.json", ["nvidia-invented"])
    book.page(
        "{claim}`An A200 has 108 :: [roof multiprocessors] == 108`, "
        "{claim}`an Invented has 132 :: [roof multiprocessors] == 132`, "
        "{claim}`an A200 has 132 :: [roof multiprocessors] == 132`"
    )
    assert re.findall("false claim: '(.*?)'", book.build().warnings) == ["an A200 has 132"]


def test_a_roof_that_is_not_published_yet_is_no_problem(book: Book) -> None:
    book.page("It is >{roof}`dram-read` and {worked}`[roof dram-read] / 2 in B/s`<.")
    built = book.build()
    assert built.warnings == ""
    assert built.html().count("not measured yet") == 2


def test_pages_follow_a_roof_that_is_published_anew(book: Book) -> None:
    publish(book)
    book.page("It is {roof}`dram-read`.")
    book.build()
    publish(book, factor=2)
    assert "2.15" in book.build().html()


@pytest.mark.parametrize(
    ("prose", "problem"),
    [
        ("{roof}`dram-reed`", "no roof dram-reed; did you mean dram-read"),
        ("{roof}`dram-read latency`", "latency is not a measured quantity"),
        ("{roof}`dram-read bandwidth 1`", "is not ROOF"),
        ("{worked}`[roof dram-read] / 2`", "does not end with its unit"),
        ("{worked}`2 * 3 in B`", "names no quantity"),
        ("{worked}`[roof dram-read] / 0 in B`", "divides by zero"),
    ],
)
def test_a_roof_that_nobody_knows_fails_the_build(book: Book, prose: str, problem: str) -> None:
    publish(book)
    book.page(f"It is {prose}.")
    assert re.search(r"index\.md:12: WARNING: .*" + re.escape(problem), book.build().warnings)
