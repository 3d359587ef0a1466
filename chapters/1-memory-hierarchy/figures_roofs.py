"""The roofline of the card: what each of its memories allows a program, by its operations for each byte."""

from __future__ import annotations

from matplotlib.ticker import NullFormatter

from book import roofs
from book.documents import MissingResultsError
from book.format import format_value
from book.library import Library
from book.roofs import Roof
from figures.style import INK, MUTED, SERIES, Drawing, canvas

_WAVEFRONT = 128
"""Bytes: a word of each bank."""
_MEMORIES = {
    "L1, shared": "l1-data",
    "L2, read": "l2-read",
    "L2, write": "l2-write",
    "DRAM, read": "dram-read",
    "DRAM, copy": "dram-copy",
}
_LINES = {"L2, write": (0, (6, 2)), "DRAM, read": (0, (3, 2)), "DRAM, copy": (0, (1, 2))}
"""How those are drawn that lie close to each other."""
_LEAST, _MOST = 2.0**-4, 2.0**8
"""Operations for each byte, between which it is drawn."""


def bandwidths(library: Library) -> dict[str, float]:
    """Bytes a second of the memories, as far as they are published."""
    multiprocessors, found = roofs.measured(Roof("multiprocessors"), library).number, {}
    for name, roof in _MEMORIES.items():
        try:
            value = roofs.measured(Roof(roof), library)
        except MissingResultsError:
            continue
        of_wavefront = value.unit == "s"  # in one multiprocessor
        found[name] = _WAVEFRONT * multiprocessors / value.number if of_wavefront else value.number
    return found


def roofline(library: Library) -> Drawing:
    """A slope for each memory below the ceiling of the multipliers."""
    ceiling = roofs.measured(Roof("ffma"), library).number
    figure, axes = canvas(308, left=36, right=28, top=82, bottom=36)
    axes.set_xscale("log", base=2)
    axes.set_yscale("log")
    words = []
    for (name, speed), colour in zip(bandwidths(library).items(), SERIES, strict=False):
        ridge = ceiling / speed
        axes.plot(
            [_LEAST, ridge],
            [speed * _LEAST, ceiling],
            color=colour,
            linestyle=_LINES.get(name, "-"),
            label=f"{name} {format_value(speed, 'B/s')}",
        )
        axes.plot([ridge], [ceiling], "o", color=colour, markersize=4)
        words.append(f"{name} {format_value(speed, 'B/s')}, ceiling from {ridge:.3g} operations a byte on")
    axes.plot([_LEAST, _MOST], [ceiling, ceiling], color=INK)
    axes.annotate(
        f"multipliers {format_value(ceiling, 'flop/s')}",
        (_MOST, ceiling),
        (0, 5),
        textcoords="offset points",
        ha="right",
    )
    axes.set_xlim(_LEAST, _MOST)
    axes.set_ylim(ceiling / 1e3, ceiling * 2)
    powers = [2.0**n for n in range(-4, 9, 2)]
    axes.set_xticks(powers, [f"{x:g}" if x >= 1 else f"1/{1 / x:g}" for x in powers])
    tens = [1e11, 1e12, 1e13, 1e14]
    axes.set_yticks(tens, [f"{rate / 1e12:g}" for rate in tens])
    axes.xaxis.set_minor_formatter(NullFormatter())
    axes.minorticks_off()
    axes.grid(axis="y")
    axes.set_title("TFLOP/s", x=-0.08, color=MUTED)
    axes.set_xlabel("operations for each byte of that memory")
    figure.legend(loc="upper left", ncols=2, columnspacing=1.2, handlelength=2)
    return Drawing(
        figure,
        "The roofline of the card",
        f"Under a ceiling of {format_value(ceiling, 'flop/s')} a slope for each memory: {'; '.join(words)}.",
    )


FIGURES = {"roofline": roofline}
