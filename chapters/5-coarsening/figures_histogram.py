"""Chapter 5's figure of privatization: in which banks the counters lie that the lanes of a warp want."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from book.library import Library
from figures.lanes import Access, ask
from figures.memory import cells, grid
from figures.style import BLUE, INK, MUTED, VERMILLION, WIDTH, Drawing, bare, panel

_BANKS = 32
_BYTES = (3, 35, 3, 67, 9, 41, 99, 7)
"""What the first lanes count. The caption says the same."""
_CELL, _LINE, _LEFT = 10.5, 14, 54


def _layout(axes: Axes, rows: Sequence[tuple[str, int]], place: Callable[[int, int], int]) -> None:
    """Lines of 32 words, each named by what lies in it, with the words that the lanes want."""
    lines = [line for _, line in rows]
    wanted = {place(value, lane) for lane, value in enumerate(_BYTES)}
    asked = [sum(word % _BANKS == bank for word in wanted) for bank in range(_BANKS)]
    found = [(word % _BANKS, lines.index(word // _BANKS)) for word in wanted]
    for colour, meets in ((BLUE, False), (VERMILLION, True)):
        cells(axes, ((x, y, 1, 1) for x, y in found if (asked[x] > 1) == meets), facecolor=colour)
    grid(axes, _BANKS, len(rows))
    for y, (name, _) in enumerate(rows):
        axes.text(-0.5, y + 0.5, name, ha="right", va="center", color=INK)
    axes.set_xlim(0, _BANKS)
    axes.set_ylim(len(rows), 0)


def counter_banks(library: Library) -> Drawing:
    """One copy of the bins, and a copy for each lane."""

    def in_one(value: int, _: int) -> int:
        return value

    def in_own(value: int, lane: int) -> int:
        return value * _BANKS + lane

    bins = sorted(set(_BYTES))
    layouts = (
        ("one copy", in_one, [(f"{_BANKS * line}-{_BANKS * line + 31}", line) for line in range(4)]),
        ("a copy for each lane", in_own, [(f"bin {value}", value) for value in bins]),
    )
    accesses = [
        Access.of(name, lambda lane, place=place: place(_BYTES[lane], lane) if lane < len(_BYTES) else None)
        for name, place, _ in layouts
    ]
    high = [len(rows) * _LINE for _, _, rows in layouts]
    bottom = sum(high) + 2 * 30 + 18
    figure = Figure(figsize=(WIDTH / 72, bottom / 72))
    words = []
    for (name, place, rows), height, answer in zip(layouts, high, ask(library, accesses), strict=True):
        bottom -= height + 30
        axes = bare(panel(figure, _LEFT, bottom, _BANKS * _CELL, height))
        _layout(axes, rows, place)
        count = answer.shared_load_wavefronts
        title = f"{name}: {count} wavefront{'s' if count > 1 else ''}"
        axes.set_title(title, pad=4)
        words.append(title)
    axes.text(0, len(bins) + 0.2, "bank 0", va="top", color=MUTED)
    axes.text(_BANKS, len(bins) + 0.2, "31", va="top", ha="right", color=MUTED)
    return Drawing(
        figure,
        "Counters in the banks of shared memory",
        "Two drawings of lines of 32 words, a bank to each column. The counters that eight lanes want are "
        f"filled, in another colour where several of one bank are wanted. {'; '.join(words)}.",
    )


FIGURES = {"counter-banks": counter_banks}
