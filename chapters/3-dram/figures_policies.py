"""What the model's memory gives if rows are left open or closed, by where neighbouring addresses lie."""

from __future__ import annotations

from math import nan

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from book.library import Library
from book.memories import memories, runs
from figures.style import BLUE, GRID, VERMILLION, WIDTH, Drawing, panel

_MEMORY = "h200"
_TOGETHER = {
    32: "bank first: 32 bytes lie together in a row",
    256: "between: 256 bytes lie together in a row",
    1024: "row first: the 1024 bytes of a row lie together",
}
_PAGES = {"open": {"color": BLUE, "linewidth": 3.6}, "closed": {"color": VERMILLION, "linewidth": 1.6}}
"""How each policy is drawn: where both give the same, the thin line lies in the thick one."""
_WAITING = {128: "-", 8: (0, (1.5, 1))}
"""How many requests wait for a pseudo-channel, and their line."""
_STREAM = 1 << 20
"""A run of so many bytes stands for a stream."""


def open_closed(library: Library) -> Drawing:
    """Share of the pins over the length of a run: a plot for each mapping, a line for each policy."""
    high, gap = 96, 40
    figure = Figure(figsize=(WIDTH / 72, (len(_TOGETHER) * (high + gap) + 70) / 72))
    words = []
    for row, (together, title) in enumerate(_TOGETHER.items()):
        bottom = 90 + (len(_TOGETHER) - 1 - row) * (high + gap)
        axes = panel(figure, 48, bottom, WIDTH - 62, high)
        axes.set_title(title, x=-0.11)
        words.append(f"{title}: {'; '.join(_lines(library, axes, together))}")
        if row == len(_TOGETHER) - 1:
            axes.set_xlabel("bytes of a run")
            figure.legend(*axes.get_legend_handles_labels(), loc="lower left", ncols=2, columnspacing=0.8)
    return Drawing(
        figure,
        "Open and closed rows of the model's H200, in per cent of the pins",
        f"Per cent at 32, 64, 128, 256, 512, 1024, 2048 and 4096 bytes and for a stream. {'. '.join(words)}.",
    )


def _lines(library: Library, axes: Axes, together: int) -> list[str]:
    """Draw the lines of one mapping, and tell them."""
    told = []
    peak = memories(library)[_MEMORY]["peak"]
    mapped = [run for run in runs(library) if (run["memory"], run.get("together")) == (_MEMORY, together)]
    for waiting, line in _WAITING.items():
        for page, paint in _PAGES.items():
            chosen = [run for run in mapped if (run["queue"], run["page"]) == (waiting, page)]
            *shares, stream = (100 * run["rate"] / peak for run in chosen)
            label = f"{page} rows, {waiting} wait"
            places = [*range(len(shares)), nan, len(shares), len(shares) + 1]  # one path: more take more room
            axes.plot(places, [*shares, nan, stream, stream], linestyle=line, label=label, **paint)
            told.append(f"{label}: {', '.join(f'{share:.0f}' for share in (*shares, stream))}")
    lengths = [run["bytes"] for run in chosen if run["bytes"] != _STREAM]
    axes.set_xticks([*range(0, len(lengths), 2), len(lengths) + 0.5], [*map(str, lengths[::2]), "stream"])
    axes.set_ylim(0, 105)
    axes.set_ylabel("% of the pins")
    axes.grid(axis="y", color=GRID)
    return told


FIGURES = {"open-closed": open_closed}
