"""Which GPU is usable, asked of a driver that stands in for NVIDIA's."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]

DRIVER = """
extern "C" int cuInit(unsigned) { return STATUS; }
extern "C" int cuDriverGetVersion(int* version) { *version = VERSION; return 0; }
extern "C" int cuDeviceGet(int* device, int) { *device = 0; return 0; }
extern "C" int cuDeviceGetAttribute(int* value, int attribute, int) {
  *value = attribute == 75 ? CARD / 10 : attribute == 76 ? CARD % 10 : -1;
  return 0;
}
"""
COMPILER = "#!/bin/sh\necho 'Cuda compilation tools, release {0}, V{0}.131'\n"


def ask(
    folder: Path, cuda: str, driver: int = 13000, card: int = 90, status: int = 0
) -> subprocess.CompletedProcess[str]:
    """What setup/gpu.py says where that driver drives that card, to programs of that CUDA compiler."""
    defined = [f"-DVERSION={driver}", f"-DCARD={card}", f"-DSTATUS={status}"]
    build = ["g++", "-shared", "-fPIC", *defined, "-x", "c++", "-", "-o", str(folder / "libcuda.so.1")]
    subprocess.run(build, input=DRIVER, text=True, check=True)
    compiler = folder / "nvcc"
    compiler.write_text(COMPILER.format(cuda))
    compiler.chmod(0o755)
    return subprocess.run(
        [sys.executable, str(ROOT / "setup/gpu.py"), str(compiler)],
        env=os.environ | {"LD_LIBRARY_PATH": str(folder)},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.parametrize("card", [75, 86, 90, 120])
def test_a_card_that_cuda_13_knows_is_named(tmp_path: Path, card: int) -> None:
    answer = ask(tmp_path, "13.0", card=card)
    assert (answer.returncode, answer.stdout) == (0, f"{card}\n")


@pytest.mark.parametrize(
    ("driver", "card", "said"),
    [(12040, 90, "the driver knows CUDA 12.4"), (13000, 70, "this card is sm_70")],
)
def test_what_cuda_13_no_longer_knows_gets_one_line_that_names_nvcc(
    tmp_path: Path, driver: int, card: int, said: str
) -> None:
    answer = ask(tmp_path, "13.0", driver=driver, card=card)
    assert answer.returncode == 3
    assert answer.stdout == ""
    assert answer.stderr.count("\n") == 1
    assert said in answer.stderr
    assert "NVCC=" in answer.stderr


def test_an_older_compiler_serves_an_older_card_and_driver(tmp_path: Path) -> None:
    answer = ask(tmp_path, "12.4", driver=12040, card=70)
    assert (answer.returncode, answer.stdout) == (0, "70\n")


def test_a_driver_without_a_gpu_is_no_gpu(tmp_path: Path) -> None:
    answer = ask(tmp_path, "13.0", status=100)
    assert answer.returncode == 1
    assert "100" in answer.stderr
