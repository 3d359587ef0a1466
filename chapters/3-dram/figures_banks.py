"""What banks do to single loads: pairs of lines, and lines of one bank."""

from __future__ import annotations

import functools
from collections.abc import Sequence

import numpy as np
from matplotlib.figure import Figure

from book.conflicts import (
    LINE_BYTES,
    Rarity,
    bias_of_each,
    differences_of_all_pairs,
    halves_of_l2,
    independent,
    strongest_of_its_own,
)
from book.format import digits
from book.keys import Shape
from book.library import Library
from book.memories import memories
from book.results import Results
from figures.reported import entry_of, kinds, not_measured, series_of
from figures.style import BLUE, GREEN, GRID, VERMILLION, WIDTH, Drawing, canvas, panel

_CHAPTER = 3
_PAIRS, _MATES = (1 << 18,), (1 << 20,)
"""The shapes at which the steps are timed."""
_LEAST_EXTRA, _CYCLES_OF_BIN = -100, 5
"""Where the histogram of pairs begins, and how wide its bars are."""
_BEYOND = "cycles of both beyond those of the slower one alone"


def _lines(shape: Shape) -> int:
    """Of a memory whose KiB a shape says."""
    return shape[0] * 1024 // LINE_BYTES


def pairs(library: Library) -> Drawing:
    """How many pairs of lines take how much longer together than the slower line alone."""
    title = "Two loads at the same time"
    windows = {256: "lines from anywhere in 256 MiB", 2: "lines of one page of 2 MiB"}
    found = {
        label: {
            card: series.values
            for card, results in kinds(library, _CHAPTER).items()
            if (series := series_of(results, "bank-pairs", _PAIRS, "histogram", window=window))
        }
        for window, label in windows.items()
    }
    found = {label: cards for label, cards in found.items() if cards}
    if not found:
        return not_measured(title, _BEYOND, range(-60, 180, 20))
    high = 118
    figure = Figure(figsize=(WIDTH / 72, (len(found) * (high + 46) + 50) / 72))
    words = []
    for row, (label, cards) in enumerate(found.items()):
        axes = panel(figure, 60, 64 + (len(found) - 1 - row) * (high + 46), WIDTH - 74, high)
        for (card, counts), paint in zip(cards.items(), _PAINTS, strict=False):
            edges = [_LEAST_EXTRA + _CYCLES_OF_BIN * place for place in range(len(counts) + 1)]
            axes.stairs(counts, edges, baseline=0.5, label=card, **paint)
            words.append(f"{card}, {label}: {_words_of(counts)}")
        axes.set_yscale("log")
        axes.set_ylim(0.5, None)
        axes.set_xlim(-60, 160)
        axes.set_title(f"pairs of {label}", x=-0.14)
        axes.grid(axis="y", color=GRID)
        if row == 0:
            figure.legend(*axes.get_legend_handles_labels(), loc="lower left", ncols=len(cards))
        if row == len(found) - 1:
            axes.set_xlabel(_BEYOND)
    return Drawing(figure, title, "; ".join(words) + ".")


_PAINTS = ({"fill": True, "color": BLUE}, {"color": VERMILLION, "linewidth": 1.2})
"""Of the first card and of another one."""


def _words_of(counts: Sequence[int]) -> str:
    def sum_of(first: int, last: int) -> int:
        return sum(
            count
            for place, count in enumerate(counts)
            if first <= _LEAST_EXTRA + _CYCLES_OF_BIN * place < last
        )

    return f"{sum_of(-100, 40)} pairs take less than 40 cycles longer, {sum_of(40, 300)} take more"


def _rarities(results: Results) -> dict[str, Rarity]:
    """One of how many lines or pairs is in conflict, by what counted them."""
    found = {}
    pairs_of = entry_of(results, "bank-pairs", _PAIRS, window=256)
    if pairs_of and pairs_of.quantities["conflicts"].median:
        numbers = [pairs_of.quantities[f"pairs-of-conflict{end}"].median for end in ("", "-low", "-high")]
        found["pairs"] = Rarity(*numbers, int(pairs_of.quantities["conflicts"].median))
    if sets := series_of(results, "bank-mates", _MATES, "lines"):
        found["mates"] = Rarity.of_mates(sets, _lines(_MATES))
    return found


