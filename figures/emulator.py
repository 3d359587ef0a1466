"""The drawings of the appendix on the emulator: the way of a kernel through it, and a warp that diverges."""

from __future__ import annotations

from matplotlib.patches import FancyBboxPatch

from book.library import Library
from figures.lanes import WARP
from figures.memory import cells
from figures.style import BLUE, GRID, INK, MUTED, SHADE, VERMILLION, WIDTH, Drawing, bare, canvas

_STAGES = (
    ("fatbin", "finds the program's code and unpacks it", "PTX, as the compiler wrote it"),
    ("ptx", "parses it and resolves every name", "instructions of each function"),
    (
        "decode",
        "looks each up in the table, finds where\nbranches meet again",
        "operations, one after the other",
    ),
    (
        "execute",
        "runs them, 32 lanes at a time, blocks on\nall processors, and checks each access",
        "addresses of each access",
    ),
    ("count", "applies the rules of memory to them", "requests, sectors and wavefronts\nof each line"),
)
"""The emulator's folders in the order of the data's way, what each does, and what it hands on."""


def pipeline(_: Library) -> Drawing:
    """The folders of the emulator, one below the other, with what each hands on to the next."""
    row, box = 74, 40
    figure, axes = canvas(row * len(_STAGES) + 22)
    bare(axes)
    axes.set_aspect("auto")
    axes.set_xlim(0, WIDTH)
    axes.set_ylim(row * len(_STAGES) + 22, 0)
    arrow = {"arrowstyle": "-|>", "color": MUTED, "linewidth": 1.2, "shrinkA": 0, "shrinkB": 0}
    axes.text(56, 2, "a program, built by nvcc", va="top", color=MUTED)
    for number, (name, does, gives) in enumerate(_STAGES):
        top = 22 + number * row
        shape = FancyBboxPatch((6, top), 76, box, boxstyle="round,pad=0,rounding_size=4")
        shape.set(facecolor=SHADE, edgecolor=BLUE, linewidth=1.2)
        axes.add_patch(shape)
        axes.text(44, top + box / 2, name, ha="center", va="center", fontweight="bold")
        axes.text(94, top + box / 2, does, va="center", linespacing=1.3)
        axes.annotate(
            "",
            (44, top + row if number + 1 < len(_STAGES) else top + row - 8),
            (44, top + box),
            arrowprops=arrow,
        )
        axes.text(56, top + box + (row - box) / 2, gives.replace("\n", " "), va="center", color=MUTED)
    words = "; ".join(f"{name} {does} and hands on {gives}" for name, does, gives in _STAGES)
    return Drawing(
        figure, "The way of a kernel through the emulator", f"Five stages: {words}.".replace("\n", " ")
    )


def divergence(_: Library) -> Drawing:
    """Which lanes of a warp run while it goes through an if and an else."""
    taking = 12
    phases = (
        ("if (lane < 12)", 2, range(WARP), MUTED),
        ("then", 3, range(taking), BLUE),
        ("else", 4, range(taking, WARP), VERMILLION),
        ("after", 2, range(WARP), MUTED),
    )
    steps = sum(length for _, length, _, _ in phases)
    height = 210
    figure, axes = canvas(height + 46, left=58, right=8, top=24, bottom=22)
    bare(axes)
    axes.set_aspect("auto")
    axes.set_xlim(0, steps)
    axes.set_ylim(WARP, 0)
    begin = 0
    for name, length, active, colour in phases:
        squares = [
            (begin + step + 0.06, lane + 0.12, 0.88, 0.76) for step in range(length) for lane in active
        ]
        cells(axes, squares, facecolor=colour)
        axes.text(begin + length / 2, -0.8, name, ha="center", va="bottom")
        begin += length
        if begin < steps:
            axes.plot([begin, begin], [0, WARP], color=GRID, linewidth=1)
    for lane in (0, taking, WARP - 1):
        axes.text(-0.2, lane + 0.5, f"lane {lane}", ha="right", va="center")
    axes.text(steps / 2, WARP + 0.8, "time, in operations →", ha="center", va="top", color=INK)
    return Drawing(
        figure,
        "A warp diverges and meets again",
        f"The {WARP} lanes of a warp over time. All evaluate the condition; then lanes 0 to "
        f"{taking - 1} alone run one side while the others wait, then lanes {taking} to {WARP - 1} the "
        "other; from where the two sides meet all lanes run together.",
    )


FIGURES = {"pipeline": pipeline, "divergence": divergence}
