"""What steps measured along their shapes or along an axis, as curves: latencies and bandwidths."""

from __future__ import annotations

import functools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import floor, log2

from matplotlib.axes import Axes
from matplotlib.ticker import MultipleLocator

from book import roofs
from book.descriptions import Variant
from book.documents import BookError, MissingResultsError
from book.format import digits, scale_of
from book.keys import Key, Parameters, Shape
from book.library import Library
from book.quantities import Quantity, measured
from book.results import Results
from book.roofs import Roof
from figures.style import GRID, MARKERS, MUTED, SERIES, Drawing, canvas, legend_height

_CHAPTER = 1
_BINARY = ("B", "KiB", "MiB", "GiB", "TiB")
_MEBI = 1 << 20


@dataclass(frozen=True)
class Curve:
    """What a step measured, over the first number of its shapes or over an axis."""

    label: str
    step: str
    """A step, and parameters that choose a variant: `chase stride=4096`."""
    quantity: str
    unit: float = 1
    """By what the shape's number, or the axis's, is multiplied."""
    axis: str = ""
    """The axis, if it is not the shape."""
    shape: Shape = ()
    """Along an axis: where; the first shape that is timed unless told."""

    def points(self, library: Library, results: Results) -> list[tuple[float, float, str]]:
        """Places, values and their unit, in order; none where it is not measured yet."""
        found = []
        for place, variant, shape in self._places(library):
            key = Key(variant.step, shape, variant.parameters)
            try:
                value = measured(Quantity(key, self.quantity), results)
            except MissingResultsError:
                continue
            found.append((place * self.unit, value.number, value.unit))
        return sorted(found)

    def _places(self, library: Library) -> Iterator[tuple[float, Variant, Shape]]:
        step, *chosen = self.step.split()
        parameters = Parameters.parse(chosen)
        variants = [
            one for one in library.descriptions(_CHAPTER).of(step) if one.parameters.includes(parameters)
        ]
        if not variants:
            raise BookError(f"chapter {_CHAPTER} has no {self.step}")
        if not self.axis:
            variant = next((one for one in variants if one.is_default), variants[0])
            yield from ((float(shape[0]), variant, shape) for shape in variant.measured)
        else:
            default = next((one for one in variants if one.is_default), variants[0])
            others = default.parameters.without(self.axis)
            for one in variants:
                if one.parameters.without(self.axis) == others:
                    shape = self.shape or one.measured[0]
                    yield float((one.parameters.get(self.axis) or (0,))[0]), one, shape


@dataclass(frozen=True)
class Chart:
    """Curves over one axis, and the places that are marked there."""

    title: str
    curves: Sequence[Curve]
    across: str = "working set"
    marks: Sequence[tuple[str, str]] = ()
    """What is marked, and a number of the card's or a number."""
    bytes: bool = True
    """Whether the axis counts bytes; its ticks are powers of two either way."""
    places: Sequence[int] = ()
    """Ticks of an axis that is linear."""
    span: tuple[float, float] | None = None
    """What of the other axis is shown; all from 0 on unless told."""
    height: int = 190


def draw(library: Library, chart: Chart) -> Drawing:
    """The curves of the first card, and faintly those of the next."""
    published, beside = library.published(_CHAPTER), library.one_beside(_CHAPTER)
    legend = legend_height(chart.curves) + 4 if len(chart.curves) > 1 else 0
    figure, axes = canvas(chart.height + legend + 60, left=48, right=14, top=legend + 24, bottom=36)
    units, places = [], []
    found: list[tuple[Curve, Results, list[float], list[float]]] = []
    for curve, colour, marker in zip(chart.curves, SERIES, MARKERS, strict=False):
        for results in filter(None, (published, beside)):
            points = curve.points(library, results)
            if not points:
                continue
            xs, ys = [x for x, _, _ in points], [y for _, y, _ in points]
            if results is published:
                axes.plot(
                    xs, ys, color=colour, marker=marker, markersize=3.5, linewidth=1.2, label=curve.label
                )
            else:
                axes.plot(xs, ys, color=colour, linewidth=0.8, linestyle=(0, (2, 2)))
            units.append(points[0][2])
            places += xs
            found.append((curve, results, xs, ys))
    if not found:
        axes.text(0.5, 0.5, "not measured yet", transform=axes.transAxes, ha="center", color=MUTED)
        axes.set_xticks([])
        axes.set_yticks([])
        return Drawing(
            figure,
            chart.title,
            "Not measured yet: no GPU's results are published for what this figure shows.",
        )
    _across(axes, chart, min(place for place in places if place), max(places), library)
    low, high = chart.span or (0, axes.get_ylim()[1] * 1.04)
    axes.set_ylim(low, high)
    scale, name = scale_of(high, units[0])
    axes.yaxis.set_major_formatter(lambda value, _: f"{value / scale:g}")
    if name == "KiB":
        axes.yaxis.set_major_locator(MultipleLocator(64 * scale))
    axes.set_title(name.replace(" each", ""), x=-0.12)
    axes.grid(axis="y", color=GRID)
    if legend:
        figure.legend(loc="upper left", ncols=2, columnspacing=1.2)
    words = []
    for curve, results, xs, ys in found:
        first, last = (f"{digits(ys[at] / scale)} at {_named(chart, xs[at])}" for at in (0, -1))
        words.append(f"{curve.label} on an {results.short_name}: {first} to {last}")
    return Drawing(figure, chart.title, f"Curves over the {chart.across}, in {name}: {'; '.join(words)}.")


