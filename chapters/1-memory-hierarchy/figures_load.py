"""Latency against bandwidth, as more and more bytes are in flight."""

from __future__ import annotations

from book.documents import MissingResultsError
from book.format import scale_of
from book.keys import Key
from book.library import Library
from book.quantities import Quantity, measured
from book.results import Results
from figures.style import BLUE, GRID, MUTED, VERMILLION, Drawing, canvas, legend_height

_CHAPTER = 1
_STEP = "loaded-latency"
_KINDS = (("reads", 0, BLUE, "o"), ("copies", 1, VERMILLION, "s"))


def loaded(library: Library) -> Drawing:
    """A curve for reads and one for copies, from an idle GPU to a busy one."""
    published, beside = library.published(_CHAPTER), library.one_beside(_CHAPTER)
    top = legend_height(_KINDS) + 28
    figure, axes = canvas(230 + top, left=48, right=14, top=top, bottom=36)
    words, most = [], 0.0
    for name, copies, colour, marker in _KINDS:
        for results in filter(None, (published, beside)):
            points = _points(library, results, copies)
            if not points:
                continue
            xs, ys = zip(*points, strict=True)
            most = max(most, *xs)
            if results is published:
                axes.plot(xs, ys, color=colour, marker=marker, markersize=4, linewidth=1.2, label=name)
            else:
                axes.plot(xs, ys, color=colour, linewidth=0.8, linestyle=(0, (2, 2)))
            words.append(f"{name} on an {results.short_name}: {ys[0]:.0f} to {ys[-1]:.0f} cycles")
    if not words:
        axes.text(0.5, 0.5, "not measured yet", transform=axes.transAxes, ha="center", color=MUTED)
        axes.set_xticks([])
        axes.set_yticks([])
        return Drawing(
            figure,
            "Latency under load",
            "Not measured yet: no GPU's results are published for what this figure shows.",
        )
    scale, unit = scale_of(most, "B/s")
    axes.set_xlim(0, most * 1.05)
    axes.set_ylim(0, None)
    axes.xaxis.set_major_formatter(lambda value, _: f"{value / scale:g}")
    axes.set_xlabel(f"bandwidth, {unit}")
    axes.set_title("cycles of a load", x=-0.12)
    axes.grid(color=GRID)
    figure.legend(loc="upper left", ncols=2, columnspacing=1.2)
    return Drawing(figure, "Latency under load", f"Latency over bandwidth: {'; '.join(words)}.")


def _points(library: Library, results: Results, copies: int) -> list[tuple[float, float]]:
    """Bandwidth and latency, in the order of the bytes in flight."""
    found = []
    for variant in library.descriptions(_CHAPTER).of(_STEP):
        in_flight = (variant.parameters.get("in-flight") or (0,))[0]
        if in_flight and variant.parameters.get("copies") != (copies,):
            continue
        key = Key(_STEP, variant.measured[0], variant.parameters)
        try:
            bandwidth = measured(Quantity(key, "bandwidth"), results).number
            latency = measured(Quantity(key, "latency"), results).number
        except MissingResultsError:
            continue
        found.append((in_flight, bandwidth, latency))
    return [(bandwidth, latency) for _, bandwidth, latency in sorted(found)]


FIGURES = {"loaded": loaded}
