"""What each step's machine code is made of, in one table."""

from __future__ import annotations

from typing import ClassVar

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from book.documents import BookError
from book.format import SPACE
from book.machine_code import Kernel, kernels_in
from weave.context import Page, complain, page_of
from weave.files import link_to_file
from weave.tables import NOTHING, Cell, make_table

_SPARSE = 0.1
"""A loop with a smaller share of multiply-adds is there for something else."""
_HEADER = ("step", "registers", "spills", "instructions", "FFMA", "with reuse", "LDS", "STS", "LDG", "LDGSTS")


class Instructions(SphinxDirective):
    """The loop that multiplies, of all steps of the chapter that have one, or of the named ones."""

    option_spec: ClassVar = {"steps": directives.unchanged_required}

    def run(self) -> list[nodes.Node]:
        """Read what the build disassembled and build the table."""
        try:
            page = page_of(self.env)
            files = page.step_files()
            named = self.options.get("steps", "").split()
            rows = []
            for step in named or files:
                kernel = _multiplying(page, step)
                if kernel is None and named:
                    raise BookError(f"the machine code of {step} has no loop of multiply-adds")
                if kernel is not None:
                    rows.append(_row(link_to_file(self.env, files[step], step), kernel))
        except BookError as error:
            return [nodes.paragraph("", "", complain(self, error, "instructions"))]
        caption = (
            "What the compiler made of the loop that multiplies: its instructions for sm_90, counted in the "
            "programs that this build made. LDS and STS load and store shared memory, LDG loads global "
            "memory, LDGSTS copies from one to the other; each with the bits that a thread moves."
        )
        return [make_table(_HEADER, rows, caption)]


def _multiplying(page: Page, step: str) -> Kernel | None:
    """The step's kernel with the densest loop: others are for matrices that are harder to move.

    The names of a step's own kernels hold its file's; where there are none, all kernels of the program count.
    """
    file = page.step_file(step)
    listing = page.library.build / "machine" / page.folder.name / f"{file.stem}.sass"
    kernels = kernels_in(listing)
    own = [kernel for kernel in kernels if file.stem in kernel.name] or kernels
    multiplying = [kernel for kernel in own if kernel.share > _SPARSE]
    return max(multiplying, key=lambda kernel: kernel.share, default=None)


def _row(link: nodes.Node, kernel: Kernel) -> list[Cell]:
    moves = kernel.moves
    return [
        [link],
        str(kernel.registers),
        str(kernel.spills) if kernel.spills else "none",
        f"{len(kernel.loop):,}",
        f"{kernel.share * 100:.1f}{SPACE}%",
        f"{kernel.reused / kernel.fused * 100:.0f}{SPACE}%",
        *(_widths(moves[opcode]) for opcode in ("LDS", "STS", "LDG", "LDGSTS")),
    ]


def _widths(counts: dict[int, int]) -> str:
    """How many of each width: `64 × 128 bits`."""
    words = (f"{count}{SPACE}×{SPACE}{bits}" for bits, count in counts.items())
    return ", ".join(words) or NOTHING


def setup(app: Sphinx) -> None:
    """Register the directive."""
    app.add_directive("instructions", Instructions)
