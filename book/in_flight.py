"""The bandwidth that bytes in flight give, worked out by Little's law from the latencies of chapter 1.

`code/model/in_flight.cpp` does the arithmetic. It takes the latency of a load
beside others that read more and more, `loaded-latency`, and adds by how much the longest of several loads is
longer than the mean of one, `stamped`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from book import model
from book.documents import BookError, MissingResultsError
from book.keys import Key, Parameters
from book.library import Library
from book.quantities import Quantity, Value, measured
from book.results import Measurement, Results

CHAPTER = 1
"""Where the latencies are measured."""
SINGLE_LOADS = Key("stamped", (1 << 30,))
"""Loads out of 1 GiB, each timed by itself."""
_STEP_OF_CYCLES = 10
"""The width of a step of their distribution."""


@dataclass(frozen=True)
class InFlight:
    """The bytes that each multiprocessor has in flight, and the lines that a warp waits for."""

    bytes: int
    lines: int

    @classmethod
    def parse(cls, text: str) -> InFlight:
        """A question from `bytes=16384 lines=4`; raises BookError that shows it."""
        words = dict(word.partition("=")[::2] for word in text.split())
        if words.keys() != {"bytes", "lines"} or not all(said.isdecimal() for said in words.values()):
            raise BookError(f"'{text}' is not bytes=NUMBER lines=NUMBER")
        return cls(int(words["bytes"]), int(words["lines"]))

    @classmethod
    def of_turns(cls, parameters: Parameters) -> InFlight:
        """What a variant of `bytes-in-flight` has in flight in each of its turns."""
        warps, loads, width = (parameters.get(axis) or (0,) for axis in ("warps", "loads", "width"))
        bytes_of_warp = 32 * loads[0] * width[0]
        return cls(warps[0] * bytes_of_warp, bytes_of_warp // 128)

    def __str__(self) -> str:
        return f"in-flight bytes={self.bytes} lines={self.lines}"


def loaded(library: Library, results: Results) -> list[tuple[int, float, float]]:
    """For each KiB that the others have in flight, while they read: the bandwidth and the load's seconds."""
    points = []
    for variant in library.descriptions(CHAPTER).of("loaded-latency"):
        if variant.parameters.get("copies") != (0,):
            continue
        key = Key("loaded-latency", variant.measured[0], variant.parameters)
        found = results.measurements.find(key)
        cycles = measured(Quantity(key, "latency"), results).number
        bandwidth = measured(Quantity(key, "bandwidth"), results).number
        (in_flight,) = variant.parameters.get("in-flight") or (0,)
        points.append((in_flight, bandwidth, cycles / _cycles_of_second(found)))
    return sorted(points)


def bandwidths(library: Library, asked: Sequence[InFlight], beside: Results | None = None) -> list[float]:
    """The bytes a second of the published card, or of the one on which other results were taken.

    Raises:
        MissingResultsError: chapter 1 is not published for the card.
        BookError: the program is not built, or refuses.

    """
    runs = library.all_published(CHAPTER)
    results = next((run for run in runs if beside is None or run.path.parent == beside.path.parent), None)
    if results is None:
        raise MissingResultsError("the latencies of chapter 1 are not published yet")
    single = results.measurements.find(SINGLE_LOADS)
    told = {
        "curve": [point[1:] for point in loaded(library, results)],
        "counts": single.series["distribution"].values,
        "seconds": _STEP_OF_CYCLES / _cycles_of_second(single),
        "asked": [
            {"bytes": one.bytes * int(results.gpu["multiprocessors"]), "lines": one.lines} for one in asked
        ],
    }
    return model.ask(library, "in-flight", told)


def number(library: Library, asked: InFlight, beside: Results | None = None) -> Value:
    """One of them, as the book prints it."""
    return Value.of(bandwidths(library, [asked], beside)[0], "B/s")


def _cycles_of_second(measurement: Measurement) -> float:
    if measurement.sm_mhz is None:
        raise BookError(f"{measurement.key}: nobody read the card's clock")
    return measurement.sm_mhz * 1e6
