"""What each step's machine code is made of, in one table."""

from __future__ import annotations

from typing import ClassVar

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from book.documents import BookError
from book.format import SPACE
from book.keys import Key
from book.machine_code import Kernel, Loop
from book.own_kernels import kernels_of
from weave.context import Page, complain, page_of
from weave.files import link_to_file
from weave.tables import NOTHING, Cell, make_table

_SPARSE = 0.1
"""A loop with a smaller share of these instructions is there for something else."""


class Instructions(SphinxDirective):
    """The loop of each step that is there for one kind of instruction: ``{instructions} FFMA LDS STS``.

    The kinds behind the first are counted by width. The content is the table's caption.
    """

    required_arguments = 1
    optional_arguments = 8
    has_content = True
    option_spec: ClassVar = {"steps": directives.unchanged_required}

    def run(self) -> list[nodes.Node]:
        """Read what the build disassembled and build the table."""
        opcode, *moves = self.arguments
        try:
            page = page_of(self.env)
            named = self.options.get("steps", "").split()
            rows = []
            for step in named or page.step_files():
                kernel = _densest(page, step, opcode)
                if kernel is None and named:
                    raise BookError(f"the machine code of {step} has no loop of {opcode}")
                if kernel is not None:
                    link = link_to_file(self.env, page.step_file(step), step)
                    rows.append(_row(link, kernel, kernel.loop(opcode), moves))
        except BookError as error:
            return [nodes.paragraph("", "", complain(self, error, "instructions"))]
        header = ["step", "registers", "spills", "instructions", opcode, "with reuse", *moves]
        return [make_table(header, rows, " ".join(self.content))]


def _densest(page: Page, step: str, opcode: str) -> Kernel | None:
    """The kernel with the densest loop of those that the step launches where it is timed: others prepare."""
    run = page.library.descriptions(page.chapter).runs.find(Key(step, page.shape("measured")))
    program = page.step_file(step).relative_to(page.folder.parent).with_suffix("")
    kernels = kernels_of(page.library.build, str(program))
    launched = [kernel for kernel in kernels if any(map(kernel.is_called, run.kernels))]
    for name in run.kernels:
        if not any(kernel.is_called(name) for kernel in launched):
            raise BookError(f"the machine code of {program} has no kernel {name}, which {step} launches")
    dense = [kernel for kernel in launched if kernel.loop(opcode).share > _SPARSE]
    return max(dense, key=lambda kernel: kernel.loop(opcode).share, default=None)


def _row(link: nodes.Node, kernel: Kernel, loop: Loop, moves: list[str]) -> list[Cell]:
    return [
        [link],
        str(kernel.registers),
        f"{kernel.spills} ({loop.spills})" if kernel.spills else "none",
        f"{len(loop.instructions):,}",
        f"{loop.share * 100:.1f}{SPACE}%",
        f"{loop.reused / loop.count * 100:.0f}{SPACE}%",
        *(_widths(loop.moves(opcode)) for opcode in moves),
    ]


def _widths(counts: dict[int, int]) -> str:
    """How many of each width: `64 × 128 bits`."""
    words = (f"{count}{SPACE}×{SPACE}{bits}" for bits, count in counts.items())
    return ", ".join(words) or NOTHING


def setup(app: Sphinx) -> None:
    """Register the directive."""
    app.add_directive("instructions", Instructions)
