"""Chapter 5's programs: what is said of their registers, loads and clocks is so in their machine code."""

from __future__ import annotations

import re

import pytest

from book.machine_code import Instruction, Kernel
from tests.book import disassembled


def kernels_of(program: str) -> tuple[Kernel, ...]:
    return disassembled.kernels_of(f"5-coarsening/{program}")


def numbers_of(kernel: Kernel) -> tuple[int, ...]:
    """The numbers that the kernel's template was given."""
    return tuple(int(number) for number in re.findall(r"(?<=Li)\d+(?=E)", kernel.name))


def all_of(kernel: Kernel, opcode: str) -> list[Instruction]:
    return [one for one in kernel.instructions if one.opcode == opcode]


def test_a_thread_that_does_nothing_is_an_exit() -> None:
    instructions = {}
    for kernel in kernels_of("01_beginnings"):
        (does,) = re.findall(r"DoesE(\d)E", kernel.name)
        instructions[int(does)] = kernel.instructions
    before_exit = [one.text.startswith("EXIT") for one in instructions[0]].index(True)
    assert before_exit <= 1
    assert len(instructions[0]) < len(instructions[1]) < len(instructions[2])
    assert sum("ULDC" in one.opcode for one in instructions[2]) >= 8


@pytest.mark.parametrize("program", ["02_tile_by_tile", "03_one_side"])
def test_coarsened_along_one_side_nothing_spills(program: str) -> None:
    kernels = {numbers_of(kernel)[0]: kernel for kernel in kernels_of(program)}
    assert sorted(kernels) == [1, 2, 4, 8, 16]
    for factor, kernel in kernels.items():
        assert kernel.spills == 0 and kernel.registers <= 64
        assert kernel.loop("FFMA").count == 32 * factor
        once = [one for one in all_of(kernel, "LDG")]
        assert len(once) == 1 + factor, "a tile of A, and as many of B as the factor says"


def test_what_a_thread_takes_of_a_is_taken_once_for_all_of_its_results() -> None:
    for kernel in kernels_of("03_one_side"):
        (factor,) = numbers_of(kernel)
        loads = [one.bits for one in kernel.loop("FFMA").instructions if one.opcode == "LDS"]
        assert loads.count(128) == 8
        assert loads.count(32) == 32 * factor + {8: 1, 16: 4}.get(factor, 0)


def test_coarsened_along_both_sides_too_many_results_spill_and_no_others() -> None:
    kernels = {numbers_of(kernel): kernel for kernel in kernels_of("04_both_sides")}
    for (side, factor), kernel in kernels.items():
        spills = kernel.spills > 0
        assert spills == ((side, factor) in [(16, 16), (32, 8)]), kernel.name
        assert kernel.registers <= (64 if side == 32 else 255)
        assert kernel.loop("FFMA").count == side * factor * factor


def test_what_is_bought_in_occupancy_is_spilled() -> None:
    kernels = {numbers_of(kernel)[0]: kernel for kernel in kernels_of("05_bought_occupancy")}
    registers = {1: 255, 2: 128, 3: 80, 4: 64}
    assert set(kernels) == set(registers)
    for resident, kernel in kernels.items():
        assert kernel.registers <= registers[resident]
        assert (kernel.spills > 0) == (resident > 2)
    assert kernels[3].spills < kernels[4].spills


def test_all_elements_are_on_their_way_before_the_first_sum() -> None:
    for kernel in kernels_of("06_several_elements"):
        (elements,) = numbers_of(kernel)
        ahead = "ELb1EEEv" in kernel.name
        in_turn = kernel.loop("LDG").instructions if elements > 1 else ()
        whole = [one for one in kernel.instructions if one not in in_turn]
        loads = [place for place, one in enumerate(whole) if one.opcode == "LDG"]
        stores = [place for place, one in enumerate(whole) if one.opcode == "STG"]
        assert kernel.spills == 0
        assert (len(loads), len(stores)) == ((2 * elements, elements) if ahead else (0, 0)) or elements == 1
        assert not (ahead and elements > 1) or max(loads) < min(stores), kernel.name


def test_the_clock_is_read_before_a_segment_and_behind_it() -> None:
    for kernel in kernels_of("07_waves"):
        text = [one.text for one in kernel.instructions]
        clocks = [place for place, one in enumerate(text) if "SR_GLOBALTIMER" in one]
        if "Lb1E" not in kernel.name:
            assert not clocks
            continue
        work = [place for place, one in enumerate(kernel.instructions) if one.opcode == "FFMA"]
        assert len(work) == 64
        before = [place for place in clocks if place < work[0]]
        behind = [place for place in clocks if place > work[-1]]
        assert before and behind, kernel.name


def test_the_answer_of_a_ticket_is_not_handed_out_and_copies_leave_before_the_counters_are_zero() -> None:
    found = 0
    for kernel in kernels_of("41_short_ring"):
        fours, stages = numbers_of(kernel)
        early, ahead = re.findall(r"(?<=Lb)[01](?=E)", kernel.name)
        texts = [one.text for one in kernel.instructions]
        tickets = sum(text.startswith("ATOMG.E.INC") for text in texts)
        assert tickets == stages * (2 if ahead == "1" else 1), (fours, stages)
        assert not [text for text in texts if text.startswith(("SHFL", "VOTE"))]
        copy = next(i for i, text in enumerate(texts) if text.startswith("UBLKCP"))
        barrier = next(i for i, text in enumerate(texts) if text.startswith("BAR.SYNC"))
        assert (copy < barrier) == (early == "1")
        found += 1
    assert found == 19
