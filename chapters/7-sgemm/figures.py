"""The figures of chapter 7: who reads and computes what, banks, the worth of a byte, the roofline."""

from __future__ import annotations

import functools
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from math import nan

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Patch

from book.library import Library
from figures.ladder import ladder
from figures.lanes import WARP, Access, Touched, ask, lanes_and_sectors
from figures.memory import cells
from figures.roofline import roofline
from figures.rules import BANKS, WORD
from figures.style import BLUE, GRID, INK, MUTED, OWN, SHADE, WIDTH, Drawing, bare, panel

_MAIN = (4096, 4096, 4096)
_LEAST = 256
"""Operations in the time of a wavefront: 128 multiply-adds, a cycle's of an H200's multiprocessor."""


_TILE = 128
Element = tuple[int, int]
"""Row and column of a tile."""


def _strided(thread: int) -> list[Element]:
    y, x = divmod(thread, 32)
    return [(y + 32 * i, x + 32 * j) for i in range(4) for j in range(4)]


def _contiguous(thread: int) -> list[Element]:
    y, x = divmod(thread, 32)
    return [(4 * y + i, 4 * x + j) for i in range(4) for j in range(4)]


def _quadrants(thread: int) -> list[Element]:
    y, x = divmod(thread, 16)
    places = [*range(4), *range(64, 68)]
    return [(4 * y + i, 4 * x + j) for i in places for j in places]


def _runs(elements: Iterable[Element]) -> list[tuple[int, int, int]]:
    """Row, first column and length of each run of elements beside each other."""
    runs: list[tuple[int, int, int]] = []
    for row, column in sorted(elements):
        if runs and runs[-1][0] == row and sum(runs[-1][1:]) == column:
            runs[-1] = (row, runs[-1][1], runs[-1][2] + 1)
        else:
            runs.append((row, column, 1))
    return runs


def results(_: Library) -> Drawing:
    """Which elements of a tile of C one thread computes, and which its warp does."""
    layouts: tuple[tuple[str, Callable[[int], list[Element]]], ...] = (
        ("strided", _strided),
        ("contiguous", _contiguous),
        ("quadrants", _quadrants),
    )
    thread, size, gap, left = 5, 118, 16, 7
    figure = Figure(figsize=(WIDTH / 72, (size + 50) / 72))
    words = []
    for index, (name, elements) in enumerate(layouts):
        axes = bare(panel(figure, left + index * (size + gap), 26, size, size))
        warp = {place for lane in range(WARP) for place in elements(lane)}
        own = elements(thread)
        cells(axes, ((first, row, length, 1) for row, first, length in _runs(warp)), facecolor=GRID)
        mark = 1 if name != "strided" else 3  # a single element would hardly be seen
        shift = (mark - 1) / 2
        cells(axes, ((x - shift, y - shift, mark, mark) for y, x in own), facecolor=BLUE)
        cells(axes, [(0, 0, _TILE, _TILE)], facecolor="none", edgecolor=MUTED, linewidth=0.8)
        axes.set_xlim(0, _TILE)
        axes.set_ylim(_TILE, 0)
        axes.set_title(name)
        rows = sorted({row for row, _ in warp})
        words.append(f"{name}: the thread has {len(own)} elements, its warp {len(warp)} in {len(rows)} rows")
    handles = [
        Patch(facecolor=BLUE, label=f"thread {thread}"),
        Patch(facecolor=GRID, label="the rest of its warp"),
    ]
    figure.legend(handles=handles, loc="lower left", ncols=2, handlelength=1.2, columnspacing=1.2)
    return Drawing(
        figure,
        "Who computes which element of C",
        f"Three tiles of {_TILE} × {_TILE} elements with those of one thread filled and those of its warp "
        f"shaded. {'; '.join(words)}.",
    )


