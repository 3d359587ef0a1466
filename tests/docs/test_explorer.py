"""The explorer in a page: its module, where it starts, what stands in for it."""

from __future__ import annotations

import base64

import pytest

from tests.docs.conftest import Book

MODULE = b"\0asm\1\0\0\0"


@pytest.fixture
def module(book: Book) -> None:
    (book.root / "build/explorer.wasm").write_bytes(MODULE)


@pytest.mark.usefixtures("module")
def test_an_explorer_has_its_module_its_pattern_and_what_stands_in_for_it(book: Book) -> None:
    book.page("```{explorer}\n:width: 8\n:stride: 3\nThe *pictures*.\n```")
    built = book.build()
    assert built.warnings == ""
    html = built.html()
    assert f'data-module="{base64.b64encode(MODULE).decode()}"' in html
    assert 'data-memory="global" data-width="8" data-offset="0" data-stride="3" data-lanes="32"' in html
    still = html[html.index('<div class="explorer-still">') :]
    assert "The <em>pictures</em>." in still[: still.index("</div>")]


@pytest.mark.usefixtures("module")
def test_only_pages_with_an_explorer_load_its_script(book: Book) -> None:
    book.page("```{explorer}\nPictures.\n```")
    built = book.build()
    for name in ("explorer.js", "explorer.css"):
        assert name in built.html()
        assert name not in built.html("index")


@pytest.mark.usefixtures("module")
def test_a_page_is_made_anew_when_the_model_changes(book: Book) -> None:
    book.page("```{explorer}\nPictures.\n```")
    book.build()
    (book.root / "build/explorer.wasm").write_bytes(MODULE + b"\0")
    assert base64.b64encode(MODULE + b"\0").decode() in book.build().html()


@pytest.mark.usefixtures("module")
@pytest.mark.parametrize(
    ("option", "problem"),
    [
        ("width: 3", "not 1, 2, 4, 8, 16"),
        ("offset: 33", "not 0 to 32"),
        ("stride: many", "not 0 to 33"),
        ("memory: texture", "choose from"),
        ("colour: 1", "colour"),
    ],
)
def test_a_wrong_option_fails_the_build(book: Book, option: str, problem: str) -> None:
    book.page(f"```{{explorer}}\n:{option}\nPictures.\n```")
    assert problem in book.build().warnings


@pytest.mark.usefixtures("module")
def test_an_explorer_needs_something_to_stand_in_for_it(book: Book) -> None:
    book.page("```{explorer}\n```")
    assert "Content block expected" in book.build().warnings


def test_without_the_module_the_build_says_what_to_do(book: Book) -> None:
    book.page("```{explorer}\nPictures.\n```")
    assert "explorer.wasm: run `make steps`" in book.build().warnings
