"""Bandwidths of the DRAM: what the model of the cards' memories predicts, and what was measured."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from book.documents import MissingResultsError
from book.format import digits
from book.keys import Key, Shape
from book.library import Library
from book.memories import memories, runs
from book.quantities import Quantity, measured
from book.results import Results
from figures.reported import kinds, label_of, not_measured
from figures.style import (
    BLUE,
    GREEN,
    GRID,
    MARKERS,
    MUTED,
    SERIES,
    VERMILLION,
    WIDTH,
    Drawing,
    canvas,
    panel,
)

_CHAPTER = 3
_WAYS = {"all-banks": ("-", "all banks at once"), "bank-by-bank": ("--", "bank by bank")}

_QUEUE = 64
"""Requests of a pseudo-channel from which its controller chooses."""

_LARGE: Shape = (65_536, 1024)
"""The mebibytes of the largest memory in which runs lie, and how many of them are read."""

_NOT_YET = "Not measured yet: no GPU's results are published for what this figure shows."

Curve = dict[float, float]
"""GB/s by the value of a parameter."""


def _curve(
    library: Library, step: str, shape: Shape, axis: str, values: Iterable[int], **others: int
) -> Curve:
    """The values of an axis at which the book's card was measured."""
    published = library.published(_CHAPTER)
    return _curve_of(published, step, shape, axis, values, **others) if published else {}


def _curve_of(
    results: Results, step: str, shape: Shape, axis: str, values: Iterable[int], **others: int
) -> Curve:
    found: Curve = {}
    for value in values:
        parameters = {name: [number] for name, number in {**others, axis: value}.items()}
        key = Key.of({"step": step, "shape": shape, "parameters": parameters})
        try:
            found[value] = measured(Quantity(key, "bandwidth"), results).number / 1e9
        except MissingResultsError:
            continue
    return found


def _values(library: Library, step: str, axis: str) -> list[int]:
    """All values of an axis, rising."""
    variants = library.descriptions(_CHAPTER).of(step)
    return sorted({(variant.parameters.get(axis) or (0,))[0] for variant in variants})


def _bytes(axes: Axes, ticks: Mapping[int, str], label: str) -> None:
    axes.set_xscale("log", base=2)
    axes.set_xticks(list(ticks), list(ticks.values()))
    axes.minorticks_off()
    axes.set_xlabel(label)
    axes.set_title("GB/s", x=-0.12)
    axes.grid(axis="y", color=GRID)


def _not_yet(axes: Axes) -> None:
    axes.text(0.5, 0.5, "not measured yet", transform=axes.transAxes, ha="center", color=MUTED)
    axes.set_yticks([])


def _level(axes: Axes, rate: float | None, label: str, *, below: bool = False) -> None:
    """A line across the plot, with what it stands for."""
    if rate is None:
        return
    axes.axhline(rate, color=MUTED, linewidth=1, linestyle=":")
    axes.annotate(
        label,
        (1, rate),
        (0, -4 if below else 3),
        xycoords=("axes fraction", "data"),
        textcoords="offset points",
        ha="right",
        va="top" if below else "baseline",
        color=MUTED,
    )


def _simulated(library: Library, memory: str, way: str) -> Curve:
    """GB/s of random runs by the model, by the bytes of a run."""
    return {
        run["bytes"]: run["rate"]
        for run in runs(library)
        if (run["memory"], run["refresh"], run["queue"]) == (memory, way, _QUEUE)
    }


def _told(curve: Curve) -> str:
    return ", ".join(digits(rate) for rate in list(curve.values())[:4])


def _lengths(axes: Axes) -> None:
    axes.set_xscale("log", base=2)
    axes.set_xlim(28, 18_000)
    axes.set_ylim(0, 5400)
    axes.set_xticks([32, 128, 512, 2048, 8192], ["32", "128", "512", "2 Ki", "8 Ki"])
    axes.set_xlabel("bytes of a run")
    axes.set_ylabel("GB/s")


def _pins(axes: Axes, card: str, peak: float) -> None:
    axes.axhline(peak, color=MUTED, linewidth=1, linestyle=":")
    axes.annotate(
        f"the pins of an {card.upper()}",
        (16_384, peak),
        (0, 3),
        textcoords="offset points",
        color=MUTED,
        ha="right",
    )


