"""Chapter 4's programs: what is said to be on its way at a time is so in their machine code."""

from __future__ import annotations

import itertools
import re
from collections import Counter
from collections.abc import Sequence

import pytest

from book.machine_code import Instruction, Kernel
from tests.book import disassembled

WORDS = {"j": 1, "5uint2": 2, "5uint4": 4}
"""The words of a vector, by its mangled name."""


def kernels_of(program: str) -> tuple[Kernel, ...]:
    return disassembled.kernels_of(f"4-latency-hiding/{program}")


def numbers_of(kernel: Kernel) -> tuple[int, ...]:
    """The numbers that the kernel's template was given."""
    return tuple(int(number) for number in re.findall(r"(?<=Li)\d+(?=E)", kernel.name))


def vector_of(kernel: Kernel) -> int:
    """The words of the vector that the kernel's template was given."""
    (name,) = re.findall(r"I(j|5uint\d)Li", kernel.name)
    return WORDS[name]


def are_together(instructions: Sequence[Instruction], bits: int) -> bool:
    """Whether no load of so many bits is waited for before the last of them is issued."""
    loads = [place for place, one in enumerate(instructions) if (one.opcode, one.bits) == ("LDG", bits)]
    coming: set[int] = set()
    for one in instructions[loads[0] : loads[-1] + 1]:
        registers = [int(number) for number in re.findall(r"\bR(\d+)", one.text)]
        loads_more = (one.opcode, one.bits) == ("LDG", bits)
        if coming & set(registers[1:] if loads_more else registers):
            return False
        if loads_more:
            coming.update(range(registers[0], registers[0] + bits // 32))
    return True


def loops_of(kernel: Kernel) -> list[tuple[Instruction, ...]]:
    """What lies between each jump back and where it leads."""
    found = []
    for place, end in enumerate(kernel.instructions):
        begin = end.jumps_back_to
        if begin is not None:
            before = kernel.instructions[: place + 1]
            found.append(tuple(one for one in before if one.address >= begin))
    return found


def test_a_load_that_is_waited_for_is_found() -> None:
    load = Instruction(0, "LDG.E.128 R4, desc[UR4][R2.64]")
    other = Instruction(32, "LDG.E.128 R8, desc[UR4][R2.64+0x10]")
    assert are_together((load, Instruction(16, "IADD3 R1, R2, R3, RZ"), other), 128)
    assert not are_together((load, Instruction(16, "IADD3 R1, R7, R3, RZ"), other), 128)


def test_all_loads_of_a_turn_are_on_their_way_before_the_first_is_used() -> None:
    kernels = kernels_of("10_bytes_in_flight")
    seen = {(vector_of(kernel), *numbers_of(kernel)) for kernel in kernels}
    assert seen == set(itertools.product(WORDS.values(), (1, 2, 4, 8, 16)))
    for kernel in kernels:
        (loads,) = numbers_of(kernel)
        bits = 32 * vector_of(kernel)
        loop = kernel.loop("LDG")
        assert loop.moves("LDG") == {bits: loads} and kernel.spills == 0
        assert are_together(loop.instructions, bits), kernel.name
        assert all(".STRONG.GPU" in one.text for one in loop.instructions if one.opcode == "LDG")


def test_a_warp_alone_takes_the_turns_of_all() -> None:
    """And for a turn it has as many instructions, but for one."""
    turns = {(vector_of(one), *numbers_of(one)): one.loop("LDG") for one in kernels_of("10_bytes_in_flight")}
    kernels = [one for one in kernels_of("experiments/one_warp") if "read_in_turns" in one.name]
    seen = {(vector_of(kernel), *numbers_of(kernel)) for kernel in kernels}
    assert seen == {(1, 1), (2, 1), *((4, loads) for loads in (1, 2, 4, 8, 16))} and len(kernels) == 2 * 7
    for kernel in kernels:
        (loads,) = numbers_of(kernel)
        bits = 32 * vector_of(kernel)
        loop, turn = kernel.loop("LDG"), turns[vector_of(kernel), loads]
        assert loop.moves("LDG") == {bits: loads} and kernel.spills == 0
        assert are_together(loop.instructions, bits), kernel.name
        assert all(".STRONG.GPU" in one.text for one in loop.instructions if one.opcode == "LDG")
        assert abs(len(loop.instructions) - len(turn.instructions)) <= 1, kernel.name
        asks = [one.opcode for one in kernel.instructions if one.opcode.startswith("ATOM")]
        assert len(asks) == (2 if "Lb1E" in kernel.name else 0)


@pytest.mark.parametrize(
    "program",
    ["04_several_loads", "05_shuffles", "06_last_block", "07_collecting_block", "08_bare_read"],
)
def test_the_vectors_of_a_tile_are_on_their_way_together(program: str) -> None:
    for kernel in kernels_of(program):
        *_, loads = numbers_of(kernel) or (4,)
        (loop,) = (
            one for one in loops_of(kernel) if any((load.opcode, load.bits) == ("LDG", 128) for load in one)
        )
        assert sum(one.bits == 128 for one in loop) == loads and kernel.spills == 0
        assert are_together(loop, 128), kernel.name


def test_a_block_asks_for_its_floats_before_it_collects_and_fetches_places_before_both() -> None:
    for kernel in kernels_of("07_collecting_block"):
        codes = [one.opcode for one in kernel.instructions]
        loads = [
            place for place, one in enumerate(kernel.instructions) if (one.opcode, one.bits) == ("LDG", 128)
        ]
        assert codes.index("CCTL") < loads[0] < codes.index("ATOMG")


def looks_and_loads(kernel: Kernel) -> tuple[int, int]:
    """Vectors that a thread has on their way at a time: of places, if it looks at any, and of floats."""
    loops = [one for one in loops_of(kernel) if any((load.opcode, load.bits) == ("LDG", 128) for load in one)]
    looks = [loop for loop in loops if any(".STRONG.GPU" in one.text for one in loop)]
    (tiles,) = (loop for loop in loops if loop not in looks)
    innermost = min(looks, key=len, default=())
    assert are_together(tiles, 128), kernel.name
    assert not looks or kernel.spills > 0 or are_together(innermost, 128), kernel.name
    return sum(one.bits == 128 for one in innermost), sum(one.bits == 128 for one in tiles)


@pytest.mark.parametrize("program", ["09_collecting_warp", "experiments/other_collectors"])
def test_a_collector_has_all_its_looks_on_their_way_together(program: str) -> None:
    """And a block's vectors as well. The experiment that exchanges (its last number is 1) does not look."""
    by_exchange = 1
    for kernel in kernels_of(program):
        threads, loads, *otherwise = (number for number in numbers_of(kernel))
        exchanges = otherwise == [by_exchange]
        assert any(one.opcode == "ATOMG" for one in kernel.instructions) == exchanges
        looks = 0 if exchanges else (2 if threads == 256 else 16)
        assert looks_and_loads(kernel) == (looks, loads) and kernel.spills == 0


def test_a_thread_of_the_collecting_warps_looks_at_four_fours_at_a_time() -> None:
    for kernel in kernels_of("20_collecting_warps"):
        _, loads = numbers_of(kernel)
        assert looks_and_loads(kernel) == (4, loads) and kernel.spills == 0


def test_with_two_blocks_on_a_multiprocessor_a_single_collector_spills_and_else_nobody_does() -> None:
    for kernel in kernels_of("experiments/more_places"):
        threads, loads, resident = numbers_of(kernel)
        _, whole = re.findall(r"Lb([01])E", kernel.name)
        looks = 4 if whole == "1" else (2 if threads == 256 else 16)
        assert looks_and_loads(kernel) == (looks, loads)
        assert (kernel.spills > 0) == (resident == 2 and threads == 512 and whole == "0")


def by_plan(program: str) -> dict[str, Kernel]:
    """A sum's kernels by what its plan gives their templates: threads, loads, and whether they stream."""
    found = {}
    for kernel in kernels_of(program):
        (plan,) = re.findall(r"I((?:L[ib]\d+E)+)E", kernel.name)
        found[plan] = kernel
    return found


def allocated_to_warp(registers: int) -> int:
    """The registers that a warp takes, if its threads need so many: they are given out by 256."""
    return -(-registers * 32 // 256) * 256


STREAMED = "Li512ELi8ELb1E"
MANY_FLOATS = (STREAMED, "Li512ELi8ELb0E")
"""Blocks of 512 threads."""


def test_the_collecting_warp_streams_its_tiles_by_the_instructions_of_the_bare_read() -> None:
    """Registers aside: each loop has the same operations, in the same order."""
    bare, collecting = (
        next(
            [one.text.split(maxsplit=1)[0] for one in loop]
            for loop in loops_of(by_plan(program)[STREAMED])
            if sum((one.opcode, one.bits) == ("LDG", 128) for one in loop) == 8
        )
        for program in ("08_bare_read", "09_collecting_warp")
    )
    assert bare == collecting and len(bare) > 8


@pytest.mark.parametrize("plan", MANY_FLOATS)
def test_a_multiprocessor_holds_one_block_of_the_collecting_warp_and_two_of_others(plan: str) -> None:
    held = {
        program: (1 << 16) // (16 * allocated_to_warp(by_plan(program)[plan].registers))
        for program in ("07_collecting_block", "08_bare_read", "09_collecting_warp", "20_collecting_warps")
    }
    assert held == {
        "07_collecting_block": 2,
        "08_bare_read": 2,
        "09_collecting_warp": 1,
        "20_collecting_warps": 2,
    }


def at_the_edge(kernel: Kernel) -> tuple[Instruction, ...]:
    """The loop in which a block takes elements one by one."""
    return kernel.loop("LDG").instructions


def test_elements_of_a_thread_are_on_their_way_together_and_as_many_threads_fit() -> None:
    registers_of_multiprocessor = 1 << 16
    for kernel in kernels_of("11_threads_or_instructions"):
        (elements,) = numbers_of(kernel)
        words = vector_of(kernel)
        moved = [one.opcode for one in kernel.instructions if one.opcode in ("LDG", "STG")]
        together = ["LDG"] * elements + ["STG"] * elements
        assert moved in (["LDG", "STG", *together], [*together, "LDG", "STG"]) and kernel.spills == 0
        whole = [one for one in kernel.instructions if one not in at_the_edge(kernel)]
        assert are_together(whole, 32 * words)
        warps = 32 if elements * words >= 32 else 64
        assert kernel.registers <= registers_of_multiprocessor // (32 * warps), kernel.name


def test_loads_without_a_check_are_on_their_way_together() -> None:
    (kernel,) = kernels_of("solutions/clamped")
    moved = [one.opcode for one in kernel.instructions if one.opcode in ("LDG", "STG")]
    assert moved == ["LDG"] * 8 + ["STG"] * 8 and are_together(kernel.instructions, 32)


def test_chains_are_multiply_adds_alone() -> None:
    for kernel in kernels_of("12_warps_or_chains"):
        loop = kernel.loop("FFMA")
        assert (loop.count, len(loop.instructions)) == (192, 195)


def test_more_rows_of_a_stencil_take_more_registers() -> None:
    taken = {numbers_of(kernel): kernel.registers for kernel in kernels_of("13_stencil")}
    assert set(taken) == {(rows,) for rows in (1, 2, 4, 8, 16)}
    assert max(taken[(1,)], taken[(2,)]) <= 32 < taken[(4,)] < taken[(8,)] < taken[(16,)] < 128


def test_a_piece_is_four_loads() -> None:
    (kernel,) = kernels_of("14_turnover")
    loop = kernel.loop("LDG")
    assert loop.moves("LDG") == {128: 4} and are_together(loop.instructions, 128)


def test_copies_go_past_the_registers() -> None:
    for kernel in kernels_of("16_async_copy"):
        (stages,) = numbers_of(kernel)
        copies = [one.text for one in kernel.instructions if one.opcode == "LDGSTS"]
        assert len(copies) == 4 * (stages + 1) and all(".BYPASS" in copy for copy in copies)
    for kernel in kernels_of("17_bulk_copy"):
        copies = [one for one in kernel.instructions if one.opcode == "UBLKCP"]
        assert len(copies) == 1 and not any(one.opcode == "LDG" for one in kernel.instructions)


def test_long_ways_are_jumped_over_and_short_ones_are_not() -> None:
    for kernel in kernels_of("18_divergence"):
        loop = kernel.loop("FFMA")
        assert loop.count == sum(numbers_of(kernel))
        jumps = [one for one in loop.instructions if one.opcode == "BRA"]
        assert (len(jumps) == 1) == (max(numbers_of(kernel)) <= 4), kernel.name


def test_the_clock_is_read_when_the_data_have_come_and_when_they_are_worked_on() -> None:
    for kernel in kernels_of("19_timeline"):
        loop = kernel.loop("LDG")
        noted = "Lb1E" in kernel.name
        clocks = [place for place, one in enumerate(loop.instructions) if "SR_CLOCKLO" in one.text]
        loads = [place for place, one in enumerate(loop.instructions) if one.opcode == "LDG"]
        work = [place for place, one in enumerate(loop.instructions) if one.text.startswith("IMAD R")]
        assert are_together(loop.instructions, 32) and len(loads) in (1, 4)
        assert len(clocks) == (3 if noted else 0)
        if noted:
            begun, come, worked = clocks
            assert begun < loads[0] and loads[-1] < come < worked
            assert sum(come < place < worked for place in work) >= 100


def test_a_chosen_operand_takes_one_way() -> None:
    for kernel in kernels_of("solutions/chosen_operand"):
        loop = kernel.loop("FFMA")
        assert loop.count == 64
        assert [one.opcode for one in loop.instructions].count("BRA") == 1


def test_a_turn_of_a_product_has_the_parts_that_it_should_have() -> None:
    for kernel in kernels_of("experiments/product_parts"):
        (parts,) = numbers_of(kernel)
        (loop,) = loops_of(kernel)
        counted = Counter(one.opcode for one in loop)
        assert {name: counted[name] for name in ("LDS", "FFMA", "BAR", "STS", "LDG")} == {
            "LDS": 64,
            "FFMA": 128 if parts >= 2 else 32,
            "BAR": 2 if parts >= 3 else 0,
            "STS": 2 if parts >= 4 else 0,
            "LDG": 2 if parts >= 5 else 0,
        }
