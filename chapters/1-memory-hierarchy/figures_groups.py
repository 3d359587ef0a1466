"""Which single loads come from the DRAM: their times beside those of a ring in which all of them do."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from book.keys import Key
from book.library import Library
from book.results import Results
from figures.style import BLUE, GRID, SHADE, WIDTH, Drawing, panel

_CHAPTER = 1
_MIB = 1 << 20
STAIR, FROM_DRAM = 40 * _MIB, 1 << 30
"""A ring of the stair in the middle of the staircase, and one whose loads come from the DRAM."""
CYCLES_OF_BAR = 10
_DRAWN = range(40, 90)
"""The bars that are drawn."""
_LEAST = 0.01
"""The share of all loads that each bar of a group has at least."""


def counts_of(results: Results, ring: int) -> tuple[int, ...]:
    """How many loads of a ring took how many tens of cycles; MissingResultsError if nobody timed them."""
    return results.measurements.find(Key("stamped", (ring,))).series["distribution"].values


def as_large_as_l2(results: Results) -> int:
    """The smallest ring that was timed of those that are not smaller than the L2."""
    timed = (one.shape[0] for one in results.measurements if one.step == "stamped")
    return min(ring for ring in timed if ring >= results.gpu["l2_bytes"])


def groups(counts: Sequence[int]) -> list[range]:
    """The two largest groups of loads, in order: neighbouring bars that all have enough of the loads."""
    least = _LEAST * sum(counts)
    found = groupby(range(len(counts)), key=lambda bar: counts[bar] >= least)
    runs = [list(bars) for has_enough, bars in found if has_enough]
    largest = sorted(runs, key=lambda run: sum(counts[bar] for bar in run))[-2:]
    return [range(run[0], run[-1] + 1) for run in sorted(largest)]


def shares(counts: Sequence[int], of_dram: Sequence[range]) -> tuple[float, float, float]:
    """Of a ring's loads: the share that is shorter than both groups from the DRAM, and that of each group."""
    faster, slower = of_dram
    parts = (range(faster.start), faster, slower)
    shorter, in_faster, in_slower = (sum(counts[bar] for bar in part) / sum(counts) for part in parts)
    return shorter, in_faster, in_slower


def draw(library: Library) -> Drawing:
    """The loads of three rings by their cycles, with the two groups of the largest behind them."""
    results = library.require_published(_CHAPTER)
    of_dram = groups(counts_of(results, FROM_DRAM))
    rings = (STAIR, as_large_as_l2(results), FROM_DRAM)
    high, gap = 74, 44
    figure = Figure(figsize=(WIDTH / 72, (len(rings) * (high + gap) + 30) / 72))
    words = []
    for row, ring in enumerate(reversed(rings)):
        axes = panel(figure, 48, 34 + row * (high + gap), WIDTH - 62, high)
        counts = counts_of(results, ring)
        shorter, faster, slower = map(_percent, shares(counts, of_dram))
        _loads(axes, counts, of_dram, (shorter, faster, slower))
        name = f"ring of {ring // _MIB} MiB" if ring < FROM_DRAM else "ring of 1 GiB"
        axes.set_title(f"loads, {name}" if ring == STAIR else name, x=-0.12)
        if ring == FROM_DRAM:
            axes.set_xlabel("cycles of a load, with those of the clock")
        words.append(
            f"{name}: {shorter} are shorter, {faster} are in the faster, {slower} in the slower group"
        )
    ends = " and ".join(f"{CYCLES_OF_BAR * one.start} to {CYCLES_OF_BAR * one.stop}" for one in of_dram)
    return Drawing(
        figure,
        "Loads from the DRAM",
        f"The two groups of the ring of 1 GiB take {ends} cycles. {'; '.join(reversed(words))}.",
    )


def _loads(axes: Axes, counts: Sequence[int], of_dram: Sequence[range], told: Sequence[str]) -> None:
    """One ring's loads, with the groups from the DRAM as stripes and the shares above."""
    edges = [CYCLES_OF_BAR * bar for bar in (*_DRAWN, _DRAWN.stop)]
    axes.stairs([counts[bar] for bar in _DRAWN], edges, fill=True, color=BLUE)
    for part, share in zip((range(_DRAWN.start, of_dram[0].start), *of_dram), told, strict=True):
        first, last = CYCLES_OF_BAR * part.start, CYCLES_OF_BAR * part.stop
        if part in of_dram:
            axes.axvspan(first, last, color=SHADE, linewidth=0, zorder=0)
        place = {"xycoords": ("data", "axes fraction"), "textcoords": "offset points"}
        axes.annotate(share, ((first + last) / 2, 1), (0, -2), ha="center", va="top", **place)
    axes.set_xlim(edges[0], edges[-1])
    axes.set_xticks(edges[10::10])
    axes.set_ylim(0, 1.35 * max(counts))
    axes.grid(axis="y", color=GRID)


def _percent(share: float) -> str:
    return f"{100 * share:.0f}\N{NO-BREAK SPACE}%"


FIGURES = {"groups": draw}
