"""Divergence: the multiply-adds that a warp is issued in a turn, and the cycles that a turn takes."""

from __future__ import annotations

from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from book.account import SCHEDULERS
from book.documents import MissingResultsError
from book.keys import Key, Parameters
from book.library import Library
from figures.style import BLUE, GRID, LEGEND, PURPLE, Drawing, canvas, legend_height

_CHAPTER = 4
_STEP = "divergence"
_SHAPE = (4194304,)
_LANES = 32
_TURNS = 32
_LONGEST_PREDICATED = 4
"""Ways of so many multiply-adds have guards, not branches: a test compares that with the machine code."""
_LENGTHS = ((64, 64), (64, 4), (4, 4))
_PERCENTS = (50, 3)


def multiply_adds(lengths: tuple[int, int], percent: int, is_sorted: bool) -> float:
    """What a warp is issued in a turn, on average, if each lane decides for itself, or all together."""
    if max(lengths) <= _LONGEST_PREDICATED:
        return sum(lengths)
    share, deciding = percent / 100, 1 if is_sorted else _LANES
    one_goes_up, one_goes_down = 1 - (1 - share) ** deciding, 1 - share**deciding
    return one_goes_up * lengths[0] + one_goes_down * lengths[1]


def ways(library: Library) -> Drawing:
    """A bar for what is issued, and a mark for the cycles that were measured."""
    cases = [
        (lengths, percent, is_sorted)
        for lengths in _LENGTHS
        for percent in _PERCENTS
        for is_sorted in (False, True)
    ]
    handles = [
        Patch(color=PURPLE, label="multiply-adds, predicted"),
        Line2D([], [], color=BLUE, marker="D", linestyle="none", label="cycles, measured"),
    ]
    top, row = legend_height(handles, 1) + 4, 21
    figure, axes = canvas(row * len(cases) + top + 40, left=172, right=20, top=top, bottom=40)
    words, is_measured = [], False
    for y, case in enumerate(cases):
        lengths, percent, is_sorted = case
        issued = multiply_adds(*case)
        axes.barh(y, issued, height=0.6, color=PURPLE)
        taken = _cycles(library, *case)
        told = f"{lengths[0]} and {lengths[1]}, {percent} %{', sorted' if is_sorted else ''}: {issued:.1f}"
        if taken is not None:
            is_measured = True
            axes.plot(taken, y, marker="D", color=BLUE, markersize=5, clip_on=False)
            told += f", measured {taken:.0f}"
        words.append(told)
    if not is_measured:
        handles[1].set_label("cycles: not measured yet")
    axes.set_ylim(len(cases) - 0.5, -0.5)
    axes.set_yticks(
        range(len(cases)),
        [
            f"{up} and {down}, {percent} %{', sorted' if sorts else ''}"
            for (up, down), percent, sorts in cases
        ],
    )
    axes.grid(axis="x", color=GRID)
    axes.spines["left"].set_visible(False)
    axes.set_xlabel("of a turn of a warp")
    figure.legend(handles=handles, **{**LEGEND, "ncols": 1})
    return Drawing(
        figure,
        "What is issued for a warp whose lanes part",
        f"Multiply-adds of a warp in a turn, by the lengths of both ways and the share of turns that go the "
        f"first: {'; '.join(words)}.",
    )


def _cycles(library: Library, lengths: tuple[int, int], percent: int, is_sorted: bool) -> float | None:
    """The cycles of a scheduler for a turn of a warp; None if they are not published."""
    published = library.published(_CHAPTER)
    chosen = Parameters.of({"lengths": lengths, "percent": [percent], "sorted": [int(is_sorted)]})
    try:
        entry = published and published.measurements.find(Key(_STEP, _SHAPE, chosen))
    except MissingResultsError:
        return None
    if not published or not entry or entry.sm_mhz is None:
        return None
    turns = _SHAPE[0] // _LANES * _TURNS / (SCHEDULERS * int(published.gpu["multiprocessors"]))
    return entry.median * entry.sm_mhz * 1e6 / turns


FIGURES = {"parting": ways}
