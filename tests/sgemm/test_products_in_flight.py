"""The machine code of three-tf32 leaves alone what products under way still read and write.

The emulator's tensor cores are done at once, so no check there can show it.
"""

import os
import re
from pathlib import Path

import pytest

from book.machine_code import Instruction, Kernel, kernels_in

ROOT = Path(__file__).resolve().parents[2]
LISTING = ROOT / os.environ.get("TREE", "build") / "machine/7-sgemm/30_three_tf32.sass"

_PRODUCT = re.compile(r"HGMMA\.\S+ R(?P<sums>\d+), R(?P<factor>\d+),")
_REGISTER = re.compile(r"\bR(\d+)\b")
_WAIT = "WARPGROUP.DEPBAR"


def touched_in_flight(instructions: list[Instruction]) -> list[str]:
    """The instructions behind the first product that read a sum or overwrite a factor before the wait."""
    found = []
    sums: set[int] = set()
    factors: set[int] = set()
    for one in instructions:
        if product := _PRODUCT.match(one.text):
            first_sum, first_factor = int(product["sums"]), int(product["factor"])
            sums |= set(range(first_sum, first_sum + 64))
            factors |= set(range(first_factor, first_factor + 4))
        elif one.text.startswith(_WAIT):
            sums, factors = set(), set()
        else:
            registers = [int(number) for number in _REGISTER.findall(one.text)]
            if sums.intersection(registers) or factors.intersection(registers[:1]):
                found.append(one.text)
    return found


def listed(*lines: str) -> list[Instruction]:
    return [Instruction(16 * place, line) for place, line in enumerate(lines)]


PRODUCT = "HGMMA.64x128x8.F32.TF32 R24, R92, gdesc[UR8], R24, gsb0"


@pytest.mark.parametrize("line", ["LDS R93, [R2]", "FADD R130, R130, R87"])
def test_a_factor_overwritten_and_a_sum_read_too_early_are_found(line: str) -> None:
    wait = f"{_WAIT}.LE gsb0, 0x0"
    assert touched_in_flight(listed(PRODUCT, line, wait)) == [line]
    assert not touched_in_flight(listed(PRODUCT, wait, line))


def test_what_products_read_and_write_is_left_alone_until_all_are_waited_for_at_once() -> None:
    if not LISTING.exists():
        pytest.skip("the build has not disassembled it: `make book` does")

    def products(kernel: Kernel) -> int:
        return sum(_PRODUCT.match(one.text) is not None for one in kernel.instructions)

    kernel = max(kernels_in(LISTING), key=products)
    assert products(kernel) == 12
    # Where a factor would be overwritten, the assembler waits for each product by itself.
    assert sum(one.text.startswith(_WAIT) for one in kernel.instructions) == 1
    assert not touched_in_flight(list(kernel.instructions))
