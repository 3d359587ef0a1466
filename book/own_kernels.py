"""The machine code of one program's kernels, among those of the programs that are compiled with it."""

from __future__ import annotations

import json
import re
from pathlib import Path

from book.machine_code import Kernel, kernels_in


def listing_of(build: Path, program: str) -> Path:
    """Where the build puts what the disassembler says of a program: `6-transpose/13_padded`."""
    return build / "machine" / f"{program}.sass"


def kernels_of(build: Path, program: str, listing: Path | None = None) -> tuple[Kernel, ...]:
    """A program's own kernels, in the build's listing unless another one is named.

    What it defines lies in a namespace of its own (see code/program/chapter.cmake), if others are compiled
    with it. Of the kernels that headers define, its own are those that it launches.

    Raises:
        BookError: the build has not disassembled it.

    """
    name = re.sub(r"\W", "_", program.partition("/")[2])
    own = re.compile(rf"weft_program_{name}(?![a-z_])")
    kernels = kernels_in(listing or listing_of(build, program))
    mine = [kernel for kernel in kernels if own.search(kernel.name)]
    shared = [name for name in _launched(build, program) if not any(_is_called(one, name) for one in mine)]
    from_headers = [kernel for kernel in kernels if "weft_program_" not in kernel.name]
    return (*mine, *(one for one in from_headers if any(_is_called(one, name) for name in shared)))


def _launched(build: Path, program: str) -> set[str]:
    """The names of the kernels that a program launches: `write<8>`."""
    description = build / "describe" / f"{program}.json"
    described = json.loads(description.read_text()) if description.is_file() else {"variants": []}
    return {
        launch["kernel"]
        for variant in described["variants"]
        for run in variant["runs"]
        for launch in run.get("launches", [])
    }


def _is_called(kernel: Kernel, name: str) -> bool:
    template, _, arguments = name.removesuffix(">").partition("<")
    if enumerator := re.fullmatch(r"\((?:\w+::)*(\w+)\)(\d+)", arguments):
        kind, number = enumerator.groups()
        return bool(re.search(rf"{len(template)}{template}IL\w*{len(kind)}{kind}E{number}EE", kernel.name))
    return kernel.is_made_from(template, arguments.split(", ")) if arguments else kernel.is_called(template)
