"""The roofs' timed loops are the machine code that is meant: no load is hoisted, nothing is added."""

from __future__ import annotations

import re
from collections import Counter

import pytest

from book.machine_code import Kernel
from tests.book.disassembled import kernels_of

CHAPTER = "1-memory-hierarchy"


def kernel_of(program: str, name: str = "") -> Kernel:
    """The program's only kernel, or the one of this name."""
    (kernel,) = (one for one in kernels_of(f"{CHAPTER}/{program}") if not name or one.is_called(name))
    return kernel


@pytest.mark.parametrize(
    ("program", "opcode", "width", "count"),
    [
        ("04_l1_data", "LDG", 128, 8),
        ("05_l1_tags", "LDG", 32, 8),
        ("06_shared_memory", "LDS", 128, 8),
        ("09_l1_latency", "LDG", 64, 4),
        ("10_l2_latency", "LDG", 64, 4),
        ("11_dram_latency", "LDG", 64, 4),
        ("12_shared_latency", "LDS", 32, 4),
    ],
)
def test_each_turn_loads_as_often_as_the_source_says(
    program: str, opcode: str, width: int, count: int
) -> None:
    kernel = kernel_of(program)
    loop = kernel.loop(opcode)
    assert loop.moves(opcode) == {width: count}
    loads = {other for other in ("LDG", "LDS", "LDL", "LD") if loop.moves(other)}
    assert loads == {opcode} and kernel.spills == 0
    past_l1 = "latency" in program and program not in ("09_l1_latency", "12_shared_latency")
    found = {one.text.split()[0] for one in loop.instructions if one.opcode == opcode}
    assert all((".STRONG.GPU" in name) == past_l1 for name in found), found


@pytest.mark.parametrize(
    "program", ["09_l1_latency", "10_l2_latency", "11_dram_latency", "12_shared_latency"]
)
def test_a_link_is_the_next_load_s_address(program: str) -> None:
    opcode = "LDS" if "shared" in program else "LDG"
    loads = [one.text for one in kernel_of(program).loop(opcode).instructions if one.opcode == opcode]
    for load, after in zip(loads, [*loads[1:], loads[0]], strict=True):
        target = load.split()[1].rstrip(",")
        assert f"[{target}" in after, (load, after)


def test_arithmetic_is_all_that_is_in_the_loop() -> None:
    multiply_add = kernel_of("07_ffma").loop("FFMA")
    assert (multiply_add.count, len(multiply_add.instructions)) == (256, 259)
    issue = kernel_of("08_issue_slots").loop("FFMA")
    kinds = Counter(one.opcode for one in issue.instructions)
    assert kinds["FFMA"] == 192 and kinds.total() == 259
    assert kinds.total() - kinds["FFMA"] - 3 == 64  # of the integer unit; and what counts, compares and jumps


def test_the_drams_roofs_move_16_bytes_at_a_time() -> None:
    moved = {
        program: [
            (one.opcode, one.bits) for one in kernel_of(program).instructions if one.opcode in ("LDG", "STG")
        ]
        for program in ("01_dram_read", "02_dram_write", "03_dram_copy")
    }
    assert moved == {
        "01_dram_read": [("LDG", 128)] * 8 + [("STG", 32)],  # and the sum of a warp
        "02_dram_write": [("STG", 128)],
        "03_dram_copy": [("LDG", 128), ("STG", 128)],
    }


