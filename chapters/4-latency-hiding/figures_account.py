"""The account of the cycles of six steps: a bar for each, cut into what a scheduler does and waits for."""

from __future__ import annotations

from collections.abc import Mapping

from matplotlib.axes import Axes
from matplotlib.patches import Patch

from book.account import HAS_NO_WARP, ISSUES, PARTS, Account, account
from book.documents import MissingResultsError
from book.format import format_value
from book.keys import Key, Parameters
from book.library import Library
from figures.style import (
    BLUE,
    GREEN,
    INK,
    LEGEND,
    MUTED,
    ORANGE,
    PAPER,
    PURPLE,
    SHADE,
    VERMILLION,
    Drawing,
    canvas,
    legend_height,
    to_step,
)

ACCOUNTS: Mapping[str, tuple[int, Key]] = {
    "tree": (4, Key("tree", (268435456,))),
    "bytes-in-flight": (
        4,
        Key("bytes-in-flight", (512, 500), Parameters.parse(("loads=4", "warps=8", "width=16"))),
    ),
    "warps-or-chains": (4, Key("warps-or-chains", (512,), Parameters.parse(("chains=1", "warps=8")))),
    "strided": (7, Key("strided", (4096, 4096, 4096))),
    "contiguous": (7, Key("contiguous", (4096, 4096, 4096))),
    "quadrants": (7, Key("quadrants", (4096, 4096, 4096))),
}
"""The steps whose cycles are taken apart: chapter and variant."""

_ROW = 30
_LEAST = 0.09
"""The share of a bar from which on a part has its number in it."""
_PAINTS: Mapping[str, dict[str, object]] = {
    ISSUES: {"facecolor": BLUE},
    **dict(
        zip(
            PARTS,
            (
                {"facecolor": GREEN, "hatch": "///"},
                {"facecolor": ORANGE, "hatch": "\\\\\\"},
                {"facecolor": VERMILLION, "hatch": "xx"},
                {"facecolor": PURPLE},
                {"facecolor": SHADE},
            ),
            strict=True,
        )
    ),
    HAS_NO_WARP: {"facecolor": "none", "edgecolor": MUTED},
}
_TITLE = "Where the cycles go"


def cycles(library: Library) -> Drawing:
    """A bar for each step: the counted parts as shares of the cycles that the clock gives."""
    found = {name: _account(library, *where) for name, where in ACCOUNTS.items()}
    handles = [Patch(label=part, **_paint(part)) for part in _PAINTS]
    top, bottom = legend_height(handles) + 8, 40
    figure, axes = canvas(_ROW * len(found) + top + bottom, left=118, right=30, top=top, bottom=bottom)
    words = []
    for y, (name, one) in enumerate(found.items()):
        if one is None:
            axes.text(0.02, y, "not measured yet", va="center", color=MUTED)
            words.append(f"{name}: not measured yet")
        else:
            _bar(axes, y, one, to_step(*_place(name)))
            parts = ", ".join(f"{part} {_share(cut / one.timed)}" for part, cut in one.parts.items())
            words.append(f"{name}: {parts}; together {_share(one.sum)}")
    axes.set_xlim(0, max([1.02, *(one.sum for one in found.values() if one)]))
    axes.set_ylim(len(found) - 0.5, -0.5)
    axes.set_yticks(range(len(found)), list(found))
    axes.set_xticks([0, 0.5, 1], ["0", "50", "100 %"])
    axes.axvline(1, color=INK, linewidth=1)
    axes.spines["left"].set_visible(False)
    axes.set_xlabel("share of the clock's cycles")
    figure.legend(handles=handles, **{**LEGEND, "handlelength": 1.1, "columnspacing": 0.9})
    told = f"Of each step, what a scheduler does in its cycles: {'. '.join(words)}."
    return Drawing(figure, _TITLE, told if any(found.values()) else f"Not measured yet. {told}")


def _account(library: Library, chapter: int, key: Key) -> Account | None:
    published = library.published(chapter)
    try:
        return account(published, key) if published else None
    except MissingResultsError:
        return None


def _place(name: str) -> tuple[int, str]:
    chapter, key = ACCOUNTS[name]
    return chapter, key.step


def _paint(part: str) -> dict[str, object]:
    return {"edgecolor": PAPER, "hatchcolor": PAPER, "linewidth": 0.7, **_PAINTS[part]}


def _bar(axes: Axes, y: int, one: Account, link: str) -> None:
    left = 0.0
    for part, cut in one.parts.items():
        share = cut / one.timed
        axes.barh(y, share, left=left, height=0.62, url=link, **_paint(part))
        if share >= _LEAST:
            axes.text(
                left + share / 2,
                y,
                f"{100 * share:.0f}",
                ha="center",
                va="center",
                color=INK if part in (HAS_NO_WARP, "waits for something else") else PAPER,
                bbox={"facecolor": _PAINTS[part]["facecolor"], "edgecolor": "none", "pad": 1},
            )
        left += share


def _share(value: float) -> str:
    return format_value(value, "share")


FIGURES = {"cycles": cycles}
