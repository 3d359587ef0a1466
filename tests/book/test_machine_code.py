from __future__ import annotations

from pathlib import Path

import pytest

from book.documents import BookError
from book.machine_code import Kernel, kernels_in

LISTING = """
 Function multiply:
  REG:40 STACK:0 SHARED:0 LOCAL:0
\tcode for sm_90
\t\tFunction : multiply
        /*0000*/                   MOV R1, c[0x0][0x28] ;   /* 0x00000a0000017a02 */
                                                            /* 0x000fe40000000f00 */
        /*0010*/                   FFMA R9, R2, R3, R9 ;
        /*0020*/                   LDS.128 R4, [R2] ;
        /*0030*/              @!PT LDS RZ, [RZ] ;
        /*0040*/              @!P0 LDG.E.64.CONSTANT R6, desc[UR4][R2.64] ;
        /*0050*/                   FFMA R8, R4.reuse, R5, R8 ;
        /*0060*/                   FFMA R9, R4, R6, R9 ;
        /*0070*/               @P0 BRA 0x20 ;
        /*0080*/                   STS [R1], R9 ;
        /*0090*/                   STL [R1], R9 ;
        /*00a0*/                   BRA 0x0 ;
        /*00b0*/                   BRA 0xb0 ;
"""


@pytest.fixture
def kernel(tmp_path: Path) -> Kernel:
    listing = tmp_path / "multiply.sass"
    listing.write_text(LISTING)
    (found,) = kernels_in(listing)
    return found


def test_the_loop_is_the_one_that_multiplies_and_not_the_code_around_it(kernel: Kernel) -> None:
    assert [one.address for one in kernel.loop("FFMA").instructions] == [0x20, 0x30, 0x40, 0x50, 0x60, 0x70]
    assert (kernel.loop("FFMA").count, kernel.loop("FFMA").reused, kernel.loop("FFMA").share) == (2, 1, 2 / 6)


def test_registers_and_spills_are_those_of_the_kernel(kernel: Kernel) -> None:
    assert (kernel.name, kernel.registers, kernel.spills) == ("multiply", 40, 1)


def test_spills_of_a_loop_are_those_that_each_turn_executes(kernel: Kernel) -> None:
    assert (kernel.loop("FFMA").spills, kernel.loop("STS").spills) == (0, 1)


def test_moves_are_counted_by_width_without_those_that_no_thread_does(kernel: Kernel) -> None:
    moves = {opcode: kernel.loop("FFMA").moves(opcode) for opcode in ("LDS", "STS", "LDG")}
    assert moves == {"LDS": {128: 1}, "STS": {}, "LDG": {64: 1}}


def test_a_kernel_without_multiply_adds_has_no_loop() -> None:
    nothing = Kernel("nothing", 8, "        /*0000*/     BRA 0x0 ;")
    assert nothing.loop("FFMA").instructions == ()
    assert nothing.loop("FFMA").share == 0


def test_a_listing_that_is_not_built_is_named(tmp_path: Path) -> None:
    with pytest.raises(BookError, match=r"absent\.sass is missing: `make book` writes it"):
        kernels_in(tmp_path / "absent.sass")


def test_a_kernel_is_known_by_what_the_source_calls_it() -> None:
    mangled = Kernel("_ZN57_GLOBAL__N__6b_9_13_add_cu_77_4add8multiplyILi4EEEvPf", 8, ())
    assert mangled.is_called("multiply")
    assert not mangled.is_called("add") and not mangled.is_called("multi")
    assert Kernel("multiply", 8, ()).is_called("multiply")