@dataclass(frozen=True)
class Shared:
    """A shared access of one or several steps."""

    steps: str
    name: str
    access: Access
    store: bool = False

    @classmethod
    def load(cls, steps: str, name: str, element: Callable[[int], int], width: int = 4) -> Shared:
        """A load, by a function from the lane to its element of `width` bytes."""
        return cls(steps, name, Access.of(name, element, width))

    @classmethod
    def put(cls, steps: str, name: str, element: Callable[[int], int], width: int = 4) -> Shared:
        """A store."""
        return cls(steps, name, Access.of(name, element, width), store=True)

    def wavefronts(self, touched: Touched) -> int:
        """What the model says that the access takes."""
        return touched.shared_store_wavefronts if self.store else touched.shared_load_wavefronts

    @property
    def words(self) -> Counter[int]:
        """How many different words are wanted of each bank."""
        per_lane = self.access.width // WORD
        wanted = {
            element * per_lane + word
            for element in self.access.elements
            if element is not None
            for word in range(per_lane)
        }
        return Counter(word % BANKS for word in wanted)


def _row(lane: int) -> int:
    return lane // 2 % 8


def _column(lane: int) -> int:
    return lane // 16 * 2 + lane % 2


def _down(lane: int) -> int:
    return lane & 1 | lane >> 1 & 6


def _across(lane: int) -> int:
    return lane >> 1 & 1 | lane >> 3 & 2


def _depthwise(lane: int) -> int:
    """A row of A in a stage 32 steps deep, swizzled; by fours."""
    return _down(lane) * 8 + _down(lane) % 8


