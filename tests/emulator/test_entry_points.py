"""The emulator exports what the CUDA runtime exports, under the same names and versions."""

import os
import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
TREE = ROOT / os.environ.get("TREE", "build")
TOOLKIT = ROOT / ".venv" / "cuda"


def exported(library: Path) -> set[str]:
    """Functions that a library exports, with their versions."""
    lines = subprocess.run(
        ["nm", "--dynamic", "--defined-only", "--with-symbol-versions", library],
        capture_output=True,
        text=True,
        check=True,
    ).stdout.splitlines()
    return {line.split()[-1] for line in lines if " A " not in line}


def library_of(version: int) -> Path:
    """The emulator as the runtime of one version of CUDA."""
    return TREE / "lib" / f"libweft_emulator_cuda{version}.so"


def test_everything_that_the_toolkit_exports() -> None:
    real = sorted((TOOLKIT / "lib64").glob("libcudart.so.*"))
    if not real:
        pytest.skip("the pinned toolkit has no runtime here")
    version = int(real[0].name.split(".")[2])
    missing = exported(real[0]) - exported(library_of(version))
    assert not missing


@pytest.mark.parametrize("version", [12, 13])
def test_every_function_that_the_header_declares(version: int) -> None:
    header = (TOOLKIT / "include" / "cuda_runtime_api.h").read_text()
    declared = set(re.findall(r"CUDARTAPI\s+(cuda\w+)\s*\(", header))
    assert len(declared) > 300
    names = {name.split("@")[0] for name in exported(library_of(version))}
    assert declared <= names


def test_functions_of_cuda_12_alone() -> None:
    names = exported(library_of(12))
    for name in ("cudaGetDeviceProperties_v2", "cudaGraphAddNode_v2", "cudaThreadSynchronize"):
        assert f"{name}@@libcudart.so.12" in names
