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


def test_a_bridge_for_each_quarter_would_be_seen_and_one_for_each_block_would_not(real_book: Library) -> None:
    """Beside its slices a bridge is as far as they are in the mean: what is left of their latencies differs
    among multiprocessors. Latencies are published to the cycle, which alone makes 0.3."""
    for results in real_book.all_published(1):
        entry = results.measurements.find(KEY)
        rows, quarters = entry.series["latencies"].rows, entry.series["quarters"].values
        blocks = entry.series["blocks"].values
        centred = beyond_means(rows, [quarter // 2 for quarter in quarters])
        own = {block: near_side(rows, quarters, blocks, block) for block in set(blocks)}
        assert left_of(centred, blocks) < 0.4, results.path
        assert left_of(centred, [own[block] for block in blocks]) > 3, results.path
        assert left_of(centred, [0 for _ in blocks]) > 10, results.path


def test_a_half_has_two_quarters_and_no_slope(real_book: Library) -> None:
    """No multiprocessor lies between: each is much nearer to the blocks of one side."""
    for results in real_book.all_published(1):
        series = results.measurements.find(KEY).series
        rows, quarters = series["latencies"].rows, series["quarters"].values
        blocks = series["blocks"].values
        side = {block: near_side(rows, quarters, blocks, block) for block in set(blocks)}
        for row, quarter in zip(rows, quarters, strict=True):
            of_side: tuple[list[int], list[int]] = ([], [])
            for value, block in zip(row, blocks, strict=True):
                of_side[side[block]].append(value)
            own = quarter % 2
            assert mean(of_side[1 - own]) > mean(of_side[own]) + 15, results.path


def near_side(rows: list[list[int]], quarters: list[int], blocks: list[int], block: int) -> int:
    """The side that a block is nearer to."""
    of_side = [
        mean(
            row[column]
            for row, quarter in zip(rows, quarters, strict=True)
            if quarter % 2 == side
            for column, one in enumerate(blocks)
            if one == block
        )
        for side in range(2)
    ]
    return of_side.index(min(of_side))


def beyond_means(rows: list[list[int]], halves: list[int]) -> list[list[float]]:
    """Latencies beyond a group's mean in each half."""
    means = {
        half: [
            mean(column)
            for column in zip(
                *(row for row, one in zip(rows, halves, strict=True) if one == half), strict=True
            )
        ]
        for half in set(halves)
    }
    return [
        [value - middle for value, middle in zip(row, means[half], strict=True)]
        for row, half in zip(rows, halves, strict=True)
    ]


def left_of(rows: list[list[float]], kinds: list[int]) -> float:
    """The root of the mean square beyond the mean of each kind of column, row by row."""
    left = []
    for row in rows:
        for kind in set(kinds):
            values = [value for value, one in zip(row, kinds, strict=True) if one == kind]
            left += [(value - mean(values)) ** 2 for value in values]
    return mean(left) ** 0.5
