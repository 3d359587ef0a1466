"""What banks and their refresh do to single loads: pairs, lines of one bank, a line again and again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from matplotlib.figure import Figure

from book.documents import MissingResultsError
from book.format import digits
from book.keys import Key
from book.library import Library
from book.memories import memories
from book.results import Measurement, Results, Series
from figures.style import BLUE, GREEN, GRID, MUTED, VERMILLION, WIDTH, Drawing, canvas, panel

_CHAPTER = 3
_PAIRS, _MATES, _CAMPING, _REFRESH = (1 << 18,), (1 << 20,), (1 << 20,), (1 << 14,)
_TOGETHER = (1 << 20, 1 << 12)
"""The shapes at which the steps are timed."""
_LEAST_EXTRA, _CYCLES_OF_BIN = -100, 5
"""Where the histogram of pairs begins, and how wide its bars are."""
_MOST_LOADS = 60
"""Slow loads that are drawn."""
_VERY_SLOW, _DRAWN = 1.4, 1.1
"""How many times as long as nine of ten slow loads a load waits that is very slow, and one that is drawn."""
_TRIED = np.arange(20_000, 250_000, 10)
"""Periods that are tried for very slow loads, in nanoseconds."""
_LINE_BYTES = 128
_FIRST_BIT, _DECIDES = 9, 50
"""Of the bits that chapter 1 changes, one by one, and per cent of the lines, above which one decides."""
_BEYOND = "cycles of both beyond those of the slower one alone"
_AT_ONCE = "lines that are loaded at the same time"
_NOT_YET = "Not measured yet: no GPU's results are published for what this figure shows."


def _series(library: Library, step: str, shape: tuple[int, ...], name: str, **axis: int) -> Series | None:
    """A series of the book's card; None if it is not published."""
    published = library.published(_CHAPTER)
    return _series_of(published, step, shape, name, **axis) if published else None


def _series_of(results: Results, step: str, shape: tuple[int, ...], name: str, **axis: int) -> Series | None:
    entry = _entry(results, step, shape, **axis)
    return entry.series.get(name) if entry else None


def _entry(results: Results, step: str, shape: tuple[int, ...], **axis: int) -> Measurement | None:
    parameters = {axis_name: [value] for axis_name, value in axis.items()}
    try:
        return results.measurements.find(Key.of({"step": step, "shape": shape, "parameters": parameters}))
    except MissingResultsError:
        return None


def kinds(library: Library) -> dict[str, Results]:
    """The first published run of each kind of card, by its short name."""
    return {run.short_name: run for run in library.all_published(_CHAPTER) if not run.is_another}


def _empty(title: str, across: str, ticks: Sequence[int]) -> Drawing:
    figure, axes = canvas(120, left=48, right=12, top=8, bottom=40)
    axes.text(0.5, 0.5, "not measured yet", transform=axes.transAxes, ha="center", color=MUTED)
    axes.set_xlim(ticks[0], ticks[-1])
    axes.set_xticks(ticks)
    axes.set_yticks([])
    axes.set_xlabel(across)
    return Drawing(figure, title, _NOT_YET)


def pairs(library: Library) -> Drawing:
    """How many pairs of lines take how much longer together than the slower line alone."""
    title = "Two loads at the same time"
    windows = {256: "lines from anywhere in 256 MiB", 2: "lines of one page of 2 MiB"}
    found = {
        label: {
            card: series.values
            for card, results in kinds(library).items()
            if (series := _series_of(results, "bank-pairs", _PAIRS, "histogram", window=window))
        }
        for window, label in windows.items()
    }
    found = {label: cards for label, cards in found.items() if cards}
    if not found:
        return _empty(title, _BEYOND, range(-60, 180, 20))
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


