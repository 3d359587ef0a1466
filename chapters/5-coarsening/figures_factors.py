"""Chapter 5's figure of the tiled product by factor: what is saved, what it costs, and what came out."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from book.coarsening import Launch, ask, kernel_of
from book.descriptions import Variant
from book.format import scale_of
from book.keys import Parameters
from book.library import Library
from figures.style import GRID, MARKERS, MUTED, SERIES, WIDTH, Drawing, legend_height, panel

_CHAPTER, _WARP = 5, 32
_LOADS = "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum"
_WAVEFRONTS = "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ld.sum"


@dataclass(frozen=True)
class Point:
    """A way to coarsen with one factor; None is what is not known."""

    factor: int
    loads: float | None
    """Floats that are loaded from global memory for each multiply-add of a thread."""
    wavefronts: float | None
    """Of shared memory, for each multiply-add of a warp."""
    registers: int
    spills: bool
    warps: int
    """That a multiprocessor holds."""
    rate: float | None


def _points(library: Library, step: str, side: int) -> list[Point]:
    """A step's variants with blocks of side × side threads, by their factor."""
    chosen = Parameters.parse([f"side={side}"] if step == "both-sides" else [])
    variants = library.descriptions(_CHAPTER).of(step)
    found = [_point(library, one) for one in variants if one.parameters.includes(chosen)]
    return sorted(found, key=lambda point: point.factor)


def _point(library: Library, variant: Variant) -> Point:
    run = next(one for one in variant.runs if one.shape == variant.measured[0])
    (launch,) = run.launches
    kernel = kernel_of(library, _CHAPTER, variant, run)
    shared = kernel.shared + launch.dynamic_shared
    (held,) = ask(library, [Launch(math.prod(launch.block), kernel.registers, shared, 1, 1, 0, 0, 0)])
    results = library.published(_CHAPTER)
    rate = None
    if results is not None and not results.measurements.is_awaited(run.key):
        rate = results.measurements.find(run.key).rated
    of_product: dict[str, float] = {}
    for counted in variant.runs:
        if counted.metrics is not None:
            of_product = {
                name: value * _WARP / math.prod(counted.shape) for name, value in counted.metrics.items()
            }
    (factor,) = variant.parameters.get("factor") or (1,)
    return Point(
        factor,
        of_product.get(_LOADS),
        of_product.get(_WAVEFRONTS),
        kernel.registers,
        kernel.spills > 0,
        held.warps,
        rate,
    )


@dataclass(frozen=True)
class Row:
    """One of the plots: what it shows of a point."""

    title: str
    of: Callable[[Point], float | None]
    ticks: tuple[float, ...] = ()
    unit: str = ""


_ROWS = (
    Row("floats from global memory for a multiply-add", lambda point: point.loads),
    Row("wavefronts of shared memory for a multiply-add", lambda point: point.wavefronts),
    Row("registers of a thread", lambda point: point.registers, (0, 64, 128, 255)),
    Row("warps that a multiprocessor holds", lambda point: point.warps, (0, 16, 32, 64)),
    Row("rate", lambda point: point.rate, unit="FLOP/s"),
)
_WAYS = (
    ("tile by tile", "tile-by-tile", 32),
    ("one side", "one-side", 32),
    ("both sides, blocks of 32 × 32", "both-sides", 32),
    ("both sides, blocks of 16 × 16", "both-sides", 16),
)


def by_factor(library: Library) -> Drawing:
    """Five plots over the factor, with a line for each way to coarsen."""
    ways = [(name, _points(library, step, side)) for name, step, side in _WAYS]
    handles = [
        Line2D([], [], color=color, marker=marker, markersize=5, label=name)
        for (name, _), color, marker in zip(ways, SERIES, MARKERS, strict=False)
    ]
    high, pitch, bottom = 66, 92, 40 + legend_height(handles)
    figure = Figure(figsize=(WIDTH / 72, (bottom + pitch * len(_ROWS)) / 72))
    words = []
    for number, row in enumerate(_ROWS):
        axes = panel(figure, 46, bottom + pitch * (len(_ROWS) - 1 - number), WIDTH - 60, high)
        words += _draw(axes, row, ways)
        if number == len(_ROWS) - 1:
            axes.set_xlabel("factor")
        else:
            axes.tick_params(labelbottom=False)
    figure.legend(handles=handles, loc="lower left", ncols=2, handlelength=1.6, columnspacing=1)
    return Drawing(
        figure,
        "The tiled product by factor",
        "Five line charts over the factor, 1 to 16, for four ways to coarsen. " + " ".join(words),
    )


def _draw(axes: Axes, row: Row, ways: Sequence[tuple[str, Sequence[Point]]]) -> list[str]:
    """Draw a row; gives it in words."""
    shown = {name: [point for point in points if row.of(point) is not None] for name, points in ways}
    values = [row.of(point) or 0 for points in shown.values() for point in points]
    axes.set_title(row.title)
    axes.set_xscale("log", base=2)
    axes.set_xlim(0.85, 19)
    axes.set_xticks([1, 2, 4, 8, 16], ["1", "2", "4", "8", "16"])
    axes.set_xticks([], minor=True)
    if not values:
        axes.text(0.5, 0.5, "not measured yet", transform=axes.transAxes, ha="center", color=MUTED)
        axes.set_yticks([])
        return [f"{row.title}: not measured yet."]
    scale, unit = scale_of(max(values), row.unit) if row.unit else (1, "")
    words = []
    for (name, points), color, marker in zip(shown.items(), SERIES, MARKERS, strict=False):
        heights = [(row.of(point) or 0) / scale for point in points]
        axes.plot([point.factor for point in points], heights, color=color, linewidth=1.2)
        for point, height in zip(points, heights, strict=True):
            filled = "none" if point.spills else color
            axes.plot(
                [point.factor], [height], color=color, marker=marker, markersize=5, markerfacecolor=filled
            )
        words.append(f"{name} {', '.join(f'{height:.3g}' for height in heights)}")
    axes.set_ylim(0, max(values) / scale * 1.12)
    axes.grid(axis="y", color=GRID)
    if row.ticks:
        axes.set_yticks(row.ticks)
    if unit:
        axes.set_title(f"{row.title}, {unit}")
    return [f"{row.title}: {'; '.join(words)}."]


FIGURES = {"by-factor": by_factor}
