"""The timeline of a multiprocessor's warps, as they noted the clock: who waits, and who works."""

from __future__ import annotations

from matplotlib.patches import Patch

from book.documents import MissingResultsError
from book.keys import Key, Parameters
from book.library import Library
from book.results import Series
from figures.memory import cells
from figures.style import BLUE, GRID, INK, LEGEND, MUTED, SHADE, Drawing, canvas, legend_height

_CHAPTER = 4
_STEP = "timeline"
_WARPS = (1, 4, 8, 16)
_ROW, _GAP = 9, 16
_SHOWN_TURNS = 4
"""So many turns of the block of most warps are shown, and what the other blocks do meanwhile."""
_TITLE = "Warps of a multiprocessor"


def timeline(library: Library) -> Drawing:
    """A row for each warp, of blocks of one warp and of more: waiting pale, working dark."""
    found = {warps: _stamps(library, warps) for warps in _WARPS}
    noted = {warps: series for warps, series in found.items() if series}
    handles = [
        Patch(facecolor=SHADE, label="waits for its load"),
        Patch(facecolor=BLUE, label="multiplies"),
    ]
    top, bottom = legend_height(handles) + 4, 36
    height = sum(_ROW * warps + _GAP for warps in found)
    figure, axes = canvas(height + top + bottom, left=68, right=14, top=top, bottom=bottom)
    end = _end(noted[max(noted)]) if noted else 1
    y, words = 0.0, []
    for warps, series in found.items():
        waits, works = _bars(series, end) if series else ([], [])
        cells(axes, [(x, y + _ROW * warp, width, _ROW - 1.5) for warp, x, width in waits], facecolor=SHADE)
        cells(axes, [(x, y + _ROW * warp, width, _ROW - 1.5) for warp, x, width in works], facecolor=BLUE)
        named = "1 warp" if warps == 1 else f"{warps} warps"
        axes.annotate(
            named,
            (0, y + _ROW * warps / 2),
            (-6, 0),
            textcoords="offset points",
            ha="right",
            va="center",
            color=INK,
        )
        if series:
            busy = sum(width for _, _, width in works) / (end * warps)
            words.append(f"of {named}, each multiplies for {100 * busy:.0f} % of the cycles that are shown")
        else:
            axes.text(0.5, y + _ROW * warps / 2, "not measured yet", ha="center", va="center", color=MUTED)
            words.append(f"{named}: not measured yet")
        y += _ROW * warps + _GAP
    axes.set_xlim(0, end)
    axes.set_ylim(y - _GAP, 0)
    axes.set_yticks([])
    if not noted:
        axes.set_xticks([])
    axes.grid(axis="x", color=GRID)
    axes.spines["left"].set_visible(False)
    axes.set_xlabel("cycles")
    figure.legend(handles=handles, **LEGEND)
    told = f"{'; '.join(words)}."
    return Drawing(figure, _TITLE, told if noted else f"Not measured yet. {told}")


def _stamps(library: Library, warps: int) -> Series | None:
    published = library.published(_CHAPTER)
    if published is None:
        return None
    chosen = Parameters.parse((f"warps={warps}", "loads=1", "noted=1"))
    try:
        return published.measurements.find(Key(_STEP, (64,), chosen)).series.get("stamps")
    except MissingResultsError:
        return None


def _end(series: Series) -> int:
    """When the first warp ends the last turn that is shown."""
    _, turns, events = series.lengths
    return series.values[min(_SHOWN_TURNS, turns) * events - 1]


def _bars(series: Series, end: int) -> tuple[list[tuple[int, int, int]], list[tuple[int, int, int]]]:
    """Warp, begin and length of each wait and of each piece of work, up to an end."""
    _, turns, _ = series.lengths
    waits, works = [], []
    for number, (begun, come, worked) in enumerate(series.rows):
        warp = number // turns
        if begun < end:
            waits.append((warp, begun, min(come, end) - begun))
        if come < end:
            works.append((warp, come, min(worked, end) - come))
    return waits, works


FIGURES = {"timeline": timeline}
