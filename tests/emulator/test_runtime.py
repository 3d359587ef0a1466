"""Programs that check the runtime's functions and errors themselves run on the emulator."""

import os
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
TREE = ROOT / os.environ.get("TREE", "build")
PROGRAMS = TREE / "tests" / "emulator" / "programs"


def emulate(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    """Runs a program on the emulator."""
    return subprocess.run(
        [TREE / "emulate", *arguments], capture_output=True, text=True, check=False, timeout=120
    )


@pytest.mark.parametrize("name", ["copies", "launches", "libraries", "memory", "streams"])
def test_program_finds_nothing_wrong(name: str) -> None:
    options = ["--no-check"] if name == "memory" else []  # it frees wrongly on purpose
    result = emulate(*options, PROGRAMS / f"runtime_{name}")
    assert result.returncode == 0, result.stdout + result.stderr


def test_a_fault_stays() -> None:
    result = emulate(PROGRAMS / "runtime_sticky")
    assert "the error stays" in result.stdout
    assert result.returncode == 1
    assert "stray(int*)" in result.stderr


def test_a_program_of_cuda_12() -> None:
    result = emulate(PROGRAMS / "cuda12")
    assert result.returncode == 0, result.stdout + result.stderr
    assert "cudaSetDoubleForDevice is not provided: it returns cudaErrorNotSupported" in result.stderr
    assert "twice" in result.stderr
