"""The effect of a block's shape: time of one kernel by block, relative to its default block, same run."""

from __future__ import annotations

from dataclasses import dataclass

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from matplotlib.ticker import FormatStrFormatter, MultipleLocator

from book.documents import BookError
from book.format import format_value, times
from book.keys import Key, Parameters, Shape, by_size
from book.library import Library
from book.results import Measurement, Results
from book.sources import SourceRow
from figures.style import (
    BLUE,
    LEGEND,
    MARK,
    MARKERS,
    MUTED,
    OWN,
    PURPLE,
    WIDTH,
    Drawing,
    legend_height,
    panel,
)

_ROW = 22
_SOURCE_LINE = {"color": PURPLE, "markersize": 5, "markeredgewidth": 1.6, "linestyle": "none"}
Block = tuple[int, ...]


@dataclass(frozen=True)
class _Scene:
    """What the figure shows: bars at the main shape, marks at the others."""

    results: Results
    own: Results | None
    main: Shape
    others: list[Shape]
    blocks: list[Block]
    default: Block
    sources: list[SourceRow]


def block_shapes(library: Library, chapter: int, steps: tuple[str, ...]) -> Drawing:
    """One panel per step: bars for the largest shape that all blocks were timed at, marks for the others."""
    results = library.require_published(chapter)
    *others, main = _common_shapes(results, steps)
    blocks = list(dict.fromkeys(_block(entry) for entry in _entries(results, steps[0], main)))
    default = library.descriptions(chapter).defaults[steps[0]].get("block") or ()
    sources = [row for row in library.sources(chapter) if row.quantity == "time" and row.table]
    scene = _Scene(results, library.one_beside(chapter), main, others, blocks, default, sources)
    handles = _handles(scene)
    height, top, bottom = _ROW * len(blocks) + 44, legend_height(handles), 18
    total = top + height * len(steps) + bottom
    figure = Figure(figsize=(WIDTH / 72, total / 72))
    for index, step in enumerate(steps):
        place = total - top - (index + 1) * height + 18
        _panel(panel(figure, 54, place, WIDTH - 54 - 66, _ROW * len(blocks) - 6), scene, step)
    figure.axes[-1].set_xlabel(f"time, relative to block {times(default)} in the same run")
    figure.legend(handles=handles, **LEGEND)
    words = " ".join(_words(scene, step) for step in steps)
    text = f"Time on an {results.gpu_name} by shape of the block. {words}"
    return Drawing(figure, "The effect of the block's shape", text)


def _entries(results: Results, step: str, shape: Shape) -> list[Measurement]:
    return [entry for entry in results.measurements if (entry.step, entry.shape) == (step, shape)]


def _common_shapes(results: Results, steps: tuple[str, ...]) -> list[Shape]:
    """Shapes at which all steps were timed with several blocks, smallest first."""
    shapes = {entry.shape for entry in results.measurements}
    common = [shape for shape in shapes if all(len(_entries(results, step, shape)) > 1 for step in steps)]
    if not common:
        raise BookError(f"{results.path}: {' and '.join(steps)} were timed with one block only")
    return sorted(common, key=by_size)


def _block(entry: Measurement | SourceRow) -> Block:
    return entry.parameters.get("block") or ()


def _relative(scene: _Scene, results: Results, step: str, shape: Shape, block: Block) -> float | None:
    taken = {_block(entry): entry.median for entry in _entries(results, step, shape)}
    return taken[block] / taken[scene.default] if scene.default in taken and block in taken else None


def _panel(axes: Axes, scene: _Scene, step: str) -> None:
    axes.set_ylim(len(scene.blocks) - 0.5, -0.5)
    axes.set_yticks(range(len(scene.blocks)), [times(block) for block in scene.blocks])
    rated = {_block(row): row.value for row in scene.sources if row.step == step and row.value}
    for y, block in enumerate(scene.blocks):
        value = _relative(scene, scene.results, step, scene.main, block)
        if value:
            axes.barh(y, value, height=0.36 if scene.own else 0.5, color=BLUE)
            time = format_value(_taken(scene, step, block), "s")
            at = {"xycoords": ("axes fraction", "data"), "textcoords": "offset points"}
            axes.annotate(time, (1, y), (62, 0), ha="right", va="center", **at)
        for shape, marker in zip(scene.others, MARKERS, strict=False):
            other = _relative(scene, scene.results, step, shape, block)
            if other:
                axes.plot(other, y, marker=marker, **MARK)
        mine = _relative(scene, scene.own, step, scene.main, block) if scene.own else None
        if mine:
            axes.barh(y + 0.33, mine, height=0.22, **OWN)
        if block in rated and scene.default in rated:
            axes.plot(rated[block] / rated[scene.default], y + 0.3, marker="x", **_SOURCE_LINE)
    axes.set_xlim(0, None)
    axes.xaxis.set_major_locator(MultipleLocator(0.5))
    axes.xaxis.set_major_formatter(FormatStrFormatter("%g"))
    axes.axvline(1, color=MUTED, linewidth=1)
    axes.xaxis.grid(visible=True)
    for spine in axes.spines.values():
        spine.set_visible(False)
    axes.set_title(step)


def _handles(scene: _Scene) -> list[Patch | Line2D]:
    name = f"{scene.results.gpu_name}, {times(scene.main)}"
    handles: list[Patch | Line2D] = [Patch(color=BLUE, label=name)]
    if scene.own:
        handles.append(Patch(label=scene.own.label, **OWN))
    for shape, marker in zip(scene.others, MARKERS, strict=False):
        handles.append(Line2D([], [], label=times(shape), marker=marker, **MARK))
    for source, card in dict.fromkeys((row.source, row.card) for row in scene.sources):
        handles.append(Line2D([], [], label=f"{source}, {card}", marker="x", **_SOURCE_LINE))
    return handles


def _words(scene: _Scene, step: str) -> str:
    known = {_block(entry) for entry in _entries(scene.results, step, scene.main)}
    taken = (
        f"{times(block)}: {format_value(_taken(scene, step, block), 's')}"
        for block in scene.blocks
        if block in known
    )
    return f"{step} at {times(scene.main)}: {', '.join(taken)}."


def _taken(scene: _Scene, step: str, block: Block) -> float:
    key = Key(step, scene.main, Parameters.of({"block": block}))
    return scene.results.measurements.find(key).median
