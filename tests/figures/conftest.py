"""An invented book for the tests of figures."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from figures.build import build
from figures.library import Library
from tests.figures.invented import (
    REPOSITORY,
    STEPS,
    invented_description,
    invented_emulation,
    invented_results,
    write,
)


def make_book(root: Path) -> Library:
    """A repository with one chapter, published results of an invented GPU, and own ones of another."""
    (root / "chapters" / "6-transpose").mkdir(parents=True)
    write(root / "figures/data/nvidia-invented/chapter6.json", invented_results())
    write(root / "build/results/nvidia-other/chapter6.json", invented_results(gpu="NVIDIA Other", factor=0.5))
    for number, (step, kind, _) in enumerate(STEPS):
        program = f"{number:02}_{step}"
        write(root / f"build/describe/6-transpose/{program}.json", invented_description(step, kind))
        write(root / f"build/counters/6-transpose/{program}.json", invented_emulation(step, program))
    write(
        root / "figures/data/sources.json", json.loads((REPOSITORY / "figures/data/sources.json").read_text())
    )
    (root / "build/lanes").symlink_to(REPOSITORY / os.environ.get("TREE", "build") / "lanes")
    return Library.of(root)


@pytest.fixture
def book(tmp_path: Path) -> Library:
    return make_book(tmp_path / "a book")


@pytest.fixture(scope="session")
def whole_book(tmp_path_factory: pytest.TempPathFactory) -> Library:
    """The invented book with the real chapters' figures; not to be changed."""
    library = make_book(tmp_path_factory.mktemp("whole") / "a book")
    for folder in (REPOSITORY / "chapters").iterdir():
        if (folder / "figures.py").is_file():
            there = library.root / "chapters" / folder.name
            there.mkdir(exist_ok=True)
            (there / "figures.py").symlink_to(folder / "figures.py")
    for chapter in (2, 7):  # whose ladders show what was published
        data = REPOSITORY / f"figures/data/nvidia-h200/chapter{chapter}.json"
        write(library.root / f"figures/data/nvidia-invented/{data.name}", json.loads(data.read_text()))
    return library


@pytest.fixture(scope="session")
def drawn(whole_book: Library, tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """The files of all figures of the whole book."""
    output = tmp_path_factory.mktemp("drawn")
    build(whole_book, output, whole_book.chapters())
    return sorted(output.rglob("*.svg"))
