"""For which cards a source is compiled: those that the build is for and that have its instructions."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
BUNDLE = "75-real;80-real;86-real;89-real;90"


def architectures(source: Path, asked: str) -> str:
    script = source.with_suffix(".cmake")
    script.write_text(
        f'set(CMAKE_CUDA_ARCHITECTURES "{asked}")\n'
        f'include("{ROOT}/code/program/architectures.cmake")\n'
        f'weft_architectures("{source}" found)\nmessage("${{found}}")\n'
    )
    command = [Path(sys.executable).with_name("cmake"), "-P", script]
    return subprocess.run(command, capture_output=True, text=True, check=True).stderr.strip()


@pytest.mark.parametrize(
    ("include", "asked", "found"),
    [
        ('#include "problem.hpp"', BUNDLE, BUNDLE),
        ('#include "past_l2.hpp"  // sm_80', BUNDLE, "80-real;86-real;89-real;90"),
        ('#include "kernel/early_launch.hpp"  // sm_90', BUNDLE, "90"),
        ('#include "kernel/early_launch.hpp"  // sm_90', "75-real", "90"),
        ('#include "kernel/tma.hpp"  // sm_90a', BUNDLE, "90a"),
        ('#include "kernel/tma.hpp"  // sm_90a', "90", "90a"),
        ('#include "problem.hpp"', "90;86-real", "90;86-real"),
    ],
)
def test_a_source_says_which_cards_have_its_instructions(
    tmp_path: Path, include: str, asked: str, found: str
) -> None:
    source = tmp_path / "01_step.cu"
    source.write_text(f"// A step.\n{include}\n")
    assert architectures(source, asked) == found
