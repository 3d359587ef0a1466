"""The machine code of the build's programs: a program is taken apart when the first test asks for it."""

import json
import os
import re
import subprocess
import tempfile
from pathlib import Path

import pytest

from book.machine_code import Kernel, kernels_in
from tests.book.invented import REPOSITORY

TREE = REPOSITORY / os.environ.get("TREE", "build")


def kernels_of(program: str) -> tuple[Kernel, ...]:
    """The kernels of a program that the build has made: `1-memory-hierarchy/04_l1_data`.

    Others are compiled with it, each in a namespace (see chapter.cmake). Of the kernels that headers define,
    its own are those that it launches.
    """
    built = TREE / "chapters" / program
    if not built.is_file():
        pytest.skip(f"NOT TESTED: {program} IS NOT BUILT (make test)")
    listing = TREE / "tests/machine" / f"{program}.sass"
    if not listing.is_file() or listing.stat().st_mtime_ns < built.stat().st_mtime_ns:
        _disassemble(built, listing)
    name = re.sub(r"\W", "_", program.partition("/")[2])
    own = re.compile(rf"weft_program_{name}(?![a-z_])")
    kernels = kernels_in(listing)
    mine = [kernel for kernel in kernels if own.search(kernel.name)]
    shared = [name for name in _launched(program) if not any(_is_called(kernel, name) for kernel in mine)]
    from_headers = [kernel for kernel in kernels if "weft_program_" not in kernel.name]
    return (*mine, *(kernel for kernel in from_headers if any(_is_called(kernel, name) for name in shared)))


def _launched(program: str) -> set[str]:
    """The names of the kernels that a program launches: `write<8>`."""
    description = TREE / "describe" / f"{program}.json"
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


def _disassemble(built: Path, listing: Path) -> None:
    tools = REPOSITORY / ".venv/cuda/bin"
    path = {"PATH": f"{tools}:{os.environ['PATH']}"}  # cuobjdump calls another
    command = [tools / "cuobjdump", "-res-usage", "-sass", built]
    code = subprocess.run(command, env=os.environ | path, check=True, capture_output=True).stdout
    listing.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.NamedTemporaryFile(dir=listing.parent, delete=False) as part:
        part.write(code)
    Path(part.name).replace(listing)
