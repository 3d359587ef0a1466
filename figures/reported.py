"""What steps report beside their times, as figures take it from published results."""

from __future__ import annotations

from collections.abc import Sequence

from book.documents import MissingResultsError
from book.keys import Key, Shape
from book.library import Library
from book.results import Measurement, Results, Series
from figures.style import MUTED, Drawing, canvas

_NOT_YET = "Not measured yet: no GPU's results are published for what this figure shows."


def entry_of(results: Results, step: str, shape: Shape, **axis: int) -> Measurement | None:
    """What was measured of a variant; None if it is not published."""
    parameters = {axis_name: [value] for axis_name, value in axis.items()}
    try:
        return results.measurements.find(Key.of({"step": step, "shape": shape, "parameters": parameters}))
    except MissingResultsError:
        return None


def series_of(results: Results | None, step: str, shape: Shape, name: str, **axis: int) -> Series | None:
    """A series that a variant reported; None if it is not published."""
    entry = entry_of(results, step, shape, **axis) if results else None
    return entry.series.get(name) if entry else None


def kinds(library: Library, chapter: int) -> dict[str, Results]:
    """The first published run of each kind of card, by its short name."""
    return {run.short_name: run for run in library.all_published(chapter) if not run.is_another}


def label_of(results: Results) -> str:
    """What a card is called beside others: a second H200 is another one."""
    return f"{'another ' * results.is_another}{results.short_name}"


def not_measured(title: str, across: str, ticks: Sequence[int]) -> Drawing:
    """An empty plot, in place of a figure whose results are not published yet."""
    figure, axes = canvas(120, left=48, right=12, top=8, bottom=40)
    axes.text(0.5, 0.5, "not measured yet", transform=axes.transAxes, ha="center", color=MUTED)
    axes.set_xlim(ticks[0], ticks[-1])
    axes.set_xticks(ticks)
    axes.set_yticks([])
    axes.set_xlabel(across)
    return Drawing(figure, title, _NOT_YET)
