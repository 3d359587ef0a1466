"""Predicted against counted: sectors and wavefronts per request of every step, two witnesses in one place."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from book.documents import BookError
from book.emulation import Metrics
from book.library import Library
from book.metrics import per_request
from figures.style import GREEN, GRID, INK, LEGEND, MARKERS, PURPLE, WIDTH, Drawing, legend_height, panel

_ROW = 21
_PANELS = (
    ("global memory, sectors per request", "sectors"),
    ("shared memory, wavefronts per request", "wavefronts"),
)
"""Titles, and the endings of the counts that each shows."""


_RING = {"color": PURPLE, "markersize": 8, "mfc": "none", "mew": 1.4}
_DOT = {"color": GREEN, "markersize": 4}
"""How predictions and counts look: in the colours that they have in the text."""


@dataclass(frozen=True)
class Pair:
    """What one variant of a step was predicted to do per request, and what was counted."""

    step: str
    brief: str
    predicted: Mapping[str, float]
    counted: Mapping[str, float]

    @property
    def label(self) -> str:
        """The step, and the parameters of a variant that is not its default one."""
        return f"{self.step} {self.brief}".rstrip()


def counts(library: Library, chapter: int) -> Drawing:
    """Rings for predictions, dots for counts: where they agree the dot lies in its ring."""
    names = library.counts(chapter)
    pairs = _pairs(library, chapter, names)
    if not pairs:
        raise BookError(f"{library.build}: no counted step has a prediction; the steps must be built first")
    gap, bottom = 14, 52
    names_of_rows = _rows(pairs)
    left = 12 + 7.4 * max(map(len, names_of_rows))
    top = 28 + legend_height(range(2 * len(set(map(_kind, names)))))
    height = _ROW * len(pairs) + top + bottom
    figure = Figure(figsize=(WIDTH / 72, height / 72))
    width = (WIDTH - left - gap - 10) / 2
    kinds = list(dict.fromkeys(map(_kind, names)))
    looks = dict(zip(kinds, MARKERS, strict=False))
    for column, (title, ending) in enumerate(_PANELS):
        axes = panel(figure, left + column * (width + gap), bottom, width, height - top - bottom)
        shown = {name: looks[_kind(name)] for name in names if name.endswith(ending)}
        _panel(axes, pairs, shown, title, names_of_rows if column == 0 else [""] * len(pairs))
    handles = [
        Line2D([], [], linestyle="none", label=f"{kind}, {witness}", marker=marker, **mark)
        for kind, marker in looks.items()
        for witness, mark in (("predicted", _RING), ("counted", _DOT))
    ]
    figure.legend(handles=handles, **LEGEND)
    equal = sum(pair.predicted == pair.counted for pair in pairs)
    return Drawing(figure, "Predicted and counted", _words(pairs, equal))


def _rows(pairs: list[Pair]) -> list[str]:
    """What each row is called: below a step, its other variants by their parameters alone."""
    before = ["", *(pair.step for pair in pairs)]
    return [
        pair.brief if pair.step == step else pair.label for pair, step in zip(pairs, before, strict=False)
    ]


def _kind(name: str) -> str:
    """The access that a count counts: load of shared-load-wavefronts."""
    return name.removeprefix("shared-").rpartition("-")[0]


def _pairs(library: Library, chapter: int, names: Sequence[str]) -> list[Pair]:
    descriptions, emulated = library.descriptions(chapter), library.emulation(chapter).entries
    pairs = []
    for run in descriptions.predictions:
        counted = emulated.exactly(run.key)
        if run.metrics and counted and run.step not in descriptions.experiments:
            is_default = descriptions.defaults.get(run.step) == run.parameters
            brief = "" if is_default else run.parameters.brief
            pairs.append(
                Pair(run.step, brief, _averages(run.metrics, names), _averages(counted.metrics, names))
            )
    return pairs


def _averages(metrics: Metrics, names: Sequence[str]) -> dict[str, float]:
    told = {name: per_request(metrics, name) for name in names}
    return {name: average for name, average in told.items() if average is not None}


def _panel(axes: Axes, pairs: list[Pair], looks: Mapping[str, str], title: str, rows: list[str]) -> None:
    axes.set_xscale("log", base=2)
    axes.set_xlim(0.75, 44)
    axes.set_ylim(len(pairs) - 0.5, -0.5)
    ticks = [1, 2, 4, 8, 16, 32]
    axes.set_xticks(ticks, [str(tick) for tick in ticks])
    axes.set_xticks([], minor=True)
    axes.set_yticks(range(len(pairs)), rows)
    for tick in ticks:
        axes.axvline(tick, color=GRID, linewidth=0.6, zorder=0)
    for spine in axes.spines.values():
        spine.set_visible(False)
    memory, unit = title.split(", ")
    axes.set_title(memory)
    axes.set_xlabel(unit.replace(" per", "\nper"))
    for y, pair in enumerate(pairs):
        for place, (name, marker) in enumerate(looks.items()):
            shift = 0.32 * (place - (len(looks) - 1) / 2)
            if name in pair.predicted:
                axes.plot(pair.predicted[name], y + shift, marker, **_RING)
            if name in pair.counted:
                axes.plot(pair.counted[name], y + shift, marker, **_DOT)
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
