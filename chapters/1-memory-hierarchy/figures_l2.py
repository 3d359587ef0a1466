"""The two halves of the L2: how far each multiprocessor is from each line, and which bits decide."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import mean

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Patch

from book import halves
from book.documents import MissingResultsError
from book.keys import Key
from book.library import Library
from book.results import Measurement, Series
from figures.memory import Cell, cells, runs
from figures.style import BLUE, GRID, LEGEND, MUTED, SHADE, VERMILLION, WIDTH, Drawing, canvas, panel

_CHAPTER = 1
_NOT_YET = "not measured yet"


def near_far(library: Library) -> Drawing:
    """Multiprocessors by lines, each sorted by side: near or far."""
    series = _series(library, "near-far", "latencies")
    high = 150
    figure = Figure(figsize=(WIDTH / 72, (high + 84) / 72))
    axes = panel(figure, 50, 40, WIDTH - 64, high)
    if series is None:
        return _not_yet(figure, axes, "Near and far")
    rows = series.rows
    cut = _between(latency for row in rows for latency in row)
    far = [[latency > cut for latency in row] for row in rows]
    lines = sorted(range(len(rows[0])), key=lambda line: (far[0][line], line))
    multiprocessors = sorted(range(len(rows)), key=lambda number: (far[number][lines[-1]], number))
    marked = [
        (place, column)
        for place, number in enumerate(multiprocessors)
        for column, line in enumerate(lines)
        if far[number][line]
    ]
    all_of_them, wide = len(multiprocessors), len(lines)
    cells(axes, [(0, 0, wide, all_of_them)], facecolor=SHADE)
    cells(axes, _stacked(runs(marked)), facecolor=VERMILLION)
    axes.set_xlim(0, wide)
    axes.set_ylim(all_of_them, 0)
    axes.set_xticks([0, wide], ["1", str(wide)])
    axes.set_yticks([0, all_of_them], ["1", str(all_of_them)])
    axes.set_xlabel("lines, sorted by the half in which they are at home")
    axes.set_ylabel("multiprocessors")
    near, away = (_reported(library, "near-far", name) for name in ("nearer-half", "farther-half"))
    handles = [
        Patch(facecolor=SHADE, label=f"near: {near:.0f} cycles"),
        Patch(facecolor=VERMILLION, label=f"far: {away:.0f} cycles"),
    ]
    figure.legend(handles=handles, **LEGEND)
    group = sum(1 for number in multiprocessors if not far[number][lines[-1]])
    return Drawing(
        figure,
        "Near and far",
        f"{all_of_them} multiprocessors by {wide} lines. For {group} of them one half of the lines "
        f"is near, in the median {near:.0f} cycles away, and the other far, {away:.0f} cycles. For the other "
        f"{all_of_them - group} it is the other way round.",
    )


def flips(library: Library) -> Drawing:
    """For each bit of an address: how many lines change halves if it alone is changed."""
    title = "Which bits decide"
    published = [run for run in library.all_published(_CHAPTER) if not run.is_another and halves.flips(run)]
    figure, axes = canvas(
        176 + 18 * (len(published) > 1), left=44, right=14, top=24 + 18 * len(published), bottom=36
    )
    if not published:
        return _not_yet(figure, axes, title)
    wide = 0.8 / len(published)
    words = []
    for place, (run, colour) in enumerate(zip(published, (BLUE, VERMILLION), strict=False)):
        shares, card = halves.flips(run), run.short_name
        middles = [bit + wide * (place - (len(published) - 1) / 2) for bit in shares]
        deciding = ", ".join(map(str, halves.deciding_bits(run)))
        axes.bar(
            middles, shares.values(), color=colour, width=wide, label=f"{card}, deciding bits: {deciding}"
        )
        told = ", ".join(f"bit {bit} {share} %" for bit, share in shares.items())
        words.append(f"{card}: {told}")
        axes.set_xticks(list(shares))
    axes.set_ylim(0, 104)
    axes.set_yticks([0, 50, 100], ["0", "50", "100 %"])
    axes.grid(axis="y", color=GRID)
    axes.set_xlabel("bit of the address that is changed")
    axes.set_title("lines that change halves", x=-0.08)
    figure.legend(loc="upper right")
    return Drawing(
        figure, title, f"Lines that change halves, by the bit that is changed. {'; '.join(words)}."
    )


def _entry(library: Library, step: str) -> Measurement | None:
    published = library.published(_CHAPTER)
    default = next(one for one in library.descriptions(_CHAPTER).of(step) if one.is_default)
    try:
        return published and published.measurements.find(Key(step, default.measured[0]))
    except MissingResultsError:
        return None


def _series(library: Library, step: str, name: str) -> Series | None:
    entry = _entry(library, step)
    return entry.series.get(name) if entry else None


def _reported(library: Library, step: str, name: str) -> float:
    entry = _entry(library, step)
    return entry.quantities[name].median if entry else 0


def _stacked(found: Sequence[tuple[int, int, int]]) -> list[Cell]:
    """Runs in rows as rectangles: equal runs in neighbouring rows make one."""
    rectangles: list[Cell] = []
    for row, column, length in found:
        below = rectangles[-1] if rectangles else None
        if below and (column, row, length) == (below[0], below[1] + below[3], below[2]):
            rectangles[-1] = (*below[:3], below[3] + 1)
        else:
            rectangles.append((column, row, length, 1))
    return rectangles


def _between(values: Sequence[int]) -> float:
    """What parts two heaps of numbers: half way between the means of those below and above it."""
    numbers = list(values)
    cut = mean(numbers)
    for _ in range(20):
        cut = (mean([n for n in numbers if n <= cut]) + mean([n for n in numbers if n > cut] or [cut])) / 2
    return cut


def _not_yet(figure: Figure, axes: Axes, title: str) -> Drawing:
    axes.text(0.5, 0.5, _NOT_YET, transform=axes.transAxes, ha="center", color=MUTED)
    axes.set_xticks([])
    axes.set_yticks([])
    return Drawing(
        figure, title, "Not measured yet: no GPU's results are published for what this figure shows."
    )


FIGURES = {"near-far": near_far, "flips": flips}
