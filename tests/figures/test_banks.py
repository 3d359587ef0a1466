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
