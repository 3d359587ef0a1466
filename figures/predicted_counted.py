"""Predicted against counted: sectors and wavefronts per request of every step, two witnesses in one place."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from book.documents import BookError
from book.emulation import Metrics
from book.library import Library
from book.metrics import USUAL, per_request
from figures.style import BLUE, GRID, INK, LEGEND, VERMILLION, WIDTH, Drawing, panel

_ROW = 21
_PANELS = (
    ("global memory, sectors per request", tuple(name for name in USUAL if name.endswith("sectors"))),
    ("shared memory, wavefronts per request", tuple(name for name in USUAL if name.endswith("wavefronts"))),
)


@dataclass(frozen=True)
class Pair:
    """What one variant of a step was predicted to do per request, and what was counted."""

    label: str
    predicted: Mapping[str, float]
    counted: Mapping[str, float]


def counts(library: Library, chapter: int) -> Drawing:
    """Rings for predictions, dots for counts: where they agree the dot lies in its ring."""
    pairs = _pairs(library, chapter)
    if not pairs:
        raise BookError(f"{library.build}: no counted step has a prediction; the steps must be built first")
    top, gap, left, bottom = 64, 14, 124, 34
    height = _ROW * len(pairs) + top + bottom
    figure = Figure(figsize=(WIDTH / 72, height / 72))
    width = (WIDTH - left - gap - 10) / 2
    for column, (title, names) in enumerate(_PANELS):
        axes = panel(figure, left + column * (width + gap), bottom, width, height - top - bottom)
        _panel(axes, pairs, names, title, labels=column == 0)
    ring = {"linestyle": "none", "marker": "o", "markersize": 8, "mfc": "none"}
    dot = {"linestyle": "none", "marker": "o", "markersize": 4}
    handles = [
        Line2D([], [], color=BLUE, label="load, predicted", **ring),
        Line2D([], [], color=BLUE, label="load, counted", **dot),
        Line2D([], [], color=VERMILLION, label="store, predicted", **{**ring, "marker": "s"}),
        Line2D([], [], color=VERMILLION, label="store, counted", **{**dot, "marker": "s"}),
    ]
    figure.legend(handles=handles, **LEGEND)
    equal = sum(pair.predicted == pair.counted for pair in pairs)
    return Drawing(figure, "Predicted and counted", _words(pairs, equal))


def _pairs(library: Library, chapter: int) -> list[Pair]:
    descriptions, emulated = library.descriptions(chapter), library.emulation(chapter).entries
    pairs = []
    for run in descriptions.predictions:
        counted = emulated.exactly(run.key)
        if run.metrics and counted:
            is_default = descriptions.defaults.get(run.step) == run.parameters
            label = run.step if is_default else f"{run.step} {run.parameters.brief}"
            pairs.append(Pair(label, _averages(run.metrics), _averages(counted.metrics)))
    return pairs


def _averages(metrics: Metrics) -> dict[str, float]:
    told = {name: per_request(metrics, name) for _, names in _PANELS for name in names}
    return {name: average for name, average in told.items() if average is not None}


def _panel(axes: Axes, pairs: list[Pair], names: tuple[str, str], title: str, labels: bool) -> None:
    axes.set_xscale("log", base=2)
    axes.set_xlim(0.75, 44)
    axes.set_ylim(len(pairs) - 0.5, -0.5)
    ticks = [1, 2, 4, 8, 16, 32]
    axes.set_xticks(ticks, [str(tick) for tick in ticks])
    axes.set_xticks([], minor=True)
    axes.set_yticks(range(len(pairs)), [pair.label for pair in pairs] if labels else [""] * len(pairs))
    for tick in ticks:
        axes.axvline(tick, color=GRID, linewidth=0.6, zorder=0)
    for spine in axes.spines.values():
        spine.set_visible(False)
    memory, unit = title.split(", ")
    axes.set_title(memory)
    axes.set_xlabel(unit)
    for y, pair in enumerate(pairs):
        for name, colour, marker, shift in zip(names, (BLUE, VERMILLION), "os", (-0.16, 0.16), strict=True):
            if name in pair.predicted:
                axes.plot(
                    pair.predicted[name], y + shift, marker, color=colour, markersize=8, mfc="none", mew=1.2
                )
            if name in pair.counted:
                axes.plot(pair.counted[name], y + shift, marker, color=colour, markersize=3.6)
        if pair.predicted != {name: value for name, value in pair.counted.items() if name in pair.predicted}:
            axes.text(42, y, "≠", color=INK, ha="right", va="center")


def _words(pairs: list[Pair], equal: int) -> str:
    rows = []
    for pair in pairs:
        values = (f"{name} {value:g}" for name, value in pair.counted.items())
        rows.append(f"{pair.label}: {', '.join(values)}")
    return (
        f"Per request, as the emulator counts; equal to the prediction in {equal} of {len(pairs)} variants. "
        f"{'; '.join(rows)}."
    )
