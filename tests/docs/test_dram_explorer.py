"""The explorer of the textbook's DRAM in a page: its module, where it starts, what stands in for it."""

from __future__ import annotations

import base64

import pytest

from tests.docs.conftest import Book

MODULE = b"\0asm\1\0\0\0"


@pytest.fixture(autouse=True)
def _module(book: Book) -> None:
    (book.root / "build/explorer.wasm").write_bytes(MODULE)


def test_it_has_its_module_its_start_and_what_stands_in_for_it(book: Book) -> None:
    book.page("```{dram-explorer}\n:banks: 21\n:stride: 8\nThe *pictures*.\n```")
    built = book.build()
    assert built.warnings == ""
    html = built.html()
    assert f'data-module="{base64.b64encode(MODULE).decode()}"' in html
    assert 'data-latency="20" data-banks="21" data-channels="4" data-burst="2" data-stride="8"' in html
    still = html[html.index('<div class="explorer-still">') :]
    assert "The <em>pictures</em>." in still[: still.index("</div>")]
    for name in ("dram.js", "explorer.css"):
        assert name in html
        assert name not in built.html("index")


@pytest.mark.parametrize(
    ("option", "problem"),
    [
        ("banks: 33", "not 1 to 32"),
        ("channels: 0", "not 1 to 8"),
        ("burst: 3", "not 2, 4, 8, 16"),
        ("rows: 1", "rows"),
    ],
)
def test_a_wrong_option_fails_the_build(book: Book, option: str, problem: str) -> None:
    book.page(f"```{{dram-explorer}}\n:{option}\nPictures.\n```")
    assert problem in book.build().warnings


def test_without_the_module_the_pictures_stand_alone(book: Book) -> None:
    (book.root / "build/explorer.wasm").unlink()
    book.page("```{dram-explorer}\nThe *pictures*.\n```")
    built = book.build()
    assert "explorer.wasm: run `make steps`" in built.warnings
    assert "The <em>pictures</em>." in built.html()
