"""The roofs of the card: the most that each part does, by operations for a byte and by bytes in flight."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from math import atan2, cos, degrees, exp, radians, sin

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import NullFormatter

from book import roofs
from book.documents import MissingResultsError
from book.format import format_value
from book.library import Library
from book.roofs import Roof
from figures.style import BLUE, GREEN, INK, MUTED, VERMILLION, WIDTH, Drawing, canvas, panel

_SOLID, _LONG, _SHORT = "-", (0, (6, 2)), (0, (2, 2))
_LANES_OF_MULTIPROCESSOR = 4 * 32
_TERA = 1e12
_FULL, _CLOSE = 210, 176
"""The heights of the two panels of the roofline."""
_LEAST, _MOST = 2.0**-4, 2.0**8
"""Operations for each byte, between which the slopes are drawn."""
_ACROSS = "operations for each byte of that memory"
_BELOW = 0.15
"""How far the closer panel goes down below the ceiling, and to the left: e to the power of so much."""


@dataclass(frozen=True)
class Slope:
    """A roof of bytes: a program does at most its operations for each byte, times these bytes a second."""

    name: str
    roof: str
    colour: str
    line: str | tuple[int, tuple[int, int]]
    of_access: int = 128
    """Bytes of an access, if the roof is rated by accesses: of a wavefront, a word of each bank."""
    closer: bool = True
    """Whether it stands in the closer panel, among those that are nearly equal."""


_SLOPES = (
    Slope("shared", "shared-memory", BLUE, _SOLID, closer=False),
    Slope("L1 data", "l1-data", BLUE, _SHORT, closer=False),
    Slope("L2, read", "l2-read", GREEN, _SOLID, closer=False),
    Slope("L2, write", "l2-write", GREEN, _LONG),
    Slope("DRAM, write", "dram-write", VERMILLION, _LONG),
    Slope("DRAM, read", "dram-read", VERMILLION, _SOLID),
    Slope("DRAM, copy", "dram-copy", VERMILLION, _SHORT),
    Slope("L1 tags", "l1-tags", BLUE, _LONG, of_access=4 * 4),  # a word of each of four lines
)


def speeds(library: Library) -> dict[Slope, float]:
    """Bytes a second of all multiprocessors, as far as they are published."""
    found = {}
    for slope in _SLOPES:
        try:
            found[slope] = roofs.per_second(Roof(slope.roof), library, slope.of_access)
        except MissingResultsError:
            continue
    return found


def roofline(library: Library) -> Drawing:
    """A slope for each memory below the ceilings of the multipliers and of the issue slots."""
    found = speeds(library)
    ceilings = {
        "multipliers": roofs.measured(Roof("ffma"), library).number,
        "issue slots": roofs.per_second(Roof("issue-slots"), library, _LANES_OF_MULTIPROCESSOR),
    }
    figure = Figure(figsize=(WIDTH / 72, (_FULL + _CLOSE + 144) / 72))
    _whole(panel(figure, 34, _CLOSE + 114, WIDTH - 50, _FULL), found, ceilings)
    near = {slope: speed for slope, speed in found.items() if slope.closer}
    _closer(panel(figure, 34, 38, WIDTH - 50, _CLOSE), near, ceilings["multipliers"])
    words = [
        f"{slope.name} {format_value(speed, 'B/s')}, ceiling from {ceilings['multipliers'] / speed:.3g} "
        f"operations a byte on"
        for slope, speed in found.items()
    ]
    return Drawing(
        figure,
        "The roofline of the card",
        f"Two ceilings: the multipliers, {format_value(ceilings['multipliers'], 'flop/s')}, and the issue "
        f"slots with an operation in each instruction, {format_value(ceilings['issue slots'], 'flop/s')}. "
        f"Below them a slope for each memory: {'; '.join(words)}.",
    )


def _whole(axes: Axes, found: Mapping[Slope, float], ceilings: Mapping[str, float]) -> None:
    """All roofs; of those that are nearly equal, one label says where they stand."""
    highest = max(ceilings.values())
    axes.set_xscale("log", base=2)
    axes.set_yscale("log")
    axes.set_xlim(_LEAST, _MOST)
    axes.set_ylim(highest / 400, highest * 1.8)
    for slope, speed in found.items():
        ridge = highest / speed
        _line(axes, slope, [_LEAST, ridge], [speed * _LEAST, highest])
    for (name, height), (above, va) in zip(ceilings.items(), ((4, "bottom"), (-4, "top")), strict=True):
        first = height / max(found.values(), default=1)
        axes.plot([first, _MOST], [height, height], color=INK, linestyle=_SOLID if above > 0 else _SHORT)
        text = f"{name} {format_value(height, 'flop/s')}"
        axes.annotate(text, (_MOST, height), (0, above), textcoords="offset points", ha="right", va=va)
    powers = [2.0**n for n in range(-4, 9, 2)]
    axes.set_xticks(powers, [f"{x:g}" if x >= 1 else f"1/{1 / x:g}" for x in powers])
    tens = [1e12, 1e13]
    axes.set_yticks(tens, [f"{rate / _TERA:g}" for rate in tens])
    axes.xaxis.set_minor_formatter(NullFormatter())
    axes.minorticks_off()
    axes.grid(axis="y")
    axes.set_title("TFLOP/s", x=-0.08, color=MUTED)
    axes.set_xlabel(_ACROSS)
    labels: dict[str, list[Slope]] = {}
    for slope in (one for one in found if not one.closer):
        labels.setdefault(format_value(found[slope], "B/s"), []).append(slope)
    for text, slopes in labels.items():
        names = ", ".join(slope.name for slope in slopes)
        _along(axes, f"{names} {text}", (_LEAST * 1.2, found[slopes[0]]), slopes[0].colour, 1)
    if lowest := min((speed for slope, speed in found.items() if slope.closer), default=0):
        _along(axes, "five more: see below", (_LEAST * 1.6, lowest), INK, -1)


def _closer(axes: Axes, found: Mapping[Slope, float], ceiling: float) -> None:
    """Those that are nearly equal, where they meet the ceiling."""
    axes.set_xscale("log")
    axes.set_yscale("log")
    ridges = [ceiling / speed for speed in found.values()] or [1.0]
    least, most = min(ridges) * exp(-1.15 * _BELOW), max(ridges) * exp(0.2 * _BELOW)
    axes.set_xlim(least, most)
    axes.set_ylim(ceiling * exp(-_BELOW), ceiling * exp(0.14 * _BELOW))
    lowest = ceiling * exp(-_BELOW)
    falling = sorted(found.items(), key=lambda pair: -pair[1])
    closest = min(pairwise(falling), key=lambda pair: pair[0][1] / pair[1][1], default=None)
    side = 1  # labels stand away from the two lines that are closest to each other
    for slope, speed in falling:
        _line(axes, slope, [lowest / speed, ceiling / speed], [lowest, ceiling])
        text = f"{slope.name} {format_value(speed, 'B/s')}"
        _along(axes, text, (lowest * exp(0.1 * _BELOW) / speed, speed), slope.colour, side)
        if closest and slope == closest[0][0]:
            side = -1
    axes.plot([least, most], [ceiling, ceiling], color=INK)
    whole = [n for n in range(1, 400) if least <= n <= most]
    axes.set_xticks(whole, [str(n) for n in whole])
    tens = [n * 1e12 for n in range(0, 400, 2) if ceiling * exp(-_BELOW) <= n * 1e12 <= ceiling]
    axes.set_yticks(tens, [f"{rate / _TERA:g}" for rate in tens])
    axes.xaxis.set_minor_formatter(NullFormatter())
    axes.yaxis.set_minor_formatter(NullFormatter())
    axes.minorticks_off()
    axes.grid(axis="y")
    axes.set_title("TFLOP/s, closer", x=-0.08, color=MUTED)
    axes.set_xlabel(_ACROSS)


def _line(axes: Axes, slope: Slope, xs: list[float], ys: list[float]) -> None:
    axes.plot(xs, ys, color=slope.colour, linestyle=slope.line)


def _along(axes: Axes, text: str, start: tuple[float, float], colour: str, side: int) -> None:
    """Words along a slope, from where x is so much; above it (1) or below (-1).

    @param start x, and by how much of y the slope rises with x: bytes a second
    """
    x, speed = start
    (left, low), (right, high) = axes.transData.transform([(x, speed * x), (x * 1.1, speed * x * 1.1)])
    turned = degrees(atan2(high - low, right - left))
    away = 3 * side
    axes.annotate(
        text,
        (x, speed * x),
        (-away * sin(radians(turned)), away * cos(radians(turned))),
        textcoords="offset points",
        rotation=turned,
        rotation_mode="anchor",
        va="bottom" if side > 0 else "top",
        color=colour,
    )


_WAITS = (
    ("shared", "shared-latency", _SLOPES[0]),
    ("L1", "l1-latency", _SLOPES[1]),
    ("L2", "l2-latency", _SLOPES[2]),
    ("DRAM", "dram-latency", _SLOPES[5]),
)
"""A memory, the roof of its latency, and that of its bandwidth, above which more in flight bring no more."""
_FEWEST, _ALL = 2.0**7, 2.0**17
"""Bytes in flight of a multiprocessor."""


def latencies(library: Library) -> Drawing:
    """By Little's law: what so many bytes in flight bring at most, with the latency of an idle GPU."""
    figure, axes = canvas(300, left=34, right=28, top=24, bottom=38)
    axes.set_xscale("log", base=2)
    axes.set_yscale("log")
    axes.set_xlim(_FEWEST, _ALL)
    axes.set_ylim(4e10, 7e13)
    multiprocessors, words = roofs.measured(Roof("multiprocessors"), library).number, []
    for name, latency, slope in _WAITS:
        speed = roofs.per_second(Roof(slope.roof), library, slope.of_access)
        seconds = roofs.measured(Roof(latency, "access-time"), library).number
        cycles = f"{roofs.measured(Roof(latency, 'access-cycles'), library).number:.0f} cycles"
        rise = multiprocessors / seconds
        _line(axes, slope, [_FEWEST, speed / rise, _ALL], [rise * _FEWEST, speed, speed])
        axes.plot([speed / rise], [speed], "o", color=slope.colour, markersize=4)
        _along(axes, f"{name} {cycles}", (_FEWEST * 1.4, rise), slope.colour, -1 if name == "L1" else 1)
        if name != "L1":  # whose bandwidth is that of shared memory
            text = f"{'shared, L1' if name == 'shared' else name} {format_value(speed, 'B/s')}"
            axes.annotate(
                text, (_ALL, speed), (0, 3), textcoords="offset points", ha="right", color=slope.colour
            )
        words.append(
            f"{name}: {cycles}, {format_value(speed, 'B/s')} from {speed / rise / 1024:.3g} KiB in flight on"
        )
    powers = [2.0**n for n in range(7, 18, 2)]
    axes.set_xticks(powers, [f"{x:g} B" if x < 1024 else f"{x / 1024:g} KiB" for x in powers])
    tens = [1e11, 1e12, 1e13]
    axes.set_yticks(tens, [f"{rate / _TERA:g}" for rate in tens])
    axes.minorticks_off()
    axes.grid(axis="y")
    axes.set_title("TB/s", x=-0.08, color=MUTED)
    axes.set_xlabel("bytes in flight of each multiprocessor")
    return Drawing(
        figure,
        "The roofs of the latencies",
        f"Bandwidth against the bytes in flight: a slope for each latency, up to the memory's bandwidth. "
        f"{'; '.join(words)}.",
    )


FIGURES = {"roofline": roofline, "latency-roofs": latencies}
