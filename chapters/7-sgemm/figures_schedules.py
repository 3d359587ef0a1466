"""Figures of chapter 7 that show who does what when: stages, warp roles, waves and stream-K."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import FancyArrowPatch, Patch, PathPatch
from matplotlib.path import Path

from book.documents import BookError
from book.keys import Key
from book.library import Library
from figures.memory import Cell, cells
from figures.style import BLUE, GRID, MUTED, ORANGE, SHADE, WIDTH, Drawing, bare, panel

_WORD = 4
_WARP = 32
_COMING = {"facecolor": "none", "edgecolor": ORANGE, "hatch": "////", "linewidth": 1}
_ASKS = {"facecolor": (ORANGE, 0.3), "edgecolor": ORANGE, "linewidth": 1}
_USED = {"facecolor": (BLUE, 0.3), "edgecolor": BLUE, "linewidth": 1}


def _stages(library: Library, step: str) -> int:
    """How many pairs of tiles a block of this step has in shared memory."""
    run = library.descriptions(7).predicted(step)
    counted = library.counted(7).counters.find(run.key).metrics
    names = ("launch__shared_mem_per_block_static", "launch__shared_mem_per_block_dynamic")
    rows, columns, depth = run.parameters.get("tile") or (0, 0, 0)
    pair = _WORD * depth * (rows + columns)
    found = sum(int(counted.get(name, 0)) for name in names) // pair if pair else 0
    if not found:
        raise BookError(f"{run.key}: no stage of its tiles fits into its shared memory")
    return found


def _schedule(stages: int, iterations: int) -> list[tuple[int, float, float, float]]:
    """Of each iteration its stage, and when its tiles are asked for, used, and no longer needed.

    Multiplying takes a unit of time. A single stage is filled while nobody multiplies, in a unit as well.
    """
    ahead = stages - 1
    if not ahead:
        return [(0, 2 * k, 2 * k + 1, 2 * k + 2) for k in range(iterations)]
    return [(k % stages, max(k - ahead, 0) + (k >= ahead), k + 1, k + 2) for k in range(iterations)]


def _draw_stages(axes: Axes, stages: int, top: float, units: int) -> None:
    high, pitch, left = 20, 24, 62
    unit = (WIDTH - left) / units
    coming, used = [], []
    for stage, asked, begins, ends in _schedule(stages, units):
        y = top + stage * pitch
        for cell, begin, end in ((coming, asked, begins), (used, begins, ends)):
            if begin < units:
                cell.append((left + begin * unit, y, (min(end, units) - begin) * unit - 1.5, high))
        if begins < units:
            axes.text(
                left + (begins + 0.5) * unit,
                y + high / 2,
                str((begins - 1) // (2 if stages == 1 else 1)),
                ha="center",
                va="center",
            )
    cells(axes, [(left, top + stage * pitch, units * unit, high) for stage in range(stages)], facecolor=SHADE)
    cells(axes, coming, **_COMING)
    cells(axes, used, **_USED)
    for stage in range(stages):
        axes.text(left - 6, top + (stage + 0.5) * pitch - 2, f"stage {stage}", ha="right", va="center")


def _stages_drawing(library: Library, title: str, steps: Sequence[tuple[str, str]], units: int) -> Drawing:
    """Stages of shared memory over time, for some steps, each with a heading."""
    counts = [_stages(library, step) for step, _ in steps]
    head, pitch, gap, foot = 22, 24, 8, 30
    height = sum(head + pitch * count + gap for count in counts) + foot
    figure = Figure(figsize=(WIDTH / 72, height / 72))
    axes = bare(panel(figure, 0, 0, WIDTH, height))
    axes.set_xlim(0, WIDTH)
    axes.set_ylim(height, 0)
    y, words = 0.0, []
    for (step, heading), count in zip(steps, counts, strict=True):
        axes.text(0, y + head / 2, step, va="center", fontweight="bold")
        axes.text(WIDTH, y + head / 2, heading, va="center", ha="right", color=MUTED)
        _draw_stages(axes, count, y + head, units)
        y += head + pitch * count + gap
        words.append(f"{step}: {heading}, {count} stage{'s' if count > 1 else ''}")
    handles = [
        Patch(label="tiles on their way", **_COMING),
        Patch(label="multiplied", **_USED),
    ]
    figure.legend(handles=handles, loc="lower left", ncols=2, handlelength=1.4, columnspacing=1.4)
    return Drawing(
        figure,
        title,
        "A row for each stage of shared memory, time from left to right, not to scale: when its tiles are on "
        f"their way, and when they are multiplied, numbered by iteration. {'; '.join(words)}.",
    )


def pipeline(library: Library) -> Drawing:
    """Stages without double buffering, with it, and with copies further ahead."""
    steps = (
        ("float4", "nobody multiplies meanwhile"),
        ("register-prefetch", "as its code is written"),
        ("async-copy", "two iterations ahead"),
    )
    return _stages_drawing(library, "Tiles on their way", steps, 8)


def ring(library: Library) -> Drawing:
    """The ring of stages that the TMA fills."""
    return _stages_drawing(library, "A ring of stages", (("tma", "three iterations ahead"),), 8)


def _arrow(axes: Axes, begin: tuple[float, float], end: tuple[float, float], dashed: bool = False) -> None:
    style = {"linestyle": (0, (3, 2)) if dashed else "-", "color": MUTED, "linewidth": 1.4}
    axes.add_patch(
        FancyArrowPatch(begin, end, arrowstyle="-|>", mutation_scale=9, shrinkA=0, shrinkB=0, **style)
    )


def _boxes(axes: Axes, boxes: Sequence[tuple[Cell, str]], **paint: object) -> None:
    cells(axes, [box for box, _ in boxes], **paint)
    for (x, y, width, height), text in boxes:
        axes.text(x + width / 2, y + height / 2, text, ha="center", va="center")


def roles(library: Library) -> Drawing:
    """The warps of a block with a producer, the ring, and the two barriers of a stage."""
    step = "producer-warp"
    run = library.descriptions(7).runs.find(Key(step, library.measured(7)))
    warps = run.launches[-1].block[0] // _WARP
    same = library.descriptions(7).runs.find(Key("tma", library.measured(7)))
    consumers = same.launches[-1].block[0] // _WARP
    stages = _stages(library, step)
    height = 262
    figure = Figure(figsize=(WIDTH / 72, height / 72))
    axes = bare(panel(figure, 0, 0, WIDTH, height))
    axes.set_xlim(0, WIDTH)
    axes.set_ylim(height, 0)
    side, pitch = 30, 34
    axes.text(0, 8, f"warps {consumers}–{warps - 1}", va="center", fontweight="bold")
    _boxes(axes, [((0, 20, side, side), str(consumers))], **_ASKS)
    idle = [((pitch * n, 20, side, side), str(consumers + n)) for n in range(1, warps - consumers)]
    _boxes(axes, idle, facecolor=SHADE)
    axes.text(0, 62, "one asks, the others idle", va="center", color=MUTED)
    _boxes(axes, [((300, 20, 100, side), "TMA")], facecolor=GRID)
    _arrow(axes, (pitch * (warps - consumers) + 4, 35), (296, 35))
    axes.text(220, 24, "asks for 2 boxes", ha="center", va="center")
    axes.text(112, 96, "ring in shared memory", va="center", fontweight="bold")
    wide = (WIDTH - 112) / stages
    ring = [((112 + wide * n, 108, wide - 4, side), f"stage {n}") for n in range(stages)]
    _boxes(axes, ring, facecolor=SHADE, edgecolor=MUTED, linewidth=1)
    _arrow(axes, (350, 52), (350, 104))
    axes.text(342, 66, "tiles", ha="right", va="center")
    _arrow(axes, (196, 142), (196, 200))
    axes.text(204, 160, "full: barrier “arrived”,", va="center")
    axes.text(204, 178, "then 16 bytes a lane", va="center", color=MUTED)
    _arrow(axes, (15, 200), (15, 74), dashed=True)
    axes.text(23, 142, "free:", va="center")
    axes.text(23, 160, "barrier “left”", va="center")
    _boxes(axes, [((112 + (side + 6) * n, 204, side, side), str(n)) for n in range(consumers)], **_USED)
    axes.plot([15, 15, 108], [200, 219, 219], color=MUTED, linewidth=1.4, linestyle=(0, (3, 2)))
    axes.text(112, 250, f"warps 0–{consumers - 1} multiply", va="center", fontweight="bold")
    return Drawing(
        figure,
        "The roles of a block's warps",
        f"One of the warps {consumers} to {warps - 1} asks the TMA for two boxes in each iteration; the "
        f"others idle. The TMA fills the {stages} stages of a ring in shared memory. A barrier tells warps "
        f"0 to {consumers - 1}, which multiply, that a stage is full; a second barrier tells the asking "
        "warp that a stage is free again.",
    )


def _shared_tiles(tiles: int, blocks: int) -> int:
    """How many tiles stream-K cuts: those of an incomplete wave, and of one wave before (stream_k.hpp)."""
    if tiles % blocks == 0:
        return 0
    return tiles if tiles < blocks else tiles - (tiles // blocks - 1) * blocks


def _bars(axes: Axes, spans: Sequence[tuple[int, float, float]], width: float, colour: str) -> None:
    """Draw spans of time, each of a block, as the thick lines of one path."""
    ends = [(block + 0.5, end) for block, low, up in spans for end in (low, up)]
    path = Path(ends, [Path.MOVETO, Path.LINETO] * len(spans))
    axes.add_patch(PathPatch(path, fill=False, edgecolor=colour, linewidth=width, clip_on=False))


def cuts(library: Library) -> Drawing:
    """The tiles of a product on the multiprocessors: in waves, and cut by stream-K."""
    run = library.descriptions(7).runs.find(Key("stream-k", library.measured(7)))
    tile = run.parameters.get("tile") or ()
    if len(tile) != 3 or not run.launches:
        raise BookError(f"{run.key} does not say what its tiles are")
    tiles = -(-run.shape[0] // tile[0]) * -(-run.shape[1] // tile[1])
    blocks = run.launches[-1].grid[0]
    waves, shared = -(-tiles // blocks), _shared_tiles(tiles, blocks)
    whole = (tiles - shared) // blocks
    high = 120
    figure = Figure(figsize=(WIDTH / 72, (2 * high + 150) / 72))
    left, wide = 34, WIDTH - 40
    upper = panel(figure, left, high + 116, wide, high)
    lower = panel(figure, left, 62, wide, high)
    upper.set_title(f"Whole tiles: {waves} waves, {blocks - tiles % blocks} idle in the last", x=-left / wide)
    lower.set_title(f"Stream-K: {shared} of {tiles} tiles are cut", x=-left / wide)
    for axes in (upper, lower):
        axes.set_xlim(0, blocks)
        axes.set_ylim(0, waves)
        axes.set_yticks(range(waves + 1))
        axes.set_xticks([0.5, blocks / 2 - 0.5, blocks - 3], ["1", str(blocks // 2), str(blocks)])
        axes.set_ylabel("time, in tiles")
    lower.set_xlabel("multiprocessor")
    bar = 0.8 * wide / blocks
    in_waves = [(b, y + 0.03, y + 0.97) for y in range(waves) for b in range(min(blocks, tiles - y * blocks))]
    _bars(upper, in_waves, bar, GRID)
    part = shared / blocks
    parity: tuple[list[tuple[int, float, float]], ...] = ([], [])
    for block in range(blocks):
        begin, end = part * block, part * (block + 1)
        edges = [begin, *(t for t in range(int(begin) + 1, shared + 1) if begin < t < end), end]
        for low, up in pairwise(edges):
            parity[int(low + 1e-9) % 2].append((block, low - begin, up - begin))
    _bars(lower, parity[0], bar, BLUE)
    _bars(lower, parity[1], bar, ORANGE)
    wholes = [(b, part + y + 0.03, part + y + 0.97) for b in range(blocks) for y in range(whole)]
    _bars(lower, wholes, bar, GRID)
    lower.axhline(tiles / blocks, color=MUTED, linewidth=1, linestyle=(0, (3, 2)))
    handles = [
        Patch(facecolor=GRID, label="whole"),
        Patch(facecolor=BLUE, label="cut: even tile"),
        Patch(facecolor=ORANGE, label="cut: odd tile"),
    ]
    figure.legend(handles=handles, loc="lower left", ncols=3, handlelength=1.2, columnspacing=1)
    return Drawing(
        figure,
        "Waves of tiles, and stream-K's cuts",
        f"{tiles} tiles on {blocks} multiprocessors. Above: {waves} waves of whole tiles; in the last "
        f"{blocks - tiles % blocks} multiprocessors are idle. Below: stream-K cuts {shared} tiles into "
        f"{blocks} equal parts of {part:.2f} tiles, one for each multiprocessor, and leaves {whole} whole "
        f"tiles for each; all end after {tiles / blocks:.2f} tiles.",
    )


FIGURES = {"pipeline": pipeline, "ring": ring, "roles": roles, "cuts": cuts}