def random_runs(library: Library) -> Drawing:
    """GB/s over the length of a run by the model, for both cards and both ways of refreshing."""
    known = memories(library)
    figure, axes = canvas(272, left=60, right=12, top=6, bottom=84)
    words = []
    for card, colour, marker in zip(("h200", "h100"), SERIES, MARKERS, strict=False):
        _pins(axes, card, known[card]["peak"])
        for way, (line, label) in _WAYS.items():
            curve = _simulated(library, card, way)
            axes.plot(
                *zip(*curve.items(), strict=True),
                color=colour,
                linestyle=line,
                marker=marker,
                markersize=4,
                label=f"{card.upper()}, {label}",
            )
            words.append(f"{known[card]['name']}, refreshed {label}: {_told(curve)}")
    _lengths(axes)
    figure.legend(loc="lower left", ncols=2, columnspacing=0.8, handlelength=2)
    return Drawing(
        figure,
        "Random runs of the cards' memories, as the model predicts them",
        "Lines that rise to 128 bytes and are level from 256 bytes on. GB/s at 32, 64, 128 and 256 bytes: "
        f"{'; '.join(words)}.",
    )


def adjusted_runs(library: Library) -> Drawing:
    """Measured ÷ modelled over the length of a run: a plot for each GPU, a line for each of its models."""
    title = "Random runs: measured bandwidth ÷ the model's, without the launch's part"
    across = "bytes of a run"
    lengths = _values(library, "random-runs", "bytes")
    order = list(kinds(library, _CHAPTER))
    published = sorted(library.all_published(_CHAPTER), key=lambda run: order.index(run.short_name))
    cards = [
        (label_of(run), run.short_name.lower(), found) for run in published if (found := _net(run, lengths))
    ]
    if not cards:
        return not_measured(title, across, range(0, 4097, 1024))
    high = 92
    figure = Figure(figsize=(WIDTH / 72, (len(cards) * (high + 40) + 72) / 72))
    words = []
    for row, (label, card, found) in enumerate(cards):
        axes = panel(figure, 60, 92 + (len(cards) - 1 - row) * (high + 40), WIDTH - 72, high)
        axes.axhline(1, color=MUTED, linewidth=1)
        for model, (name, paint) in _MODELS.items():
            curve = _simulated(library, card + model, "bank-by-bank")
            ratios = {length: rate / curve[length] for length, rate in found.items()}
            axes.plot(list(ratios), list(ratios.values()), label=name, **paint)
            told = ", ".join(f"{ratio:.2f}" for ratio in ratios.values())
            words.append(f"{label} ÷ {name}: {told}")
        _lengths(axes)
        axes.set_title(f"{label}, measured ÷ model", x=-0.12)
        axes.set_ylim(0.75, 1.15)
        axes.set_ylabel("")
        axes.set_yticks([0.8, 0.9, 1, 1.1])
        axes.grid(axis="y", color=GRID)
        if row < len(cards) - 1:
            axes.set_xlabel("")
        else:
            figure.legend(*axes.get_legend_handles_labels(), loc="lower left", ncols=2, columnspacing=0.8)
    return Drawing(figure, title, f"At {', '.join(map(str, lengths))} bytes. {'; '.join(words)}.")


_MODELS = {
    "": ("the first model", {"color": BLUE, "linestyle": "--"}),
    "-adjusted": ("the adjusted model", {"color": VERMILLION}),
    "-unfitted": ("the model without a fit", {"color": GREEN, "linestyle": ":", "linewidth": 2.2}),
}
"""Of a card's memory, by what is added to its name."""


