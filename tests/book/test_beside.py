"""What the book finds for a figure that a source published."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from book import beside
from book.keys import Key
from book.library import Library
from book.results import Results
from book.sources import SourceRow
from tests.book.invented import REPOSITORY


@pytest.mark.parametrize(
    ("bits", "clock", "printed"),
    [(6016, 3201, "4.81\N{NO-BREAK SPACE}TB/s"), (384, 1850, "178\N{NO-BREAK SPACE}GB/s"), (0, 3201, None)],
)
def test_the_theoretical_bandwidth_is_that_of_the_pins(bits: int, clock: float, printed: str | None) -> None:
    row = SourceRow(
        Key("memcpy", (4096, 4096)), "001", 6, "GTX 1050 Ti", "theoretical-bandwidth", 112, "GB/s"
    )
    found = beside.ours(row, _run(bits, clock), _run(bits, clock))
    assert (found and found.text) == printed


def _run(bits: int, clock: float) -> Results:
    published = Library.of(REPOSITORY).require_published(6)
    clocks: dict[str, Any] = {"memory_mhz": {"maximum": clock}}
    return replace(published, gpu={"memory_bus_bits": bits}, provenance={"clocks": clocks})
