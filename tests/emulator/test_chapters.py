"""Every step runs its checks on the emulator, and counts there what its model and Nsight Compute say.

What is counted is what the machine code does: nothing in the book is approximate.
"""

import json
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from book.counted import compared
from book.emulation import SCHEDULE, Emulated
from book.keys import Key
from book.library import Library
from book.metrics import COUNTED

ROOT = Path(__file__).resolve().parents[2]
TREE = ROOT / os.environ.get("TREE", "build")
LIBRARY = Library.of(ROOT, TREE)


def programs(*sources: str) -> list[Path]:
    """The chapters' programs of such sources, from the repository and from the build tree."""
    found = (path for source in sources for path in ROOT.glob(f"chapters/*/{source}"))
    return sorted(path.relative_to(ROOT).with_suffix("") for path in found)


STEPS = programs("[0-9][0-9]_*.cu", "experiments/*.cu")
SKIPPED = 77
PROCESSORS = str(len(os.sched_getaffinity(0)))
WAITING = {
    "07_waves",
    "09_collecting_warp",
    "20_collecting_warps",
    "24_stream_k",
    "26_transposed_beside",
    "28_transposed_tiles",
    "29_reduced_together",
    "30_near_far",
    "31_cut_edges",
    "31_halves",
    "32_middle_first",
    "39_ring_copies",
    "41_short_ring",
    "56_home_traffic",
    "first_read",
    "helped_tiles",
    "home_visits",
    "more_places",
    "near_copies",
    "one_warp",
    "other_collectors",
    "persistent_queue",
    "write_order",
}
"""Steps that wait for what atomics or loads give: is another block ready, what is next to do, how long?"""
IN_LOCAL_MEMORY = {"04_both_sides", "05_bought_occupancy", "45_spill", "indexed_array", "written_array"}
"""Steps about local memory, which the emulator does not count: Nsight Compute alone does."""
LOCAL_MEMORY = "accesses to local memory (arrays, spilled registers) are not counted"
RAGGED = {"early_loads"}
"""Steps whose small shapes divide warps where ptxas has unrolled a loop; what the book counts is exact."""
UNCOUNTED = {"30_global_atomics", "one_channel", "slices"}
"""Steps whose atomics meet as the input or a clock says, by a rule with exceptions: the book counts none."""
POLLING = {name for name in COUNTED if "global_op_atom" in name}
"""What counts how often a block asks whether another one is ready: a step says that it polls."""


def emulate(*arguments: str | Path, **environment: str) -> subprocess.CompletedProcess[str]:
    """Runs a program on the emulator: it must succeed, or say that it cannot run there."""
    result = subprocess.run(
        [TREE / "emulate", *arguments],
        capture_output=True,
        text=True,
        check=False,
        timeout=250,
        env=os.environ | environment,
    )
    if result.returncode == SKIPPED:
        pytest.skip(result.stderr.strip())
    assert result.returncode == 0, result.stdout + result.stderr
    return result


def variants_of(step: Path) -> list[dict[str, Any]]:
    """What the build noted of a step, run under the recorder."""
    description = TREE / "describe" / step.relative_to("chapters").with_suffix(".json")
    return json.loads(description.read_text())["variants"]


def counts_of(step: Path) -> Iterator[Emulated]:
    """What the build counted of a step, run on the emulator."""
    _, chapter, *program = step.parts
    entries = LIBRARY.emulation(int(chapter.split("-")[0])).entries
    return (entry for entry in entries if entry.program == "/".join(program))


