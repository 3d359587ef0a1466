"""Chapter 3's lines in conflict: what its drawings and sentences find in published and in planted results."""

from __future__ import annotations

import random
import sys
from types import ModuleType

import numpy as np
import pytest

from book import memories
from book.conflicts import (
    LINE_BYTES,
    Permutation,
    Rarity,
    bias_of_each,
    differences_of_all_pairs,
    independent,
    strongest_of_its_own,
)
from book.library import Library
from book.results import Results, Series
from figures.pages import chapter_figures
from figures.reported import entry_of, kinds, series_of
from tests.book.invented import REPOSITORY

PAIRS, MATES = (1 << 18,), (1 << 20,)
LINES_OF_PAIRS, LINES_OF_MATES = 1 << 21, 1 << 23


@pytest.fixture(scope="module")
def banks() -> ModuleType:
    """The module that draws them."""
    chapter_figures(REPOSITORY / "chapters/3-dram")
    return sys.modules["figures_banks_of_chapter_3"]


@pytest.fixture(scope="module")
def of_all_pairs() -> np.ndarray:
    """The bias of each parity among all pairs that the program tries."""
    return bias_of_each(differences_of_all_pairs(LINES_OF_PAIRS))


def differences(results: Results, window: int) -> tuple[int, ...]:
    return series_of(results, "bank-pairs", PAIRS, "differences", window=window).values


def banks_of(library: Library, results: Results, of_pseudo_channel: int) -> float:
    channels = memories.number(library, f"{results.short_name.lower()} pseudo-channels").number
    return channels * of_pseudo_channel


def test_lines_in_conflict_have_their_home_in_one_half_of_the_l2(
    banks: ModuleType, real_book: Library
) -> None:
    cards = kinds(real_book, 3)
    halves = {card: banks.halves_of_l2(real_book, results) for card, results in cards.items()}
    for card, results in cards.items():
        within = differences(results, 2)
        assert len(within) > 50 and halves[card].bit_count() == 5, card
        assert {(one & halves[card]).bit_count() % 2 for one in within} == {0}, card
    # "On an H100 one of the five bits is another"
    assert (halves["H200"] ^ halves["H100"]).bit_count() == 2


def test_the_second_h200_has_the_same_pairs_in_conflict_and_an_h100_others(real_book: Library) -> None:
    cards = {results.path.parent.name: results for results in real_book.all_published(3)}
    for window in (2, 256):
        first, second, other = (
            differences(cards[card], window) for card in ("nvidia-h200", "nvidia-h200-second", "nvidia-h100")
        )
        assert sorted(first) == sorted(second)
        assert len(set(first) & set(other)) < 0.02 * len(first)


def test_parities_that_are_planted_are_found_and_no_others() -> None:
    even, odd = 0b1011 * LINE_BYTES, 0b110000 * LINE_BYTES
    numbers = random.Random(3)
    drawn = (numbers.randrange(1 << 14) * LINE_BYTES for _ in range(2000))
    kept = [one for one in drawn if not (one & even).bit_count() % 2 and (one & odd).bit_count() % 2]
    biases = bias_of_each(kept)
    assert {mask * LINE_BYTES: biases[mask] for mask in independent(biases)} == {even: 1, odd: -1}


def test_the_order_of_the_programs_is_known(real_book: Library) -> None:
    order = Permutation(1 << 12)
    places = np.arange(1 << 12)
    assert sorted(order(places)) == list(places)
    assert list(order.index(order(places))) == list(places)
    tried = differences_of_all_pairs(LINES_OF_PAIRS)
    for results in real_book.all_published(3):
        assert np.isin(differences(results, 256), tried).all(), results.path
        sets = series_of(results, "bank-mates", MATES, "lines")
        for block, row in enumerate(sets.rows):
            candidates = Permutation(LINES_OF_MATES).index(np.array([line for line in row if line >= 0]))
            assert set(candidates % sets.lengths[0]) == {block}, results.path
            assert list(candidates) == sorted(candidates), results.path


