"""The grammar in which prose, claims and tables name a number.

`STEP QUANTITY SHAPE [key=value ...] [of STEP2 [key=value ...] | over STEP2 [key=value ...]]`:
`padded bandwidth 8192x8192`, `read-rows time 4096x4096 block=32x32`, `padded bandwidth 8192x8192 of memcpy`
(a share, printed in per cent), `padded bandwidth 8192x8192 over tile` (a ratio). A source's figure has the
source's number in front: `001 read-rows time 4096x4096 block=32x32`; `card=V100` chooses one of several
cards, `table=blocks` the number that a source repeats in a table of its own.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from book.documents import BookError
from book.emulation import Counted
from book.format import format_published, format_value
from book.library import SourceRow
from book.metrics import COUNTED, METRICS, PER_REQUEST
from book.results import Descriptions, Parameters, Results, Shape, near, parameters_text, shape_text

MEASURED = ("time", "bandwidth", "rate")
"""What a clock gives."""

_SHAPE = re.compile(r"\d+(x\d+)*")
_PARAMETER = re.compile(r"([a-z][a-z0-9-]*)=(\d+(?:x\d+)*)")
_CHOICE = re.compile(r"\b(card|table)=(\S+)")


@dataclass(frozen=True)
class Value:
    """A number with its unit, in SI; `text` is how the book prints it."""

    number: float
    unit: str
    text: str

    @classmethod
    def of(cls, number: float, unit: str) -> Value:
        """A value printed in the book's usual way."""
        return cls(number, unit, format_value(number, unit))


@dataclass(frozen=True)
class Quantity:
    """A number's name, parsed: `text` is how the prose wrote it."""

    text: str
    step: str
    quantity: str
    shape: Shape
    parameters: Parameters
    relation: str = ""
    other: str = ""
    other_parameters: Parameters | None = None

    def counterpart(self) -> Quantity:
        """The quantity that this one is compared with by `of` or `over`."""
        return Quantity(self.text, self.other, self.quantity, self.shape, self.other_parameters or {})


def parse(text: str) -> Quantity:
    """A quantity from its text; raises BookError that shows the text and what was expected."""
    words = text.split()
    if len(words) < 3:
        raise BookError(f"'{text}' is not STEP QUANTITY SHAPE, e.g. 'padded bandwidth 8192x8192'")
    step, quantity, shape, *rest = words
    if not _SHAPE.fullmatch(shape):
        raise BookError(f"'{text}': '{shape}' is not a shape such as 8192x8192")
    relation_at = next((index for index, word in enumerate(rest) if word in ("of", "over")), len(rest))
    parameters = _parse_parameters(text, rest[:relation_at])
    tail = rest[relation_at:]
    if not tail:
        return Quantity(text, step, quantity, _parse_shape(shape), parameters)
    if len(tail) < 2:
        raise BookError(f"'{text}': a step must follow '{tail[0]}'")
    other_parameters = _parse_parameters(text, tail[2:])
    return Quantity(text, step, quantity, _parse_shape(shape), parameters, tail[0], tail[1], other_parameters)


def measured(text: str, results: Results) -> Value:
    """The value of a measured quantity in these results; raises BookError that names what is unknown."""
    return _related(parse(text), lambda quantity: _measured(quantity, results))


def counted(text: str, results: Results | Counted) -> Value:
    """The value of a counted quantity in these counters; raises BookError that names what is unknown."""

    def count(quantity: Quantity) -> Value:
        entry = results.counter(quantity.step, quantity.shape, quantity.parameters)
        return _metric(quantity, entry.metrics, "counted")

    return _related(parse(text), count)


def predicted(text: str, descriptions: Descriptions) -> Value:
    """The value of a predicted quantity, from the built programs; BookError names what is unknown."""

    def predict(quantity: Quantity) -> Value:
        entry = descriptions.prediction(quantity.step, quantity.shape, quantity.parameters)
        untouched = dict.fromkeys(COUNTED, 0.0)
        return _metric(quantity, {**untouched, **entry.metrics}, "predicted")

    return _related(parse(text), predict)


def published(text: str, sources: Iterable[SourceRow]) -> Value:
    """A source's figure, `SOURCE STEP QUANTITY SHAPE ...`; raises BookError that names what is unknown."""
    rows = list(sources)
    source, _, rest = text.strip().partition(" ")
    choice = dict(_CHOICE.findall(rest))
    quantity = parse(_CHOICE.sub("", rest))
    of_source = [row for row in rows if row.source == source]
    if not of_source:
        raise BookError(f"'{text}': no source {source}{near(source, [row.source for row in rows])}")
    of_card = [row for row in of_source if _squeezed(choice.get("card", "")) in _squeezed(row.card)]
    if not of_card:
        known = ", ".join(dict.fromkeys(row.card for row in of_source))
        raise BookError(f"'{text}': source {source} has no card {choice['card']}; there is {known}")
    of_table = [row for row in of_card if row.table == choice.get("table", row.table)]
    return _related(quantity, lambda part: _published(part, of_table, text, source))