@pytest.mark.parametrize("step", STEPS, ids=str)
def test_checks_pass_and_every_count_is_exact(step: Path, tmp_path: Path) -> None:
    """And, for the steps of a chapter, the same on one thread and on more than there are processors."""
    if all(variant["kind"] == "peer" for variant in variants_of(step)):
        pytest.skip("a library's kernels, which are machine code alone")
    seen = set()
    for threads in ("1", "7") if "6-transpose" in step.parts else (PROCESSORS,):
        counters = tmp_path / f"{threads}.json"
        result = emulate("--counters", counters, TREE / step, "--small", WEFT_EMULATOR_THREADS=threads)
        seen.add(counters.read_text())
    assert len(seen) == 1
    launches = json.loads(seen.pop())
    marks = launches + [line for launch in launches for line in launch["lines"]]
    assert all(mark["exact"] == ("because" not in mark) for mark in marks)
    if step.name in RAGGED | UNCOUNTED:
        return
    if step.name not in IN_LOCAL_MEMORY:
        assert "approximate" not in result.stderr
    waits = {SCHEDULE} if step.name in WAITING else set()
    expected = {LOCAL_MEMORY} if step.name in IN_LOCAL_MEMORY else waits
    assert {doubt for mark in marks for doubt in mark.get("because", ())} == expected


@pytest.mark.parametrize("step", STEPS, ids=str)
def test_what_the_book_counts_is_exact(step: Path) -> None:
    for entry in counts_of(step):
        assert entry.doubts <= ({SCHEDULE} if step.name in WAITING else set())


@pytest.mark.parametrize("program", programs("solutions/*.cu", "errata/*.cu"), ids=str)
def test_solutions_and_errata_pass_their_checks(program: Path) -> None:
    emulate(TREE / program)


@pytest.mark.parametrize("folder", sorted({step.parent for step in STEPS}), ids=str)
def test_a_step_is_launched_once_as_its_description_says(folder: Path) -> None:
    step, run = next(
        (step, run)
        for step in STEPS
        if step.parent == folder
        for run in variants_of(step)[0]["runs"]
        if "predicted" in run
    )
    emulate(TREE / step, *run["arguments"])


@pytest.mark.parametrize("step", STEPS, ids=str)
def test_every_variant_is_counted(step: Path) -> None:
    wanted = [
        Key.of({**variant, "shape": shape})
        for variant in variants_of(step)
        for shape in variant["counted"]
        if variant["kind"] != "peer"
    ]
    if not wanted:
        pytest.skip("nothing of it is to be counted")
    assert [entry.key for entry in counts_of(step)] == wanted


@pytest.mark.parametrize("step", STEPS, ids=str)
def test_counts_are_the_predicted_ones(step: Path) -> None:
    predictions = {
        Key.of({**variant, "shape": run["shape"]}): run["predicted"]
        for variant in variants_of(step)
        for run in variant["runs"]
        if "predicted" in run
    }
    if not predictions:
        pytest.skip("it predicts nothing")
    polling = {
        Key.of({**variant, "shape": run["shape"]})
        for variant in variants_of(step)
        if variant.get("polls")
        for run in variant["runs"]
    }
    for entry in counts_of(step):
        predicted = predictions.pop(entry.key, {})
        told = (*COUNTED, *predicted)  # the L1's wavefronts only where they are predicted
        counted = {name: value for name, value in entry.metrics.items() if name in told}
        if entry.key in polling:
            assert all(counted.pop(name) > 0 for name in POLLING)
        assert {**dict.fromkeys(COUNTED, 0), **counted} == {**dict.fromkeys(COUNTED, 0), **predicted}
    assert not predictions


@pytest.mark.parametrize("chapter", LIBRARY.chapters())
def test_counts_are_those_of_nsight_compute(chapter: int) -> None:
    emulation, published = LIBRARY.emulation(chapter), LIBRARY.published(chapter)
    if published is None:
        pytest.skip("no published results")
    pairs = compared(emulation, published, LIBRARY.descriptions(chapter))
    assert [str(pair) for pair in pairs if not pair.equal] == []
    fresh = {pair.entry.key for pair in pairs}
    stale = {found.entry.key for found in LIBRARY.stale(chapter)}
    counted = {entry.key for entry in emulation.entries}
    both = {entry.key for entry in published.counters} & counted
    assert both, "at other shapes Nsight Compute counts alone"
    assert fresh | stale >= both
    assert len(pairs) >= len(both) * 4 or stale
