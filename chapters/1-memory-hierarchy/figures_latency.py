"""How far away a word is: the latencies of the card's memories, and the staircase of a chase."""

from __future__ import annotations

from matplotlib.figure import Figure

from book import roofs
from book.documents import MissingResultsError
from book.keys import Key
from book.library import Library
from book.roofs import Roof
from figures.style import BLUE, GRID, MUTED, WIDTH, Drawing, canvas, panel

_ROW = 34
_MEMORIES = {
    "shared memory": "shared-latency",
    "L1": "l1-latency",
    "L2, near": "l2-latency",
    "DRAM": "dram-latency",
}


def distances(library: Library) -> Drawing:
    """A bar for each memory, with its latency in cycles and in nanoseconds."""
    figure, axes = canvas(_ROW * len(_MEMORIES) + 44, left=110, right=112, top=4, bottom=40)
    cycles, times = [], []
    for roof in _MEMORIES.values():
        cycles.append(roofs.measured(Roof(roof, "access-cycles"), library).number)
        times.append(roofs.measured(Roof(roof, "access-time"), library).text)
    axes.barh(range(len(cycles)), cycles, color=BLUE, height=0.5)
    axes.set_yticks(range(len(cycles)), list(_MEMORIES))
    axes.set_ylim(len(cycles) - 0.5, -0.5)
    axes.set_xlim(0, max(cycles))
    axes.grid(axis="x", color=GRID)
    axes.set_xlabel("cycles")
    words = []
    for row, (name, count, time) in enumerate(zip(_MEMORIES, cycles, times, strict=True)):
        at = {"xycoords": ("axes fraction", "data"), "textcoords": "offset points", "va": "center"}
        axes.annotate(f"{count:.0f}", (1, row), (36, 0), ha="right", **at)
        axes.annotate(time, (1, row), (106, 0), ha="right", color=MUTED, **at)
        words.append(f"{name} {count:.0f} cycles, {time}")
    return Drawing(figure, "How far away a word is", f"A bar for each memory: {'; '.join(words)}.")


def distribution(library: Library) -> Drawing:
    """How many single loads took how long, in rings of three sizes."""
    high, gap = 78, 44
    figure = Figure(figsize=(WIDTH / 72, (len(_RINGS) * (high + gap) + 30) / 72))
    published, words = library.published(1), []
    for row, (name, size) in enumerate(_RINGS.items()):
        axes = panel(figure, 48, 34 + (len(_RINGS) - 1 - row) * (high + gap), WIDTH - 70, high)
        axes.set_title(name, x=-0.12)
        try:
            counts = published and published.measurements.find(Key("stamped", (size,))).series.get(
                "distribution"
            )
        except MissingResultsError:
            counts = None
        if not counts:
            axes.text(0.5, 0.5, "not measured yet", transform=axes.transAxes, ha="center", color=MUTED)
            axes.set_xticks([])
            axes.set_yticks([])
            continue
        values = list(counts.values)
        axes.stairs(values, [_BIN * place for place in range(len(values) + 1)], fill=True, color=BLUE)
        axes.set_xlim(150, 1200)
        axes.grid(axis="y", color=GRID)
        most = max(range(len(values)), key=values.__getitem__)
        words.append(f"{name}: most loads took {_BIN * most} to {_BIN * (most + 1)} cycles")
        if row == len(_RINGS) - 1:
            axes.set_xlabel("cycles of a load, with those of the clock")
    return Drawing(
        figure,
        "Single loads",
        "; ".join(words) or "Not measured yet: no GPU's results are published for what this figure shows.",
    )


_BIN = 10
"""Cycles of a bar."""
_RINGS = {"loads, ring of 1 MiB": 1 << 20, "ring of 52 MiB": 52 << 20, "ring of 1 GiB": 1 << 30}

FIGURES = {"distances": distances, "distribution": distribution}