def _across(axes: Axes, chart: Chart, least: float, most: float, library: Library) -> None:
    """A scale of powers of two, with room for a 0 at its left end; or a linear one."""
    axes.set_xlabel(chart.across)
    if chart.places:
        axes.set_xticks(chart.places)
        return
    axes.set_xscale("symlog", base=2, linthresh=least)
    every = _every(log2(most / least))
    powers = [2.0**n for n in range(50) if least * 0.99 <= 2.0**n <= most * 1.01 and n % every == 0]
    ticks = [0.0, *powers] if axes.get_xlim()[0] <= 0 else powers
    axes.set_xticks(ticks, [_named(chart, tick) for tick in ticks])
    axes.minorticks_off()
    for words, size in chart.marks:
        place = float(size) if size.isdigit() else roofs.measured(Roof(size), library).number
        axes.axvline(place, color=MUTED, linewidth=0.9, linestyle=(0, (4, 3)), zorder=0)
        at = {"xycoords": ("data", "axes fraction"), "textcoords": "offset points", "rotation": 90}
        axes.annotate(words, (place, 1), (-3, 0), ha="right", va="top", color=MUTED, **at)


def _every(logs: float) -> int:
    return 1 if logs < 7 else 2 if logs < 13 else 5 if logs < 22 else 10


def _named(chart: Chart, place: float) -> str:
    """A place as its axis writes it: bytes by powers of 1024, `64 MiB`."""
    if not chart.bytes or place < 1:
        return f"{place:g}"
    power = min(floor(log2(place) / 10), len(_BINARY) - 1)
    return f"{place / 1024**power:g}{chr(0xA0)}{_BINARY[power]}"


_L1 = ("L1 and shared memory", str(256 << 10))
_L2 = ("L2", "l2-bytes")

CHARTS = {
    "staircase": Chart(
        "The staircase",
        (Curve("a load", "chase", "latency"),),
        across="size of the ring",
        marks=(_L1, _L2),
    ),
    "lines": Chart(
        "Lines fill a cache, not bytes",
        (
            Curve("a link every 128 bytes", "chase stride=128", "latency"),
            Curve("a link every 4096 bytes", "chase stride=4096", "latency"),
        ),
        across="bytes from the first link to the last",
        marks=(_L1, _L2),
    ),
    "tlb": Chart(
        "Another page for each load",
        (
            Curve("one multiprocessor", "tlb all=0", "latency"),
            Curve("all multiprocessors", "tlb all=1", "latency"),
            Curve("one, most of the memory", "whole-memory", "latency"),
            Curve("one, 32 MiB mapped often", "aliased-pages", "latency"),
        ),
        across="addresses over which the lines are spread",
        span=(270, 370),
    ),
    "stream": Chart(
        "From the L2 to the DRAM",
        tuple(
            Curve(name, f"stream arrays={mix}", "bandwidth", _MEBI)
            for name, mix in (("read", "1x0"), ("write", "0x1"), ("scale", "1x1"), ("triad", "2x1"))
        ),
        marks=(_L2,),
    ),
    "busy": Chart(
        "How many multiprocessors it takes",
        tuple(
            Curve(name, f"busy-multiprocessors arrays={mix}", "bandwidth", axis="blocks", shape=shape)
            for name, mix, shape in (
                ("read 16 MiB", "1x0", (16, 32)),
                ("read 512 MiB", "1x0", (512, 1)),
                ("write 16 MiB", "0x1", (16, 32)),
                ("write 512 MiB", "0x1", (512, 1)),
            )
        ),
        across="multiprocessors",
        bytes=False,
    ),
    "carve-out": Chart(
        "How much L1 stays",
        (Curve("kept", "carve-out", "kept", axis="shared"),),
        across="shared memory, KiB",
        bytes=False,
        places=(0, 32, 64, 100, 132, 164, 196, 228),
    ),
    "constant-bytes": Chart(
        "Constant memory by size",
        (Curve("a load", "constant", "access-cycles", axis="bytes"),),
        across="constant memory that is used",
    ),
    "spill": Chart(
        "The price of a spill",
        (Curve("an addition", "spill", "access-cycles", axis="values"),),
        across="values of a thread",
        bytes=False,
    ),
}
FIGURES = {name: functools.partial(draw, chart=chart) for name, chart in CHARTS.items()}