def _fragment(lane: int) -> int:
    """One of four rows of B for the tensor cores, of 32 columns, swizzled."""
    row, column = lane % 4, lane // 16 * 16 + lane // 4 % 4
    return row * 32 + (column // 4 ^ row) * 4 + column % 4


_LATER = "register-prefetch, async-copy"
_LAST = "warp-tile, block-order, turned-copies"
_BOXES = "tma, producer-warp, persistent"
_TRANSPOSED = "transposed-first, stream-k, transposed-beside"
TRANSPOSITION = "the transposition of A, where it comes first"
_ACCESSES = (
    Shared.put("tile", "A is stored", lambda lane: lane * 33),
    Shared.put("tile", "B is stored", lambda lane: lane),
    Shared.load("tile", "A", lambda lane: 0),
    Shared.load("tile", "B", lambda lane: lane),
    Shared.put("strided, contiguous", "A is stored", lambda lane: lane % 8 * 132 + lane // 8),
    Shared.put("strided, contiguous", "B is stored", lambda lane: lane),
    Shared.load("strided", "A, four times", lambda lane: 0),
    Shared.load("strided", "B, four times", lambda lane: lane),
    Shared.load("contiguous", "A", lambda lane: 0, 16),
    Shared.load("contiguous", "B", lambda lane: lane, 16),
    Shared.put(TRANSPOSITION, "it is stored", lambda lane: lane),
    Shared.load(TRANSPOSITION, "it is loaded", lambda lane: lane * 65),
    Shared.put("quadrants", "A and B are stored", lambda lane: lane),
    Shared.load(f"quadrants, float4, {_LATER}", "A, twice", lambda lane: lane // 16, 16),
    Shared.load(f"quadrants, float4, {_LATER}", "B, twice", lambda lane: lane % 16, 16),
    Shared.put("float4, register-prefetch", "A and B are stored", lambda lane: lane, 16),
    Shared.put("turned-copies", "A is copied", lambda lane: lane % 8 * 132 + lane // 8),
    Shared.load(_LAST, "A, twice", _row, 16),
    Shared.load(_LAST, "B, twice", _column, 16),
    Shared.load(_BOXES, "A, for four steps", _depthwise, 16),
    Shared.load(_BOXES, "B, four times", _across, 16),
    Shared.load(_TRANSPOSED, "A, twice", _down, 16),
    Shared.load(_TRANSPOSED, "B, four times", _across, 16),
    Shared.load("sliced", "A, for four steps", _depthwise, 16),
    Shared.load("sliced", "B, four times", _across, 16),
    Shared.put("sliced", "sums are stored", lambda lane: lane, 16),
    Shared.load("sliced", "sums", lambda lane: lane, 16),
    Shared.load("three-tf32", "A, to be split", lambda lane: lane, 16),
    Shared.put("three-tf32", "its small part", lambda lane: lane, 16),
    Shared.load("three-tf32", "B", _fragment),
)


def wavefronts_by_steps(library: Library) -> dict[str, dict[bool, list[int]]]:
    """What the map says that each group of steps' loads (False) and stores (True) take."""
    found: dict[str, dict[bool, list[int]]] = {}
    answers = ask(library, [shared.access for shared in _ACCESSES])
    for shared, touched in zip(_ACCESSES, answers, strict=True):
        kinds = found.setdefault(shared.steps, {False: [], True: []})
        kinds[shared.store].append(shared.wavefronts(touched))
    return found


def banks(library: Library) -> Drawing:
    """Every shared access of the chapter: how many words its warp wants of each of the 32 banks."""
    answers = ask(library, [shared.access for shared in _ACCESSES])
    left, cell, pitch, head = 8, 6.9, 19, 18
    groups = list(dict.fromkeys(shared.steps for shared in _ACCESSES))
    height = pitch * len(_ACCESSES) + head * len(groups) + 44
    figure = Figure(figsize=(WIDTH / 72, height / 72))
    axes = bare(panel(figure, 0, 0, WIDTH, height))
    y, words = 4.0, []
    for group in groups:
        axes.text(left, y + 8, group, va="center", fontsize=10.5)
        y += head
        for shared, touched in zip(_ACCESSES, answers, strict=True):
            if shared.steps != group:
                continue
            count = shared.wavefronts(touched)
            _draw_banks(axes, shared, y, left + 106, cell)
            axes.text(left, y + cell / 2, shared.name, va="center", fontsize=10, color=MUTED)
            least = -(-shared.words.total() // BANKS)
            axes.text(WIDTH - 48, y + cell / 2, str(count), va="center", ha="right", fontsize=10.5)
            axes.text(WIDTH - 12, y + cell / 2, str(least), va="center", ha="right", fontsize=10.5)
            kind = "stored" if shared.store else "loaded"
            words.append(f"{group}, {shared.name}, {kind}: {count} wavefronts, at least {least}")
            y += pitch
    for x, title in ((WIDTH - 42, "takes"), (WIDTH - 4, "least")):
        axes.text(x, 12, title, va="center", ha="right", fontsize=10, color=MUTED)
    axes.set_xlim(0, WIDTH)
    axes.set_ylim(height, 0)
    handles = [
        Patch(facecolor=BLUE, label="one word of the bank"),
        Patch(label="several words", **OWN),
    ]
    figure.legend(handles=handles, loc="lower left", ncols=2, handlelength=1.2, columnspacing=1.2)
    return Drawing(
        figure,
        "Banks of every shared access",
        "A row of 32 banks for each kind of shared access of the chapter's steps, filled where its warp "
        "wants one word of the bank, hatched where it wants several; then the wavefronts that it takes, and "
        f"the least that its words could take. {'; '.join(words)}.",
    )


def _draw_banks(axes: Axes, shared: Shared, y: float, x: float, cell: float) -> None:
    def runs(wanted: Callable[[int], bool]) -> list[tuple[float, float, float, float]]:
        banks = [(0, bank) for bank, count in shared.words.items() if wanted(count)]
        return [(x + first * cell, y, length * cell, cell) for _, first, length in _runs(banks)]

    cells(axes, [(x, y, BANKS * cell, cell)], facecolor=SHADE)
    cells(axes, runs(lambda count: count == 1), facecolor=BLUE)
    cells(axes, runs(lambda count: count > 1), **OWN)
    xs, ys = zip(
        *(end for bank in range(BANKS + 1) for end in _upright(x + bank * cell, y, cell)), strict=True
    )
    axes.plot(xs, ys, color=GRID, linewidth=0.5)


def _upright(x: float, y: float, height: float) -> tuple[tuple[float, float], ...]:
    """A line down, and a gap behind it, so that many are one."""
    return (x, y), (x, y + height), (nan, nan)


@dataclass(frozen=True)
class Tile:
    """What a step's block and thread compute at a time, and the loads of shared memory for one of k."""

    steps: str
    block: tuple[int, int]
    results: int
    loads: tuple[tuple[int, Access], ...]

    @property
    def operations_per_byte(self) -> float:
        """Of the bytes of A and B that a block asks for."""
        rows, columns = self.block
        return 2 * rows * columns / (WORD * (rows + columns))


def _fours(element: Callable[[int], int]) -> Access:
    return Access.of("", element, 16)


_TILES = (
    Tile("tile", (32, 32), 1, ((1, Access.of("", lambda _: 0)), (1, Access.strided("")))),
    Tile("strided", (128, 128), 16, ((4, Access.of("", lambda _: 0)), (4, Access.strided("")))),
    Tile("contiguous", (128, 128), 16, ((1, _fours(lambda _: 0)), (1, _fours(lambda lane: lane)))),
    Tile(
        "quadrants … async-copy",
        (128, 128),
        64,
        ((2, _fours(lambda lane: lane // 16)), (2, _fours(lambda lane: lane % 16))),
    ),
    Tile("warp-tile … turned-copies", (128, 128), 64, ((2, _fours(_row)), (2, _fours(_column)))),
    Tile("tile-shapes, 8 × 16", (128, 256), 128, ((2, _fours(_row)), (4, _fours(_column)))),
    Tile("tma … persistent", (128, 256), 128, ((2, _fours(_depthwise)), (4, _fours(_across)))),
    Tile("transposed-first …", (128, 256), 128, ((2, _fours(_down)), (4, _fours(_across)))),
    Tile("sliced", (64, 128), 128, ((2, _fours(_depthwise)), (4, _fours(_across)))),
)


def intensity(library: Library) -> Drawing:
    """Operations for each byte that a block asks for, and for each wavefront of shared memory."""
    names = [tile.steps for tile in _TILES]
    bytes_ = [tile.operations_per_byte for tile in _TILES]
    wavefronts = [_operations_per_wavefront(library, tile) for tile in _TILES]
    high = 21 * len(names)
    figure = Figure(figsize=(WIDTH / 72, (2 * high + 116) / 72))
    words = []
    for bottom, title, values in (
        (high + 88, "operations for each byte of A and B that a block asks for", bytes_),
        (34, "operations for each wavefront of shared memory", wavefronts),
    ):
        axes = panel(figure, 158, bottom, WIDTH - 158 - 44, high)
        axes.barh(range(len(names)), values, color=BLUE, height=0.6)
        axes.set_yticks(range(len(names)), names)
        axes.invert_yaxis()
        axes.set_xticks([])
        axes.set_title(title, x=-0.78)
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
                fontsize=9.5,
            )
    half = len(_TILES)
    return Drawing(
        figure,
        "Operations for each byte and for each wavefront",
        "Two bar charts. Operations for each byte of A and B that a block asks for: "
        f"{', '.join(words[:half])}. Operations for each wavefront of shared memory: "
        f"{', '.join(words[half:])}; in the time of a wavefront a multiprocessor can carry out {_LEAST}.",
    )


def _operations_per_wavefront(library: Library, tile: Tile) -> float:
    answers = ask(library, [access for _, access in tile.loads])
    wavefronts = sum(
        times * touched.shared_load_wavefronts
        for (times, _), touched in zip(tile.loads, answers, strict=True)
    )
    return 2 * tile.results * WARP / wavefronts


FIGURES = {
    "loop": functools.partial(
        lanes_and_sectors,
        title="What the textbook's loop reads",
        accesses=(
            Access.of("threads below each other: A, a column", lambda lane: 512 * lane),
            Access.of("threads below each other: B, one element for all lanes", lambda lane: 0),
            Access.of("threads beside each other: A, one element for all lanes", lambda lane: 0),
            Access.of("threads beside each other: B, a row", lambda lane: lane),
        ),
        most_lines=4,
    ),
    "results": results,
    "banks": banks,
    "intensity": intensity,
    "roofline": functools.partial(roofline, chapter=7, shape=_MAIN, left_out=frozenset({"tile-shapes"})),
    "ladder": functools.partial(
        ladder,
        chapter=7,
        main=_MAIN,
        others=((1024, 1024, 1024), (8192, 8192, 8192), (16384, 16384, 16384)),
    ),
}
