"""The figures of chapter 2: which sectors a warp's lanes touch, as the steps' predictions have it."""

from __future__ import annotations

import functools
from collections.abc import Callable

from book.library import Library
from figures.ladder import ladder
from figures.lanes import Access, Step, lanes_and_sectors
from figures.style import Drawing


def _picture(title: str, *accesses: Step | Access, most_lines: int = 8) -> Callable[[Library], Drawing]:
    return functools.partial(lanes_and_sectors, title=title, accesses=accesses, most_lines=most_lines)


def _of(name: str, step: str, line: int = 0) -> Step:
    return Step(name, 2, step, line)


FIGURES = {
    "aligned": _picture("One thread, one float", _of("aligned", "add")),
    "offsets": _picture(
        "The same, shifted",
        _of("shifted by 1 float", "shifted offset=1"),
        _of("shifted by 4 floats", "shifted offset=4"),
        _of("shifted by 8 floats, a whole sector", "shifted offset=8"),
    ),
    "pattern": _picture(
        "Some lanes of a warp",
        Access.of("24 lanes, from element 3 on", lambda lane: lane + 3 if lane < 24 else None),
    ),
    "strides": _picture(
        "Every nth float",
        *(_of(f"a stride of {stride}", f"strided stride={stride}") for stride in (2, 4, 8, 32)),
        most_lines=4,
    ),
    "scattered": _picture(
        "Pieces in random order",
        *(_of(f"pieces of {size} bytes", f"scattered piece={size}") for size in (4, 16, 32, 128)),
        most_lines=6,
    ),
    "vectors": _picture(
        "One, two and four floats a thread",
        _of("float", "add"),
        _of("float2", "add-float2"),
        _of("float4", "add-float4"),
    ),
    "points": _picture(
        "The x of 32 points",
        _of("an array of structures of three floats: the load of x", "points-structures"),
        _of("the load of y, of the same sectors", "points-structures", line=2),
        _of("structures padded to four floats: x, y, z and padding", "points-padded"),
        _of("a structure of arrays: the load of x", "points-arrays"),
    ),
    "matrices": _picture(
        "What the lanes of a matrix product read",
        _of("A: one element for all lanes", "multiply-rows"),
        _of("B row by row", "multiply-rows", line=1),
        _of("B column by column", "multiply-columns", line=1),
        most_lines=5,
    ),
    "shapes": _picture(
        "A warp in two dimensions",
        *(
            _of(f"a block of {width} × {height} threads", f"block-shapes block={width}x{height}")
            for width, height in ((32, 8), (16, 16), (8, 32), (4, 64))
        ),
    ),
    "narrow": _picture(
        "Bytes and shorts",
        _of("a byte a thread", "add-bytes"),
        _of("a short a thread", "add-shorts"),
        _of("16 bytes a thread", "add-bytes-wide"),
    ),
    "ladder": functools.partial(ladder, chapter=2),
}
