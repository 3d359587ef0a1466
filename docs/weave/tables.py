"""Tables as docutils nodes: a caption, a header row, and a header cell in front of each row."""

from __future__ import annotations

from collections.abc import Sequence

from docutils import nodes

Cell = str | list[nodes.Node]

NOTHING = "–"
"""What stands in a cell that has no value."""


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
