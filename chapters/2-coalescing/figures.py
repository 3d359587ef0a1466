"""The figures of chapter 2: which sectors a warp's lanes touch, and what sweeps of an access cost."""

from __future__ import annotations

import functools
from collections.abc import Callable

from book.library import Library
from figures.ladder import ladder
from figures.lanes import Access, lanes_and_sectors
from figures.style import Drawing
from figures.sweeps import Sweep, sweep

_COLUMNS = 1024
"""Floats to a row of the matrices that are drawn."""
_SCATTERED = 4096
"""Floats in the vector whose pieces are drawn out of order."""


def _permuted(index: int, count: int) -> int:
    """Where permutation.hpp sends an index below `count`."""
    bits = (count - 1).bit_length()
    mask, shift = (1 << bits) - 1, bits // 2 + 1
    while True:
        for factor in (0x9E3779B97F4A7C15, 0xD1B54A32D192ED03):
            index = index * factor & mask
            index ^= index >> shift
        if index < count:
            return index


def _scattered(piece_bytes: int) -> Access:
    piece = piece_bytes // 4
    return Access.of(
        f"pieces of {piece_bytes} bytes",
        lambda lane: _permuted(lane // piece, _SCATTERED // piece) * piece + lane % piece,
    )


def _block(width: int, height: int) -> Access:
    return Access.of(
        f"a block of {width} × {height} threads", lambda lane: lane // width * _COLUMNS + lane % width
    )


def _picture(title: str, *accesses: Access, most_lines: int = 8) -> Callable[[Library], Drawing]:
    return functools.partial(lanes_and_sectors, title=title, accesses=accesses, most_lines=most_lines)


def _sweep(
    title: str, label: str, step: str, parameter: str, accesses: dict[int, Access]
) -> Callable[[Library], Drawing]:
    swept = Sweep(2, step, parameter, (1 << 26,), accesses)
    return functools.partial(sweep, swept=swept, label=label, title=title)


FIGURES = {
    "aligned": _picture("One thread, one float", Access.strided("aligned")),
    "offsets": _picture(
        "The same, shifted",
        Access.strided("shifted by 1 float", offset=1),
        Access.strided("shifted by 4 floats", offset=4),
        Access.strided("shifted by 8 floats, a whole sector", offset=8),
    ),
    "strides": _picture(
        "Each so many-th float",
        *(Access.strided(f"a stride of {stride}", stride=stride) for stride in (2, 4, 8, 32)),
        most_lines=4,
    ),
    "scattered": _picture(
        "Pieces in random order", *(_scattered(size) for size in (4, 16, 32, 128)), most_lines=6
    ),
    "vectors": _picture(
        "One, two and four floats a thread",
        Access.strided("float"),
        Access.strided("float2", width=8),
        Access.strided("float4", width=16),
    ),
    "points": _picture(
        "The x of 32 points",
        Access.strided("an array of structures of three floats: the load of x", stride=3),
        Access.of("the load of y, of the same sectors", lambda lane: 3 * lane + 1),
        Access.strided("structures padded to four floats: x, y, z and padding", width=16),
        Access.strided("a structure of arrays: the load of x"),
    ),
    "matrices": _picture(
        "What the lanes of a matrix product read",
        Access.of("A: one element for all lanes", lambda lane: 0),
        Access.of("B row by row", lambda lane: lane),
        Access.of("B column by column", lambda lane: lane * _COLUMNS),
        most_lines=5,
    ),
    "shapes": _picture(
        "A warp in two dimensions", _block(32, 8), _block(16, 16), _block(8, 32), _block(4, 64)
    ),
    "narrow": _picture(
        "Bytes and shorts",
        Access.strided("a byte a thread", width=1),
        Access.strided("a short a thread", width=2),
        Access.strided("16 bytes a thread", width=16),
    ),
    "offset-sweep": _sweep(
        "Every offset",
        "offset, in floats",
        "shifted",
        "offset",
        {offset: Access.strided("", offset=offset) for offset in range(33)},
    ),
    "stride-sweep": _sweep(
        "Every stride",
        "stride, in floats",
        "strided",
        "stride",
        {stride: Access.strided("", stride=stride) for stride in range(1, 33)},
    ),
    "piece-sweep": _sweep(
        "Random order, by piece",
        "piece, in bytes",
        "scattered",
        "piece",
        {size: _scattered(size) for size in (4, 8, 16, 32, 64, 128)},
    ),
    "ladder": functools.partial(ladder, chapter=2, main=(1 << 28,), others=((1 << 26,),)),
}
