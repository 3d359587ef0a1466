"""A chapter's ladder: each step's bandwidth or rate as a share of the ceiling of the same run."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from math import prod

from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from book.documents import BookError
from book.format import format_value, times
from book.keys import Key, Shape
from book.library import Library
from book.results import Results
from book.sources import SourceRow
from figures.style import (
    BLUE,
    GRID,
    LEGEND,
    MARK,
    MARKERS,
    MUTED,
    OWN,
    PURPLE,
    SHADE,
    Drawing,
    canvas,
    legend_height,
    to_step,
)

_ROW = 22
"""Height of a step, in the figure's units."""
_LETTER = 7
"""The mean width of a letter of a step's name, in the figure's units."""
_SOURCE_MARKS = ("x", "+", "1", "2", "3", "4")
_SOURCE_LINE = {"color": PURPLE, "markersize": 6, "markeredgewidth": 1.7, "linestyle": "none"}


@dataclass(frozen=True)
class SourceShare:
    """A source's step as a share of the fastest copy of the same source and card."""

    source: str
    card: str
    step: str
    share: float


@dataclass(frozen=True)
class _Scene:
    """What one ladder shows; marks and cards: the markers of the other shapes and of the sources."""

    results: Results
    own: Results | None
    steps: list[str]
    main: Shape
    marks: dict[Shape, str]
    cards: dict[tuple[str, str], str]


def ladder(
    library: Library,
    chapter: int,
    *,
    is_copy: Callable[[str], bool] = lambda _: False,
    bytes_of_element: int = 0,
    left_out: frozenset[str] = frozenset(),
) -> Drawing:
    """Bars for the steps timed at the page's shape, marks for other shapes and for the sources' own shares.

    Args:
        library: the book's data
        chapter: the chapter's number; its results must be published
        is_copy: whether a step of a source is a copy, by which its other steps are rated
        bytes_of_element: what a step moves for each element of its shape, so that a source's times are rated
        left_out: steps that are not shown

    """
    results, main = library.require_published(chapter), library.measured(chapter)
    timed = [step for step in steps_in_order(library, results) if results.share(Key(step, main)) is not None]
    steps = [step for step in timed if step not in left_out]
    if not steps:
        raise BookError(f"{results.path}: no step at {times(main)} has a share of '{results.ceiling}'")
    marks = source_shares(library.sources(chapter), is_copy, bytes_of_element)
    shown = [mark for mark in marks if mark.step in steps]
    cards = dict.fromkeys((mark.source, mark.card) for mark in shown)
    scene = _Scene(
        results,
        library.one_beside(chapter),
        steps,
        main,
        dict(zip(library.marked(chapter), MARKERS, strict=False)),
        dict(zip(cards, _SOURCE_MARKS, strict=False)),
    )
    handles = _handles(scene)
    columns = 1 if scene.cards else 2
    top, bottom, right = legend_height(handles, columns) + 4, 54, _edge(1 if scene.own else 0) + 6
    left = 12 + _LETTER * max(map(len, steps))
    figure, axes = canvas(_ROW * len(steps) + top + bottom, left=left, right=right, top=top, bottom=bottom)
    axes.set_ylim(len(steps) - 0.5, -0.5)
    _rows(axes, scene)
    for mark in shown:
        marker = scene.cards[mark.source, mark.card]
        axes.plot(mark.share, steps.index(mark.step) + 0.3, marker=marker, clip_on=False, **_SOURCE_LINE)
    if scene.own:
        at = {"xycoords": ("axes fraction", "data"), "textcoords": "offset points"}
        axes.annotate(
            "yours" if scene.own.is_own else scene.own.short_name,
            (1, -0.8),
            (_edge(1), 0),
            ha="right",
            va="center",
            **at,
        )
    _axis(axes, scene)
    figure.legend(handles=handles, **{**LEGEND, "ncols": columns})
    return Drawing(figure, f"The ladder of chapter {chapter}", _words(scene))


def source_shares(
    rows: Iterable[SourceRow], is_copy: Callable[[str], bool], bytes_of_element: int
) -> list[SourceShare]:
    """Each source's steps rated by the fastest copy that the same source timed on the same card."""
    rates: dict[tuple[str, str], dict[str, float]] = {}
    for row in rows:
        if row.value and not row.table and row.quantity in ("bandwidth", "time"):
            moved = float(bytes_of_element * prod(row.shape))  # a time is rated like the bandwidths beside it
            rate = row.value * 1e9 if row.quantity == "bandwidth" else moved / row.value
            rates.setdefault((row.source, row.card), {})[row.step] = rate
    shares = []
    for (source, card), steps in rates.items():
        copies = [rate for step, rate in steps.items() if is_copy(step)]
        shares += [
            SourceShare(source, card, step, rate / max(copies)) for step, rate in steps.items() if copies
        ]
    return shares


