"""Lines of one row, as chapter 3's `rows-of-bank` publishes them: those of a bank without conflicts."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from book.results import Results

WINDOW = (8 << 20) // 128
"""The lines among which the program looks for those of a bank; a window is aligned."""


@dataclass(frozen=True)
class Rows:
    """The numbers of the lines of each row that was found, rising."""

    rows: list[np.ndarray]

    @classmethod
    def of(cls, results: Results) -> Rows | None:
        """Those of a GPU's results; None if they are not published."""
        for entry in results.measurements:
            if entry.step == "rows-of-bank" and "rows" in entry.series:
                lines, rows = (np.array(entry.series[name].rows) for name in ("lines", "rows"))
                return cls.in_banks(lines, rows)
        return None

    @classmethod
    def in_banks(cls, lines: np.ndarray, rows: np.ndarray) -> Rows:
        """Of each bank its lines, or -1, and of each line the place of the first one in its row."""
        found = []
        for mine, row in zip(lines, rows, strict=True):
            found += [np.sort(mine[row == first]) for first in np.unique(row[mine >= 0])]
        return cls(found)

    def of_size(self, size: int) -> list[np.ndarray]:
        """Those of which so many lines were found."""
        return [row for row in self.rows if len(row) == size]

    def sizes(self, most: int) -> list[int]:
        """How many rows have one line, two, and so on."""
        return [len(self.of_size(size)) for size in range(1, most + 1)]

    def span(self, size: int) -> int:
        """From the first to the last line of a row of such a size, at most, in lines."""
        return max(int(row[-1] - row[0]) for row in self.of_size(size))

    def cut(self, size: int) -> tuple[int, int]:
        """Of rows with fewer lines, how many may reach beyond their window, if they span as much; and all."""
        shorter = [row for row in self.rows if len(row) < size]
        span = self.span(size)
        beyond = [row for row in shorter if min(row[-1] % WINDOW, WINDOW - 1 - row[0] % WINDOW) < span]
        return len(beyond), len(shorter)
