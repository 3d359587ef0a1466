"""Programs that check the runtime's functions and errors themselves run on the emulator, as CUDA 13's and as 12's."""

import os
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
TREE = ROOT / os.environ.get("TREE", "build")
PROGRAMS = ROOT / "tests" / "emulator" / "programs" / "runtime"


def compiled(source: Path, folder: Path, *options: str) -> Path:
    """Builds a program with the build's own compiler."""
    program = folder / source.stem
    command = ["-std=c++20", "-cudart", "shared", "-lineinfo", "-arch=sm_90", *options]
    subprocess.run([nvcc(), *command, "-o", program, source], check=True, capture_output=True, text=True)
    return program


def nvcc() -> str:
    """The compiler that the build tree was made with."""
    for line in (TREE / "CMakeCache.txt").read_text().splitlines():
        if line.startswith("CMAKE_CUDA_COMPILER:"):
            return line.split("=", 1)[1]
    raise AssertionError("the build tree names no CUDA compiler")


def emulate(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    """Runs a program on the emulator."""
    return subprocess.run([TREE / "emulate", *arguments], capture_output=True, text=True, check=False, timeout=120)


@pytest.mark.parametrize("name", ["copies", "launches", "memory", "streams"])
def test_program_finds_nothing_wrong(name: str, tmp_path: Path) -> None:
    result = emulate(compiled(PROGRAMS / f"{name}.cu", tmp_path))
    assert result.returncode == 0, result.stdout + result.stderr


def test_a_fault_stays(tmp_path: Path) -> None:
    result = emulate(compiled(PROGRAMS / "sticky.cu", tmp_path))
    assert "the error stays" in result.stdout
    assert result.returncode == 1
    assert "stray(int*)" in result.stderr
