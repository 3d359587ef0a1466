"""Chapter 1's steps on the multiprocessor: their timed loops are the machine code that is meant."""

from __future__ import annotations

import itertools
import re
from collections import Counter

import pytest

from book.machine_code import Kernel, Loop
from tests.book.disassembled import kernels_of

CHAPTER = "1-memory-hierarchy"
LOADS = ("LD", "LDG", "LDL", "LDS")


def numbers_of(kernel: Kernel) -> tuple[int, ...]:
    """The numbers that the kernel's template was given."""
    return tuple(int(number) for number in re.findall(r"(?<=Li)\d+(?=E)", kernel.name))


def is_a_chain(loop: Loop) -> bool:
    """Whether each load goes where the one before it says, all around the loop."""
    loads = [one.text for one in loop.instructions if one.opcode == loop.opcode]
    targets = [re.match(r"\S+ (R\d+),", load) for load in loads]
    following = [*loads[1:], loads[0]]
    return all(target and f"[{target[1]}" in after for target, after in zip(targets, following, strict=True))


@pytest.mark.parametrize(("program", "opcode"), [("40_l1_pattern", "LDG"), ("41_shared_pattern", "LDS")])
def test_each_turn_of_a_pattern_loads_eight_elements_of_its_width(program: str, opcode: str) -> None:
    kernels = kernels_of(f"{CHAPTER}/{program}")
    loops = [kernel.loop(opcode) for kernel in kernels]
    assert sorted(list(loop.moves(opcode).items()) for loop in loops) == [[(32, 8)], [(64, 8)], [(128, 8)]]
    for kernel, loop in zip(kernels, loops, strict=True):
        assert {other for other in LOADS if loop.moves(other)} == {opcode} and kernel.spills == 0


@pytest.mark.parametrize(
    ("program", "opcode", "width"),
    [("42_constant", "LDC", 32), ("43_cluster", "LD", 64)],
)
def test_a_link_is_the_next_loads_address(program: str, opcode: str, width: int) -> None:
    (kernel,) = kernels_of(f"{CHAPTER}/{program}")
    loop = kernel.loop(opcode)
    assert loop.moves(opcode) == {width: 4} and is_a_chain(loop)
    assert {other for other in LOADS if loop.moves(other)} <= {opcode}


def test_a_turn_of_the_chains_is_multiply_adds_alone() -> None:
    kernels = {numbers_of(kernel): kernel for kernel in kernels_of(f"{CHAPTER}/44_registers")}
    assert set(kernels) == {(chains,) for chains in (1, 2, 3, 4, 6, 8)}
    for (chains,), kernel in kernels.items():
        loop = kernel.loop("FFMA")
        assert (loop.count, len(loop.instructions)) == (192, 195)
        sums = [re.split(r",? ", one.text) for one in loop.instructions if one.opcode == "FFMA"]
        assert len({factors[1] for factors in sums}) >= chains
        for place, words in enumerate(sums[chains:]):  # each continues what began so many before
            assert words[4] == sums[place][1]


def test_a_spilled_value_is_loaded_and_stored_in_each_turn() -> None:
    spilled = {}
    for kernel in kernels_of(f"{CHAPTER}/45_spill"):
        (values,) = numbers_of(kernel)
        loop = kernel.loop("FFMA")
        assert loop.count == values and kernel.registers <= 32
        loads, stores = loop.moves("LDL"), loop.moves("STL")
        assert loads == stores and set(loads) <= {32}
        spilled[values] = loads.get(32, 0)
    assert all((count > 0) == (values > 26) for values, count in spilled.items())
    assert sorted(spilled.values()) == [spilled[values] for values in sorted(spilled)]
    assert set(spilled) == {16, 20, 24, *range(26, 31), 32, 36, 40, 48, 64, 96}


def test_registers_lie_where_an_axis_says() -> None:
    kernels = {numbers_of(kernel): kernel for kernel in kernels_of(f"{CHAPTER}/experiments/register_banks")}
    assert set(kernels) == {(1, 0, 0), (1, 0, 1), (1, 1, 2), (2, 0, 0), (2, 0, 1), (2, 1, 1)}
    for (apart, *behind), kernel in kernels.items():
        loop = kernel.loop("FFMA")
        assert (loop.count, len(loop.instructions)) == (32 // apart, 32 // apart + 3)
        assert loop.reused == 0  # nothing comes out of the operand cache
        texts = [one.text for one in loop.instructions if one.opcode == "FFMA"]
        numbers = [[int(number) for number in re.findall(r"\bR(\d+)", text)] for text in texts]
        assert all(target == added and added % apart == 0 for target, _, _, added in numbers)
        assert all([(n - added) % 4 for n in (left, right)] == behind for _, left, right, added in numbers)
        assert all(not set(one) & set(other) for one, other in itertools.pairwise(numbers))


def test_an_indexed_array_is_looked_up_in_the_memory_that_is_meant() -> None:
    (local,) = kernels_of(f"{CHAPTER}/experiments/indexed_array")
    assert local.loop("LDL").moves("LDL") == {32: 8} and not local.loop("LDL").moves("STL")
    (written,) = kernels_of(f"{CHAPTER}/experiments/written_array")
    assert written.loop("STL").moves("STL") == {32: 8} and not written.loop("STL").moves("LDL")
    (shared,) = kernels_of(f"{CHAPTER}/experiments/shared_array")
    assert shared.loop("LDS").moves("LDS") == {32: 8} and shared.spills == 0
    (selected,) = kernels_of(f"{CHAPTER}/experiments/selected_array")
    kinds = Counter(one.opcode for one in selected.loop("SEL").instructions)
    assert kinds["SEL"] == 31 and not any(kinds[load] for load in LOADS) and selected.spills == 0


def test_a_cluster_reads_through_generic_addresses_alone() -> None:
    (kernel,) = kernels_of(f"{CHAPTER}/experiments/cluster_read")
    loop = kernel.loop("LD")
    assert loop.moves("LD") == {128: 8} and not any(loop.moves(load) for load in ("LDG", "LDS", "LDL"))


def test_the_clock_is_read_before_and_behind_the_load_alone() -> None:
    (kernel,) = kernels_of(f"{CHAPTER}/experiments/carve_out")
    texts = [one.text for one in kernel.instructions]
    reads = [place for place, text in enumerate(texts) if "SR_CLOCKLO" in text]
    assert len(reads) == 2
    between = texts[reads[0] : reads[1]]
    assert sum(text.startswith("LDG") for text in between) == 1
    loaded = next(place for place, text in enumerate(between) if text.startswith("LDG"))
    assert any(text.startswith(("BRA", "EXIT")) for text in between[loaded:])  # which waits for what it loads
