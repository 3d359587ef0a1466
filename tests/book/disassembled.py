"""The machine code of the build's programs, taken apart when the first test asks for one."""

import functools
import os
import subprocess
import tempfile
from pathlib import Path

import pytest

from book import own_kernels
from book.machine_code import Kernel
from tests.book.invented import REPOSITORY

TREE = REPOSITORY / os.environ.get("TREE", "build")


@functools.cache
def kernels_of(program: str) -> tuple[Kernel, ...]:
    """The kernels of a program that the build has made: `1-memory-hierarchy/04_l1_data`."""
    built = TREE / "chapters" / program
    if not built.is_file():
        pytest.skip(f"NOT TESTED: {program} IS NOT BUILT (make test)")
    listing = own_kernels.listing_of(TREE, program)
    if listing.is_symlink():  # to that of an object file, which several programs share
        listing = listing.readlink()
        built = next(TREE.glob(f"chapters/*/CMakeFiles/{listing.stem}.dir/Unity/*.o"))
    if not _is_newer(listing, built):  # the pages need none of it: then it is not among what they are made of
        listing = TREE / "tests" / listing.relative_to(TREE)
    if not _is_newer(listing, built):
        _disassemble(built, listing)
    return own_kernels.kernels_of(TREE, program, listing)


def _is_newer(listing: Path, built: Path) -> bool:
    return listing.is_file() and listing.stat().st_mtime_ns >= built.stat().st_mtime_ns


def _disassemble(built: Path, listing: Path) -> None:
    tools = REPOSITORY / ".venv/cuda/bin"
    path = {"PATH": f"{tools}:{os.environ['PATH']}"}  # cuobjdump calls another
    command = [tools / "cuobjdump", "-res-usage", "-sass", built]
    code = subprocess.run(command, env=os.environ | path, check=True, capture_output=True).stdout
    listing.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.NamedTemporaryFile(dir=listing.parent, delete=False) as part:
        part.write(code)
    Path(part.name).replace(listing)
