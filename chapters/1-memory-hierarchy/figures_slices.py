"""How far every slice of the L2 is from every multiprocessor."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import mean

from matplotlib.axes import Axes
from matplotlib.colors import to_rgba
from matplotlib.figure import Figure
from matplotlib.patches import Patch, PathPatch
from matplotlib.path import Path

from book.documents import MissingResultsError
from book.keys import Key
from book.library import Library
from book.results import Measurement
from figures.memory import runs
from figures.style import BLUE, LEGEND, MUTED, PAPER, WIDTH, Drawing, panel

_CHAPTER = 1
_KEY = Key("slices", (512,))
_TITLE = "Multiprocessors and slices"
_OF_TPC = 2
_CUTS = (265, 280, 295)
_OPACITY = 0.36
"""Of a layer. There is one for each cut, with all cells that are farther, and they lie one on another."""
_HIGH, _WIDE, _GAP = 3, 6, 4
"""Of a row and of a column, and between quarters and between blocks."""


@dataclass(frozen=True)
class Map:
    """The latencies of TPCs by groups of lines, both sorted: what lies side by side stands together."""

    latencies: list[list[float]]
    quarters: list[int]
    """Of each row."""
    blocks: list[int]
    """Of each column."""


def sorted_map(latencies: Sequence[Sequence[int]], quarters: Sequence[int], blocks: Sequence[int]) -> Map:
    """The two multiprocessors of a TPC have neighbouring numbers: a row is their mean."""
    rows = [
        [mean(pair) for pair in zip(*latencies[first : first + _OF_TPC], strict=True)]
        for first in range(0, len(latencies), _OF_TPC)
    ]
    of_rows = quarters[::_OF_TPC]
    order = sorted(range(len(rows)), key=lambda row: (of_rows[row], mean(rows[row])))
    columns = sorted(range(len(blocks)), key=lambda group: (blocks[group], mean(row[group] for row in rows)))
    return Map(
        [[rows[row][column] for column in columns] for row in order],
        [of_rows[row] for row in order],
        [blocks[column] for column in columns],
    )


def places(kinds: Sequence[int], size: float, gap: float) -> list[float]:
    """Where rows or columns begin, with a gap where the next kind begins."""
    found = [0.0]
    for one, following in pairwise(kinds):
        found.append(found[-1] + size + (gap if one != following else 0))
    return found


def draw(library: Library) -> Drawing:
    """A row for each TPC, a column for each group of lines; the darker, the farther."""
    entry = _entry(library)
    if entry is None:
        figure = Figure(figsize=(WIDTH / 72, 120 / 72))
        axes = panel(figure, 50, 40, WIDTH - 64, 40)
        axes.text(0.5, 0.5, "not measured yet", transform=axes.transAxes, ha="center", color=MUTED)
        axes.set_xticks([])
        axes.set_yticks([])
        return Drawing(figure, _TITLE, "Not measured yet.")
    shown = sorted_map(
        entry.series["latencies"].rows, entry.series["quarters"].values, entry.series["blocks"].values
    )
    xs = places(shown.blocks, _WIDE, _GAP)
    ys = places(shown.quarters, _HIGH, _GAP)
    width, high = xs[-1] + _WIDE, ys[-1] + _HIGH
    left = 64
    figure = Figure(figsize=(WIDTH / 72, (high + 90) / 72))
    axes = panel(figure, left, 38, width, high)
    axes.set_xlim(0, width)
    axes.set_ylim(high, 0)
    for cut in _CUTS:
        _layer(axes, shown, cut, (xs, ys))
    for one, other in pairwise(range(len(xs))):
        if shown.blocks[one] != shown.blocks[other]:
            axes.axvline(xs[other] - _GAP / 2, color=PAPER, linewidth=_GAP)
    axes.spines[["left", "bottom"]].set_visible(False)
    axes.set_yticks(*_middles(shown.quarters, ys, _HIGH, "quarter {}"))
    axes.set_xticks(*_middles(shown.blocks, xs, _WIDE, "{}"))
    axes.set_xlabel("groups of lines, by block")
    names = (
        f"less than {_CUTS[0]} cycles",
        *(f"{low} to {high} cycles" for low, high in pairwise(_CUTS)),
        f"{_CUTS[-1]} cycles or more",
    )
    handles = [
        Patch(
            facecolor=to_rgba(BLUE, 1 - (1 - _OPACITY) ** layers), edgecolor=BLUE, linewidth=0.5, label=name
        )
        for layers, name in enumerate(names)
    ]
    figure.legend(handles=handles, **LEGEND)
    return Drawing(figure, _TITLE, _told(shown))


def _layer(axes: Axes, shown: Map, cut: int, begins: tuple[list[float], list[float]]) -> None:
    """All cells that are farther, as one path: a line along each run of them in a row."""
    xs, ys = begins
    found = [
        (row, column)
        for row, latencies in enumerate(shown.latencies)
        for column, latency in enumerate(latencies)
        if latency >= cut
    ]
    corners: list[tuple[float, float]] = []
    for row, first, length in runs(found):
        y = ys[row] + _HIGH / 2
        corners += [(xs[first], y), (xs[first + length - 1] + _WIDE, y)]
    path = Path(corners, [Path.MOVETO, Path.LINETO] * (len(corners) // 2))
    paint = {"edgecolor": BLUE, "alpha": _OPACITY, "linewidth": _HIGH - 0.4, "capstyle": "butt"}
    axes.add_patch(PathPatch(path, fill=False, clip_on=False, **paint))


def _middles(
    kinds: Sequence[int], begins: Sequence[float], size: float, name: str
) -> tuple[list[float], list[str]]:
    """Where the middles of the kinds lie, and what stands there: their number from 1 on."""
    middles, names = [], []
    for number, kind in enumerate(dict.fromkeys(kinds), start=1):
        of_kind = [begin for begin, one in zip(begins, kinds, strict=True) if one == kind]
        middles.append((of_kind[0] + of_kind[-1] + size) / 2)
        names.append(name.format(number))
    return middles, names


def _told(shown: Map) -> str:
    words = []
    for number, quarter in enumerate(dict.fromkeys(shown.quarters), start=1):
        rows = [row for row, one in zip(shown.latencies, shown.quarters, strict=True) if one == quarter]
        means = [
            mean(row[column] for row in rows for column, one in enumerate(shown.blocks) if one == block)
            for block in dict.fromkeys(shown.blocks)
        ]
        words.append(f"quarter {number}: {', '.join(f'{value:.0f}' for value in means)}")
    return (
        f"{len(shown.latencies)} pairs of multiprocessors in four quarters by {len(shown.blocks)} groups in "
        f"{len(set(shown.blocks))} blocks. Mean cycles of each quarter by block: {'; '.join(words)}."
    )


def _entry(library: Library) -> Measurement | None:
    published = library.published(_CHAPTER)
    try:
        return published and published.measurements.find(_KEY)
    except MissingResultsError:
        return None


FIGURES = {"slices": draw}
