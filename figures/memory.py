"""Pieces of drawings of memory: cells of a grid, joined into few paths so that the files stay small."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from matplotlib.axes import Axes
from matplotlib.patches import PathPatch
from matplotlib.path import Path

from figures.style import GRID

Cell = tuple[float, float, float, float]
"""Left, top, width, height."""


def runs(elements: Iterable[tuple[int, int]]) -> list[tuple[int, int, int]]:
    """Row, first column and length of each run of elements beside each other."""
    found: list[tuple[int, int, int]] = []
    for row, column in sorted(elements):
        if found and found[-1][0] == row and sum(found[-1][1:]) == column:
            found[-1] = (row, found[-1][1], found[-1][2] + 1)
        else:
            found.append((row, column, 1))
    return found


def cells(axes: Axes, rectangles: Iterable[Cell], **paint: object) -> None:
    """Draw rectangles as one path."""
    corners = [
        [(x, y), (x + width, y), (x + width, y + height), (x, y + height), (x, y)]
        for x, y, width, height in rectangles
    ]
    if not corners:
        return
    codes = [Path.MOVETO, Path.LINETO, Path.LINETO, Path.LINETO, Path.CLOSEPOLY] * len(corners)
    paint = {"linewidth": 0, "edgecolor": "none", **paint}
    axes.add_patch(PathPatch(Path(np.concatenate(corners), codes), clip_on=False, **paint))


def grid(axes: Axes, columns: int, rows: int, every_x: int = 1, every_y: int = 1) -> None:
    """Draw a grid of lines, one at each so many columns and rows, as one path."""
    vertices = []
    for x in range(0, columns + 1, every_x):
        vertices += [(x, 0), (x, rows)]
    for y in range(0, rows + 1, every_y):
        vertices += [(0, y), (columns, y)]
    codes = [Path.MOVETO, Path.LINETO] * (len(vertices) // 2)
    axes.add_patch(PathPatch(Path(vertices, codes), fill=False, edgecolor=GRID, linewidth=0.6, clip_on=False))
