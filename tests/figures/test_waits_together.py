"""Chapter 3's long waits of all lines on one timer: in published results, and in planted ones."""

from __future__ import annotations

import numpy as np
import pytest

from book import memories
from book.library import Library
from book.rows_of_bank import Rows
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


def in_groups(found: Together) -> list[np.ndarray]:
    """Which waits are those of each aligned 1 KiB, which has eight lines, if the lines are neighbours."""
    group_of = found.lines // 8
    return [group_of == group for group in np.unique(group_of)]


def at_second_place(found: Together) -> np.ndarray:
    """Which waits end at the second of two places: behind the valley between them."""
    counts, edges = np.histogram(found.places[found.near], np.arange(-600, 601, 100))
    valley = edges[3:9][counts[3:9].argmin()] + 50
    return found.near & (found.places >= valley)


def test_groups_of_neighbouring_lines_are_those_of_an_aligned_kibibyte() -> None:
    lines = np.array([0, 7, 8, 15, 16, 130])
    found = Together(lines, np.zeros(6), np.zeros(6))
    assert [lines[group].tolist() for group in in_groups(found)] == [[0, 7], [8, 15], [16], [130]]


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
            assert found.width < 250
            continue
        assert 600 < found.width < 900
        places, waits, of_line = (of[found.near] for of in (found.places, found.waits, found.lines))
        counts, _ = np.histogram(places, np.arange(-600, 601, 100))
        second = at_second_place(found)[found.near]
        first = ~second
        assert counts[3:9].min() < 0.1 * counts.max()
        assert 400 < np.median(places[second]) - np.median(places[first]) < 650
        assert min(first.sum(), second.sum()) > 200
        both = set(of_line[first].tolist()) & set(of_line[second].tolist())
        assert len(both) > 0.6 * len(lines)
        all_banks = 1e9 * memories.number(real_book, "h200 tRFCab").number
        assert np.percentile(waits[first], 98) < 1.15 * all_banks
        assert np.median(waits[second]) > 1.3 * all_banks
        assert 2 * all_banks < waits[second].max() < 2.35 * all_banks


def test_a_quarter_from_anywhere_and_nearly_half_of_the_neighbours_end_at_the_second_place(
    real_book: Library,
) -> None:
    results = kinds(real_book, 3)["H200"]
    for neighbours, low, high in ((0, 0.22, 0.28), (1, 0.44, 0.5)):
        found = Together.of(results, neighbours)
        assert found is not None
        second = at_second_place(found)
        assert low < second.sum() / found.near.sum() < high
        # Lines do not share this alike: chi squared is far above what chance makes it for so many lines.
        counts = [np.bincount(found.lines[which], minlength=132) for which in (found.near & ~second, second)]
        all_waits = counts[0] + counts[1]
        some = all_waits > 0
        expected = [all_waits[some] * count.sum() / all_waits.sum() for count in counts]
        chi = sum(np.sum((count[some] - due) ** 2 / due) for count, due in zip(counts, expected, strict=True))
        degrees = some.sum() - 1
        assert chi > degrees + 10 * np.sqrt(2 * degrees)


def test_groups_of_an_h200_wait_at_the_first_place_at_the_second_or_at_both(real_book: Library) -> None:
    results = kinds(real_book, 3)["H200"]
    found, anywhere = (Together.of(results, neighbours) for neighbours in (1, 0))
    assert found is not None and anywhere is not None
    all_banks = 1e9 * memories.number(real_book, "h200 tRFCab").number
    second, second_anywhere = at_second_place(found), at_second_place(anywhere)
    once, twice_as_long, both = 0, 0, 0
    for group in in_groups(found):
        near = group & found.near
        share = second[near].mean()
        longest = found.waits[near].max()
        if share == 0:
            once += 1
            assert near.sum() > 50 and longest < 1.2 * all_banks
            # The same blocks wait there, if they load lines from anywhere.
            blocks = np.isin(anywhere.lines, found.lines[group])
            assert second_anywhere[blocks].sum() > 5
        elif share > 0.9:
            twice_as_long += 1
            assert near.sum() > 100 and 2 * all_banks < longest < 2.35 * all_banks
        else:
            both += 1
            assert 0.1 <= share < 0.8 and longest > 1.5 * all_banks
    assert (once, twice_as_long, both) == (4, 1, 12)


def test_groups_of_an_h100_have_places_of_their_own(real_book: Library) -> None:
    """Most of the width is a difference between groups of 1 KiB: within one, places differ less."""
    found = Together.of(kinds(real_book, 3)["H100"], 1)
    assert found is not None
    places = [found.places[group & found.near] for group in in_groups(found)]
    assert len(places) == 17
    medians = [float(np.median(of_group)) for of_group in places]
    assert 150 < np.ptp(medians) < 220
    assert all(of_group.std() < 45 for of_group in places)
    within = np.concatenate(
        [of_group - median for of_group, median in zip(places, medians, strict=True)]
    ).std()
    assert within < 0.5 * found.places[found.near].std()


def test_the_refreshes_of_the_second_h200_are_the_longer_ones(real_book: Library) -> None:
    """On the first H200 a line is blocked for one refresh of all banks, on the second for two."""
    longest = {results.path.parent.name: LongPeriods.of(results) for results in real_book.all_published(3)}
    first, second = (longest[f"nvidia-h200{other}"] for other in ("", "-second"))
    assert first is not None and second is not None
    assert 1.9 < second.longest / first.longest < 2.1


def test_a_fourth_h200_finds_the_same_conflicts_rows_and_waits(real_book: Library) -> None:
    third, fourth = (
        results
        for results in real_book.all_published(3)
        if results.path.parent.name.startswith("nvidia-h200")
    )
    conflicts = [
        {
            one.key.shape: one.quantities["conflicts"].median
            for one in of.measurements
            if one.step == "far-pairs"
        }
        for of in (third, fourth)
    ]
    assert conflicts[0].keys() == conflicts[1].keys() and len(conflicts[0]) == 5
    assert all(abs(conflicts[0][shape] - conflicts[1][shape]) <= 2 for shape in conflicts[0])
    rows = [Rows.of(of) for of in (third, fourth)]
    assert rows[0] is not None and rows[1] is not None
    assert abs(len(rows[1].of_size(8)) / len(rows[0].of_size(8)) - 1) < 0.05
    for neighbours in (0, 1):
        found = [Together.of(of, neighbours) for of in (third, fourth)]
        assert found[0] is not None and found[1] is not None
        assert abs(found[1].period - found[0].period) < 2
        assert found[1].near.mean() > 0.94 and 600 < found[1].width < 900
        second = at_second_place(found[1])[found[1].near]
        places = found[1].places[found[1].near]
        assert 400 < np.median(places[second]) - np.median(places[~second]) < 650
