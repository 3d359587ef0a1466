"""Programs that use what the book's steps do not, each of which checks itself, run on emulated cards."""

import os
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
TREE = ROOT / os.environ.get("TREE", "build")
PROGRAMS = sorted(path.stem for path in (Path(__file__).parent / "programs").glob("*.cu"))


def emulate(program: str, *arguments: str, device: str = "H200") -> subprocess.CompletedProcess[str]:
    """Runs a program on an emulated card."""
    path = TREE / "tests" / "emulator" / "programs" / program
    command = [TREE / "emulate", path, *arguments]
    return subprocess.run(
        command,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
        env=os.environ | {"WEFT_EMULATOR_DEVICE": device},
    )


@pytest.mark.parametrize("device", ["H200", "T4"])
@pytest.mark.parametrize("program", PROGRAMS)
def test_program_finds_what_it_expects(program: str, device: str) -> None:
    result = emulate(program, device=device)
    assert result.returncode == 0, result.stdout + result.stderr
