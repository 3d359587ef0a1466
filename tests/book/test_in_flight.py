"""The model of bytes in flight is held against every bandwidth that was measured of them."""

import os

import pytest

from book.documents import BookError
from book.in_flight import CHAPTER, InFlight, bandwidths, loaded
from book.keys import Key
from book.library import Library
from book.quantities import Quantity, measured
from book.results import Results
from tests.book.invented import REPOSITORY

TREE = REPOSITORY / os.environ.get("TREE", "build")


@pytest.fixture(scope="module")
def library() -> Library:
    return Library.of(REPOSITORY, TREE)


def test_the_readers_of_chapter_1_are_met_within_a_twentieth(library: Library) -> None:
    """Warps that wait for four lines each, while one thread measures the latency."""
    for results in library.all_published(CHAPTER):
        every = int(results.gpu["multiprocessors"])
        points = [point for point in loaded(library, results) if point[0]]
        asked = [InFlight(in_flight * 1024 * (every - 1) // every, 4, 2000) for in_flight, *_ in points]
        said = bandwidths(library, asked, results)
        ratios = [model / bandwidth for model, (_, bandwidth, _) in zip(said, points, strict=True)]
        assert len(ratios) == 11
        assert all(abs(ratio - 1) < 0.05 for ratio in ratios), ratios


def ratios_of_grid(library: Library, results: Results) -> list[float]:
    """Predicted over measured bandwidth, for each variant of the grid."""
    ratios = []
    for variant in library.descriptions(4).of("bytes-in-flight"):
        key = Key(variant.step, variant.measured[0], variant.parameters)
        bandwidth = measured(Quantity(key, "bandwidth"), results).number
        said = bandwidths(library, [InFlight.of_variant(key)], results)
        ratios.append(said[0] / bandwidth)
    assert len(ratios) == 89
    return ratios


def test_nine_tenths_of_the_grid_are_met_within_a_tenth_on_every_card(library: Library) -> None:
    """And all of it within 15 %."""
    runs = library.all_published(4)
    assert len(runs) == 3
    for results in runs:
        ratios = ratios_of_grid(library, results)
        assert sum(abs(ratio - 1) < 0.1 for ratio in ratios) >= 0.9 * len(ratios), ratios
        assert all(abs(ratio - 1) < 0.15 for ratio in ratios), ratios


def test_a_launch_of_few_turns_has_less_bandwidth(library: Library) -> None:
    few, many, steady = bandwidths(library, [InFlight(4096, 4, turns) for turns in (50, 5000, 0)])
    assert few < 0.9 * many < 0.9 * steady < 0.91 * many


def test_a_turn_that_nobody_has_measured_is_refused(library: Library) -> None:
    with pytest.raises(BookError, match="lines=3"):
        bandwidths(library, [InFlight(4096, 3)])


def test_a_question_is_what_it_was_parsed_from() -> None:
    for text in ("bytes=128 lines=1", "bytes=4096 lines=4 turns=500"):
        assert str(InFlight.parse(text)) == f"in-flight {text}"


def test_more_lines_to_wait_for_are_less_bandwidth(library: Library) -> None:
    few, many = bandwidths(library, [InFlight(4096, 1), InFlight(4096, 64)])
    assert 1.3 * many < few


@pytest.mark.parametrize(
    "text", ["", "bytes=1", "bytes=1 turns=1", "bytes=1 lines=x", "bytes=1 lines=1 more=1"]
)
def test_what_is_no_question_is_refused(text: str) -> None:
    with pytest.raises(BookError, match="is not bytes=NUMBER lines=NUMBER"):
        InFlight.parse(text)
