"""Bytes in flight as an area, and the bandwidth that they give, predicted and measured."""

from __future__ import annotations

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Rectangle

from book.documents import MissingResultsError
from book.in_flight import CHAPTER, InFlight, bandwidths, is_given, loaded
from book.keys import Key
from book.library import Library
from book.quantities import Quantity, measured
from book.results import Results
from book.roofs import Roof
from book.roofs import measured as roof
from figures.style import (
    BLUE,
    GRID,
    INK,
    MUTED,
    PURPLE,
    SHADE,
    VERMILLION,
    WIDTH,
    Drawing,
    canvas,
    legend_height,
    panel,
)

_OURS = 4
_LINES = ((1, "-"), (4, "--"), (64, ":"))
"""The lines that a warp waits for, of the predicted curves."""
_BYTES = [2**power for power in range(7, 18)]
"""Of a multiprocessor, from 128 bytes to 128 KiB."""
_TENTH = 0.1
_TURNS = 500
"""Of a launch of the grid."""
_TURNS_OF_READERS = 2000

Point = tuple[InFlight, float]
"""What was in flight, and the bandwidth that was measured."""


def areas(library: Library) -> Drawing:
    """Rectangles of latency and bandwidth, whose areas are bytes in flight, to scale."""
    results = library.require_published(CHAPTER)
    every = int(results.gpu["multiprocessors"])
    figure, axes = canvas(232, left=44, right=12, top=26, bottom=36)
    words, ends = [], []
    for in_flight, bandwidth, _ in loaded(library, results):
        if not in_flight:
            continue
        seconds = (every - 1) * in_flight * 1024 / bandwidth
        ends.append((seconds * 1e9, bandwidth / 1e12))
        if in_flight not in (4, 8, 16, 32):
            continue
        axes.add_patch(Rectangle((0, 0), *ends[-1], facecolor="none", edgecolor=INK, linewidth=0.9))
        axes.annotate(
            f"{in_flight} KiB", ends[-1], (-4, -4), textcoords="offset points", ha="right", va="top"
        )
        words.append(f"{in_flight} KiB: {ends[-1][0]:.0f} ns and {ends[-1][1]:.2f} TB/s")
    xs, ys = zip(*ends, strict=True)
    axes.plot(xs, ys, color=BLUE, marker="o", markersize=4, linewidth=1)
    axes.set_xlim(0, 1020)
    axes.set_ylim(0, 5)
    axes.set_xlabel("between two loads of a warp, ns")
    axes.set_title("bandwidth, TB/s", x=-0.11)
    return Drawing(
        figure,
        "Bytes in flight are an area",
        "Rectangles from the origin, as wide as the time of a turn and as high as the bandwidth. Of each "
        f"of the {every - 1} multiprocessors that read: {'; '.join(words)}. Up to "
        "8 KiB they grow upwards, from 16 KiB on mainly to the right.",
    )


def in_flight(library: Library) -> Drawing:
    """Bandwidth over the bytes in flight, and below it the predicted one as a share of the measured one."""
    results = library.require_published(CHAPTER)
    readers, grid, given = _readers(library, results), _grid(library), _grid(library, given=True)
    handles = _handles()
    if grid:
        for colour, name in ((VERMILLION, "this program"), (MUTED, "the same, given")):
            handles.append(Line2D([], [], color=colour, marker="x", linestyle="none", label=name))
    top, lower = legend_height(handles) + 26, 124
    figure = Figure(figsize=(WIDTH / 72, (top + 190 + 40 + lower + 40) / 72))
    upper = panel(figure, 46, 40 + lower + 40, WIDTH - 58, 190)
    words = _curves(library, upper)
    for points, colour, marker in ((readers, BLUE, "o"), (given, MUTED, "x"), (grid, VERMILLION, "x")):
        xs = [point.bytes for point, _ in points]
        upper.plot(xs, [found / 1e12 for _, found in points], marker, color=colour, markersize=4)
    upper.set_title("TB/s", x=-0.11)
    below = panel(figure, 46, 40, WIDTH - 58, lower)
    told = _ratios(library, below, readers, given, grid)
    for axes in (upper, below):
        _by_bytes(axes)
    below.set_xlabel("in flight in each multiprocessor")
    below.set_title("predicted ÷ measured", x=-0.11)
    for line, words_of_line in enumerate(told.split("; ")):
        below.text(0.02, 0.21 - 0.13 * line, words_of_line, transform=below.transAxes, va="center")
    figure.legend(handles=handles, loc="upper left", ncols=2, columnspacing=1.2)
    return Drawing(
        figure,
        "The bandwidth that bytes in flight give",
        f"Rising lines that become level. {'; '.join(words)}. Predicted ÷ measured: {told}.",
    )


