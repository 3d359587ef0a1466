"""The machine code of the build's programs: a program is taken apart when the first test asks for it."""

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

    Others are compiled with it, each in a namespace; see chapter.cmake.
    """
    built = TREE / "chapters" / program
    if not built.is_file():
        pytest.skip(f"NOT TESTED: {program} IS NOT BUILT (make test)")
    listing = TREE / "tests/machine" / f"{program}.sass"
    if not listing.is_file() or listing.stat().st_mtime_ns < built.stat().st_mtime_ns:
        _disassemble(built, listing)
    own = re.sub(r"\W", "_", program.partition("/")[2])
    others = re.compile(rf"weft_program_(?!{own}(?![a-z_]))")
    return tuple(kernel for kernel in kernels_in(listing) if not others.search(kernel.name))


def _disassemble(built: Path, listing: Path) -> None:
    tools = REPOSITORY / ".venv/cuda/bin"
    path = {"PATH": f"{tools}:{os.environ['PATH']}"}  # cuobjdump calls another
    command = [tools / "cuobjdump", "-res-usage", "-sass", built]
    code = subprocess.run(command, env=os.environ | path, check=True, capture_output=True).stdout
    listing.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.NamedTemporaryFile(dir=listing.parent, delete=False) as part:
        part.write(code)
    Path(part.name).replace(listing)
