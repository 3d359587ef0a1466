"""Figures of chapter 7 that show how C is divided: among blocks, warps and threads."""

from __future__ import annotations

from dataclasses import dataclass

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Patch

from book.documents import BookError
from book.format import times
from book.library import Library
from figures.memory import Cell, cells, grid, runs
from figures.style import BLUE, GRID, INK, MUTED, SHADE, WIDTH, Drawing, bare, panel

_WARP = 32
_SHAPES = "tile-shapes"
"""The step that declares the tiles of blocks, of warps and of threads."""
_GROUP = 4
"""Floats side by side that a thread loads at once."""


@dataclass(frozen=True)
class Level:
    """A part of C, how it is divided, and which of its parts is followed to the next level."""

    title: str
    words: str
    size: tuple[int, int]
    """Rows and columns of C."""
    parts: tuple[int, int]
    """Into how many parts it is divided, down and across."""
    followed: tuple[Cell, ...]
    """Left, top, width and height of the part that is followed, in elements."""


def _levels(library: Library) -> list[Level]:
    descriptions = library.descriptions(7)
    run = descriptions.predicted(_SHAPES)
    tile, warp, thread = (run.parameters.get(name) or () for name in ("tile", "warp", "thread"))
    if len(tile) < 2 or len(warp) != 2 or len(thread) != 2:
        raise BookError(f"{run.key} does not say how it divides C")
    rows, columns = run.shape[0], run.shape[1]
    threads = next(launch.block[0] for launch in descriptions.runs.find(run.key).launches)
    down, across = tile[0] // warp[0], tile[1] // warp[1]
    lanes = warp[0] // thread[0], warp[1] // thread[1]
    if down * across * _WARP != threads or lanes[0] * lanes[1] != _WARP:
        raise BookError(f"{run.key}: {times(warp)} and {times(thread)} do not fill {times(tile[:2])}")
    held = [
        range(side * _GROUP, whole, whole * _GROUP // part)
        for side, whole, part in ((2, warp[0], thread[0]), (1, warp[1], thread[1]))
    ]
    groups = tuple((x, y, _GROUP, _GROUP) for y in held[0] for x in held[1])
    blocks = rows // tile[0] * (columns // tile[1])
    return [
        Level(
            "The grid: blocks",
            f"{blocks} tiles of {times(tile[:2])}",
            (rows, columns),
            (rows // tile[0], columns // tile[1]),
            ((2 * tile[1], tile[0], tile[1], tile[0]),),
        ),
        Level(
            "A block: warps",
            f"{down * across} tiles of {times(warp)}",
            (tile[0], tile[1]),
            (down, across),
            ((warp[1], 0, warp[1], warp[0]),),
        ),
        Level(
            "A warp: lanes",
            f"{_WARP} lanes of {times(thread)}",
            warp,
            (warp[0] // _GROUP, warp[1] // _GROUP),
            groups,
        ),
        Level(
            "A lane: FFMAs",
            f"{thread[0]} + {thread[1]} loads, {thread[0] * thread[1]} FFMAs",
            thread,
            thread,
            ((0, 0, thread[1], thread[0]),),
        ),
    ]


def _draw_level(axes: Axes, level: Level, box: float) -> None:
    """C with its parts, A's elements to the left, B's above; all in the figure's units."""
    rows, columns = level.size
    scale = box / max(rows, columns)
    height, width = rows * scale, columns * scale
    strip, gap, left, top = 9, 5, 32, 22
    part = [(left + x * scale, top + y * scale, w * scale, h * scale) for x, y, w, h in level.followed]
    cells(axes, [(left, top, width, height)], facecolor=SHADE)
    cells(axes, part, facecolor=BLUE)
    lines = bare(axes.inset_axes((left, top, width, height), transform=axes.transData))
    lines.set_aspect("auto")
    lines.set_xlim(0, level.parts[1])
    lines.set_ylim(level.parts[0], 0)
    grid(lines, level.parts[1], level.parts[0])
    a = [(left - gap - strip, y, strip, h) for _, y, _, h in part]
    b = [(x, top - gap - strip, w, strip) for x, _, w, _ in part]
    cells(
        axes,
        [(left - gap - strip, top, strip, height), (left, top - gap - strip, width, strip)],
        facecolor=SHADE,
    )
    cells(axes, set(a), facecolor=INK)
    cells(axes, set(b), facecolor=INK)
    axes.text(left - gap - strip - 4, top + height / 2, "A", ha="right", va="center")
    axes.text(left - 4, top - gap - strip / 2, "B", ha="right", va="center")
    axes.text(0, top + box + 14, level.title, va="center", fontweight="bold")
    axes.text(0, top + box + 31, level.words, va="center", color=MUTED)


def tiles(library: Library) -> Drawing:
    """C divided four times, and what of A and B each part needs."""
    levels = _levels(library)
    box, wide, high = 124, 200, 204
    figure = Figure(figsize=(WIDTH / 72, 2 * high / 72))
    for index, level in enumerate(levels):
        axes = bare(panel(figure, index % 2 * wide, (1 - index // 2) * high, wide, high))
        axes.set_xlim(0, wide)
        axes.set_ylim(high, 0)
        _draw_level(axes, level, box)
    words = "; ".join(f"{level.title}, {times(level.size)} results, {level.words}" for level in levels)
    return Drawing(
        figure,
        "C, divided four times",
        "Four squares, each a part of the one before, with the elements of A that its highlighted part needs "
        f"to the left and those of B above. {words}.",
    )


def _stores(library: Library, step: str) -> tuple[int, int, list[list[tuple[int, int]]]]:
    """Rows and columns of a block's tile of C, and the lanes' places in it for each store of a warp."""
    run = library.descriptions(7).predicted(step)
    tile, pitch = run.parameters.get("tile") or (), run.shape[1] if len(run.shape) == 3 else 0
    loop = [place for place, line in enumerate(run.lines) if line.operation == "shared_load"]
    stores = [line.elements for line in run.lines[loop[-1] + 1 :]] if loop else []
    if len(tile) < 2 or not pitch or not stores or any(None in elements for elements in stores):
        raise BookError(f"{run.key} does not say what of its tile a warp stores")
    return tile[0], tile[1], [[divmod(place, pitch) for place in elements] for elements in stores]


def results(library: Library) -> Drawing:
    """Which elements of a tile of C one thread computes, and which its warp does."""
    thread, size, gap, left = 5, 118, 16, 7
    figure = Figure(figsize=(WIDTH / 72, (size + 50) / 72))
    words = []
    for index, name in enumerate(("strided", "contiguous", "quadrants")):
        axes = bare(panel(figure, left + index * (size + gap), 26, size, size))
        rows, columns, stores = _stores(library, name)
        warp = {place for store in stores for place in store}
        own = [store[thread] for store in stores]
        cells(axes, ((first, row, length, 1) for row, first, length in runs(warp)), facecolor=GRID)
        mark = 1 if name != "strided" else 3  # a single element would hardly be seen
        shift = (mark - 1) / 2
        cells(axes, ((x - shift, y - shift, mark, mark) for y, x in own), facecolor=BLUE)
        cells(axes, [(0, 0, columns, rows)], facecolor="none", edgecolor=MUTED, linewidth=0.8)
        axes.set_xlim(0, columns)
        axes.set_ylim(rows, 0)
        axes.set_title(name)
        its_rows = {row for row, _ in warp}
        words.append(
            f"{name}: the thread has {len(own)} elements, its warp {len(warp)} in {len(its_rows)} rows"
        )
    handles = [
        Patch(facecolor=BLUE, label=f"thread {thread}"),
        Patch(facecolor=GRID, label="the rest of its warp"),
    ]
    figure.legend(handles=handles, loc="lower left", ncols=2, handlelength=1.2, columnspacing=1.2)
    return Drawing(
        figure,
        "Who computes which element of C",
        f"Three tiles of {rows} × {columns} elements with those of one thread filled and those of its warp "
        f"shaded. {'; '.join(words)}.",
    )


FIGURES = {"tiles": tiles, "results": results}
