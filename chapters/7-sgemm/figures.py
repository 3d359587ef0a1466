"""Figures of chapter 7: what warps read, banks, the worth of a byte and of a wavefront, errors."""

from __future__ import annotations

import functools
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from math import nan

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from book.descriptions import Line, Run
from book.documents import BookError
from book.format import times
from book.keys import Parameters
from book.library import Library
from book.results import Results
from figures.ladder import ladder
from figures.lanes import Access, Step, Touched, ask, lanes_and_sectors
from figures.memory import cells, runs
from figures.roofline import roofline
from figures.style import BLUE, GRID, INK, MARKERS, MUTED, OWN, SERIES, SHADE, WIDTH, Drawing, bare, panel

_WORD = 4
"""Bytes of a float, and of a bank's word."""
_BANKS = 32
_LEAST = 256
"""Operations in the time of a wavefront: 128 multiply-adds, a cycle's of an H200's multiprocessor."""


_OTHER_SHAPES = ("tile-shapes", "tuned")
"""Steps whose tiles differ from product to product."""
_AS_BEFORE = ("sliced", "middle-first", "transposed-tiles", "reduced-together", "cut-edges")
"""Steps that multiply as those before them do, and move sums, edges or boxes otherwise."""
_TRANSPOSES = "transposed-first"
"""A step that begins with the transposition of A, as others do; what it does there is shown once."""
_NAMES = {
    "tile": ("A is stored", "B is stored", "A", "B"),
    "strided": ("A is stored", "B is stored", "A, four times", "B, four times"),
    "contiguous": ("A is stored", "B is stored", "A", "B"),
    "transposition": ("it is stored", "it is loaded"),
    "quadrants": ("A and B are stored", "A, twice", "B, twice"),
    "float4": ("A and B are stored", "A, twice", "B, twice"),
    "async-copy": ("A, twice", "B, twice"),
    "warp-tile": ("A, twice", "B, twice"),
    "tma": ("A, for four steps", "B, four times"),
    "transposed-first": ("A, twice", "B, four times"),
    "untransposed": ("A, for four steps", "B", "the first of A", "the first of B"),
    "three-tf32": ("A, to be split", "its small part", "B"),
}
"""What the lines of a prediction move, by the first step that has them."""


def _shared_lines(run: Run) -> tuple[Line, ...]:
    """The lines that move words of shared memory."""
    return tuple(
        line
        for line in run.lines
        if line.operation.startswith("shared") and any(element is not None for element in line.elements)
    )


def _transposition(library: Library) -> tuple[Line, ...]:
    """What steps do in which A is transposed first: the first two of their lines."""
    predictions = library.descriptions(7).predictions
    return next((_shared_lines(run)[:2] for run in predictions if run.step == _TRANSPOSES), ())


def _without_transposition(library: Library, lines: tuple[Line, ...]) -> tuple[Line, ...]:
    return lines[2:] if lines[:2] == _transposition(library) else lines


def _groups(library: Library) -> dict[tuple[Line, ...], list[str]]:
    """Steps by the shared accesses that they predict, which are those that are counted."""
    groups: dict[tuple[Line, ...], list[str]] = {}
    descriptions = library.descriptions(7)
    for run in descriptions.predictions:
        if run.step in (*_OTHER_SHAPES, *_AS_BEFORE, *descriptions.experiments):
            continue
        lines = _shared_lines(run)
        rest = _without_transposition(library, lines)
        if rest != lines:
            groups.setdefault(lines[:2], ["transposition"])
        if rest:
            groups.setdefault(rest, []).append(run.step)
    return groups


