"""The L2 from near and from far: whose half a line is in, what a visit changes, what the cache keeps."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from book.descriptions import Variant
from book.keys import Key
from book.library import Library
from book.results import Results
from figures.style import BLUE, GRID, INK, MARKERS, MUTED, SERIES, VERMILLION, WIDTH, Drawing, canvas, panel

_LINES = 64
_LINES_OF_PAGE = 3968
_FIRST_BIT = 9
"""Of an address, in the halves' lines."""
_MIB = 1 << 20


def _is_far(row: Sequence[int]) -> tuple[bool, ...]:
    """Which latencies of a row are longer than the middle of its extremes."""
    ordered = sorted(row)
    middle = (ordered[len(row) // 20] + ordered[-1 - len(row) // 20]) / 2
    return tuple(latency > middle for latency in row)


def near_far(library: Library) -> Drawing:
    """Which pieces of memory are far from which multiprocessors, and which bits of an address decide it."""
    measurements = library.require_published(1).measurements
    rows = measurements.find(Key("near-far", (_LINES,))).series["latencies"].rows
    flips = measurements.find(Key("halves", (_LINES_OF_PAGE,))).series["flips"].values
    figure = Figure(figsize=(WIDTH / 72, 330 / 72))
    groups = [(far, len(list(same))) for far, same in groupby(sorted(map(_is_far, rows)))]
    _draw_map(panel(figure, 46, 176, WIDTH - 56, 128), groups)
    _draw_flips(panel(figure, 46, 36, WIDTH - 56, 76), flips)
    deciding = [str(_FIRST_BIT + place) for place, share in enumerate(flips) if share > 50]
    counts = ", ".join(str(count) for _, count in groups)
    return Drawing(
        figure,
        "Near and far pieces of memory",
        f"Above, a map of multiprocessors and {_LINES} pieces of 4 KiB: cells are filled where an atomic "
        f"takes long. Multiprocessors with the same row stand together, in groups of {counts}. Below, a bar "
        "for each bit of an address: of how many lines in a hundred the half changes with this bit alone. "
        f"It changes with bits {', '.join(deciding)}.",
    )


def _draw_map(axes: Axes, groups: list[tuple[tuple[bool, ...], int]]) -> None:
    top = 0
    for far, count in groups:
        place = 0
        for is_far, cells in groupby(far):
            length = len(list(cells))
            if is_far:
                axes.add_patch(Rectangle((place, top), length, count, facecolor=VERMILLION, linewidth=0))
            place += length
        top += count
        axes.axhline(top, color=INK, linewidth=0.8)
    axes.set_xlim(0, _LINES)
    axes.set_ylim(top, 0)
    axes.set_xticks(range(0, _LINES + 1, 16))
    axes.set_yticks([0, top], ["0", str(top)])
    axes.set_xlabel("piece of 4 KiB")
    axes.set_title("multiprocessors; filled: far")


def _draw_flips(axes: Axes, flips: Sequence[int]) -> None:
    bits = range(_FIRST_BIT, _FIRST_BIT + len(flips))
    axes.bar(bits, flips, color=BLUE, width=0.7)
    axes.set_xticks(bits)
    axes.set_yticks([0, 50, 100])
    axes.grid(axis="y", color=GRID)
    axes.set_xlabel("bit of the address")
    axes.set_title("lines that it moves to the other half, %")


def survival(library: Library) -> Drawing:
    """What of a working set the L2 still has at the next reading, by the bytes that the DRAM gives."""
    results = library.require_published(1)
    variants = library.descriptions(1).of("read-again")
    curves = [_survivors(results, variant) for variant in variants]
    figure, axes = canvas(214, left=46, right=12, top=58, bottom=40)
    names = ("each line read by one multiprocessor", "by another in each turn")
    for curve, name, color, marker in zip(curves, names, SERIES, MARKERS, strict=False):
        axes.plot(*zip(*curve, strict=True), color=color, marker=marker, label=name)
    size = results.gpu["l2_bytes"] / _MIB
    for part, name in ((size / 2, "half of the L2"), (size, "the L2")):
        axes.axvline(part, color=MUTED, linestyle=":")
        axes.annotate(name, (part, 0), (3, 3), textcoords="offset points", color=MUTED)
    axes.set_ylim(0, 104)
    axes.set_xlabel("working set, MiB")
    axes.set_title("survivors, %")
    axes.grid(color=GRID)
    figure.legend(loc="upper left")
    words = "; ".join(
        f"{name}: {', '.join(f'{share:.0f} % at {mib:.0f} MiB' for mib, share in curve)}"
        for curve, name in zip(curves, names, strict=True)
    )
    return Drawing(figure, "What survives in the L2", f"Two curves over the working set. {words}.")


def _survivors(results: Results, variant: Variant) -> list[tuple[float, float]]:
    """Of each working set its size in MiB and what survives of it in per cent."""
    curve = []
    for run in variant.runs:
        if run.shape not in variant.measured:
            continue
        size = 4 * run.shape[0]
        turns = run.amounts["bytes"] // size
        missed = results.counters.find(run.key).metrics["dram__bytes_read.sum"] - size
        curve.append((size / _MIB, 100 * (1 - missed / (size * (turns - 1)))))
    return curve


FIGURES = {"near-far": near_far, "survival": survival}
