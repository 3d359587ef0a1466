"""Chapter 3's answers that stop: what the page says of all GPUs, in published results."""

from __future__ import annotations

import pytest

from book import memories
from book.keys import Key
from book.library import Library
from book.results import Measurement

STEP, SHAPE = "stopped-answers", (8192, 768)


@pytest.fixture(scope="module")
def found(real_book: Library) -> dict[str, dict[int, Measurement]]:
    return {
        results.path.parent.name: {
            hits: results.measurements.find(
                Key.of({"step": STEP, "shape": SHAPE, "parameters": {"hits": [hits]}})
            )
            for hits in (0, 100, 50)
        }
        for results in real_book.all_published(3)
    }


def value(entry: Measurement, name: str) -> float:
    return entry.quantities[name].median


def test_on_all_gpus_new_lines_stop_in_each_long_period_and_those_in_the_l2_never(
    found: dict[str, dict[int, Measurement]],
) -> None:
    assert len(found) == 3
    for card, of_hits in found.items():
        assert 7 <= value(of_hits[0], "silences") <= 8, card
        assert value(of_hits[0], "least") == 0, card
        assert value(of_hits[0], "distance") == pytest.approx(100.147e-6, abs=64e-9), card
        assert value(of_hits[100], "silences") == 0, card
        assert value(of_hits[100], "least") > 0.6, card


def test_lines_in_the_l2_stop_beside_new_lines_for_longer_on_an_h200(
    found: dict[str, dict[int, Measurement]],
) -> None:
    for card, of_hits in found.items():
        assert 6 <= value(of_hits[50], "silences") <= 8, card
        assert value(of_hits[50], "least") == 0, card
    silent = {card: value(of_hits[50], "silent") for card, of_hits in found.items()}
    assert min(silent["nvidia-h200"], silent["nvidia-h200-second"]) > 2 * silent["nvidia-h100"]


def test_a_silence_of_new_lines_is_longer_than_the_models_refresh_of_all_banks(
    found: dict[str, dict[int, Measurement]], real_book: Library
) -> None:
    for card, of_hits in found.items():
        memory = "h100" if "h100" in card else "h200"
        refresh = memories.number(real_book, f"{memory} tRFCab").number
        assert refresh < value(of_hits[0], "silent") < 2 * refresh, card


def test_the_gpus_that_ran_it_ran_no_other_program_of_the_chapter(real_book: Library) -> None:
    cards: dict[bool, set[str]] = {True: set(), False: set()}
    for results in real_book.all_published(3):
        for entry in results.measurements:
            cards[entry.step == STEP].add(entry.card)
    assert len(cards[True]) == 3
    assert not cards[True] & cards[False]
