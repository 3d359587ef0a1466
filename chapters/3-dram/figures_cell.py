"""The array of cells of a bank, drawn: what happens between an address and a burst."""

from __future__ import annotations

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from book.library import Library
from figures.memory import Cell, cells
from figures.style import GREEN, GRID, MUTED, PURPLE, VERMILLION, WIDTH, Drawing, bare, panel

_ROWS, _COLUMNS = 5, 8
_OPEN = 2
"""The row whose word line is driven."""
_BURST = range(4, 6)
"""The columns whose bits the bus takes."""
_LEFT, _TOP, _WIDE, _HIGH = 100, 34, 24, 27
"""Where the first bit line and the first word line meet, and from line to line."""
_DECODER = 76
_HEIGHT = 262


def cell_array(_library: Library) -> Drawing:
    """A decoder, cells at the crossings of word lines and bit lines, sense amplifiers, the bus."""
    figure = Figure(figsize=(WIDTH / 72, _HEIGHT / 72))
    axes = bare(panel(figure, 0, 0, WIDTH, _HEIGHT))
    axes.set_xlim(0, WIDTH)
    axes.set_ylim(_HEIGHT, 0)
    right, bottom = _LEFT + _WIDE * _COLUMNS - 4, _TOP + _HIGH * _ROWS - 4
    _decoder(axes)
    for row in range(_ROWS):
        y = _TOP + _HIGH * row
        colour = VERMILLION if row == _OPEN else GRID
        axes.plot((_DECODER, right), (y, y), color=colour, linewidth=2.2 if row == _OPEN else 1)
    for column in range(_COLUMNS):
        x = _LEFT + _WIDE * column
        axes.plot((x, x), (_TOP - 10, bottom), color=MUTED, linewidth=1)
    axes.plot(*_links(), color=MUTED, linewidth=0.8)
    closed = [_cell(row, column) for row in range(_ROWS) for column in range(_COLUMNS) if row != _OPEN]
    cells(axes, closed, facecolor="none", edgecolor=MUTED, linewidth=0.8)
    cells(axes, [_cell(_OPEN, column) for column in range(_COLUMNS)], facecolor=VERMILLION)
    _amplifiers_and_bus(axes, bottom, right)
    for y, text, colour in (
        (_TOP - 20, "bit lines", MUTED),
        (_TOP + _HIGH * _OPEN, "1 word line", VERMILLION),
        (_TOP + _HIGH * _OPEN + 27, "2 cells share", VERMILLION),
        (_TOP + _HIGH * _OPEN + 43, "   charge", VERMILLION),
        (bottom + 11, "3 amplifiers", PURPLE),
        (_HEIGHT - 16, "4 burst", GREEN),
    ):
        axes.text(right + 8, y, text, va="center", color=colour)
    return Drawing(
        figure,
        "The cells of a bank",
        f"A decoder at the left drives one of {_ROWS} word lines, drawn thick. At each crossing with one of "
        f"{_COLUMNS} bit lines lies a cell. The cells of the driven row share their charge with their bit "
        "lines, and a sense amplifier at the end of each bit line finds out what the cell held. Some of the "
        "amplifiers put their bits on the bus: a burst.",
    )


def _decoder(axes: Axes) -> None:
    box = [(6, _TOP - 12, _DECODER - 6, _HIGH * _ROWS)]
    cells(axes, box, facecolor="none", edgecolor=MUTED, linewidth=1)
    axes.text((6 + _DECODER) / 2, _TOP + _HIGH * _ROWS / 2 - 20, "decoder", ha="center", va="center")


def _cell(row: int, column: int) -> Cell:
    return (_LEFT + _WIDE * column - 13, _TOP + _HIGH * row + 4, 8, 8)


def _links() -> tuple[list[float], list[float]]:
    """Short lines from each cell to its bit line, as one path with gaps."""
    across: list[float] = []
    down: list[float] = []
    for row in range(_ROWS):
        for column in range(_COLUMNS):
            left, top, wide, high = _cell(row, column)
            across += [left + wide, _LEFT + _WIDE * column, float("nan")]
            down += [top + high / 2, top + high / 2, float("nan")]
    return across, down


def _amplifiers_and_bus(axes: Axes, bottom: float, right: float) -> None:
    boxes = [(_LEFT + _WIDE * column - 9, bottom, 18, 24) for column in range(_COLUMNS)]
    cells(axes, boxes, facecolor="none", edgecolor=PURPLE, linewidth=1)
    cells(axes, [boxes[column] for column in _BURST], facecolor=PURPLE)
    for column in _BURST:
        x = _LEFT + _WIDE * column
        axes.plot((x, x), (bottom + 24, _HEIGHT - 16), color=GREEN, linewidth=2.2)
    axes.plot((_DECODER, right), (_HEIGHT - 16, _HEIGHT - 16), color=GREEN, linewidth=5)
    axes.text(_DECODER - 6, _HEIGHT - 16, "bus", ha="right", va="center", color=GREEN)


FIGURES = {"cells": cell_array}
