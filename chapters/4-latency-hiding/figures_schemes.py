"""Schemes that nobody measured: who waits, who adds, and what happens between two blocks."""

from __future__ import annotations

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Patch

from book.library import Library
from figures.memory import Cell, cells
from figures.style import (
    BLUE,
    GRID,
    INK,
    MOVED,
    MUTED,
    PURPLE,
    VERMILLION,
    WIDTH,
    Drawing,
    bare,
    legend_height,
    panel,
)

_PITCH = 15


def _empty(height: float) -> tuple[Figure, Axes]:
    figure = Figure(figsize=(WIDTH / 72, height / 72))
    axes = bare(panel(figure, 0, 0, WIDTH, height))
    axes.set_xlim(0, WIDTH)
    axes.set_ylim(height, 0)
    return figure, axes


def warps_and_loads(_: Library) -> Drawing:
    """Loads in flight: eight of eight warps, eight of two, and two of two."""
    left, width, latency = 96, WIDTH - 100, 108
    schemes = (
        ("8 warps, one load each", 8, 1, {0: "warp 0", 7: "warp 7"}),
        ("2 warps, four loads each", 2, 4, {0: "warp 0", 1: "warp 1"}),
        ("2 warps, one load each", 2, 1, {0.5: "warps 0, 1"}),
    )
    figure, axes = _empty(sum(20 + _PITCH * 0.6 * warps * loads + 12 for _, warps, loads, _ in schemes) + 40)
    top = 8.0
    for title, warps, loads, names in schemes:
        axes.text(0, top, title, va="center")
        top += 12
        for warp in range(warps):
            moved: list[Cell] = []
            for load in range(loads):
                y = top + (warp * loads + load) * _PITCH * 0.6
                begin = left + 5.0 * warp + 3.0 * load
                while begin + latency <= left + width:
                    moved.append((begin, y, latency - 7, _PITCH * 0.6 - 2))
                    begin += latency
            cells(axes, moved, **MOVED)
        for warp, name in names.items():
            y = top + (warp + 0.5) * loads * _PITCH * 0.6
            axes.text(left - 6, y, name, ha="right", va="center", color=MUTED)
        top += warps * loads * _PITCH * 0.6 + 20
    axes.text(left, top - 4, "time →", va="center", color=MUTED)
    return Drawing(
        figure,
        "The same loads in flight, from many warps or from few",
        "A scheme, time from left to right, a bar to each load on its way. Eight warps with one load "
        "each and "
        "two warps with four loads each have eight at any time; two warps with one load each have two.",
    )


def tree(_: Library) -> Drawing:
    """The additions of eight floats by neighbours first, and by halves first."""
    return _trees("A tree of eight floats, two ways", ((1, 2, 4), (4, 2, 1)))


def _trees(title: str, orders: tuple[tuple[int, ...], ...]) -> Drawing:
    floats, step, column = 8, 30, 44
    names = (
        "neighbours first: every second, fourth, eighth thread adds",
        "halves first: neighbouring threads add",
    )
    height = len(orders) * (3 * step + 56)
    figure, axes = _empty(height)
    for order, (distances, name) in enumerate(zip(orders, names, strict=True)):
        top = order * (3 * step + 56) + 10
        axes.text(0, top, name, va="center")
        top += 22
        for level in range(len(distances) + 1):
            y = top + level * step
            adds = set()
            if level:
                apart = distances[level - 1]
                taking = range(0, floats, 2 * apart) if order == 0 else range(apart)
                adds = set(taking)
                for place in taking:
                    for other in (place, place + apart):
                        xs = (20 + column * other + 8, 20 + column * place + 8)
                        axes.plot(xs, (y - step + 8, y - 8), color=MUTED, linewidth=1)
            for place in range(floats):
                is_live = not level or place in adds
                x = 20 + column * place + 8
                axes.plot(
                    x,
                    y,
                    "s",
                    markersize=13,
                    markerfacecolor=BLUE if level and is_live else "none",
                    markeredgecolor=INK if is_live else GRID,
                    markeredgewidth=0.8,
                )
    return Drawing(
        figure,
        title,
        "Squares are the places of eight floats in shared memory, a row to each level; filled ones are "
        "written by "
        "the threads that add. Neighbours first: threads 0, 2, 4, 6, then 0 and 4, then 0. Halves first: "
        "threads 0 "
        "to 3, then 0 and 1, then 0.",
    )


