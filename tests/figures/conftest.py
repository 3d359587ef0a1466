"""The invented book with the real chapters' figures."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from book.library import Library
from figures.build import build
from tests.book.invented import REPOSITORY, make_book, write


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
            if not (there / "index.md").exists():
                (there / "index.md").symlink_to(folder / "index.md")
    for chapter in (2, 7):  # whose ladders show what was published
        data = REPOSITORY / f"figures/data/nvidia-h200/chapter{chapter}.json"
        write(library.root / f"figures/data/nvidia-invented/{data.name}", json.loads(data.read_text()))
    tree = REPOSITORY / os.environ.get("TREE", "build")
    for folder in ("2-coalescing", "7-sgemm"):  # whose figures draw what the steps predict
        (library.build / "describe" / folder).symlink_to(tree / "describe" / folder)
    return library


@pytest.fixture(scope="session")
def drawn(whole_book: Library, tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """The files of all figures of the whole book."""
    output = tmp_path_factory.mktemp("drawn")
    build(whole_book, output, whole_book.chapters())
    return sorted(output.rglob("*.svg"))
