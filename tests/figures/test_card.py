"""Chapter 1's figures of the card as a whole: its map, its roofs, and the staircase with percentiles."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator

import numpy as np
import pytest
from matplotlib.text import Text

from book import roofs
from book.format import format_value
from book.keys import Key
from book.library import Library
from book.roofs import Roof
from figures.pages import chapter_figures
from figures.style import Drawing, style

CHAPTER = 1


def drawing(library: Library, name: str, chapter: int = CHAPTER) -> Drawing:
    with style():
        drawn = chapter_figures(library.folder(chapter))[name](library)
        drawn.figure.draw_without_rendering()
    return drawn


def ceilings(library: Library) -> list[str]:
    variants = library.descriptions(CHAPTER).variants
    return [one.step for one in variants if one.kind == "ceiling" and one.is_default]


def in_words(library: Library, roof: str) -> str:
    """A roof as the figures write it: what all multiprocessors do in a second, or the cycles of a load."""
    value = roofs.measured(Roof(roof), library)
    if roof.endswith("latency"):
        return f"{roofs.measured(Roof(roof, 'access-cycles'), library).number:.0f}\N{NO-BREAK SPACE}cycles"
    if value.unit != "s":
        return format_value(value.number, value.unit)
    in_all = roofs.measured(Roof("multiprocessors"), library).number / value.number
    if roof == "issue-slots":
        return format_value(4 * 32 * in_all, "flop/s")  # a scheduler's instruction has 32 lanes
    return format_value((4 * 4 if roof == "l1-tags" else 128) * in_all, "B/s")


def test_every_roof_of_the_card_is_drawn(real_book: Library) -> None:
    told = drawing(real_book, "roofline").alt + drawing(real_book, "latency-roofs").alt
    told = told.replace(" cycles", "\N{NO-BREAK SPACE}cycles")
    assert len(ceilings(real_book)) == 14
    missing = [roof for roof in ceilings(real_book) if in_words(real_book, roof) not in told]
    assert missing == []


def corners(text: Text) -> np.ndarray:
    """The four corners of a text, which may be turned."""
    box, turned = text.get_window_extent(), np.radians(text.get_rotation())
    text.set_rotation(0)
    flat = text.get_window_extent()
    text.set_rotation(np.degrees(turned))
    middle = np.array([(box.x0 + box.x1) / 2, (box.y0 + box.y1) / 2])
    along, up = np.array([np.cos(turned), np.sin(turned)]), np.array([-np.sin(turned), np.cos(turned)])
    wide, high = flat.width / 2 * along, flat.height / 2 * up
    return np.array([middle + a * wide + b * high for a, b in ((-1, -1), (1, -1), (1, 1), (-1, 1))])


def touch(one: np.ndarray, other: np.ndarray) -> bool:
    """Whether two rectangles have a point in common: no side of one parts them."""
    for shape in (one, other):
        for side in (shape[1] - shape[0], shape[3] - shape[0]):
            a, b = one @ side, other @ side
            if a.max() < b.min() or b.max() < a.min():
                return False
    return True


def texts(drawn: Drawing) -> Iterator[Text]:
    for text in drawn.figure.findobj(Text):
        if text.get_text() and text.get_visible():
            yield text


def test_turned_texts_are_told_apart() -> None:
    square = np.array([[0, 0], [2, 0], [2, 2], [0, 2]])
    turned = np.array([[3.5, 0], [4.5, 1], [3.5, 2], [2.5, 1]])
    assert touch(square, square + 1) and not touch(square, turned) and touch(square, turned - 1)


@pytest.mark.parametrize(
    ("name", "chapter"),
    [*((name, 1) for name in ("map", "parts", "roofline", "latency-roofs", "percentiles")), ("roofline", 7)],
)
def test_no_two_labels_touch(real_book: Library, name: str, chapter: int) -> None:
    labels = [(text.get_text(), corners(text)) for text in texts(drawing(real_book, name, chapter))]
    assert len(labels) > 10
    pairs = itertools.combinations(labels, 2)
    assert [(a, b) for (a, one), (b, other) in pairs if touch(one, other)] == []


def test_the_map_names_each_part_with_its_latency_and_its_bandwidth(real_book: Library) -> None:
    drawn = drawing(real_book, "map")
    shown = {text.get_text() for text in texts(drawn)}
    assert {"GPC", "TPC", "L1", "shared memory", "L2, one half", "L2, other half", "DRAM"} <= shown
    for roof in ("shared-latency", "l1-latency", "l2-latency", "dram-latency"):
        cycles = in_words(real_book, roof).replace("\N{NO-BREAK SPACE}", " ")
        assert any(text.endswith(cycles) for text in shown), roof
    for roof in ("shared-memory", "l1-data", "l2-read", "l2-write", "dram-read", "dram-write", "ffma"):
        assert any(text.endswith(in_words(real_book, roof)) for text in shown), roof
    assert not any("cycles" in text.get_text() for text in texts(drawing(real_book, "parts")))


def test_the_map_says_how_far_the_far_half_is_and_what_passes_between_the_halves(real_book: Library) -> None:
    find = real_book.require_published(CHAPTER).measurements.find
    visits = find(Key.of({"step": "home-visits", "shape": (1024,), "parameters": {"before": [1]}})).quantities
    far = find(traffic((1024, 1), [1, 0], 1))
    shown = {text.get_text() for text in texts(drawing(real_book, "map"))}
    assert f"far {visits['far'].median - visits['near'].median:.0f} more" in shown
    assert f"halves {format_value(far.amounts['bytes'] / far.median, 'B/s')}" in shown


def traffic(shape: tuple[int, int], arrays: list[int], home: int) -> Key:
    return Key.of({"step": "home-traffic", "shape": shape, "parameters": {"home": [home], "arrays": arrays}})


def test_the_bars_of_near_and_far_lines_are_what_was_measured(real_book: Library) -> None:
    figure = drawing(real_book, "homes").figure
    for results, kind in zip(real_book.all_published(CHAPTER), ("bars", "marks"), strict=False):
        rates = []
        for shape, arrays in itertools.product(((16, 128), (1024, 1)), ([1, 0], [0, 1])):
            for home in (0, 2, 1):  # near, both, far
                entry = results.measurements.find(traffic(shape, arrays, home))
                rates.append(entry.amounts["bytes"] / entry.median / 1e12)
        (axes,) = figure.axes
        bars = [bar.get_width() for bar in axes.patches]
        marks = [line.get_xdata()[0] for line in axes.lines if len(line.get_xdata()) == 1]
        assert {"bars": bars, "marks": marks}[kind] == pytest.approx(rates)


def test_on_every_card_as_many_multiprocessors_are_near_to_one_half_as_to_the_other(
    real_book: Library,
) -> None:
    runs = real_book.all_published(CHAPTER)
    assert len(runs) >= 3
    for run in runs:
        rows = np.array(run.measurements.find(Key("near-far", (64,))).series["latencies"].rows)
        far = rows > (rows.min() + rows.max()) / 2
        first = (far == far[0]).all(axis=1)
        assert (
            first | (far != far[0]).all(axis=1)
        ).all()  # near and far change places, for all lines at once
        assert first.sum() * 2 == len(rows)
        assert (first[::2] == first[1::2]).all()  # those with neighbouring numbers are on one side


def test_the_percentiles_are_those_that_were_measured(real_book: Library) -> None:
    told = drawing(real_book, "percentiles").alt
    for run in real_book.all_published(CHAPTER):
        if run.is_another:
            continue
        for entry in run.measurements:
            if entry.step == "stamped":
                names = ("percentile-5", "median", "percentile-95")
                assert ", ".join(f"{entry.quantities[name].median:.0f}" for name in names) in told


def test_the_roofline_of_sgemm_has_the_cards_roof_of_a_copy(real_book: Library) -> None:
    with style():
        told = chapter_figures(real_book.folder(7))["roofline"](real_book).alt
    copy = in_words(real_book, "dram-copy").replace("\N{NO-BREAK SPACE}", " ")
    assert f"For each byte of the DRAM, whose roof is {copy}, a copy:" in told


def test_the_roofline_of_sgemm_shows_each_step_once_at_the_rate_of_its_default_variant(
    real_book: Library,
) -> None:
    with style():
        told = chapter_figures(real_book.folder(7))["roofline"](real_book).alt
    published, shape = real_book.require_published(7), real_book.measured(7)
    rate = published.measurements.find(Key("middle-first", shape)).performance / 1e12
    _, *panels = told.split("For each ")
    assert len(panels) == 2
    for panel in panels:
        (point,) = re.findall(r"middle-first: [^;]*, (\S+) TFLOP/s", panel)
        assert point == f"{rate:.3g}"
