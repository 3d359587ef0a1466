"""Chapter 3's lines of one channel: what the page says of slow loads and of groups, in published results."""

from __future__ import annotations

import numpy as np
import pytest

from book import memories
from book.library import Library
from book.results import Measurement, Results
from figures.reported import entry_of

SHAPE = (1 << 13,)
CYCLES_OF_BIN = 16


@pytest.fixture(scope="module")
def found(real_book: Library) -> dict[str, tuple[Results, Measurement]]:
    measured = {
        results.path.parent.name: (results, entry)
        for results in real_book.all_published(3)
        if (entry := entry_of(results, "one-channel", SHAPE))
    }
    assert {"nvidia-h200", "nvidia-h100"} <= set(measured)
    return measured


def test_slow_loads_take_about_a_thousand_cycles_and_nearly_all_others_less_than_500(
    found: dict[str, tuple[Results, Measurement]],
) -> None:
    for card, (_, entry) in found.items():
        counts = np.array(entry.series["histogram"].rows, dtype=float).ravel()
        assert counts.sum() == 1 << 22, card
        cycles = CYCLES_OF_BIN * np.arange(len(counts))
        slow = cycles >= 750
        assert counts[(cycles >= 496) & (cycles < 992)].sum() < 1e-3 * counts.sum(), card
        assert counts[cycles >= 992].sum() > 0.999 * counts[slow].sum(), card
        assert (1 << 22) / counts[slow].sum() == pytest.approx(
            entry.quantities["candidates-of-slow"].median, rel=1e-3
        ), card


def test_there_is_a_group_for_four_pseudo_channels_and_nearly_every_line_is_in_one(
    found: dict[str, tuple[Results, Measurement]], real_book: Library
) -> None:
    for card, (_, entry) in found.items():
        memory = "h100" if "h100" in card else "h200"
        channels = memories.number(real_book, f"{memory} pseudo-channels").number
        value = {name: quantity.median for name, quantity in entry.quantities.items()}
        assert value["groups"] == channels / 4, card
        assert value["candidates-of-slow"] == pytest.approx(channels / 4, rel=0.02), card
        assert value["unsorted"] + value["in-two-groups"] < 1e-4 * (1 << 16), card


def test_the_intervals_of_three_gpus_hold_32_but_one_that_begins_just_above(
    found: dict[str, tuple[Results, Measurement]],
) -> None:
    intervals = {
        card: [entry.quantities[f"pairs-of-conflict-{end}"].median for end in ("low", "high")]
        for card, (_, entry) in found.items()
    }
    assert {card for card, (low, high) in intervals.items() if low < 32 < high} == {
        "nvidia-h200",
        "nvidia-h100",
    }
    assert 32 < intervals["nvidia-h200-second"][0] < 32.5


def test_the_gpus_that_ran_it_ran_no_other_program_of_the_chapter(
    found: dict[str, tuple[Results, Measurement]], real_book: Library
) -> None:
    others = {
        entry.card
        for results in real_book.all_published(3)
        for entry in results.measurements
        if entry.step != "one-channel"
    }
    assert not {entry.card for _, entry in found.values()} & others
