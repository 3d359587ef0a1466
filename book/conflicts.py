"""Lines in conflict, as chapter 3 publishes them: parities of their address bits, and how rare they are."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from book import halves
from book.library import Library
from book.results import Results, Series

LINE_BYTES = 128

_FACTORS = 0x9E3779B97F4A7C15, 0xD1B54A32D192ED03
_OF_95_PERCENT = 1.959964
"""Standard deviations of a normal distribution within which 95 % lie."""


class Permutation:
    """The one of `code/kernel/permutation.hpp` with a power of two, and its inverse."""

    def __init__(self, count: int) -> None:
        self._bits = (count - 1).bit_length()
        self._mask = np.uint64((1 << self._bits) - 1)
        self._shift = self._bits // 2 + 1

    def __call__(self, index: np.ndarray) -> np.ndarray:
        """The numbers that stand at some places of the order."""
        x = index.astype(np.uint64)
        for factor in _FACTORS:
            x = x * np.uint64(factor) & self._mask
            x ^= x >> np.uint64(self._shift)
        return x.astype(np.int64)

    def index(self, number: np.ndarray) -> np.ndarray:
        """The places at which numbers stand."""
        x = number.astype(np.uint64)
        for factor in reversed(_FACTORS):
            x ^= x >> np.uint64(self._shift)  # the shift is more than half of the bits: twice is nothing
            x = x * np.uint64(pow(factor, -1, 1 << self._bits)) & self._mask
        return x.astype(np.int64)


def differences_of_all_pairs(lines: int) -> np.ndarray:
    """In which bits the addresses of each pair differ that `bank-pairs` tries, if all lie in one window."""
    first, second = Permutation(lines)(np.arange(lines)).reshape(-1, 2).T
    return (first ^ second) * LINE_BYTES


def bias_of_each(differences: Sequence[int] | np.ndarray, masks: int = 0) -> np.ndarray:
    """The bias of each mask of a line's bits: 1 if all differences are even in it, −1 if all are odd.

    All masks are tried at once, by a Walsh-Hadamard transform: so many, or those of the bits that differ.
    """
    lines = np.asarray(differences, dtype=np.int64) // LINE_BYTES
    size = masks or 1 << int(lines.max()).bit_length()
    sums = np.bincount(lines, minlength=size).astype(float)
    half = 1
    while half < size:
        pairs_of = sums.reshape(-1, 2, half)
        sums = np.stack((pairs_of[:, 0] + pairs_of[:, 1], pairs_of[:, 0] - pairs_of[:, 1]), axis=1).ravel()
        half *= 2
    return sums / len(lines)


def independent(biases: np.ndarray) -> list[int]:
    """Masks with a bias of 1 or −1, those with the fewest bits, from which all others like them follow."""
    masks = [int(mask) for mask in np.flatnonzero(np.abs(biases) == 1) if mask]
    found: list[int] = []
    reduced: list[int] = []
    for mask in sorted(masks, key=lambda mask: (mask.bit_count(), mask)):
        rest = mask
        for one in reduced:
            rest = min(rest, rest ^ one)
        if rest:
            found.append(mask)
            reduced.append(rest)
    return found


def strongest_of_its_own(biases: np.ndarray, of_all: np.ndarray, most: float = 0.02) -> int:
    """The mask with the strongest bias, of those that have nearly none among all pairs that were tried."""
    own = np.where(np.abs(of_all) < most, np.abs(biases), 0)
    return int(own[1:].argmax()) + 1


def halves_of_l2(library: Library, results: Results) -> int:
    """The bits in whose parity the halves of the L2 differ, by chapter 1 on the same card; 0 if unknown."""
    runs = library.all_published(halves.CHAPTER)
    same = (run for run in runs if run.path.parent == results.path.parent)
    return sum(1 << bit for run in same for bit in halves.deciding_bits(run))


@dataclass(frozen=True)
class Rarity:
    """One line of how many is in conflict with another, and between which numbers 95 % of such counts lie."""

    one_in: float
    low: float
    high: float
    found: int

    @classmethod
    def of_mates(cls, sets: Series, lines: int) -> Rarity:
        """By the mates of `bank-mates` and the lines that its blocks tried before they had found them.

        A line and its mates are no independent sample, but blocks are: the interval comes from how much
        blocks differ.
        """
        tried, found = np.array(
            [_tried_and_found(block, row, sets.lengths[0], lines) for block, row in enumerate(sets.rows)]
        ).T
        one_in = tried.sum() / found.sum()
        errors = tried - one_in * found
        half = _OF_95_PERCENT * math.sqrt(float(np.sum(errors**2))) / found.sum()
        return cls(one_in, one_in - half, one_in + half, int(found.sum()))


def _tried_and_found(block: int, row: Sequence[int], blocks: int, lines: int) -> tuple[int, int]:
    """How many lines a block tried, and how many mates it found: it tried all if its set is not full."""
    held = np.array([line for line in row if line >= 0])
    candidates = (Permutation(lines).index(held) - block) // blocks
    last = candidates[-1] if len(held) == len(row) else (lines - block - 1) // blocks
    return int(last), len(held) - 1
