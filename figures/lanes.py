"""Drawings of one warp's access to global memory: its 32 lanes, the sectors and the lines that they touch.

What a drawing shows and what its captions count comes from `code/model` itself.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Patch

from book import model
from book.descriptions import Line
from book.documents import BookError
from book.library import Library
from figures.memory import cells
from figures.style import GRID, MOVED, MUTED, PURPLE, WIDTH, Drawing, bare, legend_height, panel

WARP = 32
LINE, SECTOR = 128, 32
"""Bytes of a cache line and of a sector."""

_LEFT, _SCALE = 62, 2.15
"""Where memory begins, and the width of a byte."""
_PITCH, _BAR, _GAP = 16, 11, 5
"""From row to row, the height of a row, what lies between rows that are not neighbours in memory."""
_TITLE, _HEAD, _SPACE = 36, 14, 12
"""Heights of an access's caption, of the words above the columns, and of the space between two accesses."""


@dataclass(frozen=True)
class Access:
    """One load or store of a warp: the element of `width` bytes that each lane wants; None: it rests."""

    name: str
    width: int
    elements: tuple[int | None, ...]

    @classmethod
    def of(cls, name: str, element_of_lane: Callable[[int], int | None], width: int = 4) -> Access:
        """An access by a function from the lane to its element."""
        return cls(name, width, tuple(element_of_lane(lane) for lane in range(WARP)))

    @classmethod
    def of_line(cls, name: str, line: Line) -> Access:
        """The access of a prediction's line."""
        return cls(name, line.width, line.elements)

    @classmethod
    def strided(cls, name: str, width: int = 4, offset: int = 0, stride: int = 1) -> Access:
        """Lane l wants element `offset + stride · l`, as in the explorer."""
        return cls.of(name, lambda lane: offset + stride * lane, width)


@dataclass(frozen=True)
class Step:
    """The access of a line of a step's prediction: drawn as it is predicted, and counted."""

    name: str
    chapter: int
    step: str
    """A step, and parameters that choose a variant: `shifted offset=1`."""
    line: int = 0
    """Which line of the prediction, from 0."""

    def access(self, library: Library) -> Access:
        """The access; BookError if the prediction has no such line."""
        lines = library.descriptions(self.chapter).predicted(self.step).lines
        if self.line >= len(lines):
            raise BookError(f"the prediction of {self.step} has no line {self.line}")
        return Access.of_line(self.name, lines[self.line])


@dataclass(frozen=True)
class Place:
    """Where an active lane's bytes begin, and the sector and the line that they lie in."""

    lane: int
    address: int
    sector: int
    line: int


@dataclass(frozen=True)
class Touched:
    """What the model says of an access."""

    requests: int
    sectors: int
    lines: int
    wanted_bytes: int
    tag_wavefronts: int
    data_wavefronts: int
    shared_load_wavefronts: int
    shared_store_wavefronts: int
    places: tuple[Place, ...]

    @property
    def words(self) -> str:
        """The counts as a caption gives them."""
        return (
            f"{_many(self.requests, 'request')}, {_many(self.lines, 'line')}, "
            f"{_many(self.sectors, 'sector')}: {self.wanted_bytes} of {self.sectors * SECTOR} bytes wanted"
        )


def ask(library: Library, accesses: Iterable[Access]) -> list[Touched]:
    """What the model says of each access.

    Raises:
        BookError: the program is not built, or it refuses an access.

    """
    question = [{"width": access.width, "elements": access.elements} for access in accesses]
    return [
        Touched(**{**answer, "places": tuple(Place(**place) for place in answer["places"])})
        for answer in model.ask(library, "lanes", question)
    ]


