"""The book as built: nothing of a published chapter is still to be measured, few explanations are open."""

import os
import re
from pathlib import Path

import pytest

from book.library import Library

ROOT = Path(__file__).resolve().parents[2]
TREE = ROOT / os.environ.get("TREE", "build")
LIBRARY = Library.of(ROOT, TREE)
MOST_CONJECTURES = 10


def built(page: str) -> str:
    path = TREE / "html" / page
    if not path.is_file():
        pytest.skip(f"{path} is not built")
    return path.read_text()


@pytest.mark.parametrize("chapter", LIBRARY.chapters())
def test_no_page_of_a_published_chapter_says_that_something_is_not_measured(chapter: int) -> None:
    if LIBRARY.published(chapter) is None:
        pytest.skip("no published results")
    page = built(f"chapters/{LIBRARY.folder(chapter).name}/index.html")
    assert re.findall(r'[^>]{0,60}<[^>]*class="[^"]*\bnot-yet\b[^"]*"', page) == []


def test_few_explanations_are_conjectures() -> None:
    listed = re.findall(r'href="[^"]*#conjecture-[^"]*"', built("docs/conjectures.html"))
    assert len(set(listed)) <= MOST_CONJECTURES
