"""The Makefile's front door: what it lists, and what it says to words it does not know."""

import os
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


def make(*words: str) -> subprocess.CompletedProcess[str]:
    """`make` with these words in the project's root, as if typed there by a reader."""
    ours = {"MAKEFLAGS", "MFLAGS", "MAKELEVEL", "TREE", "NVCC", "DEVICE"}
    return subprocess.run(
        ["make", *words],
        cwd=ROOT,
        env={name: value for name, value in os.environ.items() if name not in ours},
        capture_output=True,
        text=True,
        check=False,
    )


def chapters() -> list[str]:
    """The numbers of the chapters that exist."""
    return [folder.name.split("-")[0] for folder in sorted((ROOT / "chapters").glob("*-*/"))]


def test_make_alone_lists_every_target_of_the_readme() -> None:
    listed = make().stdout
    for target in [
        "book",
        "test",
        "reproduce",
        "bundle",
        "open",
        "clean",
        *(f"chapter{n}" for n in chapters()),
    ]:
        assert f"make {target} " in listed
    assert listed == make("help").stdout


def test_there_is_a_target_for_each_chapter_and_no_other() -> None:
    assert chapters()
    for number in range(1, 10):
        known = make("--dry-run", f"chapter{number}").returncode == 0
        assert known == (str(number) in chapters())


@pytest.mark.parametrize("nvcc", ["/nowhere/nvcc", "/bin/false"])
def test_a_compiler_that_is_none_is_named(nvcc: str) -> None:
    answer = make("book", f"NVCC={nvcc}")
    assert answer.returncode != 0
    assert nvcc in answer.stderr
    assert answer.stderr.count("\n") == 1


def test_a_compiler_that_is_too_old_is_named_with_the_oldest_that_will_do(tmp_path: Path) -> None:
    compiler = tmp_path / "an old nvcc"
    compiler.write_text("#!/bin/sh\necho 'Cuda compilation tools, release 11.8, V11.8.89'\n")
    compiler.chmod(0o755)
    answer = make("book", f"NVCC={compiler}")
    assert answer.returncode != 0
    assert "11.8" in answer.stderr
    assert "12.4 or later" in answer.stderr


def test_an_unknown_device_is_refused() -> None:
    answer = subprocess.run(
        [ROOT / "setup/chapter.sh", chapters()[0]],
        env=os.environ | {"DEVICE": "abacus"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert answer.returncode != 0
    assert "DEVICE=abacus" in answer.stderr
