"""The role that asks the textbook's model: the numbers of source 003, and questions that nobody answers."""

from __future__ import annotations

import re
from collections.abc import Iterable

from tests.docs.conftest import Book

NUMBERS = {
    "bandwidth": "16.0 GB/s",
    "bandwidth transfers=1": "8.00 GB/s",
    "channels": "16",
    "channels bandwidth=32000000000": "2",
    "share": "4.8 %",
    "share banks=2": "9.5 %",
    "share banks=21": "100.0 %",
    "busy-bandwidth": "0.762 GB/s",
    "banks": "21",
    "banks latency=5 transfer=2": "4",
    "bytes-in-all-banks": "64",
    "different-banks": "13.46",
    "channel element=13": "2",
    "bank element=13": "1",
    "met-channels stride=4": "2",
    "met-channels stride=4096 burst-bytes=256 channels=8 banks=1": "1",
    "touched-channels": "2",
    "touched-channels width=8 phase=3": "1",
    "touched-banks matrix=n width=8": "8",
}

UNANSWERED = {
    "shares": "nobody can answer shares",
    "share banks": "banks is not of the form name=value",
    "share transfer=0": "transfer is zero",
    "share banks=many": "type must be number",
    "touched-banks phase=2": "the product has no such phase",
    "touched-banks width=5": "the width is a multiple of the tile",
    "touched-banks matrix=p": "the matrix is m or n",
    "timeline": "the answer to timeline is not a number",
}


def lines_that_ask(questions: Iterable[str]) -> str:
    """A paragraph for each question."""
    return "\n\n".join(f"It is {{textbook}}`{asked}`." for asked in questions)


def test_numbers_of_the_textbook_are_computed(book: Book) -> None:
    book.page(lines_that_ask(NUMBERS))
    built = book.build()
    assert built.warnings == ""
    shown = built.html().replace("\N{NO-BREAK SPACE}", " ")
    for asked, number in NUMBERS.items():
        assert re.search(rf'computed by code/model: {re.escape(asked)}"[^>]*>{re.escape(number)}<', shown), (
            asked
        )


def test_what_nobody_can_answer_fails_the_build(book: Book) -> None:
    book.page(lines_that_ask(UNANSWERED))
    warnings = book.build().warnings.splitlines()
    for warning, problem in zip(warnings, UNANSWERED.values(), strict=True):
        assert problem in warning


def test_without_the_program_the_build_says_what_to_do(book: Book) -> None:
    book.root.joinpath("build/model").unlink()
    book.page("It is {textbook}`share`.")
    assert "model does not start: run `make steps`" in book.build().warnings
