"""The book's own figures, and the invented book."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from book.library import Library
from tests.book.invented import REPOSITORY, make_book

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
def real_book() -> Library:
    """The book itself."""
    return Library.of(REPOSITORY, TREE)


@pytest.fixture(scope="session")
def drawn() -> list[Path]:
    """The files of all its figures, as `make book` has drawn them; not to be changed."""
    files = sorted((TREE / "figures").rglob("*.svg"))
    assert files, "no figure is drawn: run `make book`"
    return files
