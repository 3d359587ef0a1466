"""What the banks of a channel do, cycle by cycle, and how much of the bus they fill."""

from __future__ import annotations

from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Patch

from book.format import format_value
from book.library import Library
from book.textbook import ask
from figures.memory import cells
from figures.style import (
    GRID,
    MOVED,
    MUTED,
    PURPLE,
    SERIES,
    WIDTH,
    Drawing,
    bare,
    canvas,
    legend_height,
    panel,
)

_LEFT, _CYCLES = 58, 66
"""Where the first cycle begins, and how many are drawn."""
_SCALE = (WIDTH - _LEFT - 2) / _CYCLES
_TITLE = 20

Event = dict[str, int]


def few_banks(library: Library) -> Drawing:
    """The timelines of one bank and of two."""
    return _timelines(library, "One bank and two", (1, 2), pitch=18)


def enough_banks(library: Library) -> Drawing:
    """The timelines of as many banks as fill the bus."""
    (fill,) = ask(library, [{"ask": "banks"}])
    return _timelines(library, "As many banks as fill the bus", (int(fill["value"]),), pitch=9)


def _timelines(library: Library, title: str, counts: tuple[int, ...], pitch: float) -> Drawing:
    questions: list[dict[str, str | int]] = [
        {"ask": "timeline", "banks": banks, "accesses": 4 * banks} for banks in counts
    ]
    shares = ask(library, [{"ask": "share", "banks": banks} for banks in counts])
    handles = [
        Patch(label="a bank finds and senses a burst", **MOVED),
        Patch(color=PURPLE, label="the burst"),
    ]
    heights = [_TITLE + pitch * banks + 24 for banks in counts]
    total = sum(heights) + 20 + legend_height(handles[:1])
    figure = Figure(figsize=(WIDTH / 72, total / 72))
    axes = bare(panel(figure, 0, 0, WIDTH, total))
    axes.set_xlim(0, WIDTH)
    axes.set_ylim(total, 0)
    top, words = 0.0, []
    answers = zip(counts, ask(library, questions), shares, heights, strict=True)
    for banks, events, share, height in answers:
        filled = "all" if share["value"] == 1 else format_value(share["value"], "share")
        text = f"{banks} bank{'s' if banks > 1 else ''}: {filled} of the bus"
        axes.text(0, top + 8, text, va="center")
        _draw(axes, top + _TITLE, events, banks, pitch)
        words.append(f"{text}; bursts on the bus from cycle {', '.join(str(e['moved']) for e in events[:4])}")
        top += height
    _cycles(axes, top + 8)
    figure.legend(handles=handles, loc="lower left", ncols=2, handlelength=1, columnspacing=1.2)
    return Drawing(
        figure, title, f"Time from left to right, a row to each bank and one to the bus. {'. '.join(words)}."
    )


def toy(library: Library) -> Drawing:
    """The toy of source 003: two banks of one of its four channels, and all of its buses."""
    channels, banks, pitch = 4, 2, 18
    (events,) = ask(
        library, [{"ask": "timeline", "channels": channels, "banks": banks, "accesses": 4 * channels * banks}]
    )
    height = _TITLE + pitch * (banks + channels) + 26
    figure = Figure(figsize=(WIDTH / 72, height / 72))
    axes = bare(panel(figure, 0, 0, WIDTH, height))
    axes.set_xlim(0, WIDTH)
    axes.set_ylim(height, 0)
    axes.text(0, 8, "channel 0, and the buses of all", va="center")
    _draw(axes, _TITLE, [event for event in events if event["channel"] == 0], banks, pitch)
    for channel in range(1, channels):
        _bus(axes, _TITLE + pitch * (banks + channel) + 2, [e for e in events if e["channel"] == channel])
    _cycles(axes, height - 10)
    told = (
        "Two banks begin one after the other; their bursts follow each other on the bus, on all four alike."
    )
    return Drawing(figure, "The toy of source 003", told)


def _cycles(axes: Axes, y: float) -> None:
    for cycle in range(0, _CYCLES, 20):
        axes.text(_LEFT + cycle * _SCALE, y, str(cycle), ha="center", va="center", color=MUTED)
    axes.text(0, y, "cycle", va="center", color=MUTED)


def _draw(axes: Axes, top: float, events: list[Event], banks: int, pitch: float) -> None:
    sensed, moved = [], []
    for event in events:
        if event["begin"] >= _CYCLES:
            continue
        y = top + pitch * event["bank"]
        begin, moves, end = (_LEFT + _SCALE * min(event[name], _CYCLES) for name in ("begin", "moved", "end"))
        sensed.append((begin, y, moves - begin, pitch - 3))
        moved.append((moves, y, end - moves, pitch - 3))
    cells(axes, sensed, **{**MOVED, "linewidth": 0.5})
    cells(axes, moved, facecolor=PURPLE)
    _bus(axes, top + pitch * banks + 2, events)
    if pitch > 12:
        for bank in range(banks):
            axes.text(0, top + pitch * bank + pitch / 2 - 1, f"bank {bank}", va="center")
    else:
        axes.text(0, top + pitch / 2 + 2, "bank 0", va="center")
        axes.text(0, top + pitch * (banks - 0.5) - 2, f"bank {banks - 1}", va="center")


def _bus(axes: Axes, top: float, events: list[Event]) -> None:
    carried = []
    for event in events:
        moves, end = (_LEFT + _SCALE * min(event[name], _CYCLES) for name in ("moved", "end"))
        carried.append((moves, top, end - moves, 14))
    cells(axes, carried, facecolor=PURPLE)
    cells(axes, [(_LEFT, top, _CYCLES * _SCALE, 14)], facecolor="none", edgecolor=GRID, linewidth=1)
    axes.text(0, top + 7, "bus", va="center")


def share_of_banks(library: Library) -> Drawing:
    """The share of the bus over the number of banks, for three ratios of latency and transfer."""
    ratios, most = (10, 20, 40), 48
    figure, axes = canvas(214, left=44, right=12, top=10, bottom=36)
    words = []
    for ratio, colour, line in zip(ratios, SERIES, ("-", "--", ":"), strict=False):
        questions: list[dict[str, Any]] = [
            {"ask": "share", "latency": ratio, "banks": banks} for banks in range(1, most + 1)
        ]
        shares = [100 * answer["value"] for answer in ask(library, questions)]
        axes.plot(range(1, most + 1), shares, color=colour, linestyle=line)
        (fill,) = ask(library, [{"ask": "banks", "latency": ratio}])
        at = {10: (9, (6, -6)), 20: (14, (8, -8)), 40: (30, (8, -8))}[ratio]
        axes.annotate(
            f"R = {ratio}", (at[0], shares[at[0] - 1]), at[1], textcoords="offset points", color=colour
        )
        words.append(f"R = {ratio}: {shares[0]:.1f} % with one bank, all of it with {fill['value']:.0f}")
    axes.set_xlim(0, most)
    axes.set_ylim(0, 104)
    axes.set_xlabel("banks of the channel")
    axes.set_yticks((0, 25, 50, 75, 100), [f"{tick} %" for tick in (0, 25, 50, 75, 100)])
    axes.yaxis.grid(visible=True)
    return Drawing(
        figure, "The share of the bus that banks fill", f"Rising lines, level at 100 %. {'; '.join(words)}."
    )


FIGURES = {"few-banks": few_banks, "enough-banks": enough_banks, "share": share_of_banks, "toy": toy}
