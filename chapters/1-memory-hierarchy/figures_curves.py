"""What steps measured along their shapes, as curves: latencies and bandwidths by the working set."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import dataclass
from math import floor, log2

from matplotlib.axes import Axes

from book import roofs
from book.documents import BookError, MissingResultsError
from book.format import digits, scale_of
from book.keys import Key, Parameters
from book.library import Library
from book.quantities import Quantity, measured
from book.results import Results
from book.roofs import Roof
from figures.style import GRID, MARKERS, MUTED, SERIES, Drawing, canvas, legend_height

_CHAPTER = 1
_BINARY = ("B", "KiB", "MiB", "GiB", "TiB")


@dataclass(frozen=True)
class Curve:
    """What a variant of a step measured, over the first number of its shapes."""

    label: str
    step: str
    """A step, and parameters that choose a variant: `chase stride=4096`."""
    quantity: str
    unit: int = 1
    """The bytes for each of what the shape counts."""
    rest: tuple[int, ...] = ()
    """The other numbers of the shapes that are meant; none if they do not matter."""

    def points(self, library: Library, results: Results) -> list[tuple[float, float, str]]:
        """Bytes, the value there and its unit, in order; none where it is not measured yet."""
        step, *chosen = self.step.split()
        variants = library.descriptions(_CHAPTER).of(step)
        parameters = Parameters.parse(chosen)
        variant = next(
            (one for one in variants if (one.parameters.includes(parameters) if chosen else one.is_default)),
            None,
        )
        if variant is None:
            raise BookError(f"chapter {_CHAPTER} has no {self.step}")
        found = []
        for shape in sorted(variant.measured):
            if self.rest and shape[1:] != self.rest:
                continue
            try:
                value = measured(Quantity(Key(step, shape, variant.parameters), self.quantity), results)
            except MissingResultsError:
                continue
            found.append((float(shape[0] * self.unit), value.number, value.unit))
        return found


@dataclass(frozen=True)
class Chart:
    """Curves over one axis of bytes, and the sizes that are marked there: a name and bytes."""

    title: str
    curves: Sequence[Curve]
    across: str = "working set"
    marks: Sequence[tuple[str, str]] = ()
    """What is marked, and a number of the card's or so many bytes."""
    height: int = 190


def draw(library: Library, chart: Chart) -> Drawing:
    """The curves of the first card, and faintly those of the next."""
    published, beside = library.published(_CHAPTER), library.one_beside(_CHAPTER)
    legend = legend_height(chart.curves) + 4 if len(chart.curves) > 1 else 0
    figure, axes = canvas(chart.height + legend + 60, left=44, right=14, top=legend + 24, bottom=36)
    axes.set_xscale("log", base=2)
    words, units = [], []
    for curve, colour, marker in zip(chart.curves, SERIES, MARKERS, strict=False):
        for results in filter(None, (published, beside)):
            points = curve.points(library, results)
            if not points:
                continue
            units.append(points[0][2])
            first = results is published
            axes.plot(
                [x for x, _, _ in points],
                [y for _, y, _ in points],
                color=colour,
                marker=marker if first else None,
                markersize=3.5,
                linewidth=1.2 if first else 0.8,
                linestyle="-" if first else (0, (2, 2)),
                label=curve.label if first else None,
            )
            ends = f"{digits(points[0][1])} at {binary(points[0][0])} to {digits(points[-1][1])} at"
            words.append(f"{curve.label} on an {results.short_name}: {ends} {binary(points[-1][0])}")
    if not words:
        axes.text(0.5, 0.5, "not measured yet", transform=axes.transAxes, ha="center", color=MUTED)
        axes.set_xticks([])
        axes.set_yticks([])
        return Drawing(figure, chart.title, "Not measured yet.")
    _axes(axes, chart, units[0], library)
    if legend:
        figure.legend(loc="upper left", ncols=2, columnspacing=1.2)
    return Drawing(figure, chart.title, f"Curves over the {chart.across}, in {units[0]}. {'; '.join(words)}.")


def _axes(axes: Axes, chart: Chart, unit: str, library: Library) -> None:
    axes.set_ylim(0, axes.get_ylim()[1] * 1.04)
    least, most = (log2(end) for end in axes.get_xlim())
    ticks = [2.0**n for n in range(0, 50) if least <= n <= most and n % _every(most - least) == 0]
    axes.set_xticks(ticks, [binary(tick) for tick in ticks])
    axes.minorticks_off()
    scale, name = scale_of(axes.get_ylim()[1], unit)
    axes.yaxis.set_major_formatter(lambda value, _: f"{value / scale:g}")
    axes.set_title(name.replace(" each", ""), x=-0.1)
    axes.grid(axis="y", color=GRID)
    axes.set_xlabel(chart.across)
    for words, size in chart.marks:
        place = float(size) if size.isdigit() else roofs.measured(Roof(size), library).number
        axes.axvline(place, color=MUTED, linewidth=0.9, linestyle=(0, (4, 3)), zorder=0)
        at = {"xycoords": ("data", "axes fraction"), "textcoords": "offset points", "rotation": 90}
        axes.annotate(words, (place, 1), (-3, 0), ha="right", va="top", color=MUTED, **at)


def _every(logs: float) -> int:
    return 1 if logs < 7 else 2 if logs < 13 else 5


def binary(size: float) -> str:
    """Bytes by powers of 1024: `64 MiB`."""
    power = min(floor(log2(size) / 10), len(_BINARY) - 1) if size >= 1 else 0
    return f"{size / 1024**power:g}{chr(0xA0)}{_BINARY[power]}"


_L1 = ("L1 and shared memory", str(256 << 10))
_L2 = ("L2", "l2-bytes")

CHARTS = {
    "staircase": Chart("The staircase", (Curve("", "chase", "latency"),), marks=(_L1, _L2)),
    "lines": Chart(
        "Lines fill a cache, not bytes",
        (
            Curve("a link every 128 bytes", "chase stride=128", "latency"),
            Curve("a link every 4096 bytes", "chase stride=4096", "latency"),
        ),
        across="bytes from the first link to the last",
        marks=(_L1, _L2),
    ),
}
FIGURES = {name: functools.partial(draw, chart=chart) for name, chart in CHARTS.items()}
