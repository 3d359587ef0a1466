"""How far away a word is: the latencies of the card's memories, and the staircase of a chase."""

from __future__ import annotations

from book import roofs
from book.library import Library
from book.roofs import Roof
from figures.style import BLUE, GRID, MUTED, Drawing, canvas

_ROW = 34
_MEMORIES = {
    "shared memory": "shared-latency",
    "L1": "l1-latency",
    "L2, near": "l2-latency",
    "DRAM": "dram-latency",
}


def distances(library: Library) -> Drawing:
    """A bar for each memory, with its latency in cycles and in nanoseconds."""
    figure, axes = canvas(_ROW * len(_MEMORIES) + 44, left=98, right=112, top=4, bottom=40)
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


FIGURES = {"distances": distances}