_Spans = list[tuple[float, float, str]]
"""Beginning, length, and what happens meanwhile."""


def _two_schemes(
    schemes: dict[str, tuple[_Spans, _Spans]], names: tuple[str, str], paints: dict[str, dict[str, object]]
) -> Figure:
    """Two schemes of two rows each. `paints` says how what happens looks, and is the legend."""
    left, unit, height = 70, 3.25, 20 + 2 * _PITCH * 1.5 + 16
    handles = [Patch(label=what, **paint) for what, paint in paints.items()]
    figure, axes = _empty(len(schemes) * height + legend_height(handles) + 6)
    for part, (title, rows) in enumerate(schemes.items()):
        top = part * height + 10
        axes.text(0, top, title, va="center")
        for row, (name, spans) in enumerate(zip(names, rows, strict=True)):
            y = top + 14 + row * _PITCH * 1.5
            axes.text(0, y + _PITCH / 2, name, va="center", color=MUTED)
            for what, paint in paints.items():
                cells(
                    axes,
                    [(left + unit * at, y, unit * long, _PITCH) for at, long, kind in spans if kind == what],
                    **paint,
                )
    figure.legend(handles=handles, loc="lower left", ncols=2, handlelength=1, columnspacing=1.2)
    return figure


def turnover(_: Library) -> Drawing:
    """What the slots of a multiprocessor do when blocks come and go, and when they stay."""
    load, wait = "loads on their way", "waits for the other warps"
    schemes: dict[str, tuple[_Spans, _Spans]] = {
        "blocks that come and go": (
            [(0, 24, load), (24, 3, wait), (35, 26, load), (61, 1, wait), (70, 24, load)],
            [(0, 29, load), (35, 22, load), (57, 5, wait), (70, 25, load)],
        ),
        "blocks that stay": (
            [(0, 24, load), (25, 26, load), (52, 24, load), (77, 18, load)],
            [(0, 29, load), (30, 22, load), (53, 25, load), (79, 16, load)],
        ),
    }
    return Drawing(
        _two_schemes(schemes, ("a warp", "another"), {load: MOVED, wait: {"facecolor": VERMILLION}}),
        "Two warps of a block, and of the blocks behind it",
        "A scheme, time from left to right. Blocks that come and go: a warp that is done waits for the "
        "other one, "
        "and a piece of time passes until the next block's first loads. Blocks that stay: each warp asks "
        "for its "
        "next piece as soon as the one before has come.",
    )


def meeting(_: Library) -> Drawing:
    """The end of a sum, if the block that ends last adds up, and if one block waits for the others."""
    read = "reads its floats"
    schemes: dict[str, tuple[_Spans, _Spans]] = {
        "last block": (
            [(0, 46, read), (46, 7, "leave"), (53, 7, "count")],
            [(3, 52, read), (55, 7, "leave"), (62, 7, "count"), (69, 12, "collect")],
        ),
        "collecting block": (
            [(0, 46, read), (46, 7, "leave")],
            [(3, 52, read), (55, 12, "collect")],
        ),
    }
    paints = {
        read: MOVED,
        "leave": {"facecolor": BLUE},
        "count": {"facecolor": VERMILLION},
        "collect": {"facecolor": PURPLE},
    }
    return Drawing(
        _two_schemes(schemes, ("a block", "the other"), paints),
        "How two blocks meet",
        "A scheme, time from left to right. Last block: each block reads, leaves its sum and counts; the "
        "last one "
        "then reads all sums. Collecting block: the other block leaves its sum, and the one with the highest "
        "number collects.",
    )


FIGURES = {"warps-and-loads": warps_and_loads, "tree": tree, "turnover": turnover, "meeting": meeting}
