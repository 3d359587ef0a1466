"""The machine code of chapter 1's steps on the L2: each visit is timed alone, and no load is left out."""

from __future__ import annotations

import re
from collections.abc import Sequence

import pytest

from book.machine_code import Instruction, Kernel
from tests.book.disassembled import kernels_of

CHAPTER = "1-memory-hierarchy"
ACCESSES = ("LDG", "LD", "LDL", "STG", "ST", "ATOMG", "ATOM")


def kernels_with(program: str, opcode: str) -> list[Kernel]:
    """The kernels of a program that read the clock and access memory so."""
    return [one for one in kernels_of(f"{CHAPTER}/{program}") if clocks(one) and between(one, opcode)]


def clocks(kernel: Kernel) -> list[int]:
    """Where it reads the clock."""
    return [place for place, one in enumerate(kernel.instructions) if "SR_CLOCKLO" in one.text]


def between(kernel: Kernel, opcode: str) -> list[tuple[Instruction, ...]]:
    """What lies between every first and second reading of the clock."""
    read = clocks(kernel)
    pairs = zip(read[::2], read[1::2], strict=True)
    timed = [kernel.instructions[first + 1 : second] for first, second in pairs]
    return [part for part in timed if any(one.opcode == opcode for one in part)]


@pytest.mark.parametrize(
    ("program", "opcode", "visits"),
    [
        ("30_near_far", "ATOMG", 1),
        ("30_near_far", "LDG", 1),
        ("31_halves", "ATOMG", 1),
        ("32_visits", "LDG", 4),
        ("56_home_traffic", "ATOMG", 1),
        ("experiments/home_visits", "ATOMG", 1),
        ("experiments/home_visits", "LDG", 1),
    ],
)
def test_each_visit_is_timed_alone(program: str, opcode: str, visits: int) -> None:
    (kernel,) = kernels_with(program, opcode)
    timed = between(kernel, opcode)
    assert 2 * len(timed) == len(clocks(kernel)) and len(timed) % visits == 0 and kernel.spills == 0
    for part in timed:
        (visit,) = (one for one in part if one.opcode in ACCESSES)
        assert ".STRONG.GPU" in visit.text and ".64" in visit.text
        assert is_tested(visit, part[part.index(visit) + 1 :]), part


@pytest.mark.parametrize("opcode", ["LDG", "ATOMG"])
def test_a_chain_is_eight_visits_each_of_which_waits_for_the_one_before(opcode: str) -> None:
    (kernel,) = (one for one in kernels_with("experiments/slices", opcode) if "visit" in one.name)
    (chain,) = between(kernel, opcode)
    visits = [one for one in chain if one.opcode in ACCESSES]
    assert [one.opcode for one in visits] == [opcode] * 8 and kernel.spills == 0
    assert all(".STRONG.GPU" in one.text and ".64" in one.text for one in visits)
    links = [re.search(r"(R\d+), desc\[\w+\]\[(R\d+)\.64\]", one.text) for one in visits]
    came, asked = zip(*(link.groups() for link in links if link), strict=True)
    assert len(came) == 8 and came[:-1] == asked[1:]
    assert is_tested(visits[-1], chain[chain.index(visits[-1]) + 1 :]), chain


@pytest.mark.parametrize("program", ["30_near_far", "31_halves", "32_visits"])
def test_an_address_has_come_before_the_clock_is_read(program: str) -> None:
    for opcode in ("LDG", "ATOMG"):
        for kernel in kernels_with(program, opcode):
            for first in clocks(kernel)[::2]:
                loads = [
                    place
                    for place, one in enumerate(kernel.instructions[:first])
                    if one.opcode in ("LDG", "ATOMG")
                ]
                if loads:
                    assert is_tested(kernel.instructions[loads[-1]], kernel.instructions[loads[-1] : first])


def is_tested(load: Instruction, behind: Sequence[Instruction]) -> bool:
    """Whether one of these instructions waits for what a load brings."""
    words = load.text.replace(",", "").split()
    link = words[2] if words[1] == "PT" else words[1]
    return any(one.opcode == "ISETP" and f" {link}," in one.text for one in behind)


@pytest.mark.parametrize(
    ("program", "opcode", "count"), [("33_read_again", "LDG", 4), ("35_persisting", "LDG", 8)]
)
def test_every_turn_reads_past_the_l1(program: str, opcode: str, count: int) -> None:
    for kernel in kernels_of(f"{CHAPTER}/{program}"):
        loads = [one for one in kernel.instructions if one.opcode == opcode]
        assert [one.bits for one in loads] == [128] * count
        assert all(".STRONG.GPU" in one.text for one in loads)
        assert kernel.loop(opcode).moves(opcode) == {128: 1}


@pytest.mark.parametrize("program", ["56_home_traffic", "experiments/first_read"])
def test_a_piece_is_read_past_the_l1_while_the_next_choice_is_on_its_way(program: str) -> None:
    (kernel,) = (one for one in kernels_of(f"{CHAPTER}/{program}") if "read_pieces" in one.name)
    loop = kernel.loop("LDG")
    assert loop.moves("LDG") == {128: 8, 32: 1} and kernel.spills == 0
    pieces = [one for one in loop.instructions if one.opcode == "LDG" and one.bits == 128]
    assert all(".STRONG.GPU" in one.text for one in pieces)


def test_a_piece_is_written_whole() -> None:
    (kernel,) = (one for one in kernels_of(f"{CHAPTER}/56_home_traffic") if "write_pieces" in one.name)
    assert kernel.loop("STG").moves("STG") == {128: 8} and kernel.spills == 0
