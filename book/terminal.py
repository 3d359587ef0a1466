"""Tables for a terminal: aligned columns, colour only where a person looks."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field

BOLD, DIM, GREEN, RED = "1", "2", "32", "31"
_CODES = re.compile(r"\x1b\[\d+m")


def paint(text: str, code: str) -> str:
    """Text in a colour if standard output is a terminal and NO_COLOR is not set."""
    if sys.stdout.isatty() and not os.environ.get("NO_COLOR") and text:
        return f"\x1b[{code}m{text}\x1b[0m"
    return text


def width(text: str) -> int:
    """The columns that a text takes on a terminal."""
    return len(_CODES.sub("", text))


@dataclass
class Table:
    """Rows under headings; the first columns, as many as `left`, stand left, the others right."""

    headings: Sequence[str]
    left: int = 1
    rows: list[Sequence[str]] = field(default_factory=list)

    def __str__(self) -> str:
        lines = [self.headings, *self.rows]
        widths = [max(width(line[column]) for line in lines) for column in range(len(self.headings))]
        used = [
            column for column, heading in enumerate(self.headings) if any(row[column] for row in self.rows)
        ]
        return "\n".join(
            "  ".join(
                self._cell(line[column], widths[column], column, line is self.headings) for column in used
            ).rstrip()
            for line in lines
        )

    def _cell(self, text: str, wide: int, column: int, heading: bool) -> str:
        space = " " * (wide - width(text))
        text = paint(text, DIM) if heading else text
        return text + space if column < self.left else space + text
