"""Which channel and which bank an element lies in, and what a tiled product's phases load."""

from __future__ import annotations

import functools
from collections import defaultdict

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from book.library import Library
from book.textbook import ask
from figures.memory import Cell, cells
from figures.style import GREEN, GRID, MUTED, PAPER, PURPLE, WIDTH, Drawing, bare, panel

_BURST = 2
"""Elements of a burst."""
_CHANNELS, _BANKS = 4, 2

Place = tuple[int, int]


def _places(library: Library, elements: int) -> list[Place]:
    """The channel and the bank of each element."""
    firsts = range(elements)
    channels = ask(library, [{"ask": "channel", "element": one} for one in firsts])
    banks = ask(library, [{"ask": "bank", "element": one} for one in firsts])
    return [(int(c["value"]), int(b["value"])) for c, b in zip(channels, banks, strict=True)]


def placement(library: Library) -> Drawing:
    """Four channels with a bus and two banks each, and the bursts of 20 elements in them."""
    held: dict[Place, list[int]] = defaultdict(list)
    for element, place in enumerate(_places(library, 20)):
        held[place].append(element)
    left, wide, high, top, height = 50, 87, 46, 40, 144
    figure = Figure(figsize=(WIDTH / 72, height / 72))
    axes = bare(panel(figure, 0, 0, WIDTH, height))
    axes.set_xlim(0, WIDTH)
    axes.set_ylim(height, 0)
    words = []
    for channel in range(_CHANNELS):
        x = left + wide * channel
        axes.text(x + (wide - 8) / 2, 8, f"channel {channel}", ha="center", va="center")
        axes.plot((x, x + wide - 8), (26, 26), color=GREEN, linewidth=5)
        axes.plot((x + 3, x + 3), (26, top + (high + 6) * _BANKS - 6), color=GREEN, linewidth=2.2)
        for bank in range(_BANKS):
            y = top + (high + 6) * bank
            cells(axes, [(x, y, wide - 8, high)], facecolor="none", edgecolor=MUTED, linewidth=1)
            elements = held[channel, bank]
            for line in range(0, len(elements), _BURST):
                first, last = elements[line], elements[line + _BURST - 1]
                at = y + high / 2 + (line / _BURST - (len(elements) / _BURST - 1) / 2) * 18
                axes.text(x + (wide - 8) / 2 + 2, at, f"{first}, {last}", ha="center", va="center")
            words.append(f"channel {channel} bank {bank}: {', '.join(map(str, elements))}")
    axes.text(0, 26, "bus", va="center", color=GREEN)
    for bank in range(_BANKS):
        axes.text(0, top + (high + 6) * bank + high / 2, f"bank {bank}", va="center")
    return Drawing(
        figure, "The interleaved placement", f"Elements in the banks of four channels. {'; '.join(words)}."
    )


def phases(library: Library, width: int, drawn: int) -> Drawing:
    """The first phases of a product: the bursts of M and N, those that are loaded filled."""
    of_m, of_n = ask(library, [{"ask": "phases", "width": width, "matrix": matrix} for matrix in "mn"])
    side, gap, head = 160, 24, 40
    cell, pitch = side / width, 18 * width + head
    total = pitch * drawn + 4
    figure = Figure(figsize=(WIDTH / 72, total / 72))
    axes = bare(panel(figure, 0, 0, WIDTH, total))
    axes.set_xlim(0, WIDTH)
    axes.set_ylim(total, 0)
    places = _places(library, width * width)
    words = []
    for phase in range(drawn):
        for number, (name, loaded) in enumerate((("M", of_m), ("N", of_n))):
            elements = {one["element"] for block in loaded[phase] for one in block}
            channels = sorted({places[element][0] for element in elements})
            told = f"channel{'s' if len(channels) > 1 else ''} {', '.join(map(str, channels))}"
            left, top = (side + gap) * number, pitch * phase
            axes.text(left, top + 8, f"phase {phase}, {name}:", va="center")
            axes.text(left, top + 25, told, va="center", color=PURPLE)
            _matrix(axes, (left, top + head - 4, cell * _BURST, 18), width, places, elements)
            words.append(f"phase {phase}, {name}: elements {', '.join(map(str, sorted(elements)))}, {told}")
    return Drawing(
        figure,
        f"What the phases of a product of {width} × {width} elements load",
        "Matrices as grids of bursts of two elements, each with its channel and its bank; those that are "
        f"loaded in the phase are filled. {'; '.join(words)}.",
    )


def _matrix(axes: Axes, first: Cell, width: int, places: list[Place], loaded: set[int]) -> None:
    """Bursts in rows, from the first one's rectangle on."""
    left, top, wide, high = first
    filled, empty = [], []
    for element in range(0, width * width, _BURST):
        row, column = divmod(element, width)
        box = (left + column // _BURST * wide, top + row * high, wide - 2, high - 2)
        is_loaded = not loaded.isdisjoint(range(element, element + _BURST))
        (filled if is_loaded else empty).append(box)
        channel, bank = places[element]
        colour = PAPER if is_loaded else MUTED
        middle = (box[0] + box[2] / 2, box[1] + box[3] / 2)
        axes.text(*middle, f"{channel}·{bank}", ha="center", va="center_baseline", color=colour)
    cells(axes, empty, facecolor="none", edgecolor=GRID, linewidth=0.8)
    cells(axes, filled, facecolor=PURPLE)


FIGURES = {
    "placement": placement,
    "phases-4": functools.partial(phases, width=4, drawn=2),
    "phases-8": functools.partial(phases, width=8, drawn=2),
}