def banks(library: Library) -> Drawing:
    """One pair of how many is in conflict, and how many banks the memories would have to have for it."""
    title = "One pair of how many is in conflict?"
    across = "one pair of so many is in conflict"
    found = {
        card: [entry.quantities[f"pairs-of-conflict{end}"].median for end in ("", "-low", "-high")]
        for card, results in kinds(library).items()
        if card.lower() in memories(library)
        and (entry := _entry(results, "bank-pairs", _PAIRS, window=256))
        and entry.quantities["conflicts"].median
    }
    if not found:
        return _empty(title, across, range(2000, 7000, 1000))
    figure, axes = canvas(84 + 44 * len(found), left=48, right=14, top=44, bottom=40)
    words = []
    for row, (card, (one, low, high)) in enumerate(found.items()):
        axes.plot([low, high], [row, row], color=BLUE, linewidth=4, solid_capstyle="butt")
        axes.plot(one, row, "o", color=BLUE, markersize=8, label="measured")
        parts = memories(library)[card.lower()]["pseudo_channels"]
        for each, marker, colour in ((16, "D", VERMILLION), (32, "s", GREEN)):
            axes.plot(parts * each, row, marker, color=colour, markersize=6, label=f"{each} banks each")
            axes.annotate(
                f"{parts} · {each} = {parts * each}",
                (parts * each, row),
                (0, -9),
                textcoords="offset points",
                ha="center",
                va="top",
            )
        words.append(
            f"{card}: one pair of {digits(one)}, between {digits(low)} and {digits(high)}; {parts} "
            f"pseudo-channels of 16 banks are {parts * 16} banks, of 32 banks {parts * 32}"
        )
    axes.set_ylim(len(found) - 0.3, -0.5)
    axes.set_yticks(range(len(found)), list(found))
    axes.set_xlim(1600, 6900)
    axes.set_xlabel(across)
    axes.grid(axis="x", color=GRID)
    handles, labels = axes.get_legend_handles_labels()
    figure.legend(handles[:3], labels[:3], loc="upper left", ncols=3, columnspacing=0.8, handletextpad=0.2)
    return Drawing(figure, title, "; ".join(words) + ".")


def camping(library: Library) -> Drawing:
    """Cycles until the last of 1 to 16 lines has come."""
    title = "Lines of one bank, and lines from anywhere"
    kinds = (("lines of one bank", 1, VERMILLION, "s"), ("lines from anywhere", 0, BLUE, "o"))
    found = [
        (label, series.values, colour, marker)
        for label, same, colour, marker in kinds
        if (series := _series(library, "camping", _CAMPING, "cycles", same=same))
    ]
    if not found:
        return _empty(title, _AT_ONCE, range(17))
    figure, axes = canvas(240, left=48, right=12, top=44, bottom=40)
    words = []
    for label, cycles, colour, marker in found:
        axes.plot(range(1, len(cycles) + 1), cycles, color=colour, marker=marker, markersize=4, label=label)
        words.append(f"{label}: {cycles[0]} cycles for one, {cycles[-1]} for {len(cycles)}")
    axes.set_ylim(0, None)
    axes.set_title("cycles", x=-0.12)
    axes.set_xlabel(_AT_ONCE)
    axes.grid(axis="y", color=GRID)
    figure.legend(loc="upper left", ncols=2, columnspacing=1.2)
    return Drawing(figure, title, "; ".join(words) + ".")


def slow_loads(library: Library) -> Drawing:
    """When the first slow loads of one line came, and how long they took."""
    title = "Slow loads of one line"
    series = _series(library, "refresh", _REFRESH, "slow-loads", line=0)
    if not series:
        return _empty(title, "µs", range(0, 120, 10))
    figure, axes = canvas(200, left=48, right=12, top=26, bottom=40)
    rows = series.rows[:_MOST_LOADS]
    first = rows[0][0]
    times = [(time - first) / 1000 for time, _ in rows]
    axes.vlines(times, 0, [took for _, took in rows], color=VERMILLION, linewidth=1)
    axes.plot(times, [took for _, took in rows], "o", color=VERMILLION, markersize=3)
    axes.set_ylim(0, None)
    axes.set_title("ns of a load", x=-0.12)
    axes.set_xlabel("µs")
    axes.grid(axis="y", color=GRID)
    lasted = [took for _, took in rows]
    return Drawing(
        figure,
        title,
        f"A line for each of the first {len(rows)} slow loads, at its time and as high as it took: "
        f"{times[-1]:.0f} µs, loads of {min(lasted)} to {max(lasted)} ns.",
    )


