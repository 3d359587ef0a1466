"""Rows of a bank, and lines of one bank by the thousand: how far apart they lie, and what they cost."""

from __future__ import annotations

from matplotlib.figure import Figure

from book.conflicts import LINE_BYTES
from book.library import Library
from book.memories import memories
from book.rows_of_bank import Rows
from figures.reported import entry_of, kinds, not_measured, series_of
from figures.style import BLUE, GREEN, GRID, VERMILLION, WIDTH, Drawing, canvas, panel

_CHAPTER = 3
_MOST = 10
"""Lines of a row that are shown."""
_KIB_OF_WINDOWS = 1 << 17
_GIB_APART = (1, 16, 32, 48, 64)
_ONE_BANK = (1 << 16,)
_SIZES = [32 << doubling for doubling in range(6)]
_FEW, _TICKS = [1, 2, 4, 8, 16], [1, 8, 64, 1024]
_CAMPING = (1 << 20,)
_WAYS = (
    ("one bank, alone", None, VERMILLION, "-"),
    ("anywhere, alone", None, BLUE, "-"),
    ("a bank for each block", 1, VERMILLION, "--"),
    ("anywhere, all blocks", 0, BLUE, "--"),
)
"""The columns of the program's series, which variant of `camping` tells the same of fewer lines, and how
they are drawn."""


def rows_of_bank(library: Library) -> Drawing:
    """How many rows have how many lines."""
    title = "Lines of a row"
    across = "lines of a row that lie in the window"
    found = {card: rows for card, results in kinds(library, _CHAPTER).items() if (rows := Rows.of(results))}
    if not found:
        return not_measured(title, across, range(_MOST + 1))
    figure = Figure(figsize=(WIDTH / 72, 172 / 72))
    wide = (WIDTH - 48 - 12 - 44) / 2
    words = []
    for column, (card, rows) in enumerate(found.items()):
        axes = panel(figure, 48 + column * (wide + 44), 40, wide, 106)
        sizes = rows.sizes(_MOST)
        axes.stairs(sizes, [size + 0.5 for size in range(_MOST + 1)], fill=True, color=BLUE)
        axes.set_xlim(0.5, _MOST + 0.5)
        axes.set_xticks(range(2, _MOST + 1, 2))
        span = rows.span(8) * LINE_BYTES / (1 << 20)
        axes.set_title(f"{card}, rows: up to {span:.1f} MiB", x=-0.2)
        axes.set_xlabel("lines of a row")
        axes.grid(axis="y", color=GRID)
        told = ", ".join(f"{count} of {size}" for size, count in enumerate(sizes, 1))
        beyond, shorter = rows.cut(8)
        words.append(
            f"{card}, rows by their lines: {told}; {beyond} of the {shorter} shorter ones lie at an edge"
        )
    return Drawing(figure, title, "; ".join(words) + ".")


def far_pairs(library: Library) -> Drawing:
    """One pair of how many is in conflict, by the distance of its lines."""
    title = "Lines far apart"
    across = "one pair of so many is in conflict"
    names = memories(library)
    found = [
        (card, gib, entry.quantities["share-low"].median, entry.quantities["share-high"].median)
        for card, results in kinds(library, _CHAPTER).items()
        if card.lower() in names
        for gib in _GIB_APART
        if (entry := entry_of(results, "far-pairs", (_KIB_OF_WINDOWS, gib * 1024)))
    ]
    if not found:
        return not_measured(title, across, range(2000, 7000, 1000))
    figure, axes = canvas(64 + 17 * len(found), left=94, right=14, top=24, bottom=40)
    words = []
    for card in dict.fromkeys(card for card, *_ in found):
        of_card = [row for row, (one, *_) in enumerate(found) if one == card]
        parts = names[card.lower()]["pseudo_channels"]
        for each, colour, style in ((16, VERMILLION, "-"), (32, GREEN, "--")):
            places = [parts * each] * 2, [of_card[0] - 0.4, of_card[-1] + 0.4]
            axes.plot(*places, color=colour, linestyle=style, label=f"{each} banks each")
        words.append(f"{card}: 16 banks each would give one of {parts * 16}, 32 banks one of {parts * 32}")
    for row, (_, gib, low, high) in enumerate(found):
        axes.plot([1 / high, 1 / low], [row, row], color=BLUE, linewidth=4, label="95 % interval")
        words.append(f"{gib} GiB apart, one of {1 / high:.0f} to {1 / low:.0f}")
    axes.set_ylim(len(found) - 0.5, -0.5)
    axes.set_yticks(range(len(found)), [f"{card}, {gib} GiB" for card, gib, *_ in found])
    axes.set_xlim(1800, 6700)
    axes.set_xlabel(across)
    axes.grid(axis="x", color=GRID)
    handles, labels = axes.get_legend_handles_labels()
    chosen = dict(zip(labels, handles, strict=True))
    figure.legend(chosen.values(), chosen.keys(), loc="upper left", ncols=3, columnspacing=0.8)
    return Drawing(figure, title, "; ".join(words) + ".")


def camping(library: Library) -> Drawing:
    """Cycles until the last of many lines of one bank has come, beside lines from anywhere."""
    title = "Lines of one bank, and lines from anywhere"
    across = "lines that a block loads at the same time"
    found = {
        card: (results, series.rows)
        for card, results in kinds(library, _CHAPTER).items()
        if (series := series_of(results, "one-bank", _ONE_BANK, "cycles"))
    }
    if not found:
        return not_measured(title, across, _SIZES)
    figure = Figure(figsize=(WIDTH / 72, 250 / 72))
    wide = (WIDTH - 48 - 12 - 44) / 2
    words = []
    for column, (card, (results, rows)) in enumerate(found.items()):
        axes = panel(figure, 48 + column * (wide + 44), 40, wide, 140)
        for way, (label, same, colour, line) in enumerate(_WAYS):
            cycles = [row[way] for row in rows]
            few = series_of(results, "camping", _CAMPING, "cycles", same=same) if same is not None else None
            first = [few.values[size - 1] for size in _FEW] if few else []
            axes.plot(
                [*_FEW[: len(first)], *_SIZES], first + cycles, color=colour, linestyle=line, label=label
            )
            words.append(f"{card}, {label}: {', '.join(map(str, first + cycles))} cycles")
        axes.set_xscale("log", base=2)
        axes.set_yscale("log")
        axes.set_ylim(300, 200_000)
        axes.set_xticks(_TICKS, map(str, _TICKS))
        axes.minorticks_off()
        axes.set_title(f"{card}, cycles", x=-0.2)
        axes.set_xlabel("lines at the same time")
        axes.grid(axis="y", color=GRID)
        if column == 0:
            figure.legend(*axes.get_legend_handles_labels(), loc="upper left", ncols=2, columnspacing=1.2)
    return Drawing(
        figure,
        title,
        f"Of {_SIZES[0]}, twice as many, up to {_SIZES[-1]} lines; where more are "
        f"told, from one line on. {'; '.join(words)}.",
    )


FIGURES = {"rows-of-bank": rows_of_bank, "far-pairs": far_pairs, "camping": camping}
