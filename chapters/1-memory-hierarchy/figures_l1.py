"""The law of the L1: the wavefronts of both of its stages, by the stride of a load."""

from __future__ import annotations

from book.library import Library
from figures.lanes import Access, ask
from figures.style import BLUE, GRID, VERMILLION, Drawing, canvas

_STRIDES = range(1, 34)


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


FIGURES = {"law": law}
