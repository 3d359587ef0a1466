"""The two rules that the drawings of memory accesses follow; `code/model` holds them for the predictions.

Global memory moves in sectors of 32 bytes; a request touches the distinct sectors of its active lanes.
Shared memory has 32 banks of 4-byte words; an access of 4 bytes per lane takes as many wavefronts as the
fullest bank has distinct words.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

WARP = 32
WORD = 4
"""Bytes of a float, and of a bank's word."""
SECTOR_WORDS = 8
"""Floats in a sector of 32 bytes."""
BANKS = 32


def sectors(words: Iterable[int]) -> list[int]:
    """The distinct sectors that hold these floats, given by their index from an aligned address."""
    return sorted({word // SECTOR_WORDS for word in words})


def wavefronts(words: Iterable[int]) -> int:
    """Wavefronts of one access of 4 bytes per lane to these words of shared memory."""
    return max(Counter(word % BANKS for word in set(words)).values())
