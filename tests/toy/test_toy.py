"""A chapter is nothing but its folder: a toy is laid into a copy of the repository, and all else works.

The copy is an overlay. It lies where the repository lies, so that it shares the environment and what is
built; what is written there goes into a folder of the test's own.
"""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from book.documents import read_document

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
TOY = HERE / "9-toy"
TREE = os.environ.get("TREE", "build")
OURS = {"MAKEFLAGS", "MFLAGS", "MAKELEVEL", "DEVICE"}


class Copy:
    """The repository with a chapter more, in a folder that holds what differs."""

    def __init__(self, folder: Path) -> None:
        self.changed, self.work = folder / "changed", folder / "work"
        self.changed.mkdir()
        self.work.mkdir()
        mounted = self.run("true")
        if mounted.returncode:
            pytest.skip(f"this machine lays no folder over another: {mounted.stderr.strip()}")
        shutil.copytree(TOY, self.changed / "chapters/9-toy")

    def run(self, *command: str | Path) -> subprocess.CompletedProcess[str]:
        """Runs a command in the copy's root."""
        layers = f"lowerdir={ROOT},upperdir={self.changed},workdir={self.work},userxattr"
        mount = 'mount -t overlay overlay -o "$1" "$2" && cd "$2" && shift 2 && exec "$@"'
        return subprocess.run(
            ["unshare", "--mount", "--map-root-user", "bash", "-c", mount, "bash", layers, ROOT, *command],
            env={name: value for name, value in os.environ.items() if name not in OURS},
            capture_output=True,
            text=True,
            check=False,
        )

    def passes(self, *command: str | Path) -> str:
        """The same for a command that must succeed; what it printed."""
        result = self.run(*command)
        assert result.returncode == 0, result.stdout + result.stderr
        return result.stdout

    def read(self, path: str) -> str:
        return (self.changed / path).read_text()


def test_a_toy_is_small() -> None:
    assert sum(len(path.read_text().splitlines()) for path in TOY.iterdir()) <= 120


def test_a_chapter_is_nothing_but_its_folder(tmp_path: Path) -> None:
    copy = Copy(tmp_path)

    printed = copy.passes("make", "chapter9", "DEVICE=emulator")
    assert "Chapter 9, toy" in printed
    assert "together" in printed
    copy.passes(".venv/bin/python", "-m", "pytest", "-q", "tests/emulator/test_chapters.py", "-k", "9-toy")

    programs = copy.changed / "measured/chapters/9-toy"
    programs.mkdir(parents=True)
    for step in TOY.glob("*.cu"):
        shutil.copy(HERE / "measured.py", programs / step.stem)
    (copy.changed / "measured/describe").symlink_to(ROOT / TREE / "describe")
    copy.passes(
        f"{TREE}/reproduce", "--chapter", "9", "--programs", "measured/chapters", "--output", "build/results"
    )
    results = next((copy.changed / "build/results").glob("*/chapter9.json"))
    assert len(read_document(results, "results")["measurements"]) == 5

    copy.passes("make", "book")
    page = copy.read(f"{TREE}/html/chapters/9-toy/index.html")
    for drawn in ("together", "sweep-alone-stride"):
        assert f"figure-9-toy-{drawn}" in page
    for told in ("ns each", "walk 4320", "yours"):
        assert told in page