def _net(results: Results, lengths: Iterable[int]) -> Curve:
    """GB/s of runs in the largest memory, without what does not depend on the runs."""
    mebibytes = _LARGE[1]
    found = _curve_of(results, "random-runs", _LARGE, "bytes", lengths, writes=0)
    few = _curve_of(results, "random-runs", (_LARGE[0], mebibytes // 8), "bytes", (32,), writes=0)
    if 32 not in found or not few:
        return {}
    read = mebibytes * 2**20 / 1e9
    launch = (read / few[32] - read / found[32]) / 7  # seconds: eight launches of an eighth have eight of it
    return {length: read / (read / rate - launch) for length, rate in found.items()}


def parted_runs(library: Library) -> Drawing:
    """GB/s of pairs of pieces over their distance, beside runs of one piece and of two."""
    figure, axes = canvas(210, left=48, right=24, top=26, bottom=40)
    distances = _values(library, "parted-runs", "apart")
    found = _curve(library, "parted-runs", (32_768, 1024), "apart", distances)
    title = "Two pieces of 64 bytes that lie apart"
    _bytes(
        axes, {64: "64", 1 << 10: "1 Ki", 1 << 16: "64 Ki", 1 << 20: "1 Mi", 1 << 26: "64 Mi"}, "bytes apart"
    )
    if not found:
        _not_yet(axes)
        return Drawing(figure, title, _NOT_YET)
    beside = _curve(library, "random-runs", _LARGE, "bytes", (64, 128), writes=0)
    _level(axes, beside.get(64), "runs of 64 bytes", below=True)
    _level(axes, beside.get(128), "runs of 128 bytes")
    axes.plot(list(found), list(found.values()), color=BLUE, marker="o", markersize=4)
    axes.set_ylim(0, 1.15 * max(*found.values(), *beside.values()))
    told = "; ".join(f"{distance} bytes: {digits(rate)}" for distance, rate in found.items())
    return Drawing(figure, title, f"GB/s by the distance of the pieces of a pair: {told}.")


def strides(library: Library) -> Drawing:
    """GB/s of sectors over their stride, for powers of two and others, beside sectors in random order."""
    figure, axes = canvas(230, left=48, right=24, top=44, bottom=40)
    found = _curve(library, "strides", (65_536, 128), "stride", _values(library, "strides", "stride"))
    title = "Sectors at a stride"
    _bytes(
        axes, {32: "32", 256: "256", 2048: "2 Ki", 16_384: "16 Ki", 131_072: "128 Ki"}, "bytes of the stride"
    )
    if not found:
        _not_yet(axes)
        return Drawing(figure, title, _NOT_YET)
    beside = _curve(library, "random-runs", (65_536, 128), "bytes", (32,), writes=0)
    _level(axes, beside.get(32), "in random order")
    for label, marker, colour, powers in (
        ("powers of two", "o", BLUE, True),
        ("others", "s", VERMILLION, False),
    ):
        chosen = {stride: rate for stride, rate in found.items() if (stride & (stride - 1) == 0) == powers}
        axes.plot(list(chosen), list(chosen.values()), marker, color=colour, markersize=5, label=label)
    axes.set_ylim(0, 1.15 * max(*found.values(), *beside.values()))
    figure.legend(loc="upper left", ncols=2, columnspacing=1.2)
    told = "; ".join(f"{stride} bytes: {digits(rate)}" for stride, rate in found.items())
    return Drawing(figure, title, f"GB/s of sectors by their stride: {told}.")


def turns(library: Library) -> Drawing:
    """GB/s over the share of writes, and over the length of a turn: half of a group."""
    figure = Figure(figsize=(WIDTH / 72, 370 / 72))
    shape: Shape = (2048,)
    words = []
    for row, (axis, label, others) in enumerate(
        (
            ("period", "MiB that are read, then as many written", {"writes": 50}),
            ("writes", "bytes that are written, in per cent of all", {"period": 1}),
        ),
    ):
        axes = panel(figure, 48, 40 + row * 186, WIDTH - 60, 118)
        found = _curve(library, "turns", shape, axis, _values(library, "turns", axis), **others)
        axes.set_xlabel(label)
        if axis == "period":
            found = {group / 2: rate for group, rate in found.items()}
        if not found:
            _not_yet(axes)
            continue
        axes.plot(list(found), list(found.values()), color=BLUE, marker="o", markersize=4)
        axes.set_ylim(0, 1.1 * max(found.values()))
        axes.set_title("GB/s", x=-0.12)
        axes.grid(axis="y", color=GRID)
        if axis == "period":
            axes.set_xscale("log", base=2)
            axes.set_xticks(list(found), [f"{value:g}" for value in found])
            axes.minorticks_off()
        told = "; ".join(f"{value:g}: {digits(rate)}" for value, rate in found.items())
        words.append(f"GB/s by {label}: {told}")
    return Drawing(figure, "Reading and writing by turns", f"{'. '.join(words)}." if words else _NOT_YET)


FIGURES = {
    "random-runs": random_runs,
    "adjusted-runs": adjusted_runs,
    "parted-runs": parted_runs,
    "strides": strides,
    "turns": turns,
}
