"""Very slow loads of many lines, on one timer: where in a period that all lines share they end."""

from __future__ import annotations

import numpy as np
from matplotlib.figure import Figure

from book.library import Library
from book.waits_together import NEAR, Together
from figures.reported import kinds, not_measured
from figures.style import BLUE, GRID, MUTED, WIDTH, Drawing, panel

_CHAPTER = 3
_WHOLE, _CLOSE = np.arange(-52.5, 53, 5), np.arange(-800, 801, 50)
"""Where bars begin and end, over the whole period in microseconds, and around most waits in nanoseconds."""


def waits_together(library: Library) -> Drawing:
    """Where in one period of all lines very slow loads end."""
    title = "Very slow loads of all lines, in one period"
    found = {
        card: together
        for card, results in kinds(library, _CHAPTER).items()
        if (together := Together.of(results))
    }
    across = "µs from their middle", "ns from their middle"
    if not found:
        return not_measured(title, across[0], range(-50, 51, 25))
    high, wide = 96, (WIDTH - 48 - 12 - 44) / 2
    figure = Figure(figsize=(WIDTH / 72, (len(found) * (high + 46) + 24) / 72))
    words = []
    for row, (card, together) in enumerate(found.items()):
        bottom = 38 + (len(found) - 1 - row) * (high + 46)
        for column, (edges, unit) in enumerate(((_WHOLE, 1000), (_CLOSE, 1))):
            axes = panel(figure, 48 + column * (wide + 44), bottom, wide, high)
            shares = 100 * np.histogram(together.places / unit, edges)[0] / len(together.places)
            axes.stairs(shares, edges, fill=True, color=BLUE)
            axes.set_xlim(-50 if column == 0 else edges[0], 50 if column == 0 else edges[-1])
            axes.set_ylim(0, None)
            axes.grid(axis="y", color=GRID)
            if column == 0:
                axes.axhline(5, color=MUTED, linestyle=":", linewidth=1)
                share = 100 * together.near.mean()
                told = f"{card}: {share:.0f} % of {len(together.places)} within {NEAR / 1000:g} µs"
                axes.set_title(told, x=-0.28)
                axes.set_ylabel("% of them")
            if row == len(found) - 1:
                axes.set_xlabel(across[column])
        nearest = np.histogram(together.places, np.arange(-800, 801, 100))[0]
        words.append(
            f"{told}; {len(set(together.lines[together.near]))} lines; by hundreds of ns from −800 on: "
            + ", ".join(map(str, nearest))
        )
    return Drawing(
        figure,
        title,
        "Left the whole period, where a time of each line's own would give 5 % everywhere (dotted); "
        f"right the middle of it. {'. '.join(words)}.",
    )


FIGURES = {"waits-together": waits_together}
