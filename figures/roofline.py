"""The roofline of a chapter's steps: operations for each byte that they ask for, against their rate."""

from __future__ import annotations

from collections.abc import Set
from fractions import Fraction
from math import ceil, floor, log2, log10

from matplotlib.figure import Figure

from book.documents import BookError
from book.keys import Key, Shape
from book.library import Library
from book.metrics import METRICS, TMA_LOAD_SECTORS
from book.results import Results
from figures.lanes import SECTOR
from figures.style import BLUE, GRID, INK, MARK, WIDTH, Drawing, panel


def roofline(library: Library, chapter: int, copies: int, left_out: frozenset[str]) -> Drawing:
    """Steps by their operations for each byte that a multiprocessor asks for, and by their rate.

    The rates are those at the page's shape; the slope is the ceiling of chapter `copies` where its page shows
    it; the steps of `left_out` do not appear.
    """
    published, shape = library.require_published(chapter), library.measured(chapter)
    rates = _rates(published, shape)
    counted = _intensities(library, published, rates.keys() - left_out)
    bandwidth = _ceiling(library.require_published(copies), library.measured(copies))
    ceiling = _ceiling(published, shape)
    span = 2.0 ** floor(log2(counted[0][0])), 2.0 ** (ceil(log2(counted[-1][0])) + 1)
    lowest = 10.0 ** floor(log10(min(rates.values())))
    figure = Figure(figsize=(WIDTH / 72, 320 / 72))
    axes = panel(figure, 40, 42, WIDTH - 52, 240)
    axes.set_xscale("log", base=2)
    axes.set_yscale("log")
    axes.set_xlim(*span)
    axes.set_ylim(lowest, 1.6 * max(ceiling, *rates.values()))
    fours = [Fraction(4) ** n for n in range(-16, 17) if span[0] < 4.0**n < span[1]]
    axes.set_xticks([float(x) for x in fours], list(map(str, fours)))
    axes.set_xticks([], minor=True)
    axes.set_xlabel("operations for each byte that the multiprocessors ask for")
    tens = [10.0**n for n in range(25) if lowest <= 10.0**n <= axes.get_ylim()[1]]
    axes.set_yticks(tens, [f"{rate / 1e12:g}" for rate in tens])
    axes.set_yticks([], minor=True)
    axes.set_title("TFLOP/s")
    axes.grid(axis="y")
    axes.plot(span, [bandwidth * x for x in span], color=INK, linewidth=1.2)
    axes.axhline(ceiling, color=INK, linewidth=1.2)
    words = [f"{step}: {value:.2g}" for value, step in counted]
    words.append(f"the slope of {bandwidth / 1e12:.3g} TB/s is that of a copy")
    words.append(f"the arithmetic ceiling is {ceiling / 1e12:.3g} TFLOP/s")
    for value, step in counted:
        axes.axvline(value, color=GRID, linewidth=0.8)
        axes.plot(value, rates[step], "o", color=BLUE)
        words.append(f"{step} reaches {rates[step] / 1e12:.3g} TFLOP/s")
    for value, name in _labels(counted):
        axes.text(value, 1.15 * lowest, name, rotation=90, ha="right", va="bottom")
    if other := library.one_beside(chapter):
        mine = _rates(other, shape)
        points = [(value, mine[step]) for value, step in counted if step in mine]
        axes.plot([x for x, _ in points], [y for _, y in points], marker="s", **MARK)
    return Drawing(
        figure,
        "The roofline of the steps",
        "Operations for each byte that a step asks for, from left to right, and its rate upwards. "
        f"{'; '.join(words)}.",
    )


def _intensities(library: Library, published: Results, steps: Set[str]) -> list[tuple[float, str]]:
    """Default variants by the operations for each byte of the sectors that they were counted to load.

    Those of threads are the emulator's; those of boxes, which only Nsight Compute counts, the published ones.
    """
    descriptions = library.descriptions(published.chapter)
    runs, defaults = descriptions.runs, descriptions.defaults
    found = []
    for entry in library.emulation(published.chapter).entries:
        if entry.step in steps and entry.parameters == defaults.get(entry.step):
            loaded = entry.metrics.get(METRICS["load-sectors"], 0)
            loaded += published.counters.find(entry.key).metrics.get(TMA_LOAD_SECTORS, 0)
            operations = runs.find(entry.key).amounts.get("operations", 0)
            if loaded and operations:
                found.append((operations / (SECTOR * loaded), entry.step))
    if not found:
        raise BookError(f"{published.path}: no timed step was counted to load a sector")
    return sorted(found, key=lambda pair: pair[0])


def _labels(counted: list[tuple[float, str]]) -> list[tuple[float, str]]:
    """One label for steps whose places are too near to each other to be told apart."""
    groups: list[list[tuple[float, str]]] = []
    for pair in counted:
        if groups and pair[0] < 1.5 * groups[-1][0][0]:
            groups[-1].append(pair)
        else:
            groups.append([pair])
    return [
        (group[0][0], group[0][1] if len(group) == 1 else f"{group[0][1]} and {len(group) - 1} more")
        for group in groups
    ]


def _ceiling(results: Results, shape: Shape) -> float:
    return results.measurements.find(Key(results.ceiling, shape)).performance


def _rates(results: Results, shape: Shape) -> dict[str, float]:
    return {
        entry.step: entry.performance
        for entry in results.measurements
        if (entry.shape, entry.kind) == (shape, "step")
    }
