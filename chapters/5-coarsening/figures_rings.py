"""Chapter 5's figure of rings: how long a histogram takes by the bytes that fit into its ring."""

from __future__ import annotations

from collections import defaultdict

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import NullLocator

from book.descriptions import Variant
from book.format import format_value
from book.keys import Parameters
from book.library import Library
from book.results import Results
from figures.reported import entry_of, kinds
from figures.style import (
    BLUE,
    GREEN,
    GRID,
    INK,
    LEGEND,
    MUTED,
    VERMILLION,
    WIDTH,
    Drawing,
    legend_height,
    panel,
)

_CHAPTER, _STEP, _READ, _COUNT = 5, "short-ring", "bare-read", 1 << 28
_FORMS = Parameters.parse(["early=1", "ahead=1", "same=0"])
"""What all rings of the figure have in common: they start early and take their tickets ahead."""
_LOOKS = {8: (BLUE, "o"), 16: (VERMILLION, "s"), 32: (GREEN, "^")}
"""Of rings by the KiB of a tile."""
_TICKS = (16, 24, 32, 48, 64, 96, 128, 192)
_MICROSECONDS = 1e6


def points(library: Library, results: Results) -> dict[int, list[tuple[int, float]]]:
    """By the KiB of a tile: the KiB of each ring that is measured, and its time in microseconds."""
    found = defaultdict(list)
    for variant in library.descriptions(_CHAPTER).of(_STEP):
        if variant.parameters.includes(_FORMS):
            tile, stages = _number(variant, "tile"), _number(variant, "stages")
            one = entry_of(results, _STEP, (_COUNT,), tile=tile, stages=stages, early=1, ahead=1, same=0)
            if one:
                found[tile].append((tile * stages, one.median * _MICROSECONDS))
    return {tile: sorted(rings) for tile, rings in sorted(found.items())}


def _number(variant: Variant, name: str) -> int:
    (number,) = variant.parameters.get(name) or (0,)
    return number


def rings(library: Library) -> Drawing:
    """A plot for each kind of card: time over the bytes of the ring, a line for tiles of one size."""
    measured = {
        name: (run, found)
        for name, run in kinds(library, _CHAPTER).items()
        if (found := points(library, run))
    }
    high, pitch, foot, top = 118, 160, 40, legend_height(_LOOKS) + 30
    figure = Figure(figsize=(WIDTH / 72, (foot + pitch * max(len(measured), 1) + top - (pitch - high)) / 72))
    words = []
    for number, (name, (results, found)) in enumerate(measured.items()):
        axes = panel(figure, 44, foot + pitch * (len(measured) - 1 - number), WIDTH - 58, high)
        words.append(f"{name}: {_draw(axes, results, found)}")
        axes.set_title(f"µs on an {name}", x=-0.1)
        if number == len(measured) - 1:
            axes.set_xlabel("KiB of the ring")
    if measured:
        handles, labels = figure.axes[0].get_legend_handles_labels()
        figure.legend(handles, labels, **LEGEND)
    told = "; ".join(words) or "Not measured yet"
    return Drawing(
        figure,
        "Rings of different sizes",
        f"The time of a histogram of 2²⁸ bytes over the size of its ring. {told}.",
    )


def _draw(axes: Axes, results: Results, found: dict[int, list[tuple[int, float]]]) -> str:
    words = []
    for tile, along in found.items():
        colour, marker = _LOOKS[tile]
        xs, ys = zip(*along, strict=True)
        axes.plot(xs, ys, color=colour, marker=marker, markersize=5, label=f"tiles of {tile} KiB")
        best, least = min(along, key=lambda ring: ring[1])
        told = format_value(least / _MICROSECONDS, "s")
        words.append(f"tiles of {tile} KiB take least with a ring of {best} KiB, {told}")
    read = entry_of(results, _READ, (_COUNT,))
    if read:
        time = read.median * _MICROSECONDS
        axes.axhline(time, color=INK, linestyle="--", linewidth=1)
        axes.text(_TICKS[-1], time, "bare-read", ha="right", va="top", color=MUTED)
        words.append(f"bare-read takes {format_value(read.median, 's')}")
    axes.set_xscale("log", base=2)
    axes.set_xticks(_TICKS, [str(tick) for tick in _TICKS])
    axes.set_xlim(_TICKS[0] / 1.1, _TICKS[-1] * 1.1)
    axes.xaxis.set_minor_locator(NullLocator())
    axes.margins(y=0.2)
    axes.grid(color=GRID)
    return ", ".join(words)


FIGURES = {"rings": rings}
