"""The one look of all figures: a narrow canvas, few colours that the colour-blind can tell apart, quiet axes.

Colours are placeholders: `figures.svg` turns them into the page's CSS variables, so that one file serves
light and dark (docs/static/colours.css). Predictions are purple, counts green, times blue and causes
vermillion, as in the text. Nothing is told by colour alone: markers, hatches or labels say it too.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.figure import Figure

INK = "#000001"
"""Text and lines that must be seen."""
MUTED = "#000002"
"""Text and lines that stand back."""
GRID = "#000003"
"""Grids and empty cells' outlines."""
SHADE = "#000004"
"""Areas behind data."""
PAPER = "#000005"
"""What stands on filled areas."""
BLUE = "#0b62a3"
VERMILLION = "#b5480a"
GREEN = "#0a7351"
ORANGE = "#865c00"
PURPLE = "#6a45b0"
YOURS = "#a8326e"

PAINTS: dict[str, tuple[str, float]] = {
    INK: ("currentColor", 1),
    MUTED: ("currentColor", 0.72),
    GRID: ("currentColor", 0.22),
    PAPER: ("var(--paper,#fff)", 1),
    SHADE: ("currentColor", 0.14),
    BLUE: (f"var(--weft-blue,{BLUE})", 1),
    VERMILLION: (f"var(--weft-vermillion,{VERMILLION})", 1),
    GREEN: (f"var(--weft-green,{GREEN})", 1),
    ORANGE: (f"var(--weft-orange,{ORANGE})", 1),
    PURPLE: (f"var(--weft-purple,{PURPLE})", 1),
    YOURS: (f"var(--yours,{YOURS})", 1),
}
"""Each placeholder's CSS colour and opacity; a figure may use no other colour."""

SERIES = (BLUE, VERMILLION, GREEN, ORANGE, PURPLE)
"""Colours of series, in the order in which they are taken; chapters of the book, too."""
MARKERS = ("o", "s", "^", "D", "v", "P")
"""Markers that go with them."""

OWN = {"facecolor": "none", "edgecolor": YOURS, "hatchcolor": YOURS, "hatch": "////"}
"""How the reader's own bars look."""
MARK = {"color": INK, "markersize": 4, "markerfacecolor": "none", "markeredgewidth": 1, "linestyle": "none"}
"""How marks on bars look, but for their shape."""
MOVED = {"facecolor": SHADE, "edgecolor": MUTED, "linewidth": 0.7}
"""How sectors that move look."""
OWN_MARK = {**MARK, "color": YOURS, "marker": "o", "markersize": 7}
"""How the reader's own values are marked."""
LEGEND = {"loc": "upper left", "ncols": 2, "columnspacing": 1.2, "labelspacing": 0.45}
"""Where the legend stands: above the plot, in two columns."""

WIDTH = 400
"""The width of every figure in its own units: read at 352 pixels on a phone and at 540 on a desk."""
LETTERS = 12.5
"""The size of all letters, in the figure's units: 11 pixels on a phone, and no figure has smaller ones."""

_STYLE = {
    "font.size": LETTERS,
    "axes.titlesize": LETTERS,
    "axes.labelsize": LETTERS,
    "xtick.labelsize": LETTERS,
    "ytick.labelsize": LETTERS,
    "legend.fontsize": LETTERS,
    "legend.frameon": False,
    "legend.handlelength": 1.6,
    "legend.borderaxespad": 0,
    "font.family": "DejaVu Sans",
    "text.color": INK,
    "axes.edgecolor": GRID,
    "axes.labelcolor": INK,
    "axes.titlecolor": INK,
    "axes.facecolor": "none",
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": False,
    "axes.axisbelow": True,
    "axes.titlelocation": "left",
    "axes.titlepad": 6,
    "grid.color": GRID,
    "grid.linewidth": 0.7,
    "xtick.color": GRID,
    "ytick.color": GRID,
    "xtick.labelcolor": INK,
    "ytick.labelcolor": INK,
    "xtick.major.size": 0,
    "ytick.major.size": 0,
    "xtick.minor.size": 0,
    "ytick.minor.size": 0,
    "hatch.linewidth": 1.2,
    "hatch.color": VERMILLION,
    "lines.linewidth": 1.6,
    "lines.markersize": 6,
    "patch.linewidth": 0.8,
    "figure.facecolor": "none",
    "savefig.facecolor": "none",
    "figure.dpi": 72,
    "svg.fonttype": "none",
    "svg.hashsalt": "weft",
    "path.simplify": False,
    "axes.unicode_minus": True,
}


@dataclass(frozen=True)
class Drawing:
    """A figure ready to be written: what it is called and what it shows, in words."""

    figure: Figure
    title: str
    alt: str


@contextmanager
def style() -> Iterator[None]:
    """Draw in the book's style, whatever the reader's own Matplotlib settings are."""
    with mpl.rc_context():
        mpl.rcdefaults()
        mpl.rcParams.update(_STYLE)
        yield


def canvas(
    height: float, left: float = 0, right: float = 0, top: float = 0, bottom: float = 0
) -> tuple[Figure, Axes]:
    """A figure of the book's width with one plot in it; all lengths in the figure's units."""
    figure = Figure(figsize=(WIDTH / 72, height / 72))
    axes = panel(figure, left, bottom, WIDTH - left - right, height - top - bottom)
    return figure, axes


def panel(figure: Figure, left: float, bottom: float, width: float, height: float) -> Axes:
    """One more plot in a figure, at a place given in the figure's units from its lower left corner."""
    total = figure.get_figheight() * 72
    return figure.add_axes((left / WIDTH, bottom / total, width / WIDTH, height / total))


def to_step(chapter: int, step: str) -> str:
    """The address of what leads to a step: the page where the drawing stands knows that card."""
    return f"step:{chapter}/{step}"


def legend_height(handles: Sequence[object], columns: int = 2) -> int:
    """The height of a legend of so many entries, in the figure's units."""
    return 4 + 18 * -(-len(handles) // columns)


def bare(axes: Axes) -> Axes:
    """A plot without axes, for drawings; y goes down, as rows of a matrix do."""
    axes.set_axis_off()
    axes.set_aspect("equal")
    axes.invert_yaxis()
    return axes
