"""The grammar in which prose, claims and tables name a number.

`STEP QUANTITY SHAPE [key=value ...] [of STEP2 [key=value ...] | over STEP2 [key=value ...]]`:
`padded bandwidth 8192x8192`, `read-rows time 4096x4096 block=32x32`, `padded bandwidth 8192x8192 of memcpy`
(a share, printed in per cent), `padded bandwidth 8192x8192 over tile` (a ratio).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from book.counted import Counted
from book.descriptions import Descriptions
from book.documents import BookError, MissingResultsError
from book.format import digits, format_value
from book.keys import Key, Parameters, near, parse_shape, shape_text
from book.metrics import COUNTED, METRICS, PER_REQUEST
from book.ratings import CYCLES, RATINGS, TIMED
from book.results import Measurement, Results

Ends = tuple[float, float]


@dataclass(frozen=True)
class Value:
    """A number with its unit, in SI; `text` is how the book prints it."""

    number: float
    unit: str
    text: str
    ends: Ends
    """Between which numbers it lay in the rounds of a measurement."""

    @classmethod
    def of(cls, number: float, unit: str, ends: Ends | None = None) -> Value:
        """A value printed in the book's usual way."""
        return cls(number, unit, format_value(number, unit), ends or (number, number))


@dataclass(frozen=True)
class Quantity:
    """What is asked of one variant of a step, and of which other step it is a share or a multiple."""

    key: Key
    name: str
    relation: str = ""
    other: Key | None = None

    def __str__(self) -> str:
        words = [self.key.step, self.name, shape_text(self.key.shape), str(self.key.parameters)]
        if self.other:
            words += [self.relation, self.other.step, str(self.other.parameters)]
        return " ".join(filter(None, words))


def parse(text: str) -> Quantity:
    """A quantity from its text; raises BookError that shows the text and what was expected."""
    words = text.split()
    if len(words) < 3:
        raise BookError(f"'{text}' is not STEP QUANTITY SHAPE, e.g. 'padded bandwidth 8192x8192'")
    step, name, shape, *rest = words
    relation_at = next((index for index, word in enumerate(rest) if word in ("of", "over")), len(rest))
    relation = rest[relation_at:]
    if len(relation) == 1:
        raise BookError(f"'{text}': a step must follow '{relation[0]}'")
    try:
        key = Key(step, parse_shape(shape), Parameters.parse(rest[:relation_at]))
        other = Key(relation[1], key.shape, Parameters.parse(relation[2:])) if relation else None
    except BookError as error:
        raise BookError(f"'{text}': {error}") from error
    return Quantity(key, name, relation[0] if relation else "", other)


def measured(quantity: Quantity, results: Results) -> Value:
    """The value of a measured quantity in these results; raises BookError that names what is unknown."""
    return related(quantity, lambda part: _measured(part, results.measurements.find(part.key)))


def counted(quantity: Quantity, results: Results | Counted) -> Value:
    """The value of a counted quantity in these counters; raises BookError that names what is unknown."""

    def count(part: Quantity) -> Value:
        try:
            return _metric(part, results.counters.find(part.key).metrics, "counted")
        except BookError:
            metric = METRICS.get(part.name, PER_REQUEST.get(part.name, (part.name,))[0])
            if isinstance(results, Counted) and results.is_awaited(part.key, METRICS.get(metric, metric)):
                raise MissingResultsError(f"{part.key} is not counted by Nsight Compute yet") from None
            raise

    return related(quantity, count)


def predicted(quantity: Quantity, descriptions: Descriptions) -> Value:
    """The value of a predicted quantity, from the built programs; BookError names what is unknown."""

    def predict(part: Quantity) -> Value:
        metrics = descriptions.predictions.find(part.key).metrics or {}
        return _metric(part, {**dict.fromkeys(COUNTED, 0.0), **metrics}, "predicted")

    return related(quantity, predict)


def related(quantity: Quantity, evaluate: Callable[[Quantity], Value]) -> Value:
    """A quantity's value: a share or a multiple of another step's, if it says so."""
    value = evaluate(replace(quantity, relation="", other=None))
    if quantity.other is None:
        return value
    other = evaluate(Quantity(quantity.other, quantity.name))
    if other.number == 0:
        raise BookError(f"'{quantity}': {quantity.other.step} is 0, nothing can be divided by it")
    ends = (value.ends[0] / other.ends[1], value.ends[1] / other.ends[0])
    return Value.of(value.number / other.number, "share" if quantity.relation == "of" else "ratio", ends)


def _measured(quantity: Quantity, entry: Measurement) -> Value:
    reported = entry.quantities.get(quantity.name) or entry.meter.get(quantity.name)
    if reported:
        return Value.of(reported.median, reported.unit)
    if quantity.name not in TIMED:
        hint = near(quantity.name, (*TIMED, *entry.quantities, *entry.meter))
        raise BookError(f"'{quantity}': {quantity.name} is not a measured quantity{hint}")
    shortest, longest = entry.between_rounds
    if quantity.name == "time":
        return Value.of(entry.median, "s", (shortest, longest))
    if quantity.name == CYCLES:
        accesses = _amount(quantity, entry, "accesses")
        scale = _clock(quantity, entry) / accesses
        return Value.of(entry.median * scale, "cycles each", (shortest * scale, longest * scale))
    name, rating = next(pair for pair in RATINGS.items() if pair[1].name == quantity.name)
    amount = _amount(quantity, entry, name)
    if rating.of_one:
        return Value.of(entry.median / amount, rating.unit, (shortest / amount, longest / amount))
    return Value.of(amount / entry.median, rating.unit, (amount / longest, amount / shortest))


def _amount(quantity: Quantity, entry: Measurement, name: str) -> int:
    if not entry.amounts.get(name):
        raise BookError(f"'{quantity}': {entry.step} is rated by {entry.rated_by}, it does no {name}")
    return entry.amounts[name]


def _clock(quantity: Quantity, entry: Measurement) -> float:
    if entry.sm_mhz is None:
        raise BookError(f"'{quantity}': the results do not say at which clock this was measured")
    return entry.sm_mhz * 1e6


def _metric(quantity: Quantity, metrics: Mapping[str, float], witness: str) -> Value:
    def value_of(name: str) -> float:
        metric = METRICS.get(name, name)
        if metric not in metrics:
            hint = near(quantity.name, [*METRICS, *PER_REQUEST, *metrics])
            raise BookError(f"'{quantity}': {quantity.name} is not {witness} for {quantity.key.step}{hint}")
        return metrics[metric]

    if quantity.name in PER_REQUEST:
        numerator, denominator = map(value_of, PER_REQUEST[quantity.name])
        if denominator == 0:
            raise BookError(f"'{quantity}': {quantity.key.step} makes no such request")
        return Value.of(numerator / denominator, "average")
    if quantity.name == "occupancy":
        return Value.of(value_of("occupancy") / 100, "share")
    number = value_of(quantity.name)
    if ".pct" in METRICS.get(quantity.name, quantity.name):
        return Value(number, "percent", digits(number), (number, number))
    return Value.of(number, "count")


def rated_text(entry: Measurement, access: str = "") -> str:
    """A measurement's rating as the book prints it: for accesses the time of one, and its cycles.

    Args:
        entry: the measurement.
        access: what one access is, such as `load`; without it, *each*.

    """
    text = Value.of(entry.rated, entry.rating.unit).text
    if entry.rated_by == "accesses" and entry.sm_mhz is not None:
        text = f"{text}, {Value.of(entry.rated * entry.sm_mhz * 1e6, 'cycles each').text}"
    return text.replace(" each", f" per {access}") if access else text
