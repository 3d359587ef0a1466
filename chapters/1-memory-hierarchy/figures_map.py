"""The map of the card: its parts, the nearest to the thread above, with size, latency and bandwidth."""

from __future__ import annotations

import functools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from book import roofs
from book.documents import MissingResultsError
from book.format import format_value
from book.library import Library
from book.roofs import Roof
from figures.memory import cells
from figures.style import BLUE, GREEN, GRID, MUTED, PURPLE, SHADE, VERMILLION, WIDTH, Drawing, bare, panel

_KIB = 1024
_OF_REGISTERS, _OF_L1 = 256 * _KIB, 256 * _KIB
"""The bytes of one multiprocessor's registers, and of the array of its L1 and shared memory: Hopper's."""
_WAVEFRONT = 128
"""Bytes: a word of each bank."""
_DRAWN = 236
"""The width of what is drawn; beside it stand the numbers."""
_PITCH = 16
"""From line to line of the numbers."""


@dataclass(frozen=True)
class Part:
    """A part of the card with what is known of it, in words."""

    name: str
    top: float
    height: float
    size: str
    latencies: tuple[tuple[str, Roof], ...] = ()
    bandwidths: tuple[tuple[str, Roof], ...] = ()
    colour: str = MUTED


def _parts(library: Library) -> list[Part]:
    multiprocessors = _number(library, "multiprocessors")
    every = f"{multiprocessors:.0f}{chr(0xA0)}×{chr(0xA0)}"
    return [
        Part("registers", 22, 108, f"{every}{_OF_REGISTERS // _KIB} KiB", colour=PURPLE),
        Part(
            "L1 and shared memory",
            154,
            30,
            f"{every}{_OF_L1 // _KIB} KiB",
            (
                ("shared", Roof("shared-latency", "access-cycles")),
                ("L1", Roof("l1-latency", "access-cycles")),
            ),
            (("", Roof("l1-data")),),
            BLUE,
        ),
        Part(
            "L2",
            278,
            40,
            _binary(_number(library, "l2-bytes")),
            (("", Roof("l2-latency", "access-cycles")),),
            (("read", Roof("l2-read")),),
            GREEN,
        ),
        Part(
            "DRAM",
            348,
            48,
            format_value(_number(library, "memory-bytes"), "B"),
            (("", Roof("dram-latency", "access-cycles")),),
            (("read", Roof("dram-read")), ("write", Roof("dram-write"))),
            VERMILLION,
        ),
    ]


def draw(library: Library, *, measured: bool) -> Drawing:
    """The parts of the card and their sizes; with what was measured of them, or without."""
    height = 404
    figure = Figure(figsize=(WIDTH / 72, height / 72))
    axes = bare(panel(figure, 0, 0, WIDTH, height))
    axes.set_xlim(-1, WIDTH - 1)
    axes.set_ylim(height - 1, -1)
    parts = _parts(library)
    multiprocessors = int(_number(library, "multiprocessors"))
    _multiprocessor(axes, *parts[:2])
    _crowd(axes, multiprocessors)
    _l2_and_dram(axes, *parts[2:])
    words = []
    for part in parts:
        told = [part.size, *(_measured(library, part) if measured else ())]
        for line, text in enumerate(told):
            top = part.top + part.height / 2 - _PITCH * (len(told) - 1) / 2 + _PITCH * line
            axes.text(_DRAWN + 12, top, text, va="center", color=part.colour if line == 0 else None)
        words.append(f"{part.name}: {', '.join(told)}")
    title = "The map of the GPU" if measured else "The parts of a GPU"
    return Drawing(
        figure,
        title,
        f"A multiprocessor with four partitions, each with a scheduler, registers and multipliers; below "
        f"them its load/store unit and its array of L1 and shared memory. {multiprocessors} multiprocessors "
        f"share an L2 in two halves, which lies before the DRAM. {'; '.join(words)}.",
    )