@dataclass(frozen=True)
class Waits:
    """Slow loads of a line: when what delayed them ended, and how long they waited, in nanoseconds."""

    ends: np.ndarray
    waits: np.ndarray
    long: float
    """Nine of ten slow loads wait so long at most."""
    period: float
    """Of the line's refreshes."""

    @property
    def very_slow(self) -> np.ndarray:
        """The ends of those that are very slow."""
        return self.ends[self.waits >= _VERY_SLOW * self.long]


def waits_of(results: Results) -> list[Waits]:
    """The published slow loads of each line."""
    found = []
    for entry in results.measurements:
        series = entry.series.get("slow-loads") if entry.step == "refresh" else None
        if series and series.rows:
            ends, took = np.array(series.rows, dtype=float).T
            usual, longest, period = (
                entry.quantities[name].median * 1e9 for name in ("usual", "longest", "period")
            )
            found.append(Waits(ends, took - usual, longest, period))
    return found


def beat(lines: Sequence[np.ndarray]) -> tuple[float, float] | None:
    """The period that fits events best, and its strength; each line has its own first event.

    Half of a period fits nearly as well: the events lie in the same places, but in a larger part of it.
    """
    lines = [ends for ends in lines if len(ends)]
    if not lines:
        return None
    turns = (np.abs(np.exp(2j * np.pi * ends[:, None] / _TRIED).sum(axis=0)) for ends in lines)
    strengths = sum(turns) / sum(len(ends) for ends in lines)
    best = int(strengths.argmax())
    return float(_TRIED[best]), float(strengths[best])


def very_slow_loads(library: Library) -> Drawing:
    """Where in the period that fits them best the slow loads lie that wait longest."""
    title = "The longest waits"
    across = "place in the period, in µs"
    cards = [
        (f"{'another ' * results.is_another}{results.short_name}", waits, found)
        for results in library.all_published(_CHAPTER)
        if (waits := waits_of(results)) and (found := beat([line.very_slow for line in waits]))
    ]
    if not cards:
        return _empty(title, across, range(-50, 60, 25))
    high = 84
    figure = Figure(figsize=(WIDTH / 72, (len(cards) * (high + 60) + 40) / 72))
    highest = max(line.waits.max() for _, waits, _ in cards for line in waits)
    words = []
    for row, (card, waits, (period, strength)) in enumerate(cards):
        axes = panel(figure, 48, 64 + (len(cards) - 1 - row) * (high + 60), WIDTH - 62, high)
        for line in waits:
            if not len(line.very_slow):
                continue
            middle = np.angle(np.exp(2j * np.pi * line.very_slow / period).sum()) / 2 / np.pi
            places = ((line.ends / period - middle + 0.5) % 1 - 0.5) * period / 1000
            very = line.waits >= _VERY_SLOW * line.long
            less = (line.waits >= _DRAWN * line.long) & ~very
            is_first = line is waits[0]
            dashes = places[less, None] + np.array([-0.6, 0.6, np.nan])  # one path: markers take more room
            axes.plot(
                dashes.ravel(),
                np.repeat(line.waits[less], 3),
                color=BLUE,
                linewidth=2,
                label="less slow" if is_first else None,
            )
            axes.plot(
                places[very],
                line.waits[very],
                "o",
                color=VERMILLION,
                markersize=3.5,
                label="very slow" if is_first else None,
            )
        count = sum(len(line.very_slow) for line in waits)
        refreshes = period / float(np.median([line.period for line in waits]))
        longest = max(line.waits.max() for line in waits)
        told = f"{card}: {count} very slow loads, strength {strength:.2f}"
        periods = f"{period / 1000:.2f} µs = {refreshes:.2f} periods of the refresh"
        axes.set_title(f"{told}\n{periods}", x=-0.12)
        axes.set_ylim(0, 1.05 * highest)
        axes.set_xlim(-51, 51)
        axes.set_ylabel("ns of wait")
        axes.grid(axis="y", color=GRID)
        words.append(f"{told}, {periods}; the longest wait is {longest:.0f} ns")
        if row == 0:
            figure.legend(*axes.get_legend_handles_labels(), loc="lower left", ncols=2)
        if row == len(cards) - 1:
            axes.set_xlabel(across)
    return Drawing(figure, title, "; ".join(words) + ".")


