"""Chapter 1's groups of single loads: in the published results of all cards, and in planted loads."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from types import ModuleType

import pytest

from book.keys import Key
from book.library import Library
from figures.pages import chapter_figures
from tests.book.invented import REPOSITORY

FASTER, SLOWER = range(53, 62), range(68, 81)


@pytest.fixture(scope="module")
def loads() -> ModuleType:
    """The module that draws them."""
    chapter_figures(REPOSITORY / "chapters/1-memory-hierarchy")
    return sys.modules["figures_groups_of_chapter_1"]


def planted(*heaps: tuple[range, int]) -> list[int]:
    """Bars of loads, each heap spread evenly over its bars."""
    counts = [0] * 200
    for bars, number in heaps:
        for bar in bars:
            counts[bar] += number // len(bars)
    return counts


def middle(counts: Sequence[int], bars: range, cycles_of_bar: int) -> float:
    """The mean cycles of the loads in these bars."""
    return cycles_of_bar * sum((bar + 0.5) * counts[bar] for bar in bars) / sum(counts[bar] for bar in bars)


def test_groups_that_are_planted_are_found(loads: ModuleType) -> None:
    from_dram = planted((FASTER, 1800), (SLOWER, 1800), (range(100, 200), 400))
    assert loads.groups(from_dram) == [FASTER, SLOWER]
    hits, some = (range(42, 52), 2000), (range(90, 190), 200)
    assert loads.shares(planted(hits, (FASTER, 1800), some), (FASTER, SLOWER)) == (0.5, 0.45, 0)
    shorter, faster, slower = loads.shares(planted(hits, (FASTER, 900), (SLOWER, 910)), (FASTER, SLOWER))
    assert shorter > 0.5 and faster == pytest.approx(slower, rel=0.02)


def test_loads_of_the_middle_stair_are_hits_or_in_the_faster_group_of_the_dram(
    loads: ModuleType, real_book: Library
) -> None:
    published = real_book.all_published(1)
    assert len(published) > 2
    for results in published:
        from_dram = loads.counts_of(results, loads.FROM_DRAM)
        of_dram = loads.groups(from_dram)
        shorter, faster, slower = loads.shares(from_dram, of_dram)
        assert shorter < 0.005 and faster > 0.4 and slower > 0.4, results.path
        shorter, faster, slower = loads.shares(loads.counts_of(results, loads.STAIR), of_dram)
        assert 0.48 < shorter < 0.53, results.path
        assert faster > 0.84 * (1 - shorter) and slower < 0.05 * (1 - shorter), results.path


def test_what_a_larger_ring_loses_of_its_hits_is_in_the_slower_group_of_the_dram(
    loads: ModuleType, real_book: Library
) -> None:
    for results in real_book.all_published(1):
        from_dram = loads.counts_of(results, loads.FROM_DRAM)
        of_dram = loads.groups(from_dram)
        before, after, last = (
            loads.shares(loads.counts_of(results, ring), of_dram)
            for ring in (loads.STAIR, loads.as_large_as_l2(results), loads.FROM_DRAM)
        )
        lost = before[0] - after[0]
        assert lost > 0.2 and after[2] - before[2] > 0.8 * lost, results.path
        assert max(abs(one[1] - before[1]) for one in (after, last)) < 0.02, results.path


def test_the_groups_of_the_dram_lie_nearly_as_far_apart_as_the_halves(
    loads: ModuleType, real_book: Library
) -> None:
    for results in real_book.all_published(1):
        from_dram = loads.counts_of(results, loads.FROM_DRAM)
        faster, slower = (middle(from_dram, one, loads.CYCLES_OF_BAR) for one in loads.groups(from_dram))
        atomics = Key.of({"step": "near-far", "shape": (64,), "parameters": {"loads": [0]}})
        halves = results.measurements.find(atomics).quantities
        apart = halves["farther-half"].median - halves["nearer-half"].median
        assert 0.85 * apart < slower - faster < apart, results.path