def source_row(quantity: Quantity, rows: Iterable[SourceRow]) -> SourceRow | None:
    """The one row that has this quantity; None if there is none; raises BookError if several have it."""
    fitting = [
        row
        for row in rows
        if (row.step, row.quantity, row.shape) == (quantity.step, quantity.quantity, quantity.shape)
        and quantity.parameters.items() <= row.parameters.items()
    ]
    fitting = [row for row in fitting if not row.table] or fitting
    if len(fitting) > 1:
        known = [
            " ".join(filter(None, (parameters_text(row.parameters), f"({row.card})"))) for row in fitting
        ]
        raise BookError(f"'{quantity.text}' is ambiguous: there is {', '.join(known)}")
    return fitting[0] if fitting else None


def _measured(quantity: Quantity, results: Results) -> Value:
    if quantity.quantity not in MEASURED:
        hint = near(quantity.quantity, MEASURED)
        raise BookError(f"'{quantity.text}': {quantity.quantity} is not a measured quantity{hint}")
    entry = results.measurement(quantity.step, quantity.shape, quantity.parameters)
    match quantity.quantity:
        case "time":
            return Value.of(entry.median, "s")
        case "bandwidth":
            return Value.of(entry.bandwidth, "B/s")
        case _:
            if not entry.flops:
                raise BookError(
                    f"'{quantity.text}': {quantity.step} is rated by bytes, it does no operations"
                )
            return Value.of(entry.rate, "flop/s")


def _metric(quantity: Quantity, metrics: Mapping[str, float], witness: str) -> Value:
    def value_of(name: str) -> float:
        metric = METRICS.get(name, name)
        if metric not in metrics:
            hint = near(quantity.quantity, [*METRICS, *PER_REQUEST, *metrics])
            raise BookError(
                f"'{quantity.text}': {quantity.quantity} is not {witness} for {quantity.step}{hint}"
            )
        return metrics[metric]

    if quantity.quantity in PER_REQUEST:
        numerator, denominator = map(value_of, PER_REQUEST[quantity.quantity])
        if denominator == 0:
            raise BookError(f"'{quantity.text}': {quantity.step} makes no such request")
        return Value.of(numerator / denominator, "average")
    if quantity.quantity == "occupancy":
        return Value.of(value_of("occupancy") / 100, "share")
    return Value.of(value_of(quantity.quantity), "count")


def _published(quantity: Quantity, rows: list[SourceRow], text: str, source: str) -> Value:
    row = source_row(quantity, rows)
    if row is None:
        known = (f"{row.step} {row.quantity} {shape_text(row.shape)}" for row in rows)
        wanted = f"{quantity.step} {quantity.quantity} {shape_text(quantity.shape)}"
        raise BookError(f"'{text}': source {source} has no such figure{near(wanted, known)}")
    if row.value is None:
        raise BookError(f"'{text}': the source gives no number: {row.note}")
    if row.unit in ("GB/s", "GFLOP/s"):
        rate = "B/s" if row.unit == "GB/s" else "flop/s"
        return Value(row.value * 1e9, rate, format_published(row.value, row.unit))
    number = row.value / 100 if row.unit == "%" else row.value
    unit = {"s": "s", "%": "share", "per request": "average"}.get(row.unit, "count")
    return Value(number, unit, format_published(row.value, row.unit))


def _related(quantity: Quantity, evaluate: Callable[[Quantity], Value]) -> Value:
    value = evaluate(quantity)
    if not quantity.relation:
        return value
    other = evaluate(quantity.counterpart())
    if other.number == 0:
        raise BookError(f"'{quantity.text}': {quantity.other} is 0, nothing can be divided by it")
    return Value.of(value.number / other.number, "share" if quantity.relation == "of" else "ratio")


def _parse_shape(text: str) -> Shape:
    return tuple(int(part) for part in text.split("x"))


def _parse_parameters(text: str, words: list[str]) -> dict[str, tuple[int, ...]]:
    parameters = {}
    for word in words:
        match = _PARAMETER.fullmatch(word)
        if not match:
            raise BookError(f"'{text}': '{word}' is not a parameter such as block=32x8")
        parameters[match[1]] = _parse_shape(match[2])
    return parameters


def _squeezed(text: str) -> str:
    return re.sub(r"[^a-z0-9]", "", text.lower())
