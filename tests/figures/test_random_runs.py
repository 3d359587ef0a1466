"""Chapter 3's sentences about random runs that compare GPUs, in the published results of all of them."""

from __future__ import annotations

import pytest

from book import memories
from book.keys import Key
from book.library import Library
from book.results import Results
from figures.pages import chapter_figures
from tests.book.invented import REPOSITORY

SHORT, LONG = (32, 64), (128, 256, 4096)
LATER = {"far-pairs", "one-bank", "rows-of-bank", "waits-together"}
LAST = {"one-channel", "stopped-answers"}  # see their own tests
READ = 1 << 30
"""Bytes that a launch reads."""


def seconds(results: Results, length: int, read: int = 1024) -> float:
    parameters = {"bytes": [length], "writes": [0]}
    key = Key.of({"step": "random-runs", "shape": (65_536, read), "parameters": parameters})
    return results.measurements.find(key).median


def without_launch(results: Results, length: int) -> float:
    """The time of a launch without the part that does not depend on the runs."""
    launch = (8 * seconds(results, 32, 128) - seconds(results, 32)) / 7
    return seconds(results, length) - launch


@pytest.fixture(scope="module")
def cards(real_book: Library) -> dict[str, Results]:
    return {results.path.parent.name: results for results in real_book.all_published(3)}


def test_the_second_h200_reads_about_a_tenth_more_in_random_order(cards: dict[str, Results]) -> None:
    first, second = (without_launch(cards[card], 32) for card in ("nvidia-h200", "nvidia-h200-second"))
    assert 1.08 < first / second < 1.12


def test_the_second_h200_opens_rows_faster_than_the_fitted_tfaw_allows(
    cards: dict[str, Results], real_book: Library
) -> None:
    most = memories.number(real_book, "h200-adjusted tFAW").number / 4
    channels = memories.number(real_book, "h200 pseudo-channels").number
    for length in SHORT:
        runs = READ / length / channels
        assert without_launch(cards["nvidia-h200-second"], length) / runs < 0.98 * most
        assert without_launch(cards["nvidia-h200"], length) / runs > most


def test_an_h100_differs_less_from_its_model_than_the_second_h200_with_short_runs_and_more_with_long_ones(
    cards: dict[str, Results], real_book: Library
) -> None:
    def differs(card: str, memory: str, length: int) -> float:
        model = memories.number(real_book, f"{memory}-adjusted runs bytes={length} refresh=bank-by-bank")
        return abs(READ / without_launch(cards[card], length) / model.number - 1)

    for lengths, more in ((SHORT, 0), (LONG, 1)):
        for length in lengths:
            two = (
                differs("nvidia-h200-second", "h200", length),
                differs("nvidia-h100", "h100", length),
            )
            assert two[more] > 1.5 * two[1 - more], length


def test_the_figure_divides_what_was_measured_without_the_launch_by_each_model(
    cards: dict[str, Results], real_book: Library
) -> None:
    told = chapter_figures(REPOSITORY / "chapters/3-dram")["adjusted-runs"](real_book).alt
    labels = {"nvidia-h200": "H200", "nvidia-h200-second": "another H200", "nvidia-h100": "H100"}
    for card, label in labels.items():
        memory = label.rpartition(" ")[2].lower()
        for model, name in {"": "first model", "-adjusted": "adjusted model"}.items():
            rate = memories.number(real_book, f"{memory}{model} runs bytes=32 refresh=bank-by-bank").number
            ratio = READ / without_launch(cards[card], 32) / rate
            assert f" {label} ÷ the {name}: {ratio:.2f}, " in told


def test_a_shorter_queue_explains_short_runs_as_a_fit_does_and_the_second_h200_needs_neither(
    cards: dict[str, Results], real_book: Library
) -> None:
    def of_model(card: str, model: str, length: int) -> float:
        rate = memories.number(real_book, f"{model} bytes={length} refresh=bank-by-bank")
        return READ / without_launch(cards[card], length) / rate.number

    for card in ("h200", "h100"):
        for length in SHORT:
            queue = f"{card}-unfitted runs queue=32"
            assert 0.93 < of_model(f"nvidia-{card}", queue, length) < 1.07, (card, length)
            assert of_model(f"nvidia-{card}", f"{card}-unfitted runs", length) < 0.89, (card, length)
    for length in (2**log for log in range(5, 15)):
        assert 0.93 < of_model("nvidia-h200-second", "h200-unfitted runs", length) < 0.99, length


def cards_of(results: Results, later: bool) -> set[str]:
    """The GPUs on which the four later experiments ran, or all but these and the last two."""
    entries = [entry for entry in results.measurements if entry.step not in LAST]
    return {entry.card for entry in entries if (entry.step in LATER) == later}


def test_each_card_was_one_card_and_h200s_took_their_roofs_from_others(real_book: Library) -> None:
    chapter_1 = {
        results.path.parent.name: {entry.card for entry in results.measurements if entry.kind == "ceiling"}
        for results in real_book.all_published(1)
    }
    chapter_3 = {results.path.parent.name: cards_of(results, False) for results in real_book.all_published(3)}
    assert all(len(found) == 1 for found in chapter_3.values())
    assert len(set.union(*chapter_3.values())) == len(chapter_3) == 3
    assert chapter_1["nvidia-h100"] == chapter_3["nvidia-h100"]
    for card in ("nvidia-h200", "nvidia-h200-second"):
        assert not chapter_1[card] & chapter_3[card]


def test_the_four_later_experiments_ran_on_two_more_h200s_and_one_more_h100(real_book: Library) -> None:
    published = real_book.all_published(3)
    later = {results.path.parent.name: cards_of(results, True) for results in published}
    assert {card: len(found) for card, found in later.items()} == {
        "nvidia-h200": 1,
        "nvidia-h100": 1,
        "nvidia-h200-second": 1,
    }
    assert len(set.union(*later.values())) == 3
    earlier = set.union(*(cards_of(results, False) for results in published))
    assert not set.union(*later.values()) & earlier
