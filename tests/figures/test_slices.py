"""Chapter 1's map of multiprocessors and slices: in the published results of all cards, and planted."""

from __future__ import annotations

import sys
from collections import Counter
from statistics import mean
from types import ModuleType

import pytest

from book.keys import Key
from book.library import Library
from figures.pages import chapter_figures
from tests.book.invented import REPOSITORY

KEY = Key("slices", (512,))


@pytest.fixture(scope="module")
def slices() -> ModuleType:
    """The module that draws the map."""
    chapter_figures(REPOSITORY / "chapters/1-memory-hierarchy")
    return sys.modules["figures_slices_of_chapter_1"]


def test_what_lies_side_by_side_stands_together(slices: ModuleType) -> None:
    latencies = [[300, 252, 262], [302, 252, 262], [252, 300, 310], [250, 302, 310]]
    shown = slices.sorted_map(latencies, quarters=[1, 1, 0, 0], blocks=[1, 0, 0])
    assert shown.latencies == [[301, 310, 251], [252, 262, 301]]
    assert shown.quarters == [0, 1] and shown.blocks == [0, 0, 1]
    assert slices.places([0, 0, 1], 6, 4) == [0, 6, 16]


def test_blocks_have_eight_groups_and_one_of_an_h200_has_seven(real_book: Library) -> None:
    published = real_book.all_published(1)
    assert len(published) > 2
    for results in published:
        sizes = sorted(Counter(results.measurements.find(KEY).series["blocks"].values).values())
        assert sizes == ([8] * 5 if results.short_name == "H100" else [7, *[8] * 5]), results.path


def test_both_multiprocessors_of_a_row_have_the_latencies_that_it_shows(real_book: Library) -> None:
    for results in real_book.all_published(1):
        series = results.measurements.find(KEY).series
        rows, quarters = series["latencies"].rows, series["quarters"].values
        assert len(rows) == len(quarters) == 132
        assert quarters[::2] == quarters[1::2]
        for one, other in zip(rows[::2], rows[1::2], strict=True):
            assert max(abs(a - b) for a, b in zip(one, other, strict=True)) <= 2, results.path


def test_a_slice_is_near_to_one_quarter_of_its_half(real_book: Library) -> None:
    """Near to the same side of either half, whatever block it is of; nearer than to the other by far."""
    for results in real_book.all_published(1):
        series = results.measurements.find(KEY).series
        rows, quarters = series["latencies"].rows, series["quarters"].values
        assert 24 <= min(Counter(quarters).values()) <= max(Counter(quarters).values()) <= 40
        for column, _ in enumerate(series["blocks"].values):
            far = [
                mean(row[column] for row, one in zip(rows, quarters, strict=True) if one == quarter)
                for quarter in range(4)
            ]
            assert abs(far[0] - far[1]) > 15 and (far[0] < far[1]) == (far[2] < far[3]), results.path
