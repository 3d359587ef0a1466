"""Sweeps draw what a step itself reports, in order, and leave out what only a profiler counts."""

import os
from pathlib import Path

import pytest

from book.axes import find_sweep
from book.library import Library
from figures.sweeps import sweeps

ROOT = Path(__file__).resolve().parents[2]


def test_no_counter_of_a_profiler_is_drawn_over_an_axis() -> None:
    library = Library.of(ROOT, ROOT / os.environ.get("TREE", "build"))
    constant = [one for one in library.descriptions(1).of("constant") if one.is_default]
    if not constant:
        pytest.skip("NOT TESTED: constant IS NOT BUILT (make book)")
    counters = {report.name for report in constant[0].reports}
    assert counters == {"idc__request_hit_rate.pct"}
    drawn = sweeps(library, 1)
    assert "sweep-constant-bytes" in drawn
    assert not any(counter in name for name in drawn for counter in counters)


def test_the_default_stands_among_the_others_where_they_ascend() -> None:
    library = Library.of(ROOT, ROOT / os.environ.get("TREE", "build"))
    if not library.descriptions(4).of("turnover"):
        pytest.skip("NOT TESTED: turnover IS NOT BUILT (make book)")
    assert find_sweep(library, 4, "several-loads", "loads").values == ["1", "2", "4", "8"]
    assert find_sweep(library, 4, "turnover", "pieces").values == ["1", "2", "4", "8", "16", "32", "64", "0"]
