"""The same counts and output at any number of threads, and little memory of the emulator's own."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
TREE = ROOT / os.environ.get("TREE", "build")
STEPS = TREE / "chapters/6-transpose"
MEBIBYTE = 1 << 20


@pytest.mark.parametrize("step", ["09_diagonal_rows", "14_swizzled", "23_persistent"])
def test_same_counts_and_output_at_any_number_of_threads(step: str, tmp_path: Path) -> None:
    seen = set()
    for threads in (1, 2, 3, 7):
        counters = tmp_path / f"{threads}.json"
        environment = os.environ | {"WEFT_EMULATOR_THREADS": str(threads)}
        command = [TREE / "emulate", "--counters", counters, STEPS / step, "--once", "321x132"]
        result = subprocess.run(command, env=environment, capture_output=True, check=True, timeout=120)
        seen.add((counters.read_bytes(), result.stdout))
    assert len(seen) == 1


def test_memory_is_what_the_program_allocates_and_little_more() -> None:
    side = 8192
    allocated = 2 * 4 * side * side
    command = [str(TREE / "emulate"), str(STEPS / "13_padded"), "--once", f"{side}x{side}"]
    script = (
        f"import resource, subprocess; subprocess.run({command!r}, check=True);"
        "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024)"
    )
    result = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True, timeout=250
    )
    most = int(result.stdout.splitlines()[-1])
    assert allocated < most <= allocated + 200 * MEBIBYTE
