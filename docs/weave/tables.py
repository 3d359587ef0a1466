"""Tables as docutils nodes: a caption, a header row, and a header cell in front of each row."""

from __future__ import annotations

from collections.abc import Sequence

from docutils import nodes

from figures.format import SPACE
from figures.results import Shape, shape_text

Cell = str | list[nodes.Node]

_RAISED = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")

NOTHING = "–"
"""What stands in a cell that has no value."""


def times(shape: Shape) -> str:
    """A shape as the book prints it: 8192 × 8192; the length of a vector may be a power of two: 2²⁶.

    A product of square matrices has one extent alone: 4096³.
    """
    if len(shape) == 1 and shape[0] >= 1 << 16 and shape[0].bit_count() == 1:
        return "2" + str(shape[0].bit_length() - 1).translate(_RAISED)
    if len(shape) == 3 and len(set(shape)) == 1:
        return f"{shape[0]}³"
    return shape_text(shape).replace("x", f"{SPACE}×{SPACE}")


def make_table(header: Sequence[Cell], rows: Sequence[Sequence[Cell]], caption: str = "") -> nodes.table:
    """A table whose first column holds the rows' headers."""
    table = nodes.table(classes=["woven"])
    if caption:
        table += nodes.title("", caption)
    group = nodes.tgroup(cols=len(header))
    table += group
    for index in range(len(header)):
        group += nodes.colspec(colwidth=1, stub=int(index == 0))
    head, body = nodes.thead(), nodes.tbody()
    head += _row(header)
    body += [_row(row) for row in rows]
    group += [head, body]
    return table


def _row(cells: Sequence[Cell]) -> nodes.row:
    row = nodes.row()
    for cell in cells:
        entry = nodes.entry()
        entry += nodes.paragraph("", "", *([nodes.Text(cell)] if isinstance(cell, str) else cell))
        row += entry
    return row
