"""Chapter 5's figure of rings: what it shows is what was measured, and it says which ring takes least."""

from __future__ import annotations

import sys
from types import ModuleType

import pytest
from matplotlib.axes import Axes

from book.keys import Key, Parameters
from book.library import Library
from figures.pages import chapter_figures
from figures.reported import kinds
from figures.style import style
from tests.book.invented import REPOSITORY

SHAPE = (1 << 28,)


@pytest.fixture(scope="module")
def rings() -> ModuleType:
    chapter_figures(REPOSITORY / "chapters/5-coarsening")
    return sys.modules["figures_rings_of_chapter_5"]


def drawn_axes(rings: ModuleType, book: Library) -> list[Axes]:
    with style():
        return rings.rings(book).figure.axes


def test_a_ring_stands_over_its_kib_at_its_time(rings: ModuleType, real_book: Library) -> None:
    for results in kinds(real_book, 5).values():
        found = rings.points(real_book, results)
        assert [kib for kib, _ in found[16]] == [48, 64, 96, 128, 192]
        for kib, time in found[16]:
            chosen = Parameters.parse(["tile=16", f"stages={kib // 16}", "early=1", "ahead=1", "same=0"])
            entry = results.measurements.find(Key("short-ring", SHAPE, chosen))
            assert time == pytest.approx(entry.median * 1e6)
        assert [kib for kib, _ in found[8]] == sorted({kib for kib, _ in found[8]})
        assert {kib % 8 for kib, _ in found[8]} == {0}


def test_a_ring_that_a_card_did_not_time_is_left_out(rings: ModuleType, real_book: Library) -> None:
    for results in kinds(real_book, 5).values():
        timed = {
            entry.parameters.get("stages")
            for entry in results.measurements
            if entry.step == "short-ring"
            and entry.parameters.includes(Parameters.parse(["tile=8", "same=0"]))
        }
        assert len(rings.points(real_book, results)[8]) == len(timed)


def test_each_kind_of_card_has_a_plot_over_the_same_kib(rings: ModuleType, real_book: Library) -> None:
    axes = drawn_axes(rings, real_book)
    assert [one.get_title(loc="left") for one in axes] == [f"µs on an {name}" for name in kinds(real_book, 5)]
    assert len({one.get_xlim() for one in axes}) == 1
    for one in axes:
        heights = [y for line in one.get_lines() for y in line.get_ydata()]
        assert one.get_ylim()[0] < min(heights) < max(heights) < one.get_ylim()[1]


def test_its_words_name_the_ring_that_takes_least(rings: ModuleType, real_book: Library) -> None:
    with style():
        alt = rings.rings(real_book).alt
    for name, results in kinds(real_book, 5).items():
        for tile, along in rings.points(real_book, results).items():
            best, _ = min(along, key=lambda ring: ring[1])
            words = alt.split(f"{name}: ")[1]
            assert f"tiles of {tile} KiB take least with a ring of {best} KiB" in words
