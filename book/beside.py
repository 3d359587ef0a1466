"""What the book finds for a figure that a source published."""

from __future__ import annotations

from dataclasses import dataclass, field

from book import quantities
from book.counted import Counted
from book.documents import BookError
from book.keys import Key, Parameters, shape_text
from book.metrics import METRICS
from book.quantities import Quantity, Value
from book.ratings import TIMED
from book.results import Results
from book.sources import SourceRow

_AVERAGE = "-per-request"
_THEORETICAL = "theoretical-bandwidth"
_BITS_OF_CYCLE = 2
"""That a wire of the memory moves."""


@dataclass(frozen=True)
class Ours:
    """A value of the book's, and the variant that it is of where the source's is none of ours."""

    text: str
    instead: Parameters = field(default_factory=Parameters)


def ours(row: SourceRow, results: Results | None, counted: Results | Counted) -> Ours | None:
    """The same by the book's witnesses; None for what none of them tells.

    Where the source's parameters are none of ours, it is the default variant's.

    Raises:
        BookError: it should be there, and is not.

    """
    if row.quantity == _THEORETICAL:
        return _of_pins(results)
    if row.quantity not in TIMED:
        text = _counted(row, counted)
        return None if text is None else Ours(text)
    if results is None:
        return None
    if results.measurements.get(row.key):
        return Ours(quantities.measured(Quantity(row.key, row.quantity), results).text)
    default = Key(row.step, row.shape)
    text = quantities.measured(Quantity(default, row.quantity), results).text
    return Ours(text, results.measurements.find(default).parameters)


def _of_pins(results: Results | None) -> Ours | None:
    """What all wires of the card's memory move in a second; None where the run does not say it."""
    if results is None:
        return None
    bits = results.gpu.get("memory_bus_bits")
    clock = results.provenance.get("clocks", {}).get("memory_mhz", {}).get("maximum")
    if not bits or not clock:
        return None
    return Ours(Value.of(_BITS_OF_CYCLE * bits / 8 * clock * 1e6, "B/s").text)


def share(row: SourceRow, whole: str, results: Results) -> str:
    """What the row's step is of another in a run; BookError if either is not there."""
    return quantities.measured(Quantity(row.key, row.quantity, "of", Key(whole, row.shape)), results).text


def _counted(row: SourceRow, counted: Results | Counted) -> str | None:
    """A count of loads, stores or, where the source adds them up, both."""
    base, average = row.quantity.removesuffix(_AVERAGE), row.quantity.endswith(_AVERAGE)
    names = [base] if base in METRICS else [f"load-{base}", f"store-{base}"]
    requests = [f"{name.rpartition('-')[0]}-requests" for name in names] if average else []
    wanted = {METRICS.get(name, name) for name in names + requests}
    if not any(wanted <= entry.metrics.keys() for entry in counted.counters):
        return None
    metrics = counted.counters.find(row.key).metrics
    if not wanted <= metrics.keys():
        missing = ", ".join(sorted(wanted - metrics.keys()))
        raise BookError(f"{row.step}: {missing} not counted at {shape_text(row.shape)}")
    total = sum(metrics[METRICS[name]] for name in names)
    if row.unit == "%":
        return Value.of(total, "percent").text
    if not average:
        return Value.of(total, "count").text
    made = sum(metrics[METRICS[name]] for name in requests)
    if not made:
        raise BookError(f"{row.step} makes no such request at {shape_text(row.shape)}")
    return Value.of(total / made, "average").text
