"""The roofline of a chapter's steps: operations for each byte that they ask for, against their rate."""

from __future__ import annotations

from collections.abc import Container

from matplotlib.figure import Figure

from book.keys import Key, Shape
from book.library import Library
from book.metrics import METRICS
from book.results import Results
from figures.lanes import SECTOR
from figures.style import BLUE, GRID, INK, MARK, MUTED, WIDTH, Drawing, panel

_SPAN = (0.03125, 128)
"""Operations for each byte, from the left of the roofline to its right."""


def roofline(library: Library, chapter: int, copies: int, left_out: frozenset[str]) -> Drawing:
    """Steps by their operations for each byte that a multiprocessor asks for; once timed, by their rate.

    The rates are those at the page's shape; the ceilings of chapter `copies` are copies, the fastest of which
    is the slope; the steps of `left_out` do not appear.
    """
    published, shape = library.published(chapter), library.measured(chapter)
    rates = _rates(published, shape) if published else {}
    counted = _intensities(library, chapter, rates, left_out)
    figure = Figure(figsize=(WIDTH / 72, 320 / 72))
    axes = panel(figure, 40, 42, WIDTH - 52, 240)
    axes.set_xscale("log", base=2)
    axes.set_yscale("log")
    axes.set_xlim(*_SPAN)
    axes.set_xticks([0.0625, 0.25, 1, 4, 16, 64], ["1/16", "1/4", "1", "4", "16", "64"])
    axes.set_xticks([], minor=True)
    axes.set_xlabel("operations for each byte that the multiprocessors ask for")
    words = [f"{step}: {value:.2g}" for value, step in counted]
    bandwidth = _copy_bandwidth(library, copies)
    ceiling = _ceiling(published, shape) if published else None
    top = 1.6 * max([100e12, ceiling or 0, *rates.values()])
    axes.set_ylim(0.1e12, top)
    axes.set_yticks([1e11, 1e12, 1e13, 1e14], ["0.1", "1", "10", "100"])
    axes.set_yticks([], minor=True)
    axes.set_title("TFLOP/s")
    axes.grid(axis="y")
    if bandwidth:
        axes.plot(_SPAN, [bandwidth * x for x in _SPAN], color=INK, linewidth=1.2)
        words.append(f"the slope of {bandwidth / 1e12:.3g} TB/s is that of a copy")
    if ceiling:
        axes.axhline(ceiling, color=INK, linewidth=1.2)
        words.append(f"the arithmetic ceiling is {ceiling / 1e12:.3g} TFLOP/s")
    else:
        axes.text(0.03, 0.92, "rates: not measured yet", transform=axes.transAxes, color=MUTED)
        words.append("no step is timed yet")
    for value, step in counted:
        axes.axvline(value, color=GRID, linewidth=0.8)
        if step in rates:
            axes.plot(value, rates[step], "o", color=BLUE)
            words.append(f"{step} reaches {rates[step] / 1e12:.3g} TFLOP/s")
    for value, name in _labels(counted):
        axes.text(value, 0.115e12, name, rotation=90, ha="right", va="bottom", fontsize=9.5)
    for own in library.own(chapter)[:1]:
        mine = _rates(own, shape)
        points = [(value, mine[step]) for value, step in counted if step in mine]
        axes.plot([x for x, _ in points], [y for _, y in points], marker="s", **MARK)
    return Drawing(
        figure,
        "The roofline of the steps",
        "Operations for each byte that a step asks for, from left to right, and its rate upwards. "
        f"{'; '.join(words)}.",
    )


def _intensities(
    library: Library, chapter: int, timed: Container[str], left_out: frozenset[str]
) -> list[tuple[float, str]]:
    """The steps by the operations for each byte of the sectors that they were counted to load.

    Those of threads are the emulator's; those of boxes, which only Nsight Compute counts, the published ones.
    """
    published, runs = library.published(chapter), library.descriptions(chapter).runs
    found = []
    for entry in library.emulation(chapter).entries:
        loaded = entry.metrics.get(METRICS["load-sectors"], 0)
        if published and entry.step in timed:
            counters = published.counters.find(entry.key).metrics
            loaded += counters.get("l1tex__m_xbar2l1tex_read_sectors_mem_global_op_tma_ld.sum", 0)
        if loaded and entry.step not in left_out:
            operations = runs.find(entry.key).amounts["operations"]
            found.append((operations / (SECTOR * loaded), entry.step))
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


def _copy_bandwidth(library: Library, chapter: int) -> float | None:
    """The fastest of the copies that a chapter published."""
    results = library.published(chapter)
    copies = [entry for entry in results.measurements if entry.kind == "ceiling"] if results else []
    return max((entry.performance for entry in copies), default=None)


def _ceiling(results: Results, shape: Shape) -> float | None:
    ceiling = results.measurements.get(Key(results.ceiling, shape))
    return ceiling.performance if ceiling else None


def _rates(results: Results, shape: Shape) -> dict[str, float]:
    return {
        entry.step: entry.performance
        for entry in results.measurements
        if (entry.shape, entry.kind) == (shape, "step")
    }