def _words(line: Line) -> Counter[int]:
    """How many different words are wanted of each bank."""
    per_lane = max(line.width // _WORD, 1)
    wanted = {
        element * per_lane + word
        for element in line.elements
        if element is not None
        for word in range(per_lane)
    }
    return Counter(word % _BANKS for word in wanted)


def _wavefronts(line: Line, touched: Touched) -> int:
    stores = line.operation == "shared_store"
    return touched.shared_store_wavefronts if stores else touched.shared_load_wavefronts


def banks(library: Library) -> Drawing:
    """Every shared access of the chapter: how many words its warp wants of each of the 32 banks."""
    groups = _groups(library)
    left, cell, pitch, head = 0, 5.8, 20, 22
    height = pitch * sum(map(len, groups)) + head * len(groups) + 44
    figure = Figure(figsize=(WIDTH / 72, height / 72))
    axes = bare(panel(figure, 0, 0, WIDTH, height))
    y, words = 4.0, []
    for lines, steps in groups.items():
        group = (
            "the transposition of A, where it comes first" if "transposition" in steps else ", ".join(steps)
        )
        axes.text(left, y + 8, group, va="center")
        y += head
        answers = ask(library, (Access.of_line("", line) for line in lines))
        names = _NAMES.get(steps[0], ())
        if len(names) != len(lines):
            raise BookError(
                f"{steps[0]} predicts {len(lines)} accesses to shared memory; named are {len(names)}"
            )
        for name, line, touched in zip(names, lines, answers, strict=True):
            count, least = _wavefronts(line, touched), -(-_words(line).total() // _BANKS)
            _draw_banks(axes, _words(line), y, left + 134, cell)
            axes.text(left, y + cell / 2, name, va="center", color=MUTED)
            axes.text(WIDTH - 58, y + cell / 2, str(count), va="center", ha="right")
            axes.text(WIDTH - 10, y + cell / 2, str(least), va="center", ha="right")
            kind = "stored" if line.operation == "shared_store" else "loaded"
            words.append(f"{group}, {name}, {kind}: {count} wavefronts, at least {least}")
            y += pitch
    for x, title in ((WIDTH - 42, "takes"), (WIDTH, "least")):
        axes.text(x, 12, title, va="center", ha="right", color=MUTED)
    axes.set_xlim(0, WIDTH)
    axes.set_ylim(height, 0)
    handles = [
        Patch(facecolor=BLUE, label="one word of the bank"),
        Patch(label="several words", **OWN),
    ]
    figure.legend(handles=handles, loc="lower left", ncols=2, handlelength=1.2, columnspacing=1.2)
    return Drawing(
        figure,
        "Banks of shared accesses",
        "A row of 32 banks for each kind of shared access of the chapter's main steps, filled "
        "where its warp wants one word of the bank, hatched where it wants several; then the wavefronts that "
        "it takes, and "
        f"the least that its words could take. {'; '.join(words)}.",
    )


def _draw_banks(axes: Axes, words: Counter[int], y: float, x: float, cell: float) -> None:
    def beside(wanted: Callable[[int], bool]) -> list[tuple[float, float, float, float]]:
        banks = [(0, bank) for bank, count in words.items() if wanted(count)]
        return [(x + first * cell, y, length * cell, cell) for _, first, length in runs(banks)]

    cells(axes, [(x, y, _BANKS * cell, cell)], facecolor=SHADE)
    cells(axes, beside(lambda count: count == 1), facecolor=BLUE)
    cells(axes, beside(lambda count: count > 1), **OWN)
    xs, ys = zip(
        *(end for bank in range(_BANKS + 1) for end in _upright(x + bank * cell, y, cell)), strict=True
    )
    axes.plot(xs, ys, color=GRID, linewidth=0.5)


def _upright(x: float, y: float, height: float) -> tuple[tuple[float, float], ...]:
    """A line down, and a gap behind it, so that many are one."""
    return (x, y), (x, y + height), (nan, nan)


_WIDER = "tile-shapes thread=8x16 tile=128x256x16 turned=1"
"""The variant that stands for those of its step."""
_LEFT_OUT = ("tuned", "three-tf32")
"""A step whose tiles differ from product to product, and one that multiplies by tensor cores."""


@dataclass(frozen=True)
class Intensity:
    """What a step's loop loads to multiply it, and for how much of C at a time."""

    loads: tuple[Line, ...]
    tile: tuple[int, ...]
    """Rows and columns of C to a block."""
    per_wavefront: float
    """Operations for each wavefront of these loads."""

    @property
    def per_byte(self) -> float:
        """Operations for each byte of A and B that a block asks for."""
        rows, columns = self.tile
        return 2 * rows * columns / (_WORD * (rows + columns))


def _intensity(library: Library, run: Run) -> Intensity:
    lines = _without_transposition(library, _shared_lines(run))
    loads = tuple(line for line in lines if line.operation == "shared_load")[:2]
    answers = ask(library, (Access.of_line("", line) for line in loads))
    wavefronts = sum(
        line.warps * touched.shared_load_wavefronts for line, touched in zip(loads, answers, strict=True)
    )
    tile = run.parameters.get("tile") or run.parameters.get("block") or ()
    if not wavefronts or len(tile) < 2:
        raise BookError(f"{run.key} names no tile that it multiplies out of shared memory")
    return Intensity(loads, tile[:2], run.amounts["operations"] / wavefronts)


def _intensities(library: Library) -> list[tuple[str, Intensity]]:
    """What the steps have that multiply out of shared memory; those in a row that have the same, once."""
    descriptions = library.descriptions(7)
    found: list[tuple[list[str], Intensity]] = []
    for step in dict.fromkeys(run.step for run in descriptions.predictions):
        run = descriptions.predicted(_WIDER if _WIDER.startswith(f"{step} ") else step)
        if not _shared_lines(run) or step in (*_LEFT_OUT, *descriptions.experiments):
            continue
        intensity = _intensity(library, run)
        thread = run.parameters.get("thread")
        name = f"{step}, {times(thread)}" if thread else step
        if found and found[-1][1] == intensity:
            found[-1][0].append(name)
        else:
            found.append(([name], intensity))
    return [(" … ".join(dict.fromkeys((steps[0], steps[-1]))), intensity) for steps, intensity in found]


def intensity(library: Library) -> Drawing:
    """Operations for each byte that a block asks for, and for each wavefront of shared memory."""
    names, intensities = zip(*_intensities(library), strict=True)
    bytes_ = [intensity.per_byte for intensity in intensities]
    wavefronts = [intensity.per_wavefront for intensity in intensities]
    left, high = 204, 21 * len(names)
    figure = Figure(figsize=(WIDTH / 72, (2 * high + 132) / 72))
    words = []
    for bottom, title, values in (
        (high + 104, "operations for each byte of A and B that a block asks for", bytes_),
        (46, "operations for each wavefront of shared memory", wavefronts),
    ):
        axes = panel(figure, left, bottom, WIDTH - left - 36, high)
        axes.barh(range(len(names)), values, color=BLUE, height=0.6)
        axes.set_yticks(range(len(names)), names)
        axes.invert_yaxis()
        axes.set_xticks([])
        axes.set_title(title, x=-left / (WIDTH - left - 36))
        for spine in axes.spines.values():
            spine.set_visible(False)
        for y, value in enumerate(values):
            axes.annotate(f"{value:.0f}", (value, y), (4, 0), textcoords="offset points", va="center")
        words += [f"{name}: {value:.0f}" for name, value in zip(names, values, strict=True)]
        if values is wavefronts:
            axes.axvline(_LEAST, color=INK, linewidth=1.2)
            axes.annotate(
                f"{_LEAST}: what is computed\nin the time of one",
                (_LEAST, len(names) - 0.5),
                (0, -2),
                textcoords="offset points",
                ha="center",
                va="top",
            )
    half = len(names)
    return Drawing(
        figure,
        "Operations for each byte and for each wavefront",
        "Two bar charts. Operations for each byte of A and B that a block asks for: "
        f"{', '.join(words[:half])}. Operations for each wavefront of shared memory: "
        f"{', '.join(words[half:])}; in the time of a wavefront a multiprocessor can carry out {_LEAST}.",
    )


_ERRORS = {
    "zero-mean-error": "even over [−1, 1)",
    "positive-error": "over [0, 1)",
    "ill-scaled-error": "ill-scaled",
}
"""What the experiments report of each kind of numbers."""
_WAYS = (
    ("cuBLAS", "cublas-error", Parameters()),
    ("three-tf32", "three-tf32-error", Parameters.of({"small-first": [1]})),
    ("small parts not first", "three-tf32-error", Parameters.of({"small-first": [0]})),
)
"""The experiments that report an error."""


def errors(library: Library) -> Drawing:
    """The error of a product by its depth, for three kinds of numbers."""
    width, gap, height = 109, 10, 150
    figure = Figure(figsize=(WIDTH / 72, (height + 122) / 72))
    published = library.published(7)
    words = []
    handles: list[Line2D] = []
    for index, (quantity, name) in enumerate(_ERRORS.items()):
        axes = panel(figure, 46 + index * (width + gap), 42, width, height)
        axes.set_title(name.replace(" [", "\n["))
        axes.set_xscale("log", base=2)
        axes.set_yscale("log", base=2)
        axes.set_xlim(6, 23_000)
        axes.set_ylim(2**-4, 2**6)
        axes.set_xticks([8, 128, 2048], ["8", "128", "2048"])
        ticks = [2.0**power for power in range(-4, 7, 2)]
        axes.set_yticks(ticks, [f"{tick:.2g}" for tick in ticks] if index == 0 else [])
        axes.grid(axis="y", color=GRID)
        axes.minorticks_off()
        for (way, step, parameters), color, marker in zip(_WAYS, SERIES, MARKERS, strict=False):
            points = _by_depth(published, step, parameters, quantity)
            if not points:
                continue
            line = axes.plot(
                *zip(*points, strict=True), color=color, marker=marker, markersize=4.5, label=way
            )
            handles += line if index == 0 else []
            words.append(
                f"{way}, numbers {name}: {points[0][1]:.2g} u at a depth of {points[0][0]} "
                f"to {points[-1][1]:.2g} u at {points[-1][0]}"
            )
        if not handles:
            axes.text(0.5, 0.5, "not measured yet", transform=axes.transAxes, ha="center", color=MUTED)
    figure.text(0.5, 4 / (height + 122), "depth", ha="center")
    figure.legend(handles=handles, loc="upper left", ncols=2, columnspacing=1.2)
    kinds = ", ".join(_ERRORS.values())
    return Drawing(
        figure,
        "The error in units of u, by depth",
        f"Three line charts of a product's error by its depth, one for each kind of numbers: {kinds}. "
        f"{'; '.join(words) or 'Not measured yet'}.",
    )


def _by_depth(
    results: Results | None, step: str, parameters: Parameters, quantity: str
) -> list[tuple[int, float]]:
    """Depth and error of what was measured with C of one and the same shape."""
    if results is None:
        return []
    found = [one for one in results.measurements if one.step == step and one.parameters == parameters]
    largest = max((one.shape[:2] for one in found), default=())
    return sorted(
        (one.shape[2], one.quantities[quantity].median) for one in found if one.shape[:2] == largest
    )


FIGURES = {
    "errors": errors,
    "loop": functools.partial(
        lanes_and_sectors,
        title="What the textbook's loop reads",
        accesses=(
            Step("threads below each other: A, a column", 7, "one-row"),
            Step("threads below each other: B, one element for all lanes", 7, "one-row", line=1),
            Step("threads beside each other: A, one element for all lanes", 7, "one-column"),
            Step("threads beside each other: B, a row", 7, "one-column", line=1),
        ),
        most_lines=4,
    ),
    "banks": banks,
    "intensity": intensity,
    "roofline": functools.partial(roofline, chapter=7, left_out=frozenset({"tile-shapes", "three-tf32"})),
    "ladder": functools.partial(ladder, chapter=7, left_out=frozenset({"cublas-tf32"})),
}
