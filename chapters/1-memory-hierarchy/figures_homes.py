"""Bandwidth of near and of far lines: in the L2, and in the DRAM."""

from __future__ import annotations

from matplotlib.patches import Patch

from book.documents import MissingResultsError
from book.format import format_value
from book.keys import Key, Parameters
from book.library import Library
from book.quantities import Quantity, measured
from book.results import Results
from figures.style import BLUE, GRID, LEGEND, MARK, MUTED, ORANGE, VERMILLION, Drawing, canvas

_CHAPTER = 1
_STEP = "home-traffic"
_ROWS = (
    ("16 MiB, read again", (16, 128), (1, 0)),
    ("16 MiB, written again", (16, 128), (0, 1)),
    ("1 GiB, read once", (1024, 1), (1, 0)),
    ("1 GiB, written once", (1024, 1), (0, 1)),
)
_KINDS = (("near", 0, BLUE), ("both", 2, ORANGE), ("far", 1, VERMILLION))
_HIGH = 0.26


def homes(library: Library) -> Drawing:
    """For each kind of traffic a bar for near lines, for both kinds and for far lines."""
    title = "Near and far bandwidth"
    published, beside = library.published(_CHAPTER), library.one_beside(_CHAPTER)
    figure, axes = canvas(250, left=146, right=14, top=28, bottom=36)
    words, most = [], 0.0
    for row, (name, shape, arrays) in enumerate(_ROWS):
        found = [_bandwidth(published, shape, arrays, home) for _, home, _ in _KINDS]
        for place, ((kind, home, colour), value) in enumerate(zip(_KINDS, found, strict=True)):
            if value is None:
                continue
            y = row + (place - 1) * (_HIGH + 0.02)
            axes.barh(y, value / 1e12, height=_HIGH, color=colour)
            other = _bandwidth(beside, shape, arrays, home)
            if other is not None:
                axes.plot([other / 1e12], [y], **MARK, marker="D")
            words.append(f"{name}, {kind}: {format_value(value, 'B/s')}")
            most = max(most, value, other or 0)
    if not words:
        axes.text(0.5, 0.5, "not measured yet", transform=axes.transAxes, ha="center", color=MUTED)
        axes.set_xticks([])
        axes.set_yticks([])
        return Drawing(
            figure, title, "Not measured yet: no GPU's results are published for what this figure shows."
        )
    axes.set_yticks(range(len(_ROWS)), [name for name, _, _ in _ROWS])
    axes.set_ylim(len(_ROWS) - 0.45, -0.55)
    axes.set_xlim(0, most * 1.05 / 1e12)
    axes.set_xlabel("bandwidth, TB/s")
    axes.grid(axis="x", color=GRID)
    handles: list[object] = [Patch(facecolor=colour, label=kind) for kind, _, colour in _KINDS]
    if beside is not None:
        handles += axes.plot([], [], **MARK, marker="D", label=beside.short_name)
    figure.legend(handles=handles, **{**LEGEND, "ncols": 4})
    return Drawing(figure, title, f"{'; '.join(words)}.")


def _bandwidth(
    results: Results | None, shape: tuple[int, ...], arrays: tuple[int, ...], home: int
) -> float | None:
    """In bytes a second, if it is published."""
    key = Key(_STEP, shape, Parameters.of({"home": (home,), "arrays": arrays}))
    try:
        return measured(Quantity(key, "bandwidth"), results).number if results else None
    except MissingResultsError:
        return None


FIGURES = {"homes": homes}
