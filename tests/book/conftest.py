"""An invented book for the tests."""

from __future__ import annotations

from pathlib import Path

import pytest

from book.library import Library
from tests.book.invented import make_book


@pytest.fixture
def book(tmp_path: Path) -> Library:
    return make_book(tmp_path / "a book")
