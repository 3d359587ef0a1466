"""How far away a word is: the latencies of the card's memories, and those of single loads."""

from __future__ import annotations

from math import log2

from matplotlib.figure import Figure

from book import roofs
from book.documents import MissingResultsError
from book.keys import Key
from book.library import Library
from book.results import Measurement, Results
from book.roofs import Roof
from figures.style import BLUE, GRID, INK, LEGEND, MUTED, VERMILLION, WIDTH, Drawing, canvas, panel

_ROW = 34
_MEMORIES = {
    "shared memory": "shared-latency",
    "L1": "l1-latency",
    "L2": "l2-latency",
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


def percentiles(library: Library) -> Drawing:
    """Between which times nine in ten of the staircase's loads lie, on two kinds of cards."""
    figure, axes = canvas(294, left=44, right=8, top=84, bottom=54)
    runs = [run for run in library.all_published(1) if not run.is_another][:2]
    sizes = sorted({one.shape[0] for run in runs for one in run.measurements if one.step == "stamped"})
    words = []
    for run, colour, marker, aside in zip(runs, (BLUE, VERMILLION), ("o", "s"), (-0.19, 0.19), strict=False):
        places = [number + aside for number in range(len(sizes))]
        timed = [run.measurements.find(Key("stamped", (size,))).quantities for size in sizes]
        low, middle, high = ([one[name].median for one in timed] for name in _SPAN)
        axes.vlines(places, low, high, color=colour, linewidth=3, label=f"{run.short_name}: 5 to 95 %")
        axes.plot(places, middle, marker, color=colour, markersize=5, label=f"{run.short_name}: median")
        means = {one.shape[0]: one.quantities["latency"].median for one in _chased(run)}
        known = [(place, means[size]) for place, size in zip(places, sizes, strict=True) if size in means]
        ends = [[place + side for place, _ in known] for side in (-0.17, 0.17)]
        axes.hlines([mean for _, mean in known], *ends, color=INK, linewidth=1.4, label=_MEAN)
        told = ", ".join(
            f"{_binary(size)} {a:.0f}, {b:.0f}, {c:.0f}"
            for size, a, b, c in zip(sizes, low, middle, high, strict=True)
        )
        words.append(f"{run.short_name}: {told}")
    axes.set_xticks(range(len(sizes)), [_binary(size).replace(chr(0xA0), "\n") for size in sizes])
    axes.set_ylim(0, axes.get_ylim()[1])
    axes.set_yticks([cycles for cycles in range(0, 5000, 200) if cycles < axes.get_ylim()[1]])
    axes.set_title("cycles", x=-0.12)
    axes.grid(axis="y", color=GRID)
    axes.set_xlabel("size of the ring")
    pairs = dict(zip(*reversed(axes.get_legend_handles_labels()), strict=True))
    figure.legend(pairs.values(), pairs.keys(), **LEGEND)
    return Drawing(
        figure,
        "The staircase with percentiles",
        f"By the size of the ring the 5th percentile, the median and the 95th of single loads, with the "
        f"cycles of the clock. {'. '.join(words)}.",
    )


def _chased(run: Results) -> list[Measurement]:
    """The rings that were followed with a link in every line."""
    return [one for one in run.measurements if one.step == "chase" and one.parameters.get("stride") == (128,)]


def _binary(size: float) -> str:
    power = min(int(log2(size)) // 10, 3)
    return f"{size / 1024**power:g}{chr(0xA0)}{('B', 'KiB', 'MiB', 'GiB')[power]}"


_MEAN = "mean, without the clock"
_SPAN = ("percentile-5", "median", "percentile-95")
_BIN = 10
"""Cycles of a bar."""
_RINGS = {"loads, ring of 1 MiB": 1 << 20, "ring of 52 MiB": 52 << 20, "ring of 1 GiB": 1 << 30}

FIGURES = {"distances": distances, "distribution": distribution, "percentiles": percentiles}
