"""Chapter 4's drawings: they show what is published, and say of the rest that it is not measured."""

from __future__ import annotations

import sys
from itertools import pairwise
from types import ModuleType

import pytest

from book.account import account
from book.documents import MissingResultsError
from book.library import Library
from figures.pages import chapter_figures
from tests.book.invented import REPOSITORY

BAR = 0.1
"""By how much the sum of an account's parts may be off."""


def drawings(name: str) -> ModuleType:
    """A module of the chapter's figures."""
    chapter_figures(REPOSITORY / "chapters/4-latency-hiding")
    return sys.modules[f"figures_{name}_of_chapter_4"]


def test_the_parts_of_each_account_sum_to_the_cycles_that_were_measured(real_book: Library) -> None:
    missing = []
    for name, (chapter, key) in drawings("account").ACCOUNTS.items():
        assert real_book.descriptions(chapter).is_timed(key), name
        published = real_book.published(chapter)
        try:
            if published is None:
                raise MissingResultsError("no results")
            assert account(published, key).sum == pytest.approx(1, abs=BAR), name
        except MissingResultsError:
            missing.append(name)
    if missing:
        pytest.skip(f"NOT TESTED: WHAT WARPS WAIT FOR IS NOT COUNTED YET: {', '.join(missing)}")


def test_a_ring_has_a_copy_less_than_stages_on_its_way_once_it_runs(real_book: Library) -> None:
    schedule = drawings("copies").schedule
    for stages, between in ((1, 4), (2, 2), (4, 1), (6, 1)):
        pieces = schedule(stages, 40)
        begun = [one.begun for one in pieces]
        assert all(later - earlier >= 1 for earlier, later in pairwise(begun))
        assert begun[-1] - begun[-1 - stages] == between * stages
        for number, one in enumerate(pieces[stages:], stages):
            assert one.asked == pieces[number - stages].ended


@pytest.mark.parametrize(
    ("case", "issued"),
    [
        (((64, 64), 50, False), 128),
        (((64, 64), 50, True), 64),
        (((64, 4), 50, True), 34),
        (((64, 4), 0, False), 4),
        (((64, 4), 100, False), 64),
        (((4, 4), 3, True), 8),
        (((64, 4), 3, False), (1 - 0.97**32) * 64 + 4),
    ],
)
def test_a_warp_is_issued_each_way_that_a_lane_goes(
    case: tuple[tuple[int, int], int, bool], issued: float
) -> None:
    assert drawings("divergence").multiply_adds(*case) == pytest.approx(issued, abs=1e-6)


def test_the_drawings_say_that_nothing_is_measured(real_book: Library) -> None:
    if real_book.published(4):
        pytest.skip("it is measured")
    for module, name in (("copies", "ways"), ("account", "cycles"), ("timeline", "timeline")):
        drawn = drawings(module).FIGURES[name](real_book)
        assert drawn.alt.startswith("Not measured yet")
