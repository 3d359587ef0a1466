"""Chapter 7's drawings of machine code and of schedules: what they show follows from what they read."""

from __future__ import annotations

import sys
from itertools import pairwise
from types import ModuleType

import pytest

from book.documents import BookError
from book.machine_code import Instruction
from figures.pages import chapter_figures
from tests.book.invented import REPOSITORY


def drawings(name: str) -> ModuleType:
    """A module of the chapter's figures."""
    chapter_figures(REPOSITORY / "chapters/7-sgemm")
    return sys.modules[f"figures_{name}_of_chapter_7"]


def held(*texts: str) -> list[list[bool]]:
    """Of each FFMA which of its two factors the operand cache holds."""
    found = drawings("machine_code").ffmas([Instruction(16 * at, text) for at, text in enumerate(texts)])
    return [[read.held for read in one.factors] for one in found if one]


def test_an_operand_is_held_where_the_instruction_before_had_it_in_the_same_place_for_reuse() -> None:
    first = "FFMA R0, R2.reuse, R4.reuse, R0"
    assert held(first, "FFMA R1, R2, R4, R1") == [[False, False], [True, True]]
    assert held(first, "FFMA R1, R4, R2, R1")[1] == [False, False]
    assert held("FFMA R0, R2, R4.reuse, R0", "FFMA R1, R2, R4, R1")[1] == [False, True]
    assert held(first, "LDS R9, [R8]", "FFMA R1, R2, R4, R1")[1] == [False, False]


def test_a_loop_without_a_turn_has_no_six_lines_to_show() -> None:
    module = drawings("machine_code")
    rows = module.ffmas([Instruction(16 * at, f"FFMA R{at}, R2, R4.reuse, R{at}") for at in range(20)])
    with pytest.raises(BookError, match="no row of FFMAs"):
        module.turn(rows)


@pytest.mark.parametrize("stages", [1, 2, 3, 4])
def test_a_stage_is_filled_again_only_after_it_was_used_and_nobody_waits_in_a_ring(stages: int) -> None:
    schedule = drawings("schedules")._schedule(stages, 12)
    for stage in range(stages):
        mine = [one for one in schedule if one[0] == stage]
        assert all(asked < begins < ends for _, asked, begins, ends in mine)
        assert all(after[1] >= before[3] for before, after in pairwise(mine))
    waits = [after[2] - before[3] for before, after in pairwise(schedule)]
    assert waits == [int(stages == 1)] * 11


@pytest.mark.parametrize(("tiles", "shared"), [(512, 248), (264, 0), (32, 32), (132, 0), (133, 133)])
def test_stream_k_cuts_the_incomplete_wave_and_one_before(tiles: int, shared: int) -> None:
    assert drawings("schedules")._shared_tiles(tiles, 132) == shared
