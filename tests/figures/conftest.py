"""The invented book with the real chapters' figures."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path

import pytest

from book.library import Library
from figures.build import build
from tests.book.invented import REPOSITORY, make_book, write

TREE = REPOSITORY / os.environ.get("TREE", "build")


def _described_book(root: Path) -> Library:
    """The invented book; its steps are described as they are, since figures draw what they predict."""
    library = make_book(root)
    shutil.rmtree(library.build / "describe")
    shutil.copytree(TREE / "describe", library.build / "describe")
    return library


@pytest.fixture
def book(tmp_path: Path) -> Library:
    return _described_book(tmp_path / "a book")


@pytest.fixture(scope="session")
def whole_book(tmp_path_factory: pytest.TempPathFactory) -> Library:
    """The invented book with the real chapters' figures; not to be changed."""
    library = _described_book(tmp_path_factory.mktemp("whole") / "a book")
    for folder in (REPOSITORY / "chapters").iterdir():
        if any(folder.glob("figures*.py")):
            there = library.root / "chapters" / folder.name
            there.mkdir(exist_ok=True)
            for drawings in folder.glob("figures*.py"):
                (there / drawings.name).symlink_to(drawings)
            if not (there / "index.md").exists():
                (there / "index.md").symlink_to(folder / "index.md")
    for chapter in (1, 2, 7):  # whose figures show what was published
        data = REPOSITORY / f"figures/data/nvidia-h200/chapter{chapter}.json"
        write(library.root / f"figures/data/nvidia-invented/{data.name}", json.loads(data.read_text()))
    for made in ("counters", "machine"):
        (library.build / made).mkdir(exist_ok=True)
        (library.build / made / "7-sgemm").symlink_to(TREE / made / "7-sgemm")
    return library


@pytest.fixture(scope="session")
def drawn(whole_book: Library, tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """The files of all figures of the whole book."""
    output = tmp_path_factory.mktemp("drawn")
    build(whole_book, output, whole_book.chapters())
    return sorted(output.rglob("*.svg"))