def lanes_and_sectors(
    library: Library, title: str, accesses: Sequence[Access | Step], most_lines: int = 8
) -> Drawing:
    """Draw accesses below each other: a row to each line that a lane touches, cut into its four sectors.

    At most `most_lines` rows are drawn of an access; a last one says how many more there are.
    """
    accesses = [one.access(library) if isinstance(one, Step) else one for one in accesses]
    answers = ask(library, accesses)
    handles = [
        Patch(facecolor=PURPLE, label="bytes of a lane"),
        Patch(label="moved with them", **MOVED),
        Patch(facecolor="none", edgecolor=GRID, label="rest of its line"),
    ]
    shown = [_rows(touched, most_lines) for touched in answers]
    heights = [_TITLE + _HEAD + _height(rows, touched) for rows, touched in zip(shown, answers, strict=True)]
    total = sum(heights) + _SPACE * len(heights) + legend_height(handles[:1])
    figure = Figure(figsize=(WIDTH / 72, total / 72))
    axes = bare(panel(figure, 0, 0, WIDTH, total))
    top, words = 0.0, []
    for access, touched, rows, height in zip(accesses, answers, shown, heights, strict=True):
        _draw(axes, top, access, touched, rows)
        top += height + _SPACE
        words.append(f"{access.name}: {touched.words}")
    axes.set_xlim(0, WIDTH)
    axes.set_ylim(total, 0)
    figure.legend(
        handles=handles, loc="lower left", ncols=3, handlelength=1, handletextpad=0.5, columnspacing=0.8
    )
    return Drawing(
        figure,
        title,
        "Memory as rows of 128 bytes, a cache line to each, cut into four sectors of 32 bytes; only lines "
        "that the warp touches are drawn. The bytes of its lanes are filled, the sectors around them shaded. "
        f"{'; '.join(words)}.",
    )


def _rows(touched: Touched, most: int) -> list[list[Place]]:
    """The places line by line, in the order of memory; the last of too many lines are left out."""
    lines: dict[int, list[Place]] = {}
    for place in touched.places:
        lines.setdefault(place.line, []).append(place)
    rows = [lines[line] for line in sorted(lines)]
    return rows if len(rows) <= most else rows[: most - 1]


def _tops(rows: list[list[Place]]) -> list[float]:
    """Where each row begins, and where the last one ends; rows that are not neighbours lie apart."""
    tops = [0.0]
    for row, after in pairwise(rows):
        tops.append(tops[-1] + _PITCH + (_GAP if after[0].line - row[0].line > 1 else 0))
    return [*tops, tops[-1] + _PITCH] if rows else tops


def _height(rows: list[list[Place]], touched: Touched) -> float:
    return _tops(rows)[-1] + _PITCH * (len(rows) < touched.lines)


def _draw(axes: Axes, top: float, access: Access, touched: Touched, rows: list[list[Place]]) -> None:
    axes.text(0, top + 4, access.name, va="top")
    axes.text(0, top + 19, touched.words, va="top", color=MUTED)
    top += _TITLE
    if not rows:
        return
    right = _LEFT + LINE * _SCALE
    axes.text(_LEFT - 5, top + 6, "byte", ha="right", va="center", color=MUTED)
    axes.text(right + 5, top + 6, "lanes", va="center", color=MUTED)
    top += _HEAD
    outlines, moved, wanted = [], [], []
    for offset, row in zip(_tops(rows), rows, strict=False):
        y = top + offset
        line = row[0].line
        outlines += [(_LEFT + n * SECTOR * _SCALE, y, SECTOR * _SCALE, _BAR) for n in range(LINE // SECTOR)]
        for sector in sorted({place.sector for place in row}):
            moved.append((_LEFT + (sector * SECTOR - line * LINE) * _SCALE, y, SECTOR * _SCALE, _BAR))
        for address in sorted({place.address for place in row}):
            x = _LEFT + (address - line * LINE) * _SCALE
            wanted.append((x + 0.35, y + 2, access.width * _SCALE - 0.7, _BAR - 4))
        axes.text(_LEFT - 5, y + _BAR / 2, str(line * LINE), ha="right", va="center")
        axes.text(right + 5, y + _BAR / 2, _lanes_text(row), va="center")
    cells(axes, outlines, facecolor="none", edgecolor=GRID, linewidth=0.8)
    cells(axes, moved, **MOVED)
    cells(axes, wanted, facecolor=PURPLE)
    if len(rows) < touched.lines:
        rest = touched.sectors - len({place.sector for row in rows for place in row})
        text = f"… and {_many(touched.lines - len(rows), 'more line')}, {_many(rest, 'sector')}"
        axes.text(_LEFT, top + _tops(rows)[-1] + _BAR / 2, text, va="center", color=MUTED)


def _lanes_text(row: list[Place]) -> str:
    """The lanes of a row: a range, a pair, or how many."""
    lanes = sorted(place.lane for place in row)
    if len(lanes) <= 2:
        return ", ".join(map(str, lanes))
    if lanes[-1] - lanes[0] == len(lanes) - 1:
        return f"{lanes[0]}–{lanes[-1]}"
    return f"{len(lanes)} lanes"


def _many(count: int, thing: str) -> str:
    return f"{count} {thing}{'' if count == 1 else 's'}"
