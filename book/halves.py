"""The halves of the L2, as chapter 1's `halves` publishes them: which bits of an address decide."""

from __future__ import annotations

from book.results import Results

CHAPTER = 1
_FIRST_BIT = 9
"""Of the bits that it changes, one by one."""
_DECIDES = 50
"""Per cent of the lines, above which a bit decides."""


def flips(results: Results) -> dict[int, int]:
    """Per cent of the lines that change halves if a bit of their addresses changes; empty if unknown."""
    for entry in results.measurements:
        if entry.step == "halves" and (series := entry.series.get("flips")):
            return dict(enumerate(series.values, _FIRST_BIT))
    return {}


def deciding_bits(results: Results) -> list[int]:
    """The bits in whose parity the halves differ."""
    return [bit for bit, share in flips(results).items() if share > _DECIDES]
