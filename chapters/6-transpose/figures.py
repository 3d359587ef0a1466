"""The figures of chapter 6: drawn from its results, or from the rules that its accesses follow."""

from __future__ import annotations

import functools
from collections.abc import Callable

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Patch

from book.documents import BookError
from book.format import times
from book.keys import Shape
from book.library import Library
from figures.blocks import block_shapes
from figures.ladder import ladder
from figures.lanes import SECTOR, WARP, Access, Touched, ask
from figures.memory import cells, grid
from figures.predicted_counted import counts
from figures.style import BLUE, GRID, INK, MOVED, MUTED, PAPER, SHADE, VERMILLION, WIDTH, Drawing, bare, panel

_TILE = 32
_WORD = 4
"""Bytes of a float, and of a bank's word."""
_BANKS = 32
_SECTOR_WORDS = SECTOR // _WORD
Word = tuple[int, int]
"""Row and column."""


def access(library: Library) -> Drawing:
    """Which words and which sectors a warp touches, loading from one matrix and storing to the other."""
    size, row_height, key = 158, 204, 24
    figure = Figure(figsize=(WIDTH / 72, (2 * row_height + key) / 72))
    words = []
    for row, block in enumerate(("32x8", "8x32")):
        run = library.descriptions(6).predicted(f"read-rows block={block}")
        if len(run.lines) != 2 or 0 in run.shape or any(None in line.elements for line in run.lines):
            raise BookError(f"{run.key} predicts no load and store of whole warps")
        bottom = (1 - row) * row_height + key
        for column, (line, pitch) in enumerate(zip(run.lines, reversed(run.shape), strict=True)):
            axes = bare(panel(figure, 20 + column * (size + 44), bottom, size, size))
            touched = _draw_access(library, axes, [divmod(place, pitch) for place in line.elements])
            title = f"{line.operation.removeprefix('global_')}, block {block.replace('x', ' × ')}"
            axes.set_title(f"{title}:\n{touched} sectors", pad=5)
            words.append(f"{title}: {touched} sectors")
    _key(figure, ((BLUE, "word of a lane, 0 to 31"), (SHADE, "sector that it brings along")))
    return Drawing(
        figure,
        "The sectors that a warp touches",
        "Four squares of 32 × 32 words, a row of memory to each line, cut into sectors of 8 words. The words "
        f"of the 32 lanes of one warp are filled, the sectors they lie in shaded. {'; '.join(words)}.",
    )


_LAYOUTS: dict[str, tuple[str, Callable[[int, int], int]]] = {
    "tile": ("as it is", lambda row, column: row * _TILE + column),
    "padded": ("one column of padding", lambda row, column: row * (_TILE + 1) + column),
    "swizzled": ("swizzled", lambda row, column: row * _TILE + (column ^ row)),
}
"""By step: what its tile is called, and where a word of it lies."""


def banks(library: Library, steps: tuple[str, ...]) -> Drawing:
    """In which bank each word of a tile's row and column lies, in the layouts of some steps."""
    size, gap, left = 176, 28, 10
    figure = Figure(figsize=(WIDTH / 72, 272 / 72))
    words = []
    for index, step in enumerate(steps):
        name, place = _LAYOUTS[step]
        _expect(library, step, place)
        axes = bare(panel(figure, left + index * (size + gap), 46, size, size + 6))
        used = place(_TILE - 1, _TILE - 1) // _BANKS + 1
        grid(axes, _BANKS, used, every_x=4, every_y=4 if used % 4 == 0 else used)
        columns = {column: [place(row, column) for row in range(_TILE)] for column in (0, 11)}
        row_words = [place(20, column) for column in range(_TILE)]
        _bank_cells(axes, row_words, facecolor=MUTED)
        _bank_cells(axes, columns[0], facecolor=BLUE)
        _bank_cells(axes, columns[11], facecolor=VERMILLION, narrow=True)
        axes.set_xlim(0, _BANKS)
        axes.set_ylim(33, 0)
        takes = {_touched(library, column).shared_load_wavefronts for column in columns.values()}
        assert len(takes) == 1
        count = takes.pop()
        label = f"{count} wavefront{'s' if count > 1 else ''}"
        axes.set_title(f"{name}:\na column takes {label}", pad=5)
        words.append(
            f"{name}: a column takes {label}, a row {_touched(library, row_words).shared_load_wavefronts}"
        )
        axes.text(0, 34, "bank 0", va="top")
        axes.text(_BANKS, 34, "31", va="top", ha="right")
    _key(figure, ((BLUE, "column 0 of the tile"), (VERMILLION, "column 11"), (MUTED, "row 20")))
    return Drawing(
        figure,
        "Banks of a 32 × 32 tile",
        "Shared memory drawn as lines of 32 words, one word per bank from left to right, for two layouts "
        f"of a 32 × 32 tile; two of its columns and one of its rows are filled. {'; '.join(words)}.",
    )


