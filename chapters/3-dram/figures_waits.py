"""Slow loads of a line that is loaded again and again: how long they wait, and when."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from book.library import Library
from book.slow_loads import LongPeriods, waits_of
from figures.reported import kinds, label_of, not_measured, series_of
from figures.style import BLUE, GRID, INK, MUTED, VERMILLION, WIDTH, Drawing, canvas, panel

_CHAPTER = 3
_REFRESH, _TOGETHER = (1 << 14,), (1 << 20, 1 << 12)
"""The shapes at which the steps are timed."""
_MOST_LOADS = 60
"""Slow loads that are drawn."""
_NS_OF_BIN, _LONGEST_SHOWN = 10, 300
"""How wide the bars of waits are, and where they end."""
_EARLIEST, _LATEST = -900, 150
"""When loads begin that are drawn around the longest waits, in nanoseconds."""
_ONE_OF = 4
"""So many slow loads around the longest waits that are not very slow, one is drawn."""
_PARTS = 26
"""Of a long period."""


def _dashes(axes: Axes, x: Sequence[float] | np.ndarray, y: np.ndarray, half: float, **paint: object) -> None:
    """Draw points as dashes, all of them in one path: markers take more room."""
    places = np.asarray(x, dtype=float)[:, None] + np.array([-half, half, np.nan])
    axes.plot(places.ravel(), np.repeat(y, 3), linewidth=2, **paint)


def slow_loads(library: Library) -> Drawing:
    """When the first slow loads of one line came, and how long they took."""
    title = "Slow loads of one line"
    series = series_of(library.published(_CHAPTER), "refresh", _REFRESH, "slow-loads", line=0)
    if not series:
        return not_measured(title, "µs", range(0, 120, 10))
    figure, axes = canvas(200, left=48, right=12, top=26, bottom=40)
    ends, took = np.array(series.rows[:_MOST_LOADS], dtype=float).T
    times = (ends - ends[0]) / 1000
    stems = np.stack((np.zeros_like(took), took, np.full_like(took, np.nan)), axis=1)
    axes.plot(np.repeat(times, 3), stems.ravel(), color=VERMILLION, linewidth=1)
    _dashes(axes, times, took, 0.8, color=VERMILLION)
    axes.set_ylim(0, None)
    axes.set_title("ns of a load", x=-0.12)
    axes.set_xlabel("µs")
    axes.grid(axis="y", color=GRID)
    return Drawing(
        figure,
        title,
        f"A line for each of the first {len(times)} slow loads, at its time and as high as it took: "
        f"{times[-1]:.0f} µs, loads of {took.min():.0f} to {took.max():.0f} ns.",
    )


def waits(library: Library) -> Drawing:
    """How many loads wait for how long, beside what one refresh in each period predicts."""
    title = "How long slow loads wait"
    across = "ns of wait beyond a usual load"
    published = kinds(library, _CHAPTER)
    cards = {card: lines for card, results in published.items() if (lines := waits_of(results))}
    if not cards:
        return not_measured(title, across, range(0, 350, 50))
    figure, axes = canvas(210, left=48, right=12, top=48, bottom=40)
    edges = np.arange(0, _LONGEST_SHOWN + 1, _NS_OF_BIN)
    words = []
    for (card, lines), colour, width in zip(cards.items(), (BLUE, VERMILLION), (2.2, 1.2), strict=False):
        found = np.concatenate([line.waits for line in lines])
        loads = sum(len(line.waits) / line.share for line in lines)
        shares = 100 * np.histogram(found, edges)[0] / loads
        first = int(found.min() // _NS_OF_BIN) + 1  # shorter waits are not called slow
        axes.stairs(shares[first:], edges[first:], baseline=None, color=colour, linewidth=width, label=card)
        beyond = 100 * np.mean(found >= _LONGEST_SHOWN) * len(found) / loads
        told = ", ".join(f"{share:.2f}" for share in shares[first:])
        words.append(
            f"{card}, from {edges[first]} ns on: {told}; {beyond:.2f} % wait {_LONGEST_SHOWN} ns or longer"
        )
    expected = 100 * _NS_OF_BIN / float(np.median([line.period for line in next(iter(cards.values()))]))
    axes.axhline(expected, color=INK, linestyle=":", linewidth=1.2, label="one refresh in each period")
    axes.set_xlim(0, _LONGEST_SHOWN)
    axes.set_ylim(0, None)
    axes.set_title(f"% of all loads, in each {_NS_OF_BIN} ns", x=-0.12)
    axes.set_xlabel(across)
    axes.grid(axis="y", color=GRID)
    figure.legend(loc="upper left", ncols=3, columnspacing=1, handlelength=1.2)
    return Drawing(
        figure,
        title,
        f"Per cent of all loads in each {_NS_OF_BIN} ns. One refresh in each period predicts {expected:.2f} "
        f"everywhere. {'. '.join(words)}.",
    )


def _long_periods(library: Library) -> list[tuple[str, LongPeriods]]:
    """Those of all published cards; cards of one kind follow each other."""
    order = list(kinds(library, _CHAPTER))
    published = sorted(library.all_published(_CHAPTER), key=lambda results: order.index(results.short_name))
    found = ((label_of(results), LongPeriods.of(results)) for results in published)
    return [(card, period) for card, period in found if period]


def longest_waits(library: Library) -> Drawing:
    """How long loads wait that begin around the longest waits, by when they begin."""
    title = "The longest waits"
    across = "ns from the end of the longest waits to the load"
    cards = _long_periods(library)
    if not cards:
        return not_measured(title, across, range(_EARLIEST, _LATEST, 350))
    high = 88
    figure = Figure(figsize=(WIDTH / 72, (len(cards) * (high + 62) + 44) / 72))
    highest = max(period.longest for _, period in cards)
    words = []
    for row, (card, period) in enumerate(cards):
        axes = panel(figure, 48, 66 + (len(cards) - 1 - row) * (high + 62), WIDTH - 62, high)
        axes.plot([-highest, 0], [highest, 0], color=MUTED, linestyle=":", label="a wait until 0")
        taken = np.concatenate([line.waits for line in period.lines])
        begins = np.concatenate(period.places) - taken
        very = np.concatenate([line.is_very_slow for line in period.lines])
        near = (begins > _EARLIEST) & (begins < _LATEST)
        some = near & ~very & (np.arange(len(begins)) % _ONE_OF == 0)
        for shown, colour, label in ((some, BLUE, "slow"), (near & very, VERMILLION, "very slow")):
            _dashes(axes, begins[shown], taken[shown], 6, color=colour, label=label)
        told = (
            f"{card}: every {period.period / 1000:.2f} µs, up to {period.longest:.0f} ns",
            f"{len(period.blocked)} end at 0 ({period.expected:.0f} expected); {very.sum()} very slow",
        )
        axes.set_title("\n".join(told), x=-0.12)
        axes.set_xlim(_EARLIEST, _LATEST)
        axes.set_ylim(0, 1.08 * highest)
        axes.set_ylabel("ns of wait")
        axes.grid(axis="y", color=GRID)
        words.append("; ".join(told))
        if row == 0:
            figure.legend(*axes.get_legend_handles_labels(), loc="lower left", ncols=3)
        if row == len(cards) - 1:
            axes.set_xlabel(across)
    return Drawing(
        figure,
        title,
        "Waits fall along a line to 0, the later a load begins. Of slow loads that are not very slow, "
        f"one of {_ONE_OF} is drawn. {'. '.join(words)}.",
    )


def keeping_step(library: Library) -> Drawing:
    """How much later than in step with the longest waits refreshes end, over their period."""
    title = "Does the refresh keep step with the longest waits?"
    across = "µs from the end of the longest waits"
    cards = _long_periods(library)
    if not cards:
        return not_measured(title, across, range(-50, 60, 25))
    high = 76
    figure = Figure(figsize=(WIDTH / 72, (len(cards) * (high + 46) + 40) / 72))
    words = []
    for row, (card, period) in enumerate(cards):
        axes = panel(figure, 60, 62 + (len(cards) - 1 - row) * (high + 46), WIDTH - 74, high)
        low, middle, top = np.array([np.percentile(late, (25, 50, 75)) for late in period.steps(_PARTS)]).T
        since = (np.arange(_PARTS) + 0.5) * period.period / _PARTS / 1000
        for first, last, before in ((0, _PARTS // 2, 0), (_PARTS // 2, _PARTS, period.period / 1000)):
            places = since[first:last] - before
            shade = {"color": BLUE, "alpha": 0.3, "linewidth": 0, "label": "middle half"}
            axes.fill_between(places, low[first:last], top[first:last], **shade)
            axes.plot(places, middle[first:last], color=BLUE, linewidth=1.6, label="median")
        axes.axvline(0, color=VERMILLION, linestyle="--", linewidth=1.2, label="the longest waits")
        told = f"{card}: refreshes {period.distance:.0f} ns apart, {period.fitting:.2f} fit"
        axes.set_title(told, x=-0.15)
        axes.set_xlim(-51, 51)
        axes.set_ylim(-260, 260)
        axes.set_ylabel("ns later")
        axes.grid(axis="y", color=GRID)
        tenths = ", ".join(f"{np.median(late):.0f}" for late in period.steps(10))
        words.append(f"{told}; median of each tenth of the period: {tenths} ns".replace("-", "−"))
        if row == 0:
            handles, labels = axes.get_legend_handles_labels()
            chosen = dict(zip(labels, handles, strict=True))
            figure.legend(chosen.values(), chosen.keys(), loc="lower left", ncols=3, columnspacing=1)
        if row == len(cards) - 1:
            axes.set_xlabel(across)
    return Drawing(figure, title, f"Refreshes inside of the long period. {'. '.join(words)}.")


def apart(library: Library) -> Drawing:
    """How much later one line of a pair is slow than the other, for mates and for lines from anywhere."""
    title = "Refreshed at the same time?"
    variants = (("mates", 1, VERMILLION), ("lines from anywhere", 0, BLUE))
    published = library.published(_CHAPTER)
    found = [
        (label, series.values, colour)
        for label, same, colour in variants
        if (series := series_of(published, "refreshed-together", _TOGETHER, "apart", same=same))
    ]
    across = "how much later, in parts of the period"
    ticks = [place / 4 for place in range(-2, 3)]
    if not found:
        return not_measured(title, across, range(2))
    high = 90
    figure = Figure(figsize=(WIDTH / 72, (len(found) * (high + 46) + 24) / 72))
    words = []
    for row, (label, counts, colour) in enumerate(found):
        axes = panel(figure, 60, 38 + (len(found) - 1 - row) * (high + 46), WIDTH - 74, high)
        edges = [place / len(counts) - 0.5 for place in range(len(counts) + 1)]
        axes.stairs(counts, edges, fill=True, color=colour)
        axes.set_xlim(-0.5, 0.5)
        axes.set_xticks(ticks, [f"{tick:g}" for tick in ticks])
        axes.set_ylim(0, None)
        axes.set_title(f"pairs of {label}", x=-0.14)
        axes.grid(axis="y", color=GRID)
        words.append(f"{label}: {', '.join(str(count) for count in counts)}")
        if row == len(found) - 1:
            axes.set_xlabel(across)
    bins = "Pairs in each part of the period, from half of it earlier to half of it later"
    return Drawing(figure, title, f"{bins}. {'; '.join(words)}.")


FIGURES = {
    "slow-loads": slow_loads,
    "waits": waits,
    "longest-waits": longest_waits,
    "keeping-step": keeping_step,
    "apart": apart,
}
