"""The map of the card: its parts, the nearest to the thread above, with size, latency and bandwidth."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import mean

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from book import quantities, roofs
from book.documents import MissingResultsError
from book.format import format_value
from book.keys import Key, Parameters
from book.library import Library
from book.quantities import Quantity, Value
from book.roofs import Roof
from figures.memory import cells
from figures.style import (
    BLUE,
    GREEN,
    GRID,
    MUTED,
    ORANGE,
    PURPLE,
    SHADE,
    VERMILLION,
    WIDTH,
    Drawing,
    bare,
    panel,
)

_CHAPTER = 1
_KIB = 1024
_OF_REGISTERS, _OF_L1 = 256 * _KIB, 256 * _KIB
"""The bytes of one multiprocessor's registers, and of the array of its L1 and shared memory: Hopper's."""
_WAVEFRONT = 128
"""Bytes: a word of each bank."""
_DRAWN = 236
"""The width of what is drawn; beside it stand the numbers."""
_PITCH = 16
"""From line to line of the numbers."""
_HEIGHT = 478

Number = Callable[[Library], str]
"""A number of a part in words; raises MissingResultsError if it is not published."""


@dataclass(frozen=True)
class Part:
    """A part of the card with what is known of it, in words."""

    name: str
    top: float
    height: float
    colour: str
    size: Sequence[str]
    measured: tuple[Number, ...]


def _parts(library: Library) -> list[Part]:
    multiprocessors = _count(library, "multiprocessors")
    every = f"{multiprocessors}{chr(0xA0)}×{chr(0xA0)}"
    l2 = _count(library, "l2-bytes")
    return [
        Part(
            "registers and multipliers",
            22,
            108,
            PURPLE,
            (f"{every}{_OF_REGISTERS // _KIB} KiB",),
            (
                functools.partial(_cycles, "multiply-add", "registers", chains=1),
                functools.partial(_operands, "operands"),
                functools.partial(_rate, "", "ffma"),
            ),
        ),
        Part(
            "L1 and shared memory",
            154,
            30,
            BLUE,
            (f"{every}{_OF_L1 // _KIB} KiB",),
            (
                functools.partial(_latency, "shared", "shared-latency"),
                functools.partial(_latency, "L1", "l1-latency"),
                functools.partial(_rate, "shared", "shared-memory"),
                functools.partial(_rate, "L1", "l1-data"),
            ),
        ),
        Part(
            "GPC",
            206,
            90,
            ORANGE,
            ("clusters, in a GPC:",),
            (
                functools.partial(_cycles, "neighbour", "cluster", rank=1),
                functools.partial(_moved, "neighbours", "cluster-read", size=8, further=1),
            ),
        ),
        Part(
            "L2",
            318,
            40,
            GREEN,
            (f"2 × {_binary(l2 / 2)}",),
            (
                functools.partial(_latency, "near", "l2-latency"),
                functools.partial(_farther, "far"),
                functools.partial(_rate, "read", "l2-read"),
                functools.partial(_rate, "write", "l2-write"),
                functools.partial(_between_halves, "halves"),
            ),
        ),
        Part(
            "DRAM",
            408,
            48,
            VERMILLION,
            (format_value(_count(library, "memory-bytes"), "B"),),
            (
                functools.partial(_latency, "", "dram-latency"),
                functools.partial(_rate, "read", "dram-read"),
                functools.partial(_rate, "write", "dram-write"),
                functools.partial(_rate, "copy", "dram-copy"),
            ),
        ),
    ]


def draw(library: Library, *, measured: bool) -> Drawing:
    """The parts of the card and their sizes; with what was measured of them, or without."""
    figure = Figure(figsize=(WIDTH / 72, _HEIGHT / 72))
    axes = bare(panel(figure, 0, 0, WIDTH, _HEIGHT))
    axes.set_xlim(-1, WIDTH - 1)
    axes.set_ylim(_HEIGHT - 1, -1)
    registers, l1, gpc, l2, dram = parts = _parts(library)
    _multiprocessor(axes, registers, l1)
    sides = _sides(library) if measured else []
    _crowd(axes, gpc, _count(library, "multiprocessors"), sides)
    _l2_and_dram(axes, l2, dram)
    words = []
    for part in parts:
        told = [*part.size, *(_known(library, part.measured) if measured else ())]
        if not measured and part is gpc:
            told = []
        for line, text in enumerate(told):
            top = part.top + part.height / 2 - _PITCH * (len(told) - 1) / 2 + _PITCH * line
            axes.text(_DRAWN + 12, top, text, va="center", color=part.colour if line == 0 else None)
        words.append(f"{part.name}: {', '.join(told)}" if told else part.name)
    near = f" {len(sides[0])} of them are nearer to one half, {len(sides[1])} to the other." if sides else ""
    return Drawing(
        figure,
        "The map of the GPU" if measured else "The parts of a GPU",
        f"A multiprocessor with four partitions, each with a scheduler, registers and multipliers; below "
        f"them its load/store unit and its array of L1 and shared memory. "
        f"{_count(library, 'multiprocessors')} multiprocessors, two to a TPC and several TPCs to a GPC, "
        f"share an L2 in two halves, which lies before the DRAM.{near} {'; '.join(words)}.",
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


def _crowd(axes: Axes, gpc: Part, multiprocessors: int, sides: Sequence[Sequence[int]]) -> None:
    """What a TPC and a GPC are; below it all multiprocessors, each above the half of the L2 near to it."""
    frame = [(4, gpc.top, _DRAWN - 8, 34)]
    cells(axes, frame, facecolor=gpc.colour, alpha=0.15)
    cells(axes, frame, facecolor="none", edgecolor=gpc.colour, linewidth=1, linestyle=(0, (4, 3)))
    axes.text(12, gpc.top + 17, "GPC", va="center")
    for left in (50, 124):
        axes.text(left + 5, gpc.top + 17, "TPC", va="center")
        cells(axes, [(left, gpc.top + 5, 66, 24)], facecolor="none", edgecolor=MUTED, linewidth=1)
        squares = [(left + 36 + 14 * core, gpc.top + 11, 11, 12) for core in (0, 1)]
        cells(axes, squares, facecolor=SHADE, edgecolor=MUTED, linewidth=0.6)
    axes.text(209, gpc.top + 15, "…", ha="center", va="center")
    axes.text(8, gpc.top + 46, f"{multiprocessors} multiprocessors in all", va="center")
    groups = sides or [range(multiprocessors)]
    wide = _DRAWN / len(groups)
    for place, group in enumerate(groups):
        _pairs(axes, len(group), place * wide + 4, gpc.top + 58, wide - 8)
        middle = (place + 0.5) * wide
        axes.plot([middle] * 2, [gpc.top + gpc.height + 12, gpc.top + gpc.height + 22], color=MUTED)


def _pairs(axes: Axes, multiprocessors: int, left: float, top: float, wide: float) -> None:
    """So many multiprocessors in three rows of frames, each with two of them."""
    columns = -(-multiprocessors // 6)
    pitch, high = wide / columns, 11
    frames, cores = [], []
    for number in range(multiprocessors):
        pair, second = divmod(number, 2)
        x, y = left + pair // 3 * pitch, top + pair % 3 * (high + 3)
        if not second:
            frames.append((x, y, pitch * 0.84, high))
        cores.append((x + pitch * (0.08 + 0.38 * second), y + 2, pitch * 0.3, high - 4))
    cells(axes, frames, facecolor="none", edgecolor=MUTED, linewidth=0.6)
    cells(axes, cores, facecolor=SHADE)


def _l2_and_dram(axes: Axes, l2: Part, dram: Part) -> None:
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


def _sides(library: Library) -> list[list[int]]:
    """The multiprocessors that are near to the half where the first line of `near-far` is, and the others."""
    results = library.require_published(_CHAPTER)
    entry = results.measurements.find(_key(library, "near-far"))
    cut = mean(entry.quantities[name].median for name in ("nearer-half", "farther-half"))
    near: list[list[int]] = [[], []]
    for number, latencies in enumerate(entry.series["latencies"].rows):
        near[latencies[0] > cut].append(number)
    return near


def _known(library: Library, numbers: Sequence[Number]) -> list[str]:
    """Those that are published."""
    found = []
    for number in numbers:
        try:
            found.append(number(library))
        except MissingResultsError:
            continue
    return found


def _latency(words: str, roof: str, library: Library) -> str:
    return f"{words} {roofs.measured(Roof(roof, 'access-cycles'), library).number:.0f} cycles".strip()


def _rate(words: str, roof: str, library: Library) -> str:
    unit = roofs.measured(Roof(roof), library).unit
    number = roofs.per_second(Roof(roof), library, _WAVEFRONT)
    return f"{words} {format_value(number, 'B/s' if unit == 's' else unit)}".strip()


def _cycles(words: str, step: str, library: Library, **parameters: int) -> str:
    return f"{words} {_measured(library, 'access-cycles', step, **parameters).number:.0f} cycles"


def _moved(words: str, step: str, library: Library, **parameters: int) -> str:
    return f"{words} {_measured(library, 'bandwidth', step, **parameters).text}"


def _farther(words: str, library: Library) -> str:
    """By how much: both are measured with the cycles of reading the clock."""
    near, far = (_measured(library, name, "home-visits", before=1).number for name in ("near", "far"))
    return f"{words} {far - near:.0f} more"


def _between_halves(words: str, library: Library) -> str:
    """The bandwidth of far lines that come from the DRAM: all of them pass from one half to the other."""
    key = Key("home-traffic", (1024, 1), Parameters.of({"home": (1,), "arrays": (1, 0)}))
    value = quantities.measured(Quantity(key, "bandwidth"), library.require_published(_CHAPTER))
    return f"{words} {value.text}"


def _operands(words: str, library: Library) -> str:
    """What both banks of the registers give in all partitions, if neither of them waits for the other."""
    of_multiply_add = 3 * _WAVEFRONT
    time = _measured(library, "access-time", "register-banks", registers=(1, 0, 0)).number
    partitions = 4 * _count(library, "multiprocessors")
    return f"{words} {format_value(of_multiply_add * partitions / time, 'B/s')}"


def _measured(library: Library, quantity: str, step: str, **parameters: int | tuple[int, ...]) -> Value:
    results = library.require_published(_CHAPTER)
    return quantities.measured(Quantity(_key(library, step, **parameters), quantity), results)


def _key(library: Library, step: str, **parameters: int | tuple[int, ...]) -> Key:
    """A step's variant at the first shape at which it is timed; the default one, unless told."""
    variants = library.descriptions(_CHAPTER).of(step)
    shape = next(one for one in variants if one.is_default).measured[0]
    tuples = {name: one if isinstance(one, tuple) else (one,) for name, one in parameters.items()}
    return Key(step, shape, Parameters.of(tuples))


def _count(library: Library, name: str) -> int:
    return int(roofs.measured(Roof(name), library).number)


def _binary(size: float) -> str:
    return f"{size / _KIB**2:.0f}{chr(0xA0)}MiB"


FIGURES = {
    "parts": functools.partial(draw, measured=False),
    "map": functools.partial(draw, measured=True),
}
