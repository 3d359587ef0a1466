"""The book as built: nothing of a published chapter is still to be measured, few explanations are open."""

import os
import re
from pathlib import Path

import pytest

from book.keys import Key
from book.library import Library

ROOT = Path(__file__).resolve().parents[2]
TREE = ROOT / os.environ.get("TREE", "build")
LIBRARY = Library.of(ROOT, TREE)
MOST_CONJECTURES = 10


def built(page: str) -> str:
    path = TREE / "html" / page
    if not path.is_file():
        pytest.skip(f"{path} is not built")
    return path.read_text()


@pytest.mark.parametrize("chapter", LIBRARY.chapters())
def test_no_page_of_a_published_chapter_says_that_something_is_not_measured(chapter: int) -> None:
    if LIBRARY.published(chapter) is None:
        pytest.skip("no published results")
    page = built(f"chapters/{LIBRARY.folder(chapter).name}/index.html")
    assert re.findall(r'[^>]{0,60}<[^>]*class="[^"]*\bnot-yet\b[^"]*"', page) == []


def test_few_explanations_are_conjectures() -> None:
    listed = re.findall(r'href="[^"]*#conjecture-[^"]*"', built("docs/conjectures.html"))
    assert len(set(listed)) <= MOST_CONJECTURES


def test_where_one_card_ran_both_programs_a_walk_waits_as_long_as_the_roof_of_the_dram() -> None:
    both = 0
    for results in LIBRARY.all_published(1):
        roof = results.measurements.find(Key("dram-latency", (4096,)))
        walked = Key.of({"step": "strided-walk", "shape": (1 << 28,), "parameters": {"stride": [128]}})
        walk = results.measurements.find(walked)
        if roof.card != walk.card:
            continue
        both += 1
        assert roof.sm_mhz
        cycles = roof.median / roof.amounts["accesses"] * roof.sm_mhz * 1e6
        assert abs(walk.quantities["latency"].median / cycles - 1) < 0.02, results.path
    assert both == 2
