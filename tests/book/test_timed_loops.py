"""Chapter 1's loops that write, its peers and its exercises: their machine code is what is meant."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest

from book.machine_code import Instruction, Kernel
from tests.book.disassembled import kernels_of
from tests.book.invented import REPOSITORY

CHAPTER = "1-memory-hierarchy"
ACCESSES = ("LD", "LDG", "LDL", "LDS", "ST", "STG", "STL", "STS", "ATOMG", "RED")


def accesses(instructions: tuple[Instruction, ...]) -> list[tuple[str, int]]:
    """What they load and store, in order: the operation and the bits of a thread."""
    return [(one.opcode, one.bits) for one in instructions if one.opcode in ACCESSES]


def loops_of(kernel: Kernel) -> list[tuple[Instruction, ...]]:
    """What lies between each jump back and where it leads; the endless jump behind the code is none."""
    found = []
    for place, end in enumerate(kernel.instructions):
        begin = end.jumps_back_to
        if begin is not None:
            found.append(tuple(one for one in kernel.instructions[: place + 1] if one.address >= begin))
    return found


def stored(instruction: Instruction) -> str:
    """The first register that a store writes to memory."""
    return re.split(r",\s*", instruction.text)[-1]


def last_written(register: str, before: tuple[Instruction, ...]) -> Instruction:
    """The instruction that gave a register the value that it has behind these."""
    return [one for one in before if re.match(rf"\S+ {register}\b", one.text)][-1]


def test_each_turn_of_write_back_overwrites_the_whole_array() -> None:
    (kernel,) = kernels_of(f"{CHAPTER}/34_write_back")
    inner, turns = sorted(loops_of(kernel), key=len)
    stores = accesses(kernel.instructions)
    assert set(stores) == {("STG", 128)} and kernel.spills == 0
    # All stores lie in the loop over the turns: none is left out of a turn because another overwrites it.
    assert accesses(turns) == stores and set(inner) < set(turns)
    # In the inner loop a thread stores four vectors; up to three that are left it stores before.
    assert len(accesses(inner)) == 4 and len(stores) == 4 + 3
    # What is stored is a sum with the number of the turn, which lies in a uniform register.
    (turn,) = {re.match(r"UIADD3 (UR\d+), \1, 0x1", one.text)[1] for one in turns if counts_up(one)}
    for place, store in enumerate(turns):
        if store.opcode == "STG":
            assert re.search(rf"\b{turn}\b", last_written(stored(store), turns[:place]).text), store


def counts_up(instruction: Instruction) -> bool:
    return re.match(r"UIADD3 (UR\d+), \1, 0x1", instruction.text) is not None


def test_a_block_takes_a_turn_from_the_queue_for_each_tile() -> None:
    (kernel,) = (one for one in kernels_of(f"{CHAPTER}/experiments/write_order") if "queue" in one.name)
    (loop,) = loops_of(kernel)
    inside = accesses(loop)
    # The next turn comes from an atomic and goes through shared memory to all threads. Then the tile is
    # written. The store of four bytes makes the queue new, once in a launch.
    assert inside == [("ATOMG", 32), ("STS", 32), ("STG", 32), ("LDS", 32)] + [("STG", 128)] * 8
    assert [one.opcode for one in loop].count("BAR") == 2
    assert accesses(kernel.instructions) == inside


@pytest.mark.parametrize(
    ("inputs", "outputs", "arithmetic"),
    [(1, 0, "DSETP"), (0, 1, None), (1, 1, "DADD"), (3, 1, "DFMA")],
)
def test_a_thread_of_gpu_stream_has_one_double_of_each_array(
    inputs: int, outputs: int, arithmetic: str | None
) -> None:
    name = f"streamILi{inputs}ELi{outputs}E"
    (kernel,) = (one for one in kernels_of(f"{CHAPTER}/57_gpu_stream") if name in one.name)
    assert loops_of(kernel) == []
    loads, stores = [("LDG", 64)] * inputs, [("STG", 64)]  # which happens to no element if nothing is written
    assert accesses(kernel.instructions) == loads + stores
    opcodes = [one.opcode for one in kernel.instructions]
    assert {code for code in opcodes if code in ("DADD", "DMUL", "DFMA", "DSETP")} == {arithmetic} - {None}
    store = opcodes.index("STG")
    waits = [one.text for one in kernel.instructions[:store] if one.opcode == "EXIT"]
    assert len(waits) == (2 if outputs == 0 else 1)  # behind the last element, and if the element is another


def test_a_thread_of_gpu_l2_cache_loads_64_doubles_and_uses_each() -> None:
    (kernel,) = kernels_of(f"{CHAPTER}/58_gpu_l2_cache")
    assert loops_of(kernel) == [] and kernel.spills == 0
    assert accesses(kernel.instructions) == [("LDG", 64)] * 64 + [("STG", 64)]
    coming: set[str] = set()
    for one in kernel.instructions:
        operands = re.findall(r"\bR\d+", one.text)
        if one.opcode == "LDG":
            assert operands[0] not in coming, one  # or nothing would have used what came before
            coming.add(operands[0])
        elif one.opcode == "DFMA":
            assert set(operands[1:3]) <= coming, one
            coming -= set(operands[1:3])
    assert not coming


def test_a_thread_of_nvbandwidth_has_twelve_loads_on_their_way() -> None:
    (kernel,) = kernels_of(f"{CHAPTER}/59_nvbandwidth_copy")
    loop = kernel.loop("LDG")
    assert accesses(loop.instructions) == [("LDG", 128)] * 12 + [("STG", 128)] * 12 and kernel.spills == 0
    loads = [one.text for one in loop.instructions if one.opcode == "LDG"]
    targets = [re.match(r"\S+ (R\d+),", load)[1] for load in loads]
    kept = [stored(one) for one in loop.instructions if one.opcode == "STG"]
    assert len(set(targets)) == 12 and kept == targets  # each is stored as it has come


@pytest.mark.parametrize(
    ("program", "loads"), [("two_rings", {64: 8}), ("few_warps", {128: 8}), ("packed_column", {32: 4})]
)
def test_a_turn_of_an_exercise_makes_the_loads_that_it_counts(program: str, loads: dict[int, int]) -> None:
    (kernel,) = kernels_of(f"{CHAPTER}/solutions/{program}")
    of_l1 = [loop for loop in loops_of(kernel) if any(".STRONG.SM" in one.text for one in loop)]
    assert loads in [Counter(bits for _, bits in accesses(loop)) for loop in of_l1] and kernel.spills == 0
    assert all(".STRONG.SM" in one.text for loop in of_l1 for one in loop if one.opcode in ACCESSES)


def test_each_of_two_rings_waits_for_its_own_load_alone() -> None:
    (kernel,) = kernels_of(f"{CHAPTER}/solutions/two_rings")
    loads = [one.text for one in kernel.loop("LDG").instructions if one.opcode == "LDG"]
    targets = [re.match(r"\S+ (R\d+),", load)[1] for load in loads]
    for place, load in enumerate(loads):
        assert f"[{targets[place - 2]}." in load, load


def test_every_program_of_the_chapter_is_taken_apart() -> None:
    """Who adds a program adds a test of its machine code, or says here why it needs none."""
    folder = REPOSITORY / "chapters" / CHAPTER
    programs = {path for part in ("", "experiments", "solutions") for path in (folder / part).glob("*.cu")}
    tests = "".join(path.read_text() for path in Path(__file__).parent.glob("test_*.py"))
    # The driver's copies have no kernel of ours, and row_length is a single load, which is not timed.
    assert {path.name for path in programs if f'{path.stem}"' not in tests} == {
        "54_driver.cu",
        "row_length.cu",
    }