def apart(library: Library) -> Drawing:
    """How much later one line of a pair is slow than the other, for mates and for lines from anywhere."""
    title = "Refreshed at the same time?"
    kinds = (("mates", 1, VERMILLION), ("lines from anywhere", 0, BLUE))
    found = [
        (label, series.values, colour)
        for label, same, colour in kinds
        if (series := _series(library, "refreshed-together", _TOGETHER, "apart", same=same))
    ]
    across = "how much later, in parts of the period"
    ticks = [place / 4 for place in range(-2, 3)]
    if not found:
        return _empty(title, across, range(2))
    high = 90
    figure = Figure(figsize=(WIDTH / 72, (len(found) * (high + 46) + 24) / 72))
    words = []
    for row, (label, counts, colour) in enumerate(found):
        axes = panel(figure, 60, 38 + (len(found) - 1 - row) * (high + 46), WIDTH - 74, high)
        edges = [place / len(counts) - 0.5 for place in range(len(counts) + 1)]
        axes.stairs(counts, edges, fill=True, color=colour)
        axes.set_xlim(-0.5, 0.5)
        axes.set_xticks(ticks, [f"{tick:g}" for tick in ticks])
        axes.set_ylim(0, None)
        axes.set_title(f"pairs of {label}", x=-0.14)
        axes.grid(axis="y", color=GRID)
        words.append(f"{label}: {', '.join(str(count) for count in counts)}")
        if row == len(found) - 1:
            axes.set_xlabel(across)
    bins = "Pairs in each part of the period, from half of it earlier to half of it later"
    return Drawing(figure, title, f"{bins}. {'; '.join(words)}.")


def bias_of_each(differences: Sequence[int]) -> np.ndarray:
    """The bias of each mask of a line's bits: 1 if all differences are even in it, −1 if all are odd.

    All masks are tried at once, by a Walsh-Hadamard transform.
    """
    lines = np.array(differences, dtype=np.int64) // _LINE_BYTES
    size = 1 << int(lines.max()).bit_length()
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


def halves_of_l2(library: Library, results: Results) -> int:
    """The bits in whose parity the halves of the L2 differ, by chapter 1 on the same card; 0 if unknown."""
    for run in library.all_published(1):
        if run.path.parent == results.path.parent:
            for entry in run.measurements:
                if entry.step == "halves" and (series := entry.series.get("flips")):
                    deciding = (
                        bit for bit, share in enumerate(series.values, _FIRST_BIT) if share > _DECIDES
                    )
                    return sum(1 << bit for bit in deciding)
    return 0


def _parities_of(library: Library, card: str, results: Results) -> list[tuple[str, int, float, str]]:
    """What the figure shows of a card: what it is, its mask, its bias and its colour."""
    found: list[tuple[str, int, float, str]] = []
    within = _series_of(results, "bank-pairs", _PAIRS, "differences", window=2)
    if within and within.values:
        biases = bias_of_each(within.values)
        halves = halves_of_l2(library, results)
        if 0 < halves < len(biases) * _LINE_BYTES:
            found.append((f"{card}, halves of the L2", halves, biases[halves // _LINE_BYTES], VERMILLION))
        masks = independent(biases) or [int(np.abs(biases[1:]).argmax()) + 1]
        found += [(f"{card}, in a page", mask * _LINE_BYTES, biases[mask], BLUE) for mask in masks]
    of_mates = _series_of(results, "bank-mates", _MATES, "parities")
    if of_mates and of_mates.rows:
        mask, thousandths = of_mates.rows[0]
        found.append((f"{card}, mates", mask, thousandths / 1000, BLUE))
    return found


def parities(library: Library) -> Drawing:
    """The parities of address bits in which conflicting lines agree most: within a page, and of mates."""
    title = "Address bits in whose parity lines of one bank agree"
    found = [row for card, results in kinds(library).items() for row in _parities_of(library, card, results)]
    if not found:
        return _empty(title, "bit of the address", range(7, 31))
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
    "camping": camping,
    "slow-loads": slow_loads,
    "very-slow-loads": very_slow_loads,
    "apart": apart,
}
