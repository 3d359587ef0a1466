"""Chapter 5's figures of waves: time by the number of blocks, and who ran where from when to when."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from book.keys import Key, Parameters, Shape
from book.library import Library
from book.results import Results
from figures.style import BLUE, GRID, INK, MUTED, SERIES, VERMILLION, WIDTH, Drawing, legend_height, panel

_CHAPTER, _STEP, _EIGHTHS = 5, "waves", 8
_RESIDENT = 2
"""Blocks that a multiprocessor holds, as the step's launches have it."""
_WAYS = ("plain", "grid-stride", "queue", "stream-K")
_TRACED: Shape = (9, 60)


def _parameters(way: int = 0, threads: int = 512, uneven: int = 0, noted: int = 0) -> Parameters:
    asked = {"way": way, "threads": threads, "uneven": uneven, "noted": noted}
    return Parameters.parse([f"{name}={value}" for name, value in asked.items()])


def _times(library: Library, results: Results | None, parameters: Parameters) -> list[tuple[float, float]]:
    """Waves, and the time in seconds, at each shape that is timed and published."""
    points = []
    for variant in library.descriptions(_CHAPTER).of(_STEP):
        if variant.parameters != parameters or results is None:
            continue
        for shape in variant.measured:
            key = Key(_STEP, shape, parameters)
            if not results.measurements.is_awaited(key):
                points.append((shape[0] / _EIGHTHS, results.measurements.find(key).median))
    return sorted(points)