def banks(library: Library) -> Drawing:
    """One pair of how many is in conflict, and how many banks the memories would have to have for it."""
    title = "One pair of how many is in conflict?"
    across = "one pair of so many is in conflict"
    cards = {
        card: results
        for card, results in kinds(library, _CHAPTER).items()
        if card.lower() in memories(library)
    }
    found = [(card, *one) for card, results in cards.items() for one in _rarities(results).items()]
    if not found:
        return not_measured(title, across, range(2000, 7000, 1000))
    figure, axes = canvas(90 + 34 * len(found), left=94, right=14, top=44, bottom=40)
    words = []
    for row, (card, way, rarity) in enumerate(found):
        axes.plot([rarity.low, rarity.high], [row, row], color=BLUE, linewidth=4, solid_capstyle="butt")
        axes.plot(rarity.one_in, row, "o", color=BLUE, markersize=8, label="measured")
        parts = memories(library)[card.lower()]["pseudo_channels"]
        for each, marker, colour in ((16, "D", VERMILLION), (32, "s", GREEN)):
            axes.plot(parts * each, row, marker, color=colour, markersize=6, label=f"{each} banks each")
            if row + 1 == len(found) or found[row + 1][0] != card:  # the last row of a card
                axes.annotate(
                    f"{parts} · {each} = {parts * each}",
                    (parts * each, row),
                    (0, -8),
                    textcoords="offset points",
                    ha="center",
                    va="top",
                )
        words.append(
            f"{card}, {rarity.found} {'conflicts of pairs' if way == 'pairs' else way}: one of "
            f"{digits(rarity.one_in)}, between {digits(rarity.low)} and {digits(rarity.high)}; {parts} "
            f"pseudo-channels of 16 banks are {parts * 16} banks, of 32 banks {parts * 32}"
        )
    axes.set_ylim(len(found) - 0.2, -0.5)
    axes.set_yticks(range(len(found)), [f"{card}, {way}" for card, way, _ in found])
    axes.set_xlim(1800, 6700)
    axes.set_xlabel(across)
    axes.grid(axis="x", color=GRID)
    handles, labels = axes.get_legend_handles_labels()
    figure.legend(handles[:3], labels[:3], loc="upper left", ncols=3, columnspacing=0.8, handletextpad=0.2)
    return Drawing(figure, title, "; ".join(words) + ".")


@functools.cache
def _biases_of_all_pairs() -> np.ndarray:
    """What the program's own order of pairs prefers, whatever is in conflict."""
    return bias_of_each(differences_of_all_pairs(_lines(_PAIRS)))


def _parities_of(library: Library, card: str, results: Results) -> list[tuple[str, int, float, str]]:
    """What the figure shows of a card: what it is, its mask, its bias and its colour."""
    found: list[tuple[str, int, float, str]] = []
    within = series_of(results, "bank-pairs", _PAIRS, "differences", window=2)
    if within and within.values:
        biases = bias_of_each(within.values)
        halves = halves_of_l2(library, results)
        if 0 < halves < len(biases) * LINE_BYTES:
            found.append((f"{card}, halves of the L2", halves, biases[halves // LINE_BYTES], VERMILLION))
        masks = independent(biases) or [int(np.abs(biases[1:]).argmax()) + 1]
        found += [(f"{card}, in a page", mask * LINE_BYTES, biases[mask], BLUE) for mask in masks]
    anywhere = series_of(results, "bank-pairs", _PAIRS, "differences", window=256)
    if anywhere and anywhere.values:
        of_all = _biases_of_all_pairs()
        biases = bias_of_each(anywhere.values, len(of_all))
        mask = strongest_of_its_own(biases, of_all)
        found.append((f"{card}, in 256 MiB", mask * LINE_BYTES, biases[mask], BLUE))
    of_mates = series_of(results, "bank-mates", _MATES, "parities")
    if of_mates and of_mates.rows:
        mask, thousandths = of_mates.rows[0]
        found.append((f"{card}, mates", mask, thousandths / 1000, BLUE))
    return found


def parities(library: Library) -> Drawing:
    """The parities of address bits in which lines in conflict agree most: in a page, anywhere, as mates."""
    title = "Address bits in whose parity lines of one bank agree"
    found = [
        row
        for card, results in kinds(library, _CHAPTER).items()
        for row in _parities_of(library, card, results)
    ]
    if not found:
        return not_measured(title, "bit of the address", range(7, 31))
    figure, axes = canvas(56 + 22 * len(found), left=186, right=12, top=6, bottom=40)
    names = []
    words = []
    for row, (label, mask, bias, colour) in enumerate(found):
        bits = [bit for bit in range(64) if mask >> bit & 1]
        axes.axhline(row, color=GRID, linewidth=1)
        axes.plot(bits, [row] * len(bits), "s", color=colour, markersize=6)
        names.append(f"{label}: {bias:.2f}".replace("-", "−"))
        words.append(f"{names[-1]}, bits {', '.join(map(str, bits))}")
    axes.set_ylim(len(found) - 0.5, -0.5)
    axes.set_yticks(range(len(found)), names)
    axes.set_xlim(6, 31)
    axes.set_xticks(range(8, 31, 4))
    axes.set_xlabel("bit of the address")
    return Drawing(figure, title, f"Each with its bias. {'; '.join(words)}.")


FIGURES = {
    "pairs": pairs,
    "banks": banks,
    "parities": parities,
}
