"""Chapter 3's drawings of banks: what they find in published results, and in results that are planted."""

from __future__ import annotations

import random
import sys
from types import ModuleType

import pytest

from book.keys import Key
from book.library import Library
from figures.pages import chapter_figures
from tests.book.invented import REPOSITORY

LINE_BYTES = 128


@pytest.fixture(scope="module")
def banks() -> ModuleType:
    """The module that draws them."""
    chapter_figures(REPOSITORY / "chapters/3-dram")
    return sys.modules["figures_banks_of_chapter_3"]


def test_lines_in_conflict_have_their_home_in_one_half_of_the_l2(
    banks: ModuleType, real_book: Library
) -> None:
    cards = banks.kinds(real_book)
    assert cards
    for card, results in cards.items():
        pairs = Key.of({"step": "bank-pairs", "shape": (1 << 18,), "parameters": {"window": [2]}})
        differences = results.measurements.find(pairs).series["differences"].values
        halves = banks.halves_of_l2(real_book, results)
        assert len(differences) > 50 and halves, card
        assert {(one & halves).bit_count() % 2 for one in differences} == {0}, card


def test_parities_that_are_planted_are_found_and_no_others(banks: ModuleType) -> None:
    even, odd = 0b1011 * LINE_BYTES, 0b110000 * LINE_BYTES
    numbers = random.Random(3)
    drawn = (numbers.randrange(1 << 14) * LINE_BYTES for _ in range(2000))
    kept = [one for one in drawn if not (one & even).bit_count() % 2 and (one & odd).bit_count() % 2]
    biases = banks.bias_of_each(kept)
    found = banks.independent(biases)
    assert {mask * LINE_BYTES: biases[mask] for mask in found} == {even: 1, odd: -1}


def test_a_period_that_is_planted_is_found_and_not_a_part_of_it(banks: ModuleType) -> None:
    numbers = random.Random(7)
    lines = []
    for _ in range(6):
        first = numbers.randrange(100_000)
        kept = (first + 90_000 * beat + numbers.uniform(-400, 400) for beat in range(80))
        lines.append(banks.np.array([one for one in kept if numbers.random() < 0.1]))
    period, strength = banks.beat(lines)
    assert abs(period - 90_000) < 100 and strength > 0.99
    assert banks.beat([banks.np.array([])]) is None


def test_very_slow_loads_have_one_period_on_all_cards_and_others_have_not(
    banks: ModuleType, real_book: Library
) -> None:
    np = banks.np
    refreshes = {}
    for results in real_book.all_published(3):
        waits = banks.waits_of(results)
        period, strength = banks.beat([line.very_slow for line in waits])
        assert 100_000 < period < 100_300 and strength > 0.99, results.path
        for line in waits:
            others = line.ends[line.waits < 1.1 * line.long]
            assert abs(np.exp(2j * np.pi * others / period).mean()) < 0.1, results.path
        one = period / np.median([line.period for line in waits])
        assert abs(one - round(one)) < 0.015, results.path
        refreshes[results.path.parent.name] = round(one)
    assert refreshes["nvidia-h100"] == refreshes["nvidia-h200"] == refreshes["nvidia-h200-second"] + 1
