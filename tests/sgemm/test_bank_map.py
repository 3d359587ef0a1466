"""The map of banks of chapter 7 says of every step's shared accesses what the emulator counts."""

import os
import sys
from pathlib import Path
from types import ModuleType

import pytest

from book.emulation import Emulated
from book.library import Library
from figures.pages import chapter_figures

ROOT = Path(__file__).resolve().parents[2]
LIBRARY = Library.of(ROOT, ROOT / os.environ.get("TREE", "build"))
COUNTERS = {
    False: (
        "smsp__inst_executed_op_shared_ld.sum",
        "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ld.sum",
    ),
    True: (
        "smsp__inst_executed_op_shared_st.sum",
        "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_st.sum",
    ),
}
IN_OTHER_SHAPES = {"tile-shapes", "tuned"}


@pytest.fixture(scope="module")
def figures() -> ModuleType:
    chapter_figures(ROOT / "chapters/7-sgemm")
    return sys.modules["figures_of_chapter_7"]


def counted(entry: Emulated, store: bool, transposition: bool) -> set[float]:
    """Wavefronts of a request, of each line that moves shared words: the transposition's or others."""
    requests, wavefronts = COUNTERS[store]
    return {
        metrics[wavefronts] / metrics[requests]
        for (file, _), metrics in entry.lines.items()
        if metrics.get(wavefronts) and file.endswith("transpose.hpp") == transposition
    }


CASES = [
    pytest.param(
        entry,
        store,
        transposition,
        id=f"{entry.step}-{'stores' if store else 'loads'}{'-of-A' * transposition}",
    )
    for entry in LIBRARY.emulation(7).entries
    for store in COUNTERS
    for transposition in (False, True)
    if entry.step not in IN_OTHER_SHAPES and counted(entry, store, transposition)
]


def test_every_kind_of_step_is_counted() -> None:
    assert {case.values[0].step for case in CASES} >= {"tile", "quadrants", "tma", "stream-k", "three-tf32"}


@pytest.mark.parametrize(("entry", "store", "transposition"), CASES)
def test_the_map_has_what_is_counted(
    entry: Emulated, store: bool, transposition: bool, figures: ModuleType
) -> None:
    drawn = figures.wavefronts_by_steps(LIBRARY)
    whose = figures.TRANSPOSITION if transposition else entry.step
    takes = {
        count
        for steps, kinds in drawn.items()
        if whose == steps or whose in steps.split(", ")
        for count in kinds[store]
    }
    # Where one line of a header loads both A and B, it does so as often: what is seen is their mean.
    assert counted(entry, store, transposition) in (takes, {sum(takes) / len(takes)})
