"""Chapter 5's figure of temporal blocking: what a warp makes of its columns, sweep by sweep."""

from __future__ import annotations

from matplotlib.figure import Figure
from matplotlib.patches import Patch

from book.library import Library
from figures.memory import cells
from figures.style import BLUE, INK, MUTED, SHADE, VERMILLION, WIDTH, Drawing, panel

_SPAN, _LANE_COLUMNS = 128, 4
"""Columns of a warp and of a lane, as `five-point-blocked` has them."""
_SWEEPS = (4, 7)
_ROW, _GAP, _LEFT = 11, 40, 54


def _halo(sweeps: int) -> int:
    """Columns on either side that a warp does not store: whole lanes."""
    return -(-sweeps // _LANE_COLUMNS) * _LANE_COLUMNS


def halo(_: Library) -> Drawing:
    """The columns that are right after each sweep, for four sweeps and for seven."""
    heights = [(sweeps + 1) * _ROW for sweeps in _SWEEPS]
    figure = Figure(figsize=(WIDTH / 72, (sum(heights) + len(heights) * _GAP + 24) / 72))
    words = []
    bottom = sum(heights) + len(heights) * _GAP + 24
    for sweeps, height in zip(_SWEEPS, heights, strict=True):
        bottom -= height + _GAP - 8
        axes = panel(figure, _LEFT, bottom, WIDTH - _LEFT - 8, height)
        bottom -= 8
        rows = range(sweeps + 1)
        cells(axes, ((0, row, _SPAN, 0.8) for row in rows), facecolor=VERMILLION)
        cells(axes, ((row, row, _SPAN - 2 * row, 0.8) for row in rows), facecolor=SHADE)
        kept = _SPAN - 2 * _halo(sweeps)
        cells(axes, ((_halo(sweeps), row, kept, 0.8) for row in rows), facecolor=BLUE)
        axes.set_xlim(0, _SPAN)
        axes.set_ylim(sweeps + 1, 0)
        axes.set_xticks([])
        axes.set_yticks([row + 0.4 for row in rows], ["loaded", *map(str, range(1, sweeps + 1))])
        axes.spines[:].set_visible(False)
        axes.set_title(f"{sweeps} sweeps: {kept} of {_SPAN} columns are stored", pad=4, color=INK)
        words.append(f"{sweeps} sweeps: {kept} of {_SPAN} columns are stored")
    figure.legend(
        handles=[
            Patch(color=BLUE, label="stored"),
            Patch(facecolor=SHADE, edgecolor=MUTED, label="correct, not stored"),
            Patch(color=VERMILLION, label="lacks a neighbour"),
        ],
        loc="lower left",
        ncols=3,
        columnspacing=1,
        handlelength=1.2,
    )
    return Drawing(
        figure,
        "The halo of several sweeps",
        "Two stacks of bars of 128 columns. The first bar is what a warp has loaded. Each sweep loses a "
        "column on either side, and what is stored leaves out whole lanes of four columns. "
        f"{'; '.join(words)}.",
    )


FIGURES = {"halo": halo}
