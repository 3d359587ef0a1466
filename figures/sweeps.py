"""A step along one of its axes: what a request takes, and what is left of its rating, or what it reports."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable
from pathlib import Path

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from book.axes import Sweep, find_sweep
from book.descriptions import Run, Variant
from book.documents import BookError
from book.format import format_value, scale_of
from book.keys import Key, Shape
from book.library import Library
from book.results import Measurement, Results
from figures.lanes import Access, ask
from figures.style import BLUE, GRID, MUTED, OWN, PURPLE, WIDTH, Drawing, panel

_MOST_LABELS = 9
_ASKED = re.compile(r"^\s*(?:`{3,}|:{3,})\{sweep\}((?: +[\w-]+){2,3}) *$", re.MULTILINE)


def sweeps(library: Library, chapter: int) -> dict[str, Callable[[Library], Drawing]]:
    """A figure for each axis of each timed step of a chapter, and for each quantity that it reports."""
    figures = {}
    descriptions = library.descriptions(chapter)
    for step in descriptions.steps():
        if step in descriptions.experiments:
            continue  # they have many axes, and no page draws them
        default = next(one for one in descriptions.of(step) if one.is_default)
        for axis in default.axes if default.measured else ():
            if not _shared_shapes(find_sweep(library, chapter, step, axis)):
                continue  # its variants are timed at a shape each
            told = (report.name for report in default.reports if report.origin != "profiler")
            for quantity in ("", *told):
                draw = functools.partial(draw_sweep, chapter=chapter, step=step, axis=axis, quantity=quantity)
                figures[figure_name(step, axis, quantity)] = draw
    return figures


def asked_sweeps(folder: Path) -> set[str]:
    """The names of the sweeps that a chapter's pages show."""
    pages = (page.read_text(encoding="utf-8") for page in folder.rglob("*.md"))
    return {figure_name(*arguments.split()) for page in pages for arguments in _ASKED.findall(page)}


def figure_name(step: str, axis: str, quantity: str = "") -> str:
    """What the figure of a sweep is called."""
    return "-".join(filter(None, ("sweep", step, axis, quantity)))


def draw_sweep(library: Library, chapter: int, step: str, axis: str, quantity: str = "") -> Drawing:
    """Bars over the axis: sectors or wavefronts of a request, and below them what was measured."""
    swept = find_sweep(library, chapter, step, axis)
    taken, unit = _taken(library, swept)
    figure = Figure(figsize=(WIDTH / 72, (300 if taken else 158) / 72))
    lower = panel(figure, 46, 34, WIDTH - 56, 100)
    plots, words = [lower], []
    if taken:
        upper = panel(figure, 46, 176, WIDTH - 56, 100)
        upper.bar(range(len(taken)), taken, color=PURPLE, width=0.8)
        upper.set_title(f"{unit} of a request")
        plots.append(upper)
        words.append(f"{min(taken)} to {max(taken)} {unit} of a request")
    words += _draw_measured(library, lower, swept, quantity)
    values = swept.values
    every = -(-len(values) // _MOST_LABELS)
    for axes in plots:
        axes.grid(axis="y", color=GRID)
        axes.set_xlim(-0.6, len(values) - 0.4)
        axes.set_xticks(list(range(len(values)))[::every], values[::every])
    lower.set_xlabel(axis)
    charts = "Two bar charts" if taken else "A bar chart"
    text = f"{charts} of {step} over its {axis}, {values[0]} to {values[-1]}. {'; '.join(words)}."
    return Drawing(figure, f"{step}, every {axis}", text)


def _taken(library: Library, swept: Sweep) -> tuple[list[int], str]:
    """What a request of the first line takes in each variant; nothing where nothing is predicted."""
    runs = [run for variant in swept.variants if (run := _predicted(variant)) is not None]
    if len(runs) < len(swept.variants):
        return [], ""
    lines = [run.lines[0] for run in runs]
    answers = ask(library, (Access.of_line("", line) for line in lines))
    if lines[0].operation.startswith("global"):
        return [touched.sectors for touched in answers], "sectors"
    loads = lines[0].operation == "shared_load"
    counts = [one.shared_load_wavefronts if loads else one.shared_store_wavefronts for one in answers]
    return counts, "wavefronts"


def _predicted(variant: Variant) -> Run | None:
    return next((run for run in variant.runs if run.lines), None)


def _draw_measured(library: Library, axes: Axes, swept: Sweep, quantity: str) -> list[str]:
    """The bars of what was measured, published and the reader's; gives them in words."""
    published, other = library.published(swept.chapter), library.one_beside(swept.chapter)
    shape = _shared_shapes(swept)[0]
    words = []
    for results in (published, other):
        if results is None:
            continue
        keys = [Key(swept.step, shape, variant.parameters) for variant in swept.variants]
        if any(map(results.measurements.is_awaited, keys)):
            continue
        entries = [results.measurements.find(key) for key in keys]
        name, unit, values = _quantity(results, entries, quantity)
        scale, shown = scale_of(max(values), unit)
        paint = {"color": BLUE} if results is published else OWN
        axes.bar(range(len(values)), [value / scale for value in values], width=0.8, **paint)
        hatched = "" if results is published else f" (hatched: {results.label})"
        axes.set_title(f"{name.replace('-', ' ')}, {shown}{hatched}")
        least, most = format_value(min(values), unit), format_value(max(values), unit)
        words.append(f"{name.replace('-', ' ')} on an {results.gpu_name}: {least} to {most}")
    if not words:
        axes.text(0.5, 0.5, "not measured yet", transform=axes.transAxes, ha="center", color=MUTED)
        axes.set_yticks([])
        words.append("What was measured: nothing yet")
    return words


def _shared_shapes(swept: Sweep) -> list[Shape]:
    """The shapes at which all variants are timed."""
    timed = swept.variants[0].measured
    return [shape for shape in timed if all(shape in one.measured for one in swept.variants)]


def _quantity(results: Results, entries: list[Measurement], quantity: str) -> tuple[str, str, list[float]]:
    """What is drawn: its name, its unit and its values."""
    if not quantity:
        rating = entries[0].rating
        return rating.name, rating.unit, [entry.rated for entry in entries]
    try:
        reported = [entry.quantities[quantity] for entry in entries]
    except KeyError as error:
        raise BookError(f"{results.path}: {entries[0].step} does not report {quantity}") from error
    return quantity, reported[0].unit, [one.median for one in reported]
