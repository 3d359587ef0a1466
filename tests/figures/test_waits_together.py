"""Chapter 3's long waits of all lines on one timer: in published results, and in planted ones."""

from __future__ import annotations

import numpy as np
import pytest

from book import memories
from book.library import Library
from book.slow_loads import LongPeriods
from book.waits_together import NEAR, Together
from figures.reported import kinds

PERIOD = 100_147


def planted(places: list[float], numbers: np.random.Generator) -> Together:
    """Eight very slow loads of each of 132 lines that end at one of their places, and a few at any time."""
    lines = np.repeat(np.arange(132), 8)
    ends = numbers.integers(0, 100, len(lines)) * PERIOD + numbers.normal(0, 40, len(lines)) + 7_000
    ends += np.array(places)[lines % len(places)]
    some = numbers.random(len(lines)) < 0.04
    ends[some] = numbers.uniform(0, 100 * PERIOD, some.sum())
    return Together(lines, ends, np.full(len(lines), 400.0))


def test_waits_of_all_lines_that_are_planted_at_one_time_are_found_there() -> None:
    found = planted([0], np.random.default_rng(1))
    assert abs(found.period - PERIOD) < 0.5
    assert 0.94 < found.near.mean() < 0.99
    assert 120 < found.width < 260


def test_channels_or_stacks_with_times_of_their_own_are_told_from_one_time() -> None:
    numbers = np.random.default_rng(2)
    stacks = planted([0, 15_000, 34_000, 52_000, 81_000], numbers)
    assert stacks.near.mean() < 0.5
    channels = planted(list(numbers.uniform(0, PERIOD, 64)), numbers)
    assert channels.near.mean() < 0.2


@pytest.mark.parametrize("neighbours", [0, 1])
def test_all_lines_wait_at_once_on_an_h100_and_at_two_times_on_an_h200(
    real_book: Library, neighbours: int
) -> None:
    for card, results in kinds(real_book, 3).items():
        found = Together.of(results, neighbours)
        longer = LongPeriods.of(results)
        assert found is not None and longer is not None
        assert abs(found.period - longer.period) < 5, card
        assert len(found.ends) > 1000 and found.near.mean() > 0.94, card
        # The others end at any time: were they 1000 loads, about as many as chance brings lie within 10 us.
        others = np.abs(found.places[~found.near])
        assert np.sum(others < 10_000) < 3 * len(others) * (10_000 - NEAR) / (PERIOD / 2 - NEAR) + 5, card
        lines = set(found.lines[found.near].tolist())
        assert len(lines) >= len(set(found.lines.tolist())) - 1 and len(lines) > 130, card
        if card == "H100":
            assert found.width < 300
            continue
        assert 600 < found.width < 900
        places, waits, of_line = (of[found.near] for of in (found.places, found.waits, found.lines))
        counts, edges = np.histogram(places, np.arange(-600, 601, 100))
        valley = edges[3:9][counts[3:9].argmin()] + 50
        first, second = places < valley, places >= valley
        assert counts[3:9].min() < 0.1 * counts.max()
        assert 400 < np.median(places[second]) - np.median(places[first]) < 650
        assert min(first.sum(), second.sum()) > 200
        both = set(of_line[first].tolist()) & set(of_line[second].tolist())
        assert len(both) > 0.6 * len(lines)
        all_banks = 1e9 * memories.number(real_book, "h200 tRFCab").number
        assert np.percentile(waits[first], 98) < 1.15 * all_banks
        assert np.median(waits[second]) > 1.3 * all_banks
        assert 2 * all_banks < waits[second].max() < 2.35 * all_banks


def test_the_refreshes_of_the_second_h200_are_the_longer_ones(real_book: Library) -> None:
    """On the first H200 a line is blocked for one refresh of all banks, on the second for two."""
    longest = {results.path.parent.name: LongPeriods.of(results) for results in real_book.all_published(3)}
    first, second = (longest[f"nvidia-h200{other}"] for other in ("", "-second"))
    assert first is not None and second is not None
    assert 1.9 < second.longest / first.longest < 2.1
