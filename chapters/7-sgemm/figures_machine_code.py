"""The figure of chapter 7 that reads machine code: which registers a few FFMAs ask of which bank."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Patch

from book.documents import BookError
from book.library import Library
from book.machine_code import Instruction
from book.own_kernels import kernels_of
from figures.memory import cells
from figures.style import BLUE, MUTED, SHADE, WIDTH, Drawing, bare, panel

_STEP, _PROGRAM = "sliced", "25_sliced"
_SHOWN = 6
_READ = {"facecolor": (BLUE, 0.3), "edgecolor": BLUE, "linewidth": 1.2}
_HELD = {"facecolor": "none", "edgecolor": MUTED, "linewidth": 1.2, "linestyle": (0, (2, 1.5))}
_FFMA = re.compile(r"FFMA R(\d+), R(\d+)(\.reuse)?, R(\d+)(\.reuse)?, R(\d+)$")


@dataclass(frozen=True)
class Read:
    """A register that an FFMA reads; `held`: the operand cache still holds it."""

    register: int
    held: bool

    @property
    def bank(self) -> int:
        """0 of even registers, 1 of odd ones."""
        return self.register % 2


@dataclass(frozen=True)
class Ffma:
    """An FFMA of registers alone: its text, its two factors and the sum to which it adds."""

    text: str
    factors: tuple[Read, Read]
    sum: Read

    @property
    def reads(self) -> tuple[Read, Read, Read]:
        """All three."""
        return (*self.factors, self.sum)


def ffmas(instructions: Sequence[Instruction]) -> list[Ffma | None]:
    """The FFMAs among instructions; None for any other.

    An operand is held if the instruction before had the same register in the same place, marked `.reuse`.
    """
    found: list[Ffma | None] = []
    left: dict[int, int] = {}
    for instruction in instructions:
        match = _FFMA.match(instruction.text)
        if match is None:
            found.append(None)
            left = {}
            continue
        first, second, total = int(match[2]), int(match[4]), int(match[6])
        factors = (Read(first, left.get(0) == first), Read(second, left.get(1) == second))
        found.append(Ffma(instruction.text, factors, Read(total, False)))
        left = {place: int(match[2 + 2 * place]) for place in (0, 1) if match[3 + 2 * place]}
    return found


def turn(found: Sequence[Ffma | None]) -> list[Ffma]:
    """Six FFMAs in a row, in whose middle the common factor changes."""
    for at in range(_SHOWN // 2, len(found) - _SHOWN // 2):
        row = found[at - _SHOWN // 2 : at + _SHOWN // 2]
        held = [[read.held for read in one.factors] for one in row if one]
        if len(held) == _SHOWN and held == [[False, True]] * 3 + [[True, False]] + [[False, True]] * 2:
            return [one for one in row if one]
    raise BookError("no row of FFMAs ends where the next begins")


def machine_code(library: Library) -> Drawing:
    """Six FFMAs of a loop, and which registers each asks of which bank."""
    kernels = kernels_of(library.build, f"{library.folder(7).name}/{_PROGRAM}")
    loop = max((kernel.loop("FFMA") for kernel in kernels), key=lambda loop: loop.share)
    rows = turn(ffmas(loop.instructions))
    pitch, head, foot = 30, 26, 26
    height = head + pitch * len(rows) + foot
    figure = Figure(figsize=(WIDTH / 72, height / 72))
    axes = bare(panel(figure, 0, 0, WIDTH, height))
    axes.set_xlim(0, WIDTH)
    axes.set_ylim(height, 0)
    places = (250, 327)
    axes.text(0, 12, "FFMA: result, factor, factor, sum", va="center", color=MUTED)
    for x, bank in zip(places, ("even", "odd"), strict=True):
        axes.text(x + 36, 12, bank, ha="center", va="center", fontweight="bold")
    words = []
    for index, row in enumerate(rows):
        y = head + index * pitch
        axes.text(0, y + pitch / 2, row.text.replace("FFMA ", ""), va="center")
        for bank, x in enumerate(places):
            _draw_reads(axes, [read for read in row.reads if read.bank == bank], x, y + 3, pitch - 6)
        asked = [sum(read.bank == bank and not read.held for read in row.reads) for bank in (0, 1)]
        words.append(f"{row.text}: {asked[0]} of the even bank, {asked[1]} of the odd bank")
    handles = [
        Patch(label="read from the bank", **_READ),
        Patch(label="held by the operand cache", **_HELD),
    ]
    figure.legend(handles=handles, loc="lower left", ncols=2, handlelength=1.2, columnspacing=1.2)
    return Drawing(
        figure,
        f"Six FFMAs of {_STEP}, and their register banks",
        "Each FFMA reads three registers. Those that are read from a bank, not from the operand cache: "
        f"{'; '.join(words)}.",
    )


def _draw_reads(axes: Axes, reads: Sequence[Read], x: float, y: float, height: float) -> None:
    cells(axes, [(x, y, 73, height)], facecolor=SHADE)
    for place, read in enumerate(reads):
        box = (x + 2 + place * 35, y + 2, 34, height - 4)
        cells(axes, [box], **(_HELD if read.held else _READ))
        axes.text(box[0] + 17, y + height / 2, f"R{read.register}", ha="center", va="center")


FIGURES = {"machine-code": machine_code}