def _multiprocessor(axes: Axes, registers: Part, l1: Part) -> None:
    axes.text(8, 11, "a multiprocessor", va="center")
    cells(axes, [(0, 0, _DRAWN, l1.top + l1.height + 8)], facecolor="none", edgecolor=MUTED, linewidth=1)
    wide, high = 107, 52
    for number in range(4):
        left, top = 8 + number % 2 * (wide + 6), registers.top + number // 2 * (high + 4)
        cells(axes, [(left, top, wide, high)], facecolor="none", edgecolor=GRID, linewidth=1)
        cells(axes, [(left + 3, top + 18, wide - 6, 15)], facecolor=registers.colour, alpha=0.25)
        for line, name in enumerate(("scheduler", "registers", "multipliers")):
            axes.text(left + wide / 2, top + 10 + 16 * line, name, ha="center", va="center")
    axes.text(_DRAWN / 2, 142, "load/store unit", ha="center", va="center")
    half = (_DRAWN - 16) / 2
    cells(axes, [(8, l1.top, 2 * half, l1.height)], facecolor=l1.colour, alpha=0.25)
    cells(axes, [(8, l1.top, 2 * half, l1.height)], facecolor="none", edgecolor=l1.colour, linewidth=1)
    axes.plot([8 + 0.4 * half] * 2, [l1.top, l1.top + l1.height], color=l1.colour, linestyle=(0, (3, 3)))
    axes.text(8 + 0.2 * half, l1.top + l1.height / 2, "L1", ha="center", va="center")
    axes.text(8 + 1.2 * half, l1.top + l1.height / 2, "shared memory", ha="center", va="center")


def _crowd(axes: Axes, multiprocessors: int) -> None:
    """All multiprocessors, two to a TPC."""
    axes.text(8, 208, f"{multiprocessors} of them, in pairs", va="center")
    per_row = -(-multiprocessors // 4)
    pitch = (_DRAWN - 8) / per_row
    places = []
    for number in range(multiprocessors):
        column, row = number // 4, number % 4
        places.append((4 + column * pitch, 219 + row * 9 + row // 2 * 5, pitch * 0.7, 7))
    cells(axes, places[1:], facecolor=SHADE, edgecolor=MUTED, linewidth=0.6)
    cells(axes, places[:1], facecolor=BLUE)


def _l2_and_dram(axes: Axes, l2: Part, dram: Part) -> None:
    axes.plot([_DRAWN / 2] * 2, [264, l2.top], color=MUTED)
    axes.plot([_DRAWN / 2] * 2, [l2.top + l2.height, dram.top], color=MUTED)
    for side in (0, 1):
        place = [(side * (_DRAWN / 2 + 4), l2.top, _DRAWN / 2 - 4, l2.height)]
        cells(axes, place, facecolor=l2.colour, alpha=0.25)
        cells(axes, place, facecolor="none", edgecolor=l2.colour, linewidth=1)
        name = ("L2, one half", "L2, other half")[side]
        axes.text(place[0][0] + place[0][2] / 2, l2.top + l2.height / 2, name, ha="center", va="center")
    cells(axes, [(0, dram.top, _DRAWN, dram.height)], facecolor=dram.colour, alpha=0.25)
    cells(axes, [(0, dram.top, _DRAWN, dram.height)], facecolor="none", edgecolor=dram.colour, linewidth=1)
    axes.text(_DRAWN / 2, dram.top + dram.height / 2, "DRAM", ha="center", va="center")


def _measured(library: Library, part: Part) -> list[str]:
    """Latency and bandwidth, a line for each."""
    found = []
    for name, roof in _known(library, part.latencies):
        found.append(f"{name} {_number(library, str(roof)):.0f} cycles".strip())
    for name, roof in _known(library, part.bandwidths):
        value = roofs.measured(roof, library)
        if value.unit == "s":  # of a wavefront in one multiprocessor
            moved = _WAVEFRONT * _number(library, "multiprocessors") / value.number
        else:
            moved = value.number
        found.append(f"{name} {format_value(moved, 'B/s')}".strip())
    return found


def _known(library: Library, asked: Sequence[tuple[str, Roof]]) -> Iterator[tuple[str, Roof]]:
    """Those that are published."""
    for name, roof in asked:
        try:
            roofs.measured(roof, library)
        except MissingResultsError:
            continue
        yield name, roof


def _number(library: Library, roof: str) -> float:
    return roofs.measured(Roof.parse(roof), library).number


def _binary(size: float) -> str:
    return f"{size / _KIB**2:.0f} MiB"


FIGURES = {
    "parts": functools.partial(draw, measured=False),
    "map": functools.partial(draw, measured=True),
}
