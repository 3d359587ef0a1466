"""Drawings of accesses: what they show is what the model says."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest

from book.documents import BookError
from book.library import Library
from figures.lanes import Access, ask, lanes_and_sectors
from figures.style import style
from figures.svg import render

ACCESSES = [
    Access.strided("aligned"),
    Access.strided("shifted by one float", offset=1),
    Access.strided("every 33rd float", stride=33),
    Access.strided("float4", width=16),
    Access.of("two lanes", lambda lane: 50000 * lane if lane in (3, 7) else None),
    Access.of("scattered", lambda lane: 7 * lane % 32 if lane % 3 == 0 else 1000),
    Access.of("nobody", lambda lane: None),
]


def texts(library: Library, accesses: list[Access], **how: int) -> list[str]:
    """What is written in a drawing."""
    with style():
        svg = render(lanes_and_sectors(library, "Accesses", accesses, **how), "figure-test")
    root = ElementTree.fromstring(svg)
    return [element.text or "" for element in root.iter("{http://www.w3.org/2000/svg}text")]


def test_captions_count_what_the_model_counts(book: Library) -> None:
    captions = [touched.words for touched in ask(book, ACCESSES)]
    assert captions[:5] == [
        "1 request, 1 line, 4 sectors: 128 of 128 bytes wanted",
        "1 request, 2 lines, 5 sectors: 128 of 160 bytes wanted",
        "1 request, 32 lines, 32 sectors: 128 of 1024 bytes wanted",
        "1 request, 4 lines, 16 sectors: 512 of 512 bytes wanted",
        "1 request, 2 lines, 2 sectors: 8 of 64 bytes wanted",
    ]
    assert captions[-1] == "0 requests, 0 lines, 0 sectors: 0 of 0 bytes wanted"
    written = texts(book, ACCESSES)
    assert [text for text in written if "request" in text] == captions


def test_a_row_says_where_it_lies_and_whose_it_is(book: Library) -> None:
    assert texts(book, [Access.strided("shifted", offset=1)])[2:8] == [
        "byte",
        "lanes",
        "0",
        "0–30",
        "128",
        "31",
    ]
    assert texts(book, [ACCESSES[4]])[4:8] == ["599936", "3", "1399936", "7"]
    assert texts(book, [ACCESSES[5]])[4:8] == ["0", "11 lanes", "3968", "21 lanes"]
    pair = Access.of("a pair", lambda lane: lane if lane in (3, 7) else None)
    assert texts(book, [pair])[4:6] == ["0", "3, 7"]


def test_too_many_lines_are_counted_instead(book: Library) -> None:
    column = Access.strided("a column", stride=1024)
    assert "… and 25 more lines, 25 sectors" in texts(book, [column])
    assert "… and 30 more lines, 30 sectors" in texts(book, [column], most_lines=3)
    assert not any("more" in text for text in texts(book, [column], most_lines=32))


def test_nothing_is_written_outside_the_figure(book: Library) -> None:
    with style():
        figure = lanes_and_sectors(book, "Accesses", ACCESSES).figure
        figure.canvas.draw()
        box = figure.get_tightbbox()
        width, height = figure.get_size_inches()
    assert box.x0 > -0.01
    assert box.y0 > -0.01
    assert box.x1 < width + 0.01
    assert box.y1 < height + 0.01


def test_what_the_model_refuses_is_refused(book: Library) -> None:
    with pytest.raises(BookError, match="a lane accesses 1, 2, 4, 8 or 16 bytes"):
        ask(book, [Access.strided("", width=12)])
    with pytest.raises(BookError, match="a warp has 32 lanes"):
        ask(book, [Access("", 4, (1, 2))])


def test_without_the_program_it_says_what_to_do(book: Library) -> None:
    (book.build / "model").unlink()
    with pytest.raises(BookError, match="run `make steps`"):
        ask(book, [])