@pytest.mark.parametrize(
    ("program", "kernel", "loads", "stores"),
    [
        ("50_stream", "read", 8, 0),
        ("50_stream", "write", 0, 8),
        ("50_stream", "scale", 8, 8),
        ("50_stream", "triad", 8, 4),
        ("51_l2_read", "read", 8, 0),
        ("52_l2_write", "write", 0, 8),
        ("53_busy_multiprocessors", "read", 8, 0),
        ("53_busy_multiprocessors", "write", 0, 8),
        ("experiments/write_order", "write", 0, 8),
        ("experiments/plain_copy", "copy", 8, 8),
    ],
)
def test_a_thread_asks_for_all_of_its_tile_at_once(
    program: str, kernel: str, loads: int, stores: int
) -> None:
    found = kernel_of(program, kernel)
    loop = found.loop("LDG" if loads else "STG")
    assert (loop.moves("LDG"), loop.moves("STG")) == (
        {128: loads} if loads else {},
        {128: stores} if stores else {},
    )
    assert found.spills == 0
    moved = [one.opcode for one in loop.instructions if one.opcode in ("LDG", "STG")]
    assert moved == ["LDG"] * loads + ["STG"] * stores  # no load waits for a store
    assert all(".STRONG.GPU" in one.text for one in loop.instructions if one.opcode == "LDG")


def test_under_load_a_thread_walks_and_the_others_ask_for_all_at_once() -> None:
    kernels = kernels_of(f"{CHAPTER}/55_loaded_latency")
    assert len(kernels) == 6  # one, two or four pieces at a time, which are read or copied
    for kernel in kernels:
        assert kernel.loop("LDG").moves("LDG") == {64: 4} and kernel.spills == 0
        moved = Counter((one.opcode, one.bits) for one in kernel.instructions if one.bits == 128)
        together = next(count for count in (1, 2, 4) if f"ILi{count}E" in kernel.name)
        copies = "Lb1E" in kernel.name
        assert moved == {("LDG", 128): together} | ({("STG", 128): together} if copies else {})
        walk, clocks, end = (
            [place for place, one in enumerate(kernel.instructions) if is_one(one)]
            for is_one in (
                lambda one: (one.opcode, one.bits) == ("LDG", 64),
                lambda one: "SR_CLOCKLO" in one.text,
                lambda one: (one.opcode, one.bits) == ("STG", 64),
            )
        )
        # The last link is stored before the clock is read again, so it has come by then.
        assert clocks[0] < min(walk) < max(walk) < end[0] < clocks[1]


@pytest.mark.parametrize(
    ("program", "name", "past_l1"),
    [
        ("20_chase", "walk_ring", False),
        ("22_tlb", "walk_ring", True),
        ("experiments/ring_order", "walk_ring", False),
        ("experiments/whole_memory", "walk_ring", True),
        ("experiments/aliased_pages", "walk_ring", True),
        ("experiments/mapped_pages", "walk_ring", True),
        ("experiments/small_pages", "walk_ring", True),
        ("experiments/five_rounds", "walk_ring", False),
        ("experiments/strided_walk", "walk_ring", False),
    ],
)
def test_a_walk_is_loads_between_two_readings_of_the_clock(program: str, name: str, past_l1: bool) -> None:
    kernel = kernel_of(program, name)
    loop = kernel.loop("LDG")
    assert loop.moves("LDG") == {64: 4} and kernel.spills == 0
    loads = [one.text for one in loop.instructions if one.opcode == "LDG"]
    assert all((".STRONG.GPU" in load) == past_l1 for load in loads), loads
    for load, after in zip(loads, [*loads[1:], loads[0]], strict=True):
        assert f"[{load.split()[1].rstrip(',')}" in after, (load, after)
    clocks = [one.address for one in kernel.instructions if "SR_CLOCKLO" in one.text]
    begin, end = loop.instructions[0].address, loop.instructions[-1].address
    assert len(clocks) == 2 and clocks[0] < begin and end < clocks[1]
    assert waits_for_the_load(kernel)


def test_a_stamp_is_read_when_the_load_has_come() -> None:
    kernel = kernel_of("21_stamped")
    loop = kernel.loop("STS")
    shown = [one.opcode for one in loop.instructions if one.opcode in ("LDG", "STS") or "CLOCK" in one.text]
    assert shown == ["CS2R", "LDG", "CS2R", "STS"]
    assert waits_for_the_load(kernel)


def waits_for_the_load(kernel: Kernel) -> bool:
    """Whether the second reading of the clock depends on what was loaded last."""
    return len(re.findall(r"@!?P\d CS2R \S+, SR_CLOCKLO", kernel.listing)) == 1