def _teeth(axes: Axes, multiprocessors: int) -> None:
    """What two rules predict, in units of one wave's time."""
    pieces = range(multiprocessors * _RESIDENT, 4 * multiprocessors * _RESIDENT + 1)
    wave = multiprocessors * _RESIDENT
    across = [count / wave for count in pieces]
    axes.plot(across, [-(-count // wave) for count in pieces], color=MUTED, linestyle="--", linewidth=1)
    fullest = [-(-count // multiprocessors) / _RESIDENT for count in pieces]
    axes.plot(across, fullest, color=MUTED, linestyle=":", linewidth=1.4)


def sawtooth(library: Library) -> Drawing:
    """Time against the number of blocks in two plots: blocks of many threads and of few, and four ways."""
    results = library.published(_CHAPTER)
    multiprocessors = _multiprocessors(library)
    small = [("512 threads", _parameters()), ("128 threads", _parameters(threads=128))]
    ways = [(name, _parameters(way=number)) for number, name in enumerate(_WAYS)]
    handles = [
        Line2D([], [], color=MUTED, linestyle="--", label="waves, rounded up"),
        Line2D([], [], color=MUTED, linestyle=":", label="pieces of the fullest multiprocessor, halved"),
    ]
    high, bottom = 130, 36 + legend_height(handles, 1)
    figure = Figure(figsize=(WIDTH / 72, (bottom + 2 * (high + 56)) / 72))
    words = []
    for number, (title, series) in enumerate((("Pieces of two kinds", small), ("Four ways", ways))):
        axes = panel(figure, 40, bottom + (1 - number) * (high + 56), WIDTH - 52, high)
        _teeth(axes, multiprocessors)
        words += _draw_times(library, axes, results, series, of_its_own=number == 0)
        unit = "one wave" if number == 0 else "one wave of plain blocks"
        axes.set_title(f"{title}: time, in times of {unit}")
        axes.set_xlim(0.95, 4.05)
        axes.set_ylim(0.8, 4.3)
        axes.grid(color=GRID)
        axes.set_xlabel("pieces, in waves")
    figure.legend(handles=handles, loc="lower left", ncols=1, handlelength=2)
    return Drawing(
        figure,
        "Time against the number of blocks",
        "Two line charts from one wave of pieces to four. Two rules are drawn as steps: the whole waves, and "
        "half of the pieces of the fullest multiprocessor. " + " ".join(words),
    )


def _draw_times(
    library: Library,
    axes: Axes,
    results: Results | None,
    series: Sequence[tuple[str, Parameters]],
    *,
    of_its_own: bool,
) -> list[str]:
    """Each series, in times of its own wave or of that of the first series."""
    words = []
    one = None
    for (name, parameters), color in zip(series, SERIES, strict=False):
        points = _times(library, results, parameters)
        if one is None or of_its_own:
            one = next((seconds for waves, seconds in points if waves == 1), None)
        if one is None or not points:
            continue
        across = [waves for waves, _ in points]
        times = [seconds / one for _, seconds in points]
        axes.plot(across, times, "o-", color=color, markersize=3, linewidth=1, label=name)
        words.append(f"{name}: up to {points[-1][1] / one:.2f} times one wave.")
    if not words:
        axes.text(0.98, 0.06, "not measured yet", transform=axes.transAxes, ha="right", color=MUTED)
        return ["Not measured yet."]
    axes.legend(loc="upper left")
    return words


def _multiprocessors(library: Library) -> int:
    published = (library.published(chapter) for chapter in library.chapters())
    return next((int(results.gpu["multiprocessors"]) for results in published if results), 132)


@dataclass(frozen=True)
class Segment:
    """A part of a piece, or a whole one: where it was done, from when to when, in nanoseconds."""

    multiprocessor: int
    begin: int
    end: int
    piece: int


def _rows(segments: Sequence[Segment]) -> list[tuple[int, Segment]]:
    """Each segment with its row: a multiprocessor has as many rows as it does segments at a time."""
    free: dict[tuple[int, int], int] = {}
    placed = []
    for segment in sorted(segments, key=lambda one: one.begin):
        place = 0
        while free.get((segment.multiprocessor, place), -1) > segment.begin:
            place += 1
        free[segment.multiprocessor, place] = segment.end
        placed.append((segment, place))
    order = {key: row for row, key in enumerate(sorted(free))}
    return [(order[segment.multiprocessor, place], segment) for segment, place in placed]


def _where(name: str, segments: Sequence[Segment], wave: int) -> str:
    """On how many multiprocessors the last pieces were done, or with grid-stride the first blocks."""
    if name == "stream-K":
        return ""
    if name == "grid-stride":  # block b begins with piece b
        half, all_of = (
            len({segment.multiprocessor for segment in segments if segment.piece < blocks})
            for blocks in (wave // 4, wave // 2)
        )
        return f"first {wave // 4} blocks on {half}, {wave // 2} on {all_of}"
    late = [segment for segment in segments if segment.piece >= wave]
    return f"last {len(late)} pieces on {len({one.multiprocessor for one in late})} multiprocessors"


def block_traces(library: Library) -> Drawing:
    """A plot for each way: the segments on each place of a multiprocessor over the time."""
    results = library.published(_CHAPTER)
    high, pitch = 120, 156
    figure = Figure(figsize=(WIDTH / 72, (pitch * len(_WAYS) + 30) / 72))
    words = []
    plots = []
    for way, name in enumerate(_WAYS):
        axes = panel(figure, 40, 34 + pitch * (len(_WAYS) - 1 - way), WIDTH - 52, high)
        key = Key(_STEP, _TRACED, _parameters(way=way, noted=1))
        axes.set_title(name)
        axes.set_yticks([])
        if results is None or results.measurements.is_awaited(key):
            axes.text(0.5, 0.5, "not measured yet", transform=axes.transAxes, ha="center", color=MUTED)
            axes.set_xticks([])
            words.append(f"{name}: not measured yet.")
            continue
        rows = results.measurements.find(key).series["segments"].rows
        segments = [Segment(*map(int, row)) for row in rows]
        wave = _multiprocessors(library) * _RESIDENT
        where = _where(name, segments, wave)
        axes.set_title(f"{name}: {where}" if where else name)
        placed = _rows(segments)
        places = 1 + max(row for row, _ in placed)
        for late in (False, True):
            bars = [(row, one) for row, one in placed if (one.piece >= wave) == late]
            # A line with gaps is one path of the file; bars would be a path each.
            axes.plot(
                [at for _, one in bars for at in (one.begin / 1000, one.end / 1000, math.nan)],
                [row for row, _ in bars for _ in range(3)],
                color=VERMILLION if late else BLUE,
                linewidth=high / places,
                solid_capstyle="butt",
            )
        axes.set_ylim(-0.5, places - 0.5)
        last = max(one.end for one in segments)
        axes.axvline(last / 1000, color=INK, linewidth=0.8)
        plots.append((axes, last))
        told = f" {where[0].upper()}{where[1:]}." if where else ""
        words.append(f"{name}: {len(segments)} segments in {last / 1000:.1f} µs.{told}")
    longest = max((last for _, last in plots), default=0)
    for axes, _ in plots:
        axes.set_xlim(0, longest / 1000 * 1.02)
    if plots:
        plots[-1][0].set_xlabel("µs")
    return Drawing(
        figure,
        "Blocks on their multiprocessors",
        "Four charts, one for each way in which pieces come to blocks, with a row for each place on a "
        "multiprocessor and a bar for each piece or part of one; those beyond the first wave have another "
        "colour. " + " ".join(words),
    )


FIGURES = {"sawtooth": sawtooth, "block-traces": block_traces}
