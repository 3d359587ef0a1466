"""What chapter 5 says of its traces of blocks, held against the traces of every published card."""

from __future__ import annotations

import os

import pytest

from book.keys import Key, Parameters
from book.library import Library
from book.results import Results
from tests.book.invented import REPOSITORY

TREE = REPOSITORY / os.environ.get("TREE", "build")
PUBLISHED = Library.of(REPOSITORY, TREE).all_published(5)
MULTIPROCESSORS, PLACES = 132, 264


def multiprocessors(results: Results, eighths: int, way: int) -> list[int]:
    """Where each piece was done."""
    parameters = Parameters.parse((f"way={way}", "threads=512", "uneven=0", "noted=1"))
    measured = results.measurements.find(Key("waves", (eighths, 60), parameters))
    rows = measured.series["segments"].rows
    by_piece = {row[3]: row[0] for row in rows}
    return [by_piece[piece] for piece in sorted(by_piece)]


@pytest.mark.parametrize("results", PUBLISHED)
@pytest.mark.parametrize("eighths", [9, 10])
def test_no_two_of_the_last_pieces_meet(results: Results, eighths: int) -> None:
    last = multiprocessors(results, eighths, way=0)[PLACES:]
    assert len(last) == len(set(last)) == eighths * PLACES // 8 - PLACES


@pytest.mark.parametrize("results", PUBLISHED)
@pytest.mark.parametrize("way", [0, 1])
def test_the_first_blocks_do_not_fill_the_card_evenly(results: Results, way: int) -> None:
    first = multiprocessors(results, 10, way)
    assert len(set(first[:66])) == 66
    assert len(set(first[:MULTIPROCESSORS])) < MULTIPROCESSORS
    assert len(set(first[:PLACES])) == MULTIPROCESSORS