def diagonal(_: Library) -> Drawing:
    """The order in which blocks are handed out: along rows, and along diagonals."""
    side, size = 6, 176
    orders = (
        ("row by row", lambda n: (n % side, n // side)),
        ("along diagonals", lambda n: ((n // side + n % side) % side, n % side)),
    )
    figure = Figure(figsize=(WIDTH / 72, (size + 50) / 72))
    for index, (name, place) in enumerate(orders):
        axes = bare(panel(figure, 8 + index * (size + 32), 24, size, size))
        first = [place(n) for n in range(side)]
        cells(axes, ((x, y, 1, 1) for x, y in first), facecolor=BLUE)
        grid(axes, side, side)
        for n in range(side * side):
            x, y = place(n)
            axes.text(x + 0.5, y + 0.54, str(n), ha="center", va="center", color=PAPER if n < side else INK)
        axes.set_xlim(0, side)
        axes.set_ylim(side, 0)
        axes.set_title(name)
    figure.text(8 / WIDTH, 6 / (size + 50), f"filled: the first {side} blocks")
    return Drawing(
        figure,
        "Row order and diagonal order of blocks",
        f"Two grids of {side} × {side} blocks with their numbers. Row by row, the first {side} blocks lie "
        "side by side in one row of the grid; along diagonals, each lies in a row and a column of its own.",
    )


def phases(library: Library) -> Drawing:
    """Where the rows of a matrix start within a sector when their length is no multiple of 8."""
    shape = _odd_shape(library)
    rows, shown, height = 9, 48, 150
    figure = Figure(figsize=(WIDTH / 72, 2 * (height + 44) / 72))
    words = []
    for index, (name, columns) in enumerate(zip(("input", "output"), reversed(shape), strict=True)):
        axes = bare(panel(figure, 52, (1 - index) * (height + 44) + 8, WIDTH - 52 - 68, height))
        axes.set_aspect("auto")
        starts = [row * columns % _SECTOR_WORDS for row in range(rows)]
        spans = [list(range(start, start + WARP)) for start in starts]
        for row, span in enumerate(spans):
            touched = _sectors(library, span)
            shade = [(sector * _SECTOR_WORDS, row + 0.1, _SECTOR_WORDS, 0.8) for sector in touched]
            cells(axes, shade, **MOVED)
            cells(axes, [(span[0], row + 0.26, WARP, 0.48)], facecolor=BLUE)
            axes.text(-1, row + 0.5, f"row {row}", ha="right", va="center")
            axes.text(shown - 7, row + 0.5, f"{len(touched)} sectors", va="center")
        for x in range(0, 41, _SECTOR_WORDS):
            axes.plot([x, x], [0, rows], color=GRID, linewidth=1, clip_on=False)
        axes.set_xlim(0, 40)
        axes.set_ylim(rows, 0)
        axes.set_title(f"{name}: {columns} words to a row")
        aligned = [row for row, start in enumerate(starts) if start == 0]
        words.append(
            f"{name}, {columns} words to a row: rows {' and '.join(map(str, aligned))} start on a sector"
        )
    return Drawing(
        figure,
        f"Where the rows of an {times(shape)} matrix start",
        "For the first nine rows, the 32 words that the row's first warp touches, over sectors of 8 words: 4 "
        f"sectors where the row starts on one, 5 elsewhere. {'; '.join(words)}.",
    )


def output_order(_: Library) -> Drawing:
    """What the first blocks touch of both matrices, handed out along rows of the input or of the output."""
    side, size, first = 6, 138, 6
    figure = Figure(figsize=(WIDTH / 72, (2 * size + 88) / 72))
    orders = (
        ("along the input's rows", lambda n: (n % side, n // side)),
        ("along the output's rows", lambda n: (n // side, n % side)),
    )
    for line, (name, place) in enumerate(orders):
        blocks = [place(n) for n in range(first)]
        for column, (matrix, covered) in enumerate(
            (("input", blocks), ("output", [(y, x) for x, y in blocks]))
        ):
            bottom = 22 + (1 - line) * (size + 34)
            axes = bare(panel(figure, 96 + column * (size + 24), bottom, size, size))
            cells(axes, ((x, y, 1, 1) for x, y in covered), facecolor=BLUE)
            grid(axes, side, side)
            for number, (x, y) in enumerate(covered):
                axes.text(x + 0.5, y + 0.54, str(number), ha="center", va="center", color=PAPER)
            axes.set_xlim(0, side)
            axes.set_ylim(side, 0)
            axes.set_title(matrix)
            if column == 0:
                label = "blocks\n" + name.replace(" the ", "\nthe ").replace("s rows", "s\nrows")
                axes.text(-4.1, side / 2, label, va="center")
    _key(figure, ((BLUE, f"tiles of the first {first} blocks"),))
    return Drawing(
        figure,
        "Blocks along the input's rows, blocks along the output's rows",
        f"Two pairs of grids of {side} × {side} tiles, input and output. Along the input's rows, the first "
        f"{first} blocks read one row of tiles and write a column of them, far apart in memory; along the "
        "output's rows they read a column of tiles and write one row, side by side.",
    )


def aligned_output(library: Library) -> Drawing:
    """Where two neighbouring blocks meet in each row of an output whose rows begin inside sectors."""
    shown, columns, size = 9, _odd_shape(library)[0], 170
    figure = Figure(figsize=(WIDTH / 72, (size + 62) / 72))
    begins = [row * columns % _SECTOR_WORDS for row in range(shown)]
    words = []
    for index, (name, ends) in enumerate(
        (("one boundary for all rows", begins), ("a boundary for each row", [0] * shown))
    ):
        axes = bare(panel(figure, 46 + index * (size + 12), 24, size - 4, size))
        axes.set_aspect("auto")
        shared = [row for row, end in enumerate(ends) if end % _SECTOR_WORDS]
        middle = _SECTOR_WORDS
        cells(axes, [(middle, row, _SECTOR_WORDS, 1) for row in shared], **MOVED)
        cells(axes, [(0, row + 0.2, middle + end, 0.6) for row, end in enumerate(ends)], facecolor=BLUE)
        rest = [(middle + end, row + 0.2, 2 * _SECTOR_WORDS - end, 0.6) for row, end in enumerate(ends)]
        cells(axes, rest, facecolor="none", edgecolor=VERMILLION, hatch="////", linewidth=0.8)
        for x in range(0, 3 * _SECTOR_WORDS + 1, _SECTOR_WORDS):
            axes.plot([x, x], [0, shown], color=MUTED, linewidth=0.8)
        if index == 0:
            for row in range(shown):
                axes.text(-0.8, row + 0.5, f"row {row}", ha="right", va="center")
        axes.set_xlim(0, 3 * _SECTOR_WORDS)
        axes.set_ylim(shown, 0)
        axes.set_title(f"{name}:\n{len(shared)} sectors have two writers", pad=5)
        words.append(
            f"{name}: {len(shared)} of the {shown} sectors where the blocks meet are written by both"
        )
    handles = [
        Patch(facecolor=BLUE, label="one block"),
        Patch(label="its neighbour", facecolor="none", edgecolor=VERMILLION, hatch="////"),
    ]
    figure.legend(handles=handles, loc="lower left", ncols=2, handlelength=1.2, columnspacing=1.2)
    return Drawing(
        figure,
        f"Where blocks meet in rows of {columns} words",
        f"Three sectors of each of the first {shown} rows of the output, between two neighbouring blocks. "
        f"{'; '.join(words)}.",
    )


def _expect(library: Library, step: str, place: Callable[[int, int], int]) -> None:
    """Refuse a layout that is not its step's: of the first row, which is stored, and the first column."""
    run = library.descriptions(6).predicted(step)
    shared = [line.elements for line in run.lines if line.operation.startswith("shared")]
    if shared != [tuple(place(0, n) for n in range(_TILE)), tuple(place(n, 0) for n in range(_TILE))]:
        raise BookError(f"the tile of {step} lies otherwise than it is drawn")


def _odd_shape(library: Library) -> Shape:
    """Rows and columns of the timed matrix whose rows begin inside sectors."""
    shapes = (shape for variant in library.descriptions(6).of("aligned-output") for shape in variant.measured)
    odd = [shape for shape in shapes if len(shape) == 2 and all(n % _SECTOR_WORDS for n in shape)]
    if not odd:
        raise BookError("aligned-output is timed at no matrix whose rows begin inside sectors")
    return odd[0]


def _draw_access(library: Library, axes: Axes, places: list[Word]) -> int:
    """Draw a warp's words on a matrix of 32 words to a row; gives the number of sectors."""
    touched = _sectors(library, [row * _TILE + column for row, column in places])
    per_row = _TILE // _SECTOR_WORDS
    shade = [(sector % per_row * _SECTOR_WORDS, sector // per_row, _SECTOR_WORDS, 1) for sector in touched]
    cells(axes, shade, **MOVED)
    grid(axes, _TILE, _TILE, every_x=_SECTOR_WORDS)
    cells(axes, [(column + 0.12, row + 0.12, 0.76, 0.76) for row, column in places], facecolor=BLUE)
    for lane, shift, align in ((0, -0.6, "right"), (WARP - 1, 1.6, "left")):
        row, column = places[lane]
        axes.text(column + shift, row + 0.5, str(lane), ha=align, va="center")
    axes.set_xlim(0, _TILE)
    axes.set_ylim(_TILE, 0)
    return len(touched)


def _touched(library: Library, words: list[int]) -> Touched:
    """What the model says of a warp's access to these floats."""
    return ask(library, [Access("", _WORD, tuple(words))])[0]


def _sectors(library: Library, words: list[int]) -> list[int]:
    return sorted({place.sector for place in _touched(library, words).places})


def _bank_cells(axes: Axes, words: list[int], facecolor: str, narrow: bool = False) -> None:
    margin = 0.08 if not narrow else 0.2
    side = 1 - 2 * margin
    places = ((word % _BANKS + margin, word // _BANKS + margin, side, side) for word in words)
    cells(axes, places, facecolor=facecolor)


def _key(figure: Figure, entries: tuple[tuple[str, str], ...]) -> None:
    handles = [Patch(facecolor=colour, label=label) for colour, label in entries]
    figure.legend(handles=handles, loc="lower left", ncols=len(handles), handlelength=1, columnspacing=1)


FIGURES = {
    "access": access,
    "banks": functools.partial(banks, steps=("tile", "padded")),
    "swizzle": functools.partial(banks, steps=("padded", "swizzled")),
    "diagonal": diagonal,
    "phases": phases,
    "output-order": output_order,
    "aligned-output": aligned_output,
    "ladder": functools.partial(
        ladder,
        chapter=6,
        is_copy=lambda step: step.startswith("copy-"),
        bytes_of_element=8,  # a float read and a float written
    ),
    "blocks": functools.partial(block_shapes, chapter=6, steps=("read-rows", "read-columns")),
    "counts": functools.partial(counts, chapter=6),
}
