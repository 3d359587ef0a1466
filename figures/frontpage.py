"""The whole book in one figure: every step of every chapter against the ceiling of its own run.

Steps stand from left to right as in the book, chapters side by side, each rising towards the line at 100 %.
A roofline would put all steps of the chapters that only move data on one vertical line, at no operations per
byte, so the axis is the book's order instead.
"""

from __future__ import annotations

from dataclasses import dataclass

from matplotlib.axes import Axes

from book.documents import MissingResultsError
from book.format import format_value
from book.keys import Key
from book.library import Library
from book.results import Results
from figures.ladder import steps_in_order
from figures.style import GRID, INK, MARK, MARKERS, SERIES, WIDTH, Drawing, canvas

_LEFT, _RIGHT = 30, 8
_PLOT, _NAMES = 190, 108
_NAME_WIDTH = 12
"""The least distance between steps at which their names can be read."""


@dataclass(frozen=True)
class Rung:
    """One step of the book: its chapter, its share of the ceiling, and the reader's."""

    chapter: int
    step: str
    share: float
    own: float | None


def book(library: Library) -> Drawing:
    """All steps of all published chapters as shares of their ceilings."""
    rungs, cards = [], []
    for chapter in library.chapters():
        results = library.published(chapter)
        if results and library.front_matter(chapter):
            rungs += _rungs(library, results)
            cards.append(results.gpu_name)
    if not rungs:
        raise MissingResultsError("no chapter has published results yet, so the front page has no figure")
    named = (WIDTH - _LEFT - _RIGHT) / len(rungs) >= _NAME_WIDTH
    below = 26 + _NAMES * named
    figure, axes = canvas(_PLOT + below + 26, left=_LEFT, right=_RIGHT, top=26, bottom=below)
    axes.set_ylim(0, 1.02 * max(1, *(rung.share for rung in rungs)))
    axes.set_xlim(-0.7, len(rungs) - 0.3)
    _scale(axes)
    axes.set_xticks(
        range(len(rungs)) if named else [], [rung.step for rung in rungs] if named else [], rotation=90
    )
    names = {number: folder.name.partition("-")[2] for number, folder in library.chapters().items()}
    for number, chapter in enumerate(dict.fromkeys(rung.chapter for rung in rungs)):
        places = [place for place, rung in enumerate(rungs) if rung.chapter == chapter]
        _climb(axes, rungs, places, SERIES[number % len(SERIES)], MARKERS[number % len(MARKERS)])
        at = {
            "xycoords": ("data", "axes fraction"),
            "textcoords": "offset points",
            "ha": "center",
            "va": "top",
        }
        middle = (places[0] + places[-1]) / 2
        axes.annotate(f"{chapter} {names[chapter].replace('-', ' ')}", (middle, 0), (0, 18 - below), **at)
    return Drawing(figure, "The book in one figure", _words(rungs, sorted(set(cards))))


def _rungs(library: Library, results: Results) -> list[Rung]:
    own = library.one_beside(results.chapter)
    shape = library.measured(results.chapter)
    rungs = []
    for step in steps_in_order(library, results):
        entry, share = results.measurements.get(Key(step, shape)), results.share(Key(step, shape))
        if entry and entry.kind == "step" and share is not None:
            rungs.append(Rung(results.chapter, step, share, own.share(entry.key) if own else None))
    return rungs


def _scale(axes: Axes) -> None:
    ticks = (0, 0.25, 0.5, 0.75, 1)
    axes.set_yticks(ticks, [f"{100 * tick:g}" for tick in ticks])
    for tick in ticks[:-1]:
        axes.axhline(tick, color=GRID, linewidth=0.7, zorder=0)
    axes.axhline(1, color=INK, linewidth=1.2)
    axes.set_title("per cent of the ceiling of the same run")
    for spine in axes.spines.values():
        spine.set_visible(False)


def _climb(axes: Axes, rungs: list[Rung], places: list[int], colour: str, marker: str) -> None:
    """One chapter: a stem and a mark for each step, a ring where the reader's own lies."""
    shares = [rungs[place].share for place in places]
    axes.vlines(places, 0, shares, color=colour, linewidth=2)
    axes.plot(places, shares, marker, color=colour, markersize=6)
    own = [(place, rungs[place].own) for place in places if rungs[place].own]
    axes.plot(
        [place for place, _ in own], [mine for _, mine in own], marker=marker, **{**MARK, "markersize": 7}
    )


def _words(rungs: list[Rung], cards: list[str]) -> str:
    chapters = []
    for chapter in dict.fromkeys(rung.chapter for rung in rungs):
        mine = [rung for rung in rungs if rung.chapter == chapter]
        first, best = mine[0], max(mine, key=lambda rung: rung.share)
        chapters.append(
            f"Chapter {chapter}, {len(mine)} steps: from {first.step} at "
            f"{format_value(first.share, 'share')} to {best.step} at {format_value(best.share, 'share')}."
        )
    where = f"Every step of the book as a share of the ceiling of its run, on {', '.join(cards)}."
    return " ".join([where, *chapters])


FIGURES = {"book": book}
