"""What chapter 7 counts in loops of multiply-adds: the registers that each of the two banks has to give.

An operand is not read if the FFMA before left the same register in the same place of the operand cache.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from book.machine_code import Instruction, Kernel, Loop
from tests.book.disassembled import kernels_of
from tests.book.invented import REPOSITORY

PAGE = (REPOSITORY / "chapters/7-sgemm/index.md").read_text()
OPERAND = re.compile(r"\bR(\d+)(\.reuse)?")


@dataclass(frozen=True)
class Banks:
    """What a loop reads of its banks, and how many FFMAs need two registers of one."""

    reads: tuple[int, int]
    doubled: int


def banks_of(instructions: Iterable[Instruction]) -> Banks:
    reads, doubled = [0, 0], 0
    held: dict[int, int] = {}
    for one in instructions:
        operands = {}
        if one.opcode == "FFMA":
            texts = one.text.split(", ")[1:]
            operands = {place: match for place, text in enumerate(texts) if (match := OPERAND.search(text))}
        read = {int(match[1]) for place, match in operands.items() if held.get(place) != int(match[1])}
        of_bank = [sum(register % 2 == bank for register in read) for bank in (0, 1)]
        reads = [total + now for total, now in zip(reads, of_bank, strict=True)]
        doubled += max(of_bank) > 1
        held = {place: int(match[1]) for place, match in operands.items() if match[2]}
    return Banks((reads[0], reads[1]), doubled)


def inner_loop(program: str, kernel: str, multiply_adds: int) -> Loop:
    """The shortest loop of a kernel with so many FFMAs: others have it within."""
    (found,) = (one for one in kernels_of(f"7-sgemm/{program}") if one.is_called(kernel))
    alike = (one for one in found.loops("FFMA") if one.count == multiply_adds)
    return min(alike, key=lambda one: len(one.instructions))


def variant(program: str, kernel: str, *arguments: str) -> Kernel:
    (found,) = (one for one in kernels_of(f"7-sgemm/{program}") if one.is_made_from(kernel, arguments))
    return found


def test_the_arithmetic_limit_is_what_one_bank_has_to_give() -> None:
    for shared, reads in (("0", 416), ("1", 272)):
        loop = variant("62_fma_ceiling", "multiply_add", shared).loop("FFMA")
        assert (len(loop.instructions), max(banks_of(loop.instructions).reads)) == (259, reads)
        share = round(100 * 259 / reads)
        assert (
            f"259 instructions need {reads} registers of one bank: at most 259 ÷ {reads} = {share} %" in PAGE
        )


def test_the_other_order_takes_less_of_the_fuller_bank_than_float4() -> None:
    own = variant("07_float4", "sgemm_float4", "true").loop("FFMA")
    assert max(banks_of(own.instructions).reads) > len(own.instructions) == 1160
    other = [
        loop
        for kernel in kernels_of("7-sgemm/experiments/wide_or_deep")
        if (loop := kernel.loop("FFMA")).count == own.count
    ]
    assert any(max(banks_of(loop.instructions).reads) < len(loop.instructions) == 1160 for loop in other)
    late = [kernel.loop("FFMA") for kernel in kernels_of("7-sgemm/experiments/early_loads")]
    assert 1125 in [len(loop.instructions) for loop in late]
    assert "has 1125 instructions, and the loop of *float4* has 1160" in PAGE


def test_untransposed_asks_one_bank_twice_more_often_than_stream_k() -> None:
    own = inner_loop("27_untransposed", "sgemm_untransposed", 512)
    other = inner_loop("24_stream_k", "sgemm_stream_k", 512)
    found = [banks_of(loop.instructions).doubled for loop in (own, other)]
    assert found == [82, 51]
    assert "For 82 of 512 multiply-adds" in PAGE and "*stream-k* for 51." in PAGE
    most = max(banks_of(own.instructions).reads) / len(own.instructions)
    assert most < 1.02 and abs(len(own.instructions) - len(other.instructions)) <= 1
