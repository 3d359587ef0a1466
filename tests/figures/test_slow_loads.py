"""Chapter 3's slow loads: what its drawings and sentences find in published results, and in planted ones."""

from __future__ import annotations

import random
from collections.abc import Callable
from itertools import pairwise

import numpy as np
import pytest

from book import memories
from book.library import Library
from book.results import Results
from book.slow_loads import LongPeriods, Waits, beat, waits_of

BETWEEN = 1085


def refreshed(long: float, distance: float, blocked: float, wander: Callable[[float], float]) -> list[Waits]:
    """Loads of six lines that are refreshed for 250 ns, and in each long period blocked for a longer time.

    The refresh begins anew after each of these times. Loads that meet nothing wait now and then for 65 ns.
    """
    numbers = random.Random(5)
    lines = []
    for _ in range(6):
        first, found, now = numbers.uniform(0, long), [], 0.0
        own = numbers.uniform(300, distance - 300)
        while len(found) < 1000:
            now += numbers.uniform(0.67, 1.33) * BETWEEN
            since = (now - first) % long  # since the end of the blocked time
            wait = max(250 - (since - own) % distance, 0)
            if since > long - blocked:
                wait = long - since
            if wait < 38 and numbers.random() < 0.02:
                wait = 65
            if wait >= 38:
                found.append((now + wait + wander(now), wait))
        ends, waits = np.array(found).T
        lines.append(Waits(ends, waits, 250, long / round(long / distance), BETWEEN, 0.15))
    return lines


def long_periods(results: Results) -> LongPeriods:
    found = LongPeriods.of(results)
    assert found is not None
    return found


def test_a_period_that_is_planted_is_found_and_not_a_part_of_it() -> None:
    numbers = random.Random(7)
    lines = []
    for _ in range(6):
        first = numbers.randrange(100_000)
        kept = (first + 90_000 * beat + numbers.uniform(-400, 400) for beat in range(80))
        lines.append(np.array([one for one in kept if numbers.random() < 0.1]))
    period, strength = beat(lines)
    assert abs(period - 90_000) < 20 and strength > 0.99
    assert beat([np.array([])]) is None


@pytest.mark.parametrize("wander", [lambda _: 0, lambda now: 400 * np.sin(now / 1_200_000)])
def test_a_refresh_that_begins_anew_in_each_long_period_is_told_from_one_that_keeps_step(
    wander: Callable[[float], float],
) -> None:
    for distance, blocked in ((1957, 860), (100_145 / 52, 430)):
        lines = refreshed(100_145, distance, blocked, wander)
        found = LongPeriods(lines, *beat([line.very_slow for line in lines]))
        assert abs(found.period - 100_145) < 12
        assert abs(found.distance - distance) < 1.5
        assert abs(found.longest - blocked) < 0.02 * blocked
        assert abs(len(found.blocked) / found.expected - 1) < 0.15
        late = [float(np.median(step)) for step in found.steps(10)]
        slide = (
            100_145 - found.refreshes * distance
        )  # over the whole of it; nine tenths lie between two middles
        assert abs(late[0] - late[-1] - 0.9 * slide) < 40


def test_each_long_period_blocks_a_line_once_for_about_a_refresh_of_all_banks_or_two(
    real_book: Library,
) -> None:
    for results in real_book.all_published(3):
        found = long_periods(results)
        assert 100_100 < found.period < 100_200 and found.strength > 0.9999, results.path
        assert abs(len(found.blocked) / found.expected - 1) < 0.1, results.path
        thirds, _ = np.histogram(found.blocked[:-1], 3, (found.blocked[0], found.longest))
        assert thirds.min() > 0.6 * thirds.max(), results.path
        all_banks = 1e9 * memories.number(real_book, f"{results.short_name.lower()} tRFCab").number
        times = 2 if results.is_another else 1
        assert 1.03 < found.longest / all_banks / times < 1.06, results.path
        usual = 1e9 * memories.number(real_book, f"{results.short_name.lower()} tRFCpb").number
        for line in found.lines:
            assert 1.03 < line.long / usual < 1.09, results.path
        very = sum(len(line.very_slow) for line in found.lines)
        ends = [places[line.is_very_slow] for line, places in zip(found.lines, found.places, strict=True)]
        assert np.sum(np.abs(np.concatenate(ends)) < 200) >= very - 1, results.path


def test_other_slow_loads_do_not_keep_to_the_long_period(real_book: Library) -> None:
    for results in real_book.all_published(3):
        found = long_periods(results)
        for line in found.lines:
            others = line.ends[line.waits < 1.1 * line.long]
            assert abs(np.exp(2j * np.pi * others / found.period).mean()) < 0.1, results.path


def test_the_refresh_keeps_step_on_two_cards_and_begins_anew_on_the_second_h200(real_book: Library) -> None:
    for results in real_book.all_published(3):
        found = long_periods(results)
        tenths = [float(np.median(step)) for step in found.steps(10)]
        if not results.is_another:
            assert found.refreshes == 52 and abs(found.fitting - 52) < 0.03, results.path
            assert max(map(abs, tenths)) < 20, results.path
            continue
        assert found.refreshes == 51 and 51.15 < found.fitting < 51.2, results.path
        assert all(earlier > later + 15 for earlier, later in pairwise(tenths))
        assert tenths[0] - tenths[-1] > 250, results.path
        for line in found.lines:  # what the program found is the long period's 51st part
            assert abs(line.period - found.fitted) < 0.3, results.path
            assert line.period - found.distance > 5, results.path


def density(found: LongPeriods, low: float, high: float) -> float:
    """How many times as many loads wait so long as one refresh in each period would make wait."""
    waits = np.concatenate([line.waits for line in found.lines])
    loads = sum(len(line.waits) / line.share for line in found.lines)
    return np.sum((waits >= low) & (waits < high)) / loads / (high - low) * found.distance


def test_waits_are_spread_evenly_up_to_the_refresh_but_for_two_peaks(real_book: Library) -> None:
    for results in real_book.all_published(3):
        found = long_periods(results)
        long = float(np.median([line.long for line in found.lines]))
        for low in range(80, int(long) - 40, 40):
            assert 0.9 < density(found, low, low + 40) < 1.2, results.path
        assert density(found, 60, 70) > 2.8, results.path
        assert density(found, long, long + 10) > 1.4, results.path
        assert density(found, long + 20, long + 60) < 0.06, results.path


def test_short_waits_come_at_any_place_of_the_refreshs_period_and_others_do_not(real_book: Library) -> None:
    for results in real_book.all_published(3):
        found = long_periods(results)
        short, long = [], []
        for line, places in zip(found.lines, found.places, strict=True):
            turns = np.exp(2j * np.pi * places / found.fitted)
            turns /= turns[line.is_refresh].sum()
            turns /= np.abs(turns)
            short.append(turns[(line.waits >= 60) & (line.waits < 70)])
            long.append(turns[line.is_refresh])
        assert abs(np.concatenate(short).mean()) < 0.3, results.path
        assert abs(np.concatenate(long).mean()) > 0.88, results.path


def test_usual_loads_differ_far_more_than_the_distance_of_loads(real_book: Library) -> None:
    for results in real_book.all_published(3):
        between = [line.between for line in waits_of(results)]
        assert max(between) < 1.02 * min(between), results.path
