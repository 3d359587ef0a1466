"""A step that is run with each value of a parameter: sectors of a request, and the bandwidth that is left."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from matplotlib.figure import Figure

from book.format import format_value
from book.library import Library
from book.results import Results, Shape
from figures.lanes import Access, ask
from figures.style import BLUE, GRID, MUTED, OWN, WIDTH, Drawing, panel

_MOST_LABELS = 9


@dataclass(frozen=True)
class Sweep:
    """What is swept: the step, its parameter, where it is timed, and each value's access of a warp."""

    chapter: int
    step: str
    parameter: str
    measured: Shape
    accesses: Mapping[int, Access]


def sweep(library: Library, swept: Sweep, label: str, title: str) -> Drawing:
    """Sectors per request over a parameter's values, and below them the bandwidth, once it is measured."""
    values = list(swept.accesses)
    sectors = [touched.sectors for touched in ask(library, swept.accesses.values())]
    figure = Figure(figsize=(WIDTH / 72, 300 / 72))
    upper = panel(figure, 46, 176, WIDTH - 56, 100)
    lower = panel(figure, 46, 34, WIDTH - 56, 100)
    upper.bar(range(len(values)), sectors, color=BLUE, width=0.8)
    upper.set_title("sectors of a request")
    lower.set_title("bandwidth of the bytes that are wanted, TB/s")
    words = [f"{min(sectors)} to {max(sectors)} sectors of a request"]
    published = library.published(swept.chapter)
    if published is None:
        lower.text(0.5, 0.5, "not measured yet", transform=lower.transAxes, ha="center", color=MUTED)
        lower.set_yticks([])
    else:
        rates = _rates(published, swept)
        lower.bar(range(len(values)), [rate / 1e12 for rate in rates], color=BLUE, width=0.8)
        words.append(_range(published, rates))
    for own in library.own(swept.chapter)[:1]:
        rates = _rates(own, swept)
        lower.bar(range(len(values)), [rate / 1e12 for rate in rates], width=0.8, **OWN)
        words.append(_range(own, rates))
    every = -(-len(values) // _MOST_LABELS)
    for axes in (upper, lower):
        axes.grid(axis="y", color=GRID)
        axes.set_xlim(-0.6, len(values) - 0.4)
        axes.set_xticks(list(range(len(values)))[::every], [str(value) for value in values[::every]])
    lower.set_xlabel(label)
    return Drawing(figure, title, f"Two bar charts over the {label}. {'; '.join(words)}.")


def _rates(results: Results, swept: Sweep) -> list[float]:
    """The bandwidth at each value; BookError if one was not measured."""
    return [
        results.measurement(swept.step, swept.measured, {swept.parameter: (value,)}).bandwidth
        for value in swept.accesses
    ]


def _range(results: Results, rates: list[float]) -> str:
    return f"{results.gpu_name}: {format_value(min(rates), 'B/s')} to {format_value(max(rates), 'B/s')}"
