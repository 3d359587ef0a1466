"""What the sources of the book published: `figures/data/sources.json`, and the one look-up in it.

A figure is named like a quantity, with the source's number in front: `001 read-rows time 4096x4096
block=32x32`; `card=V100` chooses one of several cards, `table=blocks` the number that a source repeats in a
table of its own.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from book.documents import BookError, read_document
from book.format import format_published
from book.keys import Key, Keyed, near, shape_text
from book.quantities import Quantity, Value, parse, related

_CHOICE = re.compile(r"\b(card|table)=(\S+)")
_UNITS = {
    "GB/s": (1e9, "B/s"),
    "GFLOP/s": (1e9, "flop/s"),
    "%": (0.01, "share"),
    "s": (1, "s"),
    "per request": (1, "average"),
}
"""By what a source's number is multiplied, and the unit that it then has; other numbers are counts."""


@dataclass(frozen=True)
class SourceRow(Keyed):
    """One figure that a source published, exactly as it stands there; value None: it is only drawn there.

    `table` tells apart a number that the source gives once more, in a table of its own.
    """

    source: str
    chapter: int
    card: str
    quantity: str
    value: float | None
    unit: str
    table: str = ""
    note: str = ""

    @property
    def name(self) -> str:
        """The row's own name, for messages and for keeping account of what is shown."""
        words = (self.source, self.step, self.quantity, *str(self.key).split()[1:])
        table = f"table={self.table}" if self.table else ""
        return " ".join(filter(None, (*words, table, f"({self.card})")))

    def at(self, step: str, rows: Iterable[SourceRow]) -> float | None:
        """What the source gives for another step by the same measure, on the same card, at the same shape."""
        same = (self.source, self.card, self.shape, self.quantity, step)
        values = (
            row.value
            for row in rows
            if (row.source, row.card, row.shape, row.quantity, row.step) == same and row.value
        )
        return next(values, None)


@dataclass(frozen=True)
class SourceQuantity:
    """A source's figure, named: the source, what of it, and which of its cards and tables."""

    source: str
    quantity: Quantity
    card: str = ""
    table: str = ""

    @classmethod
    def parse(cls, text: str) -> SourceQuantity:
        """A source's figure from `SOURCE STEP QUANTITY SHAPE ...`; BookError if it is none."""
        source, _, rest = text.strip().partition(" ")
        choice = dict(_CHOICE.findall(rest))
        return cls(source, parse(_CHOICE.sub("", rest)), choice.get("card", ""), choice.get("table", ""))

    def __str__(self) -> str:
        choices = (f"{name}={value}" for name in ("card", "table") if (value := getattr(self, name)))
        return " ".join((self.source, str(self.quantity), *choices))


def published(wanted: SourceQuantity, sources: Iterable[SourceRow]) -> Value:
    """A source's figure; raises BookError that names what is unknown."""
    rows = list(sources)
    of_source = [row for row in rows if row.source == wanted.source]
    if not of_source:
        hint = near(wanted.source, (row.source for row in rows))
        raise BookError(f"'{wanted}': no source {wanted.source}{hint}")
    of_card = [row for row in of_source if _squeezed(wanted.card) in _squeezed(row.card)]
    if not of_card:
        known = ", ".join(dict.fromkeys(row.card for row in of_source))
        raise BookError(f"'{wanted}': source {wanted.source} has no card {wanted.card}; there is {known}")
    of_table = [row for row in of_card if row.table == (wanted.table or row.table)]
    return related(wanted.quantity, lambda part: _published(part, of_table, wanted))


def load_sources(path: Path) -> tuple[SourceRow, ...]:
    """All rows, in their order."""
    return tuple(_row(raw) for raw in read_document(path, "sources"))


def _published(quantity: Quantity, rows: list[SourceRow], wanted: SourceQuantity) -> Value:
    row = _one(quantity, rows)
    if row is None:
        known = (f"{row.step} {row.quantity} {shape_text(row.shape)}" for row in rows)
        asked = f"{quantity.key.step} {quantity.name} {shape_text(quantity.key.shape)}"
        raise BookError(f"'{wanted}': source {wanted.source} has no such figure{near(asked, known)}")
    if row.value is None:
        raise BookError(f"'{wanted}': the source gives no number: {row.note}")
    scale, unit = _UNITS.get(row.unit, (1, "count"))
    number = row.value * scale
    return Value(number, unit, format_published(row.value, row.unit), (number, number))


def _one(quantity: Quantity, rows: Iterable[SourceRow]) -> SourceRow | None:
    """The one row that has this quantity; None if there is none; raises BookError if several have it."""
    key = quantity.key
    fitting = [
        row
        for row in rows
        if (row.step, row.quantity, row.shape) == (key.step, quantity.name, key.shape)
        and row.parameters.includes(key.parameters)
    ]
    fitting = [row for row in fitting if not row.table] or fitting
    if len(fitting) > 1:
        known = ", ".join(" ".join(filter(None, (str(row.parameters), f"({row.card})"))) for row in fitting)
        raise BookError(f"'{quantity}' is ambiguous: there is {known}")
    return fitting[0] if fitting else None


def _row(raw: dict[str, Any]) -> SourceRow:
    rest = {name: value for name, value in raw.items() if name not in ("step", "shape", "parameters")}
    return SourceRow(Key.of(raw), **rest)


def _squeezed(text: str) -> str:
    return re.sub(r"[^a-z0-9]", "", text.lower())