def test_the_strongest_parity_of_an_h200s_pairs_is_the_programs_own_and_the_next_one_is_that_of_mates(
    real_book: Library, of_all_pairs: np.ndarray
) -> None:
    for results in real_book.all_published(3):
        biases = bias_of_each(differences(results, 256), len(of_all_pairs))
        strongest = int(np.abs(biases[1:]).argmax()) + 1
        reported = entry_of(results, "bank-pairs", PAIRS, window=256).quantities["strongest-parity"].median
        assert abs(biases[strongest] - reported) < 1e-9, results.path
        own = strongest_of_its_own(biases, of_all_pairs)
        if results.short_name == "H100":
            assert own == strongest and abs(of_all_pairs[own]) < 0.01
            continue
        assert of_all_pairs[strongest] > 0.9 * reported, results.path
        ((mates, thousandths),) = series_of(results, "bank-mates", MATES, "parities").rows
        assert own * LINE_BYTES == mates & (LINES_OF_PAIRS * LINE_BYTES - 1) != mates, results.path
        assert abs(of_all_pairs[own]) < 0.01, results.path
        assert min(biases[own], thousandths / 1000) > 0.3, results.path


def planted_sets(blocks: int, lines: int, seed: int, rare: int) -> Series:
    """What blocks would report if one of so many lines were in conflict with a block's first one."""
    order, numbers = Permutation(lines), random.Random(seed)
    rows = []
    for block in range(blocks):
        count = (lines - block + blocks - 1) // blocks
        found = [0, *(number for number in range(1, count) if numbers.random() < 1 / rare)][:16]
        held = order(block + blocks * np.array(found))
        rows.append([*held.tolist(), *[-1] * (16 - len(found))])
    return Series("1", ("set", "line"), (blocks, 16), tuple(line for row in rows for line in row))


def test_how_rare_mates_are_is_found_also_where_sets_are_not_full() -> None:
    for rare in (40, 150):
        intervals = [Rarity.of_mates(planted_sets(32, 1 << 15, seed, rare), 1 << 15) for seed in range(40)]
        right = sum(one.low < rare < one.high for one in intervals)
        assert 34 <= right <= 40, rare
        assert all(0.6 < one.one_in / rare < 1.7 for one in intervals)
    full = planted_sets(32, 1 << 15, 1, 40)
    assert Rarity.of_mates(full, 1 << 15).found == 32 * 15


def test_mates_tell_two_kinds_of_cards_apart_whose_pairs_do_not(real_book: Library) -> None:
    found = []
    for results in real_book.all_published(3):
        entry = entry_of(results, "bank-pairs", PAIRS, window=256)
        pairs = [entry.quantities[f"pairs-of-conflict-{end}"].median for end in ("low", "high")]
        mates = Rarity.of_mates(series_of(results, "bank-mates", MATES, "lines"), LINES_OF_MATES)
        assert mates.found > 4.8 * entry.quantities["conflicts"].median, results.path
        assert 1.5 * mates.high < banks_of(real_book, results, 32), results.path
        found.append((results, pairs, [mates.low, mates.high]))
    for results, *intervals in found:
        others = [other for other in found if other[0].short_name != results.short_name]
        assert others
        for low, high in intervals:
            assert low < banks_of(real_book, results, 16) < high, results.path
            assert not any(low < banks_of(real_book, other, 16) < high for other, *_ in others), results.path
        (pairs_low, pairs_high), (mates_low, mates_high) = intervals
        for _, pairs, mates in others:
            assert pairs_low < pairs[1] and pairs[0] < pairs_high, results.path
            assert mates_low > mates[1] or mates[0] > mates_high, results.path


def test_a_second_line_of_a_bank_adds_as_much_as_each_further_one(real_book: Library) -> None:
    for results in real_book.all_published(3):
        cycles = np.diff(series_of(results, "camping", MATES, "cycles", same=1).values)
        assert cycles[0] > 0.9 * np.median(cycles[1:]), results.path
        alone = entry_of(results, "bank-pairs", PAIRS, window=256).quantities["extra"].median
        assert alone < 0.85 * cycles[0], results.path
