"""The front page: a request as a weave of lanes and sectors, and each chapter's climb towards its ceiling."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping

from matplotlib.axes import Axes

from book.documents import BookError
from book.format import format_value
from book.keys import Key, near
from book.library import Library
from book.results import Results
from figures.ladder import steps_in_order
from figures.lanes import WARP, Access, Touched, ask
from figures.style import BLUE, GRID, INK, MUTED, OWN_MARK, VERMILLION, Drawing, canvas, to_step

_LOADS = (
    Access.strided("in order"),
    Access.strided("shifted by one", offset=1),
    Access.strided("every second", stride=2),
    Access.strided("every fourth", stride=4),
    Access.strided("a column", stride=1024),
)
_ROOM = 0.1
"""The least share below which a name finds room."""
_STEP = 40
"""From one request to the next, in the figure's units."""


def figures(library: Library) -> Mapping[str, Callable[[Library], Drawing]]:
    """The weave, and a climb for each chapter whose page names the steps of one."""
    climbs = {
        f"climb-{chapter}": functools.partial(climb, chapter=chapter)
        for chapter in library.chapters()
        if "climb" in library.front_matter(chapter)
    }
    return {"weave": weave, **climbs}


def weave(library: Library) -> Drawing:
    """Thirty-two lanes, crossed by the sectors that five requests touch."""
    height = _STEP * len(_LOADS) + 8
    figure, axes = canvas(height, right=104)
    axes.set_axis_off()
    axes.set_xlim(-0.8, WARP - 0.2)
    axes.set_ylim(height, 0)
    axes.vlines(range(WARP), 0, height, color=BLUE, linewidth=2.4, alpha=0.55)
    for row, (load, touched) in enumerate(zip(_LOADS, ask(library, _LOADS), strict=True)):
        middle = _STEP * row + _STEP / 2 + 4
        for number, lanes in enumerate(_sectors(touched)):
            y = middle + (5 if number % 2 else -5)
            axes.plot(
                (lanes[0] - 0.3, lanes[-1] + 0.3),
                (y, y),
                color=VERMILLION,
                linewidth=5,
                solid_capstyle="round",
            )
            over = [lane for lane in lanes if (lane + number) % 2]
            axes.vlines(over, y - 4.5, y + 4.5, color=BLUE, linewidth=2.4, zorder=3)
        at = {"xycoords": ("axes fraction", "data"), "textcoords": "offset points", "va": "center"}
        axes.annotate(load.name, (1, middle), (6, 0), fontweight="bold", **at)
    return Drawing(
        figure,
        "What a warp asks for, as a weave",
        "The 32 lanes of a warp stand upright; the sectors that one load of 32 floats touches cross them. "
        f"From top to bottom: {', '.join(load.name for load in _LOADS)}.",
    )


def _sectors(touched: Touched) -> list[list[int]]:
    """The lanes that each sector serves, in the order of their addresses."""
    served: dict[int, list[int]] = {}
    for place in touched.places:
        served.setdefault(place.sector, []).append(place.lane)
    return list(served.values())


def climb(library: Library, chapter: int) -> Drawing:
    """The steps of a chapter from the first that its page's `climb` names, as shares of its ceiling."""
    results, shape = library.require_published(chapter), library.measured(chapter)
    kinds = {entry.step: entry.kind for entry in results.measurements}
    steps = [
        step
        for step in steps_in_order(library, results)
        if kinds[step] == "step" and results.share(Key(step, shape)) is not None
    ]
    named = str(library.front_matter(chapter)["climb"]).split()
    for step in named:
        if step not in steps:
            raise BookError(
                f"chapter {chapter}: its climb names {step}, which is not timed{near(step, steps)}"
            )
    steps = steps[steps.index(named[0]) : steps.index(named[-1]) + 1]
    shares = [results.share(Key(step, shape)) or 0 for step in steps]
    figure, axes = canvas(250, left=34, right=12, top=22, bottom=6)
    axes.set_xlim(-0.6, len(steps) - 0.4)
    axes.set_ylim(-0.03, 1.03)
    _scale(axes)
    peer = _peer(library, axes, results, chapter)
    places = [steps.index(step) for step in named]
    axes.plot(places, [shares[place] for place in places], color=BLUE, linewidth=2)
    for place, step in enumerate(steps):
        size = 8 if step in named else 4.5
        axes.plot(place, shares[place], "o", color=BLUE, markersize=size, url=to_step(chapter, step))
    for own in library.own(chapter)[:1]:
        mine = [(place, share) for place, step in enumerate(steps) if (share := own.share(Key(step, shape)))]
        axes.plot(*zip(*mine, strict=True), **OWN_MARK)
    for step, place in zip(named, places, strict=True):
        _name(axes, step, place, shares)
    told = ", ".join(
        f"{step} {format_value(share, 'share')}" for step, share in zip(steps, shares, strict=True)
    )
    return Drawing(
        figure,
        f"The climb of chapter {chapter}",
        f"Each step as a share of {results.ceiling} in the same run, on an {results.gpu_name}: {told}. "
        f"{peer}",
    )


def _scale(axes: Axes) -> None:
    ticks = (0, 0.25, 0.5, 0.75, 1)
    axes.set_yticks(ticks, [f"{100 * tick:g}" for tick in ticks])
    axes.set_xticks([])
    for tick in ticks[:-1]:
        axes.axhline(tick, color=GRID, linewidth=0.7, zorder=0)
    axes.axhline(1, color=INK, linewidth=1.2, zorder=0)
    for spine in axes.spines.values():
        spine.set_visible(False)


def _peer(library: Library, axes: Axes, results: Results, chapter: int) -> str:
    """The peer's line, and what it says."""
    peer = library.front_matter(chapter).get("peer")
    share = results.share(Key(str(peer), library.measured(chapter))) if peer else None
    if share is None:
        return ""
    axes.axhline(share, color=MUTED, linewidth=1.2, linestyle=(0, (5, 4)), zorder=1)
    told = f"{peer} {format_value(share, 'share')}"
    at = {"xycoords": ("axes fraction", "data"), "textcoords": "offset points"}
    axes.annotate(told, (0, share), (2, 4), ha="left", va="bottom", color=MUTED, **at)
    return f"The line of the best library: {told}."


def _name(axes: Axes, step: str, place: int, shares: list[float]) -> None:
    """A step's name and share: below the climb; above its last step, beside one without room below."""
    last, beside = place == len(shares) - 1, shares[place] < _ROOM
    axes.annotate(
        f"{step} {format_value(shares[place], 'share')}",
        (place, shares[place]),
        (4, 7) if last else (10, 2) if beside else (-8, -15) if place == 0 else (9, -22),
        textcoords="offset points",
        ha="right" if last else "left",
        va="bottom" if last else "center",
        fontweight="bold",
    )
