"""The checker finds what is made wrong on purpose, says where, and is silent about what only looks wrong."""

import os
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
TREE = ROOT / os.environ.get("TREE", "build")
MUTANTS = TREE / "tests/emulator/programs/mutants"
SOURCE = ROOT / "tests/emulator/programs/checker/mutants.cu"

WRONG = {
    "write_behind": [
        "thread (63, 0, 0) writes 4 bytes",
        "0 bytes behind the end of an allocation of 256 bytes",
    ],
    "read_misaligned": ["thread (0, 0, 0) reads 4 bytes", "which is not a multiple of 4"],
    "read_unwritten": ["stores what it read from memory that nothing had written"],
    "branch_by_unwritten": ["branches by what it read from memory that nothing had written"],
    "read_partly_unwritten": ["thread (63, 0, 0) stores what it read from memory that nothing had written"],
    "copy_unwritten": ["thread (0, 0, 0) stores what it read from memory that nothing had written"],
    "read_shared_behind": ["reads 4 bytes at 0x100 of shared memory, of which its block has 256 bytes"],
    "read_shared_unwritten": ["thread (58, 0, 0) stores what it read from memory that nothing had written"],
    "pass_on_unwritten": ["stores what it read from memory that nothing had written"],
    "read_too_early": ["of shared memory, which thread (", "read at ", "with no barrier between them (race)"],
    "write_too_early": [
        "of shared memory, which thread (",
        "wrote at ",
        "with no barrier between them (race)",
    ],
    "write_one_place": [
        "thread (32, 0, 0) writes 4 bytes",
        "thread (0, 0, 0) wrote at ",
        "no barrier between them (race)",
    ],
    "write_one_place_at_once": ["another lane of its warp writes something else at the same time (race)"],
    "forget_syncwarp": ["thread (1, 0, 0) wrote at ", "with no __syncwarp() or barrier between them (race)"],
    "divergent_barrier": ["waits at a barrier that not all threads of its warp reach together"],
    "atomic_and_plain": ["wrote at ", "barrier between them (race)"],
}
RIGHT = ["warps_apart", "named_barrier", "lock", "same_flag", "histogram", "bytes_apart", "load_ahead"]
RIGHT += ["call_ahead", "copy_with_gap", "compare_ahead", "sum_ahead"]
STATUS = {"write_behind": "cudaErrorIllegalAddress", "read_shared_behind": "cudaErrorIllegalAddress"}
STATUS |= {"read_misaligned": "cudaErrorMisalignedAddress"}


def emulate(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    """Runs a program on the emulator."""
    return subprocess.run(
        [TREE / "emulate", *arguments], capture_output=True, text=True, check=False, timeout=120
    )


@pytest.mark.parametrize("name", WRONG)
def test_mistake_is_found(name: str) -> None:
    result = emulate(MUTANTS, name)
    assert result.returncode == 1, result.stderr
    for text in [*WRONG[name], "mutants.cu:", "block (0, 0, 0)"]:
        assert text in result.stderr
    assert result.stdout.strip() == STATUS.get(name, "cudaErrorLaunchFailure")


@pytest.mark.parametrize("name", RIGHT)
def test_what_only_looks_wrong_is_not(name: str) -> None:
    result = emulate(MUTANTS, name)
    assert (result.returncode, result.stdout.strip()) == (0, "cudaSuccess"), result.stderr


@pytest.mark.parametrize("name", ["read_unwritten", "read_too_early", "write_one_place"])
def test_unchecked_it_runs(name: str) -> None:
    assert emulate("--no-check", MUTANTS, name).returncode == 0


def test_unknown_instruction_is_refused_by_name() -> None:
    result = emulate(MUTANTS, "unknown_instruction")
    assert result.returncode == 1  # though the program did not ask whether its launch went well
    assert "unknown_instruction(int*): PTX line" in result.stderr
    assert (
        "mma.sync.aligned.m8n8k32.row.col.s32.s4.s4.s32: this instruction is not known here" in result.stderr
    )


def test_line_of_the_mistake() -> None:
    lines = SOURCE.read_text().splitlines()
    line = next(i for i, text in enumerate(lines, 1) if "words[threadIdx.x ^ 1]" in text)
    assert f"mutants.cu:{line} (" in emulate(MUTANTS, "forget_syncwarp").stderr


def test_wrong_frees() -> None:
    twice = emulate(MUTANTS, "free_twice")
    assert twice.stdout.startswith("cudaErrorInvalidValue")
    assert "cudaFree of 0x" in twice.stderr
    assert twice.returncode == 1
    inside = emulate(MUTANTS, "free_inside")
    assert "4 bytes into an allocation of 256 bytes" in inside.stderr
    assert inside.returncode == 1


def test_leaks_on_request() -> None:
    assert emulate(MUTANTS, "leak").returncode == 0
    result = emulate("--leaks", MUTANTS, "leak")
    assert result.returncode == 1
    assert "an allocation of 1234 bytes" in result.stderr
    assert "1 allocation" in result.stderr
    assert emulate("--leaks", MUTANTS, "same_flag").returncode == 0