def steps_in_order(library: Library, results: Results) -> list[str]:
    """The measured steps in the order of their files, ceilings and peers too; then those of no file."""
    descriptions = library.descriptions(results.chapter)
    steps = dict.fromkeys(entry.step for entry in results.measurements)
    measured = [step for step in steps if step not in descriptions.experiments]
    known = [step for step in descriptions.steps() if step in measured]
    return known + [step for step in measured if step not in known]


def _rows(axes: Axes, scene: _Scene) -> None:
    kinds = {entry.step: entry.kind for entry in scene.results.measurements}
    for y, step in enumerate(scene.steps):
        paint = {"color": BLUE} if kinds[step] == "step" else {"facecolor": SHADE, "edgecolor": BLUE}
        value = _share(scene.results, step, scene.main)
        link = to_step(scene.results.chapter, step)
        axes.barh(y, value, height=0.36 if scene.own else 0.5, url=link, **paint)
        _value(axes, y, value, 0)
        mine = scene.own.share(Key(step, scene.main)) if scene.own else None
        if mine is not None:
            axes.barh(y + 0.33, mine, height=0.22, **OWN)
            _value(axes, y, mine, 1)
        for shape, marker in scene.marks.items():
            other = scene.results.share(Key(step, shape))
            if other is not None:
                axes.plot(other, y, marker=marker, **MARK)


def _share(results: Results, step: str, shape: Shape) -> float:
    """The share of a step that has one."""
    return results.share(Key(step, shape)) or 0


def _edge(column: int) -> int:
    """How far right of the bars a column of numbers ends, in points; "100.0 %" is the widest."""
    return 50 + 57 * column


def _value(axes: Axes, y: int, value: float, column: int) -> None:
    place = {
        "xycoords": ("axes fraction", "data"),
        "textcoords": "offset points",
        "va": "center",
        "ha": "right",
    }
    axes.annotate(format_value(value, "share"), (1, y), (_edge(column), 0), **place)


def _axis(axes: Axes, scene: _Scene) -> None:
    results, steps = scene.results, scene.steps
    names = {entry.step: entry.kind for entry in results.measurements}
    axes.set_yticks(range(len(steps)), steps)
    for label, step in zip(axes.get_yticklabels(), steps, strict=True):
        label.set_url(to_step(results.chapter, step))
        if names[step] != "step":
            label.set_fontstyle("italic")
    axes.set_xlim(0, max(1.06, 1.03 * max(_share(results, step, scene.main) for step in steps)))
    axes.set_xticks([0, 0.5, 1], ["0", "50", f"100{chr(0xA0)}%"])
    axes.axvline(1, color=MUTED, linewidth=1.2)
    for x in (0.25, 0.5, 0.75):
        axes.axvline(x, color=GRID, linewidth=0.7, zorder=0)
    axes.spines["left"].set_visible(False)
    axes.spines["bottom"].set_visible(False)
    rated = f"share of {results.ceiling} in the same run"
    axes.set_xlabel(f"{rated};\nsources: share of their own fastest copy" if scene.cards else rated)


def _handles(scene: _Scene) -> list[Patch | Line2D]:
    name = f"{scene.results.gpu_name}, {times(scene.main)}"
    handles: list[Patch | Line2D] = [Patch(color=BLUE, label=name)]
    if scene.own:
        handles.append(Patch(label=scene.own.label, **OWN))
    for shape, marker in scene.marks.items():
        handles.append(Line2D([], [], label=times(shape), marker=marker, **MARK))
    for (source, card), marker in scene.cards.items():
        handles.append(Line2D([], [], label=f"{source}, {card}", marker=marker, **_SOURCE_LINE))
    return handles


def _words(scene: _Scene) -> str:
    """What the figure shows, for those who do not see it."""
    parts = []
    for step in scene.steps:
        parts.append(f"{step} {format_value(_share(scene.results, step, scene.main), 'share')}")
        mine = scene.own.share(Key(step, scene.main)) if scene.own else None
        if mine is not None:
            parts.append(f"{scene.own.label} {format_value(mine, 'share')}")
    rated = f"{scene.results.rating.name.capitalize()} at {times(scene.main)} as a share"
    return f"{rated} of the ceiling of the same run, on an {scene.results.gpu_name}: {', '.join(parts)}."
