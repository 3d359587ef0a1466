"""How to run a step: one line for a machine with a GPU, one for a machine without."""

from __future__ import annotations

from docutils import nodes

from weave.witnesses import Witnesses


def run_lines(program: str) -> dict[str, str]:
    """The command lines of a program, by its place below `chapters`: `6-transpose/13_padded`."""
    path = f"build/chapters/{program}"
    return {"with a GPU": f"{path} --measure", "without": f"build/emulate {path}"}


def run_this(witnesses: Witnesses) -> nodes.container:
    """The lines as a card shows them; without a GPU nothing runs somebody else's kernels."""
    folder = witnesses.page.folder
    program = witnesses.page.step_file(witnesses.step).relative_to(folder.parent).with_suffix("")
    title = nodes.paragraph("", "", nodes.strong(text="Run this step"), nodes.Text(" after "))
    title += nodes.literal(text="make steps")
    box = nodes.container("", title, classes=["card-run"])
    for where, line in run_lines(program.as_posix()).items():
        if where == "without" and witnesses.count() is None:
            continue
        box += [nodes.paragraph("", where), nodes.literal_block(line, line, language="sh")]
    return box
