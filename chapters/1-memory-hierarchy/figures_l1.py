"""The law of the L1: the wavefronts of both of its stages, by the stride of a load, and what was measured."""

from __future__ import annotations

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from book.documents import MissingResultsError
from book.keys import Key
from book.library import Library
from book.quantities import Quantity, measured
from figures.lanes import Access, ask
from figures.style import BLUE, GRID, INK, LEGEND, MUTED, PURPLE, VERMILLION, WIDTH, Drawing, canvas, panel

_STRIDES = range(1, 34)
_WIDTHS = (4, 8, 16)
_HIGH, _GAP = 104, 42
"""The height of a panel, and of what lies between two."""
_FIRST_BYTE = 65536
"""Where the table of the patterns begins in its allocation: behind a guard zone (check/buffer.hpp)."""


def law(library: Library) -> Drawing:
    """Tag and data wavefronts of a warp's load of floats, for every stride."""
    answers = ask(library, [Access.strided(f"stride {stride}", stride=stride) for stride in _STRIDES])
    figure, axes = canvas(200, left=34, right=8, top=44, bottom=36)
    stages = {
        "data wavefronts": [one.data_wavefronts for one in answers],
        "tag wavefronts": [one.tag_wavefronts for one in answers],
    }
    for (name, counts), colour, marker in zip(stages.items(), (BLUE, VERMILLION), ("o", "s"), strict=True):
        axes.plot(_STRIDES, counts, color=colour, marker=marker, markersize=4, linewidth=1.2, label=name)
    axes.set_yscale("log", base=2)
    axes.set_yticks([1, 2, 4, 8, 16, 32], ["1", "2", "4", "8", "16", "32"])
    axes.set_xticks([1, 8, 16, 24, 32])
    axes.minorticks_off()
    axes.grid(axis="y", color=GRID)
    axes.set_xlabel("stride, in floats")
    figure.legend(loc="upper left", ncols=2, columnspacing=1.2)
    told = ", ".join(
        f"{stride}: {one.data_wavefronts} and {one.tag_wavefronts}"
        for stride, one in zip(_STRIDES, answers, strict=True)
        if stride in (1, 2, 8, 16, 31, 32, 33)
    )
    return Drawing(
        figure,
        "The law of the L1, stride by stride",
        f"Data wavefronts and tag wavefronts of a load of 32 floats by their stride; stride {told}.",
    )


def patterns(library: Library) -> Drawing:
    """Cycles of a request by width and stride: foretold, and measured in the L1 and in shared memory."""
    variants = library.descriptions(1).of("l1-pattern")
    strides = sorted({variant.parameters.get("stride")[0] for variant in variants})
    figure = Figure(figsize=(WIDTH / 72, (len(_WIDTHS) * (_HIGH + _GAP) + 62) / 72))
    words = []
    for row, width in enumerate(_WIDTHS):
        axes = panel(figure, 34, 36 + (len(_WIDTHS) - 1 - row) * (_HIGH + _GAP), WIDTH - 42, _HIGH)
        accesses = [Access.strided(str(stride), width, _FIRST_BYTE // width, stride) for stride in strides]
        law = [max(one.tag_wavefronts, one.data_wavefronts) for one in ask(library, accesses)]
        axes.plot(range(len(strides)), law, "_", color=PURPLE, markersize=15, markeredgewidth=3)
        for step, mark in (
            ("l1-pattern", {"marker": "o", "color": BLUE}),
            ("shared-pattern", {"marker": "x", "color": INK}),
        ):
            found = _cycles(library, step, width, strides)
            if found:
                axes.plot(range(len(strides)), found, linestyle="none", markersize=5, **mark)
                words.append(f"{step}, {width} bytes: {min(found):.3g} to {max(found):.3g}")
        _dress(axes, width, strides, last=row == len(_WIDTHS) - 1)
    handles = [
        figure.axes[0].plot([], [], "_", color=PURPLE, markersize=12, markeredgewidth=3, label="law, L1")[0],
        figure.axes[0].plot([], [], "o", color=BLUE, markersize=5, label="L1")[0],
        figure.axes[0].plot([], [], "x", color=INK, markersize=5, label="shared memory")[0],
    ]
    figure.legend(handles=handles, **{**LEGEND, "ncols": 3})
    told = "; ".join(words) or "not measured yet"
    alt = f"Cycles of a request over strides, for elements of three widths: {told}."
    return Drawing(figure, "The law of the L1 against the clock", alt)


def _dress(axes: Axes, width: int, strides: list[int], *, last: bool) -> None:
    axes.set_yscale("log", base=2)
    axes.set_ylim(0.8, 42)
    axes.set_yticks([1, 2, 4, 8, 16, 32], ["1", "2", "4", "8", "16", "32"])
    axes.set_xticks(range(len(strides)), [str(stride) for stride in strides])
    axes.minorticks_off()
    axes.grid(axis="y", color=GRID)
    axes.set_title(f"cycles, {width} bytes a lane", x=-0.08)
    if last:
        axes.set_xlabel("stride, in elements", color=MUTED)


def _cycles(library: Library, step: str, width: int, strides: list[int]) -> list[float]:
    """What requests took; nothing before it is measured."""
    published = library.published(1)
    variants = {
        (variant.parameters.get("width"), variant.parameters.get("stride")): variant
        for variant in library.descriptions(1).of(step)
    }
    chosen = [variants[(width,), (stride,)] for stride in strides]
    keys = [Key(step, variant.measured[0], variant.parameters) for variant in chosen]
    try:
        return [measured(Quantity(key, "access-cycles"), published).number for key in keys if published]
    except MissingResultsError:
        return []


FIGURES = {"law": law, "patterns": patterns}