def in_flight_model(library: Library) -> Drawing:
    """The model's bandwidth over the bytes in flight, and what chapter 1 measured."""
    readers, handles = _readers(library, library.require_published(CHAPTER)), _handles()
    figure, axes = canvas(
        40 + 190 + legend_height(handles) + 26, left=46, right=12, bottom=40, top=legend_height(handles) + 26
    )
    words = _curves(library, axes)
    axes.plot(
        [point.bytes for point, _ in readers],
        [found / 1e12 for _, found in readers],
        "o",
        color=BLUE,
        markersize=4,
    )
    axes.set_title("TB/s", x=-0.11)
    _by_bytes(axes)
    axes.set_xlabel("in flight in each multiprocessor")
    figure.legend(handles=handles, loc="upper left", ncols=2, columnspacing=1.2)
    return Drawing(
        figure,
        "The bandwidth that bytes in flight give, by the model",
        f"Rising lines that become level. {'; '.join(words)}.",
    )


def _handles() -> list[Line2D]:
    """The legend of the model's lines and of chapter 1's points."""
    return [
        *(Line2D([], [], color=PURPLE, linestyle=line, label=_lines(lines)) for lines, line in _LINES),
        Line2D([], [], color=MUTED, linewidth=1, label="idle latency"),
        Line2D([], [], color=BLUE, marker="o", markersize=4, linestyle="none", label="chapter 1’s readers"),
    ]


def _by_bytes(axes: Axes) -> None:
    axes.set_xscale("log", base=2)
    axes.set_xlim(100, 170_000)
    axes.set_xticks([128, 1024, 8192, 65536], ["128 B", "1 KiB", "8 KiB", "64 KiB"])
    axes.xaxis.grid(visible=True)


def _lines(lines: int) -> str:
    return f"waits for {lines} line{'s' if lines > 1 else ''}"


def _curves(library: Library, axes: Axes) -> list[str]:
    words = []
    for lines, line in _LINES:
        sizes = [size for size in _BYTES if size >= 128 * lines]
        said = bandwidths(library, [InFlight(size, lines, _TURNS) for size in sizes])
        axes.plot(sizes, [one / 1e12 for one in said], color=PURPLE, linestyle=line)
        words.append(f"{_lines(lines)}: {said[0] / 1e12:.2f} TB/s with {sizes[0]} bytes")
    most = roof(Roof("dram-read"), library).number
    latency = roof(Roof("dram-latency", "access-time"), library).number
    every = roof(Roof("multiprocessors"), library).number
    axes.plot(
        _BYTES,
        [min(most, size * every / latency) / 1e12 for size in _BYTES],
        color=MUTED,
        linewidth=1,
    )
    axes.set_ylim(0, 5.2)
    axes.yaxis.grid(visible=True)
    return words


def _ratios(library: Library, axes: Axes, readers: list[Point], given: list[Point], grid: list[Point]) -> str:
    """Draw the predicted by the measured ones, and say how many of what is not given are within a tenth."""
    axes.axhspan(1 - _TENTH, 1 + _TENTH, facecolor=SHADE, linewidth=0)
    axes.axhline(1, color=GRID, linewidth=1)
    words = []
    for points, colour, marker, name in (
        (readers, BLUE, "o", ""),
        (given, MUTED, "x", ""),
        (grid, VERMILLION, "x", "this program, not given"),
    ):
        said = bandwidths(library, [asked for asked, _ in points])
        ratios = [model / found for model, (_, found) in zip(said, points, strict=True)]
        axes.plot([asked.bytes for asked, _ in points], ratios, marker, color=colour, markersize=4)
        if not name:
            continue
        within = sum(abs(ratio - 1) < _TENTH for ratio in ratios)
        words.append(
            f"{name}: {within} of {len(ratios)} within 10 %" if points else f"{name}: not measured yet"
        )
    axes.set_ylim(0.5, 1.3)
    axes.set_yticks([0.8, 1, 1.2], ["0.8", "1.0", "1.2"])
    return "; ".join(words)


def _readers(library: Library, results: Results) -> list[Point]:
    """The warps that read beside chapter 1's thread: each waits for one request of four lines."""
    every = int(results.gpu["multiprocessors"])
    return [
        (InFlight(in_flight * 1024 * (every - 1) // every, 4, _TURNS_OF_READERS), bandwidth)
        for in_flight, bandwidth, _ in loaded(library, results)
        if in_flight
    ]


def _grid(library: Library, *, given: bool = False) -> list[Point]:
    """What the model predicts of the chapter's own grid, or what it is given; nothing before publication."""
    results, points = library.published(_OURS), []
    for variant in library.descriptions(_OURS).of("bytes-in-flight") if results else ():
        key = Key(variant.step, variant.measured[0], variant.parameters)
        if is_given(key) != given:
            continue
        try:
            found = measured(Quantity(key, "bandwidth"), results)
        except MissingResultsError:
            continue
        points.append((InFlight.of_variant(key), found.number))
    return points


FIGURES = {"areas": areas, "in-flight": in_flight, "in-flight-model": in_flight_model}
