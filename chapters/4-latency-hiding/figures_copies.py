"""Copies past the registers: a ring of stages over time, and what bytes in flight give by three ways."""

from __future__ import annotations

from dataclasses import dataclass

from matplotlib.figure import Figure
from matplotlib.patches import Patch

from book.descriptions import Variant
from book.documents import MissingResultsError
from book.format import scale_of
from book.library import Library
from figures.memory import Cell, cells
from figures.style import (
    BLUE,
    GREEN,
    GRID,
    LEGEND,
    MUTED,
    ORANGE,
    SHADE,
    VERMILLION,
    WIDTH,
    Drawing,
    bare,
    canvas,
    legend_height,
    panel,
)

_CHAPTER = 4
_COMING = {"facecolor": "none", "edgecolor": ORANGE, "hatch": "////", "linewidth": 1}
_READ = {"facecolor": (BLUE, 0.3), "edgecolor": BLUE, "linewidth": 1}
_COPY, _WORK = 3, 1
"""How long a copy takes, and the work on a stage: units of time of the drawing."""
_UNITS = 14
_NOT_YET = "Not measured yet."
_SHOWS = "To come: the bandwidth over the bytes in flight, of loads to registers and of two kinds of copies."


@dataclass(frozen=True)
class Piece:
    """When a piece is asked for, there, and worked through."""

    asked: int
    come: int
    begun: int

    @property
    def ended(self) -> int:
        """When its stage can be filled again."""
        return self.begun + _WORK


def schedule(stages: int, units: int) -> list[Piece]:
    """A ring of stages: a piece is asked for when its stage is free; they are worked through in order."""
    pieces: list[Piece] = []
    while not pieces or pieces[-1].asked < units:
        asked = pieces[-stages].ended if len(pieces) >= stages else 0
        come = asked + _COPY
        pieces.append(Piece(asked, come, max(come, pieces[-1].ended if pieces else 0)))
    return pieces[:-1]


def ring(library: Library) -> Drawing:
    """One stage, two, and four: who is on its way, and who is worked on."""
    del library
    head, high, pitch, left, gap, foot = 22, 18, 21, 62, 10, 26
    rings = (1, 2, 4)
    figure = Figure(figsize=(WIDTH / 72, (sum(head + pitch * stages + gap for stages in rings) + foot) / 72))
    axes = bare(panel(figure, 0, 0, WIDTH, figure.get_figheight() * 72))
    axes.set_xlim(0, WIDTH)
    axes.set_ylim(figure.get_figheight() * 72, 0)
    unit = (WIDTH - left) / _UNITS
    y, words = 0.0, []
    for stages in rings:
        pieces = schedule(stages, _UNITS)
        named = f"{stages} stage{'s' if stages > 1 else ''}"
        done = sum(one.ended <= _UNITS for one in pieces)
        axes.text(0, y + head / 2, named, va="center", fontweight="bold")
        axes.text(WIDTH, y + head / 2, f"{done} pieces", va="center", ha="right", color=MUTED)
        coming: list[Cell] = []
        used: list[Cell] = []
        for number, one in enumerate(pieces):
            top = y + head + number % stages * pitch
            for bars, begin, end in ((coming, one.asked, one.come), (used, one.begun, one.ended)):
                if begin < _UNITS:
                    bars.append((left + begin * unit, top, (min(end, _UNITS) - begin) * unit - 1.5, high))
            if one.begun < _UNITS:
                x = left + (one.begun + _WORK / 2) * unit
                axes.text(x, top + high / 2, str(number), ha="center", va="center")
        for stage in range(stages):
            top = y + head + stage * pitch
            cells(axes, [(left, top, WIDTH - left, high)], facecolor=SHADE)
            axes.text(left - 6, top + high / 2, f"stage {stage}", ha="right", va="center")
        cells(axes, coming, **_COMING)
        cells(axes, used, **_READ)
        words.append(f"{named}: {done} pieces")
        y += head + pitch * stages + gap
    handles = [Patch(label="a copy on its way", **_COMING), Patch(label="is read", **_READ)]
    figure.legend(handles=handles, loc="lower left", ncols=2, columnspacing=1.2)
    return Drawing(
        figure,
        "A ring of stages",
        f"A copy takes {_COPY} units of time, the work on its stage {_WORK}. In {_UNITS} units "
        f"are worked through, with {', '.join(words)}.",
    )


def ways(library: Library) -> Drawing:
    """Bandwidth over bytes in flight: loads to registers, copies of each thread, copies of whole stages."""
    kinds = (
        ("bytes-in-flight", "loads to registers", MUTED, "o"),
        ("async-copy", "a copy of each thread", VERMILLION, "s"),
        ("bulk-copy", "a copy of a stage", GREEN, "^"),
    )
    top = legend_height(kinds) + 26
    figure, axes = canvas(230 + top, left=48, right=14, top=top, bottom=38)
    drawn = [(label, colour, marker, _points(library, step)) for step, label, colour, marker in kinds]
    is_measured = any(points for *_, points in drawn)
    scale, unit = scale_of(max([1e12, *(rate for *_, points in drawn for _, rate in points)]), "B/s")
    words = []
    for label, colour, marker, points in drawn:
        xs, ys = zip(*points, strict=True) if points else ((), ())
        rates = [y / scale for y in ys]
        axes.plot(xs, rates, marker, color=colour, markersize=5, fillstyle="none", label=label)
        words.append(f"{label}: {min(rates):.2f} to {max(rates):.2f} {unit}" if rates else f"{label}: none")
    if not is_measured:
        axes.text(0.5, 0.5, "not measured yet", transform=axes.transAxes, ha="center", color=MUTED)
        axes.set_yticks([])
        axes.set_xlim(1 / 8, 256)
    axes.set_xscale("log", base=2)
    axes.xaxis.set_major_formatter(lambda value, _: f"{value:g}")
    axes.set_ylim(0, None)
    axes.set_xlabel("KiB that a multiprocessor has in flight")
    axes.set_title(unit, x=-0.12)
    axes.grid(color=GRID)
    figure.legend(**LEGEND)
    told = f"{'; '.join(words)}." if is_measured else f"{_NOT_YET} {_SHOWS}"
    return Drawing(figure, "Three ways to ask for bytes", told)


def _points(library: Library, step: str) -> list[tuple[float, float]]:
    """KiB in flight and bandwidth, of each variant of a step that is published."""
    published = library.published(_CHAPTER)
    found = []
    for variant in library.descriptions(_CHAPTER).of(step):
        kibibytes = in_flight(variant)
        try:
            entry = published and published.measurements.find(
                next(run.key for run in variant.runs if run.shape in variant.measured)
            )
        except MissingResultsError:
            continue
        if entry and kibibytes:
            found.append((kibibytes, entry.performance))
    return sorted(found)


def in_flight(variant: Variant) -> float:
    """The KiB that a multiprocessor asks for at a time; 0 for loads of fewer than 16 bytes a lane."""

    def of(name: str) -> int:
        return (variant.parameters.get(name) or (0,))[0]

    if variant.step != "bytes-in-flight":
        return of("stages") * of("kibibytes")
    widest = 16
    return 32 * of("warps") * of("loads") * widest / 1024 if of("width") == widest else 0


FIGURES = {"ring": ring, "ways": ways}
