"""The bandwidth that bytes in flight give, worked out by Little's law from latencies.

`code/model/in_flight.cpp` does the arithmetic. It takes the turn of a warp on an otherwise idle card,
`one-warp`, and adds by how much the latency of a load grows beside others that read more and more,
`loaded-latency` of chapter 1. A launch takes once what it takes without a turn, and the time to write to the
DRAM what it drives out of the L2.
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
"""Where the latencies under load are measured."""
CHAPTER_OF_TURNS = 4
"""Where the turns of a warp are measured."""
_WRITES = "dram-write"


@dataclass(frozen=True)
class InFlight:
    """The bytes that each multiprocessor has in flight, the lines that a warp waits for, and how often."""

    bytes: int
    lines: int
    turns: int = 0
    """Of a launch; 0 for turns alone, without the launch's beginning and end."""

    @classmethod
    def parse(cls, text: str) -> InFlight:
        """A question from `bytes=16384 lines=4` or `… turns=500`; raises BookError that shows it."""
        words = dict(word.partition("=")[::2] for word in text.split())
        known = words.keys() - {"turns"} == {"bytes", "lines"}
        if not known or not all(said.isdecimal() for said in words.values()):
            raise BookError(f"'{text}' is not bytes=NUMBER lines=NUMBER, with turns=NUMBER or without")
        return cls(**{word: int(said) for word, said in words.items()})

    @classmethod
    def of_variant(cls, key: Key) -> InFlight:
        """What a variant of `bytes-in-flight` has in flight in each of its turns."""
        warps, loads, width = (key.parameters.get(axis) or (0,) for axis in ("warps", "loads", "width"))
        bytes_of_warp = 32 * loads[0] * width[0]
        return cls(warps[0] * bytes_of_warp, bytes_of_warp // 128, key.shape[1])

    def __str__(self) -> str:
        turns = f" turns={self.turns}" if self.turns else ""
        return f"in-flight bytes={self.bytes} lines={self.lines}{turns}"


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


def one_warp(lines: int) -> Key:
    """A warp on each multiprocessor in turn, which waits for so many lines; for none, it makes no turn."""
    return Key("one-warp", (500, 128), Parameters.of({"lines": [lines], "alone": [1], "clean": [0]}))


def bandwidths(library: Library, asked: Sequence[InFlight], beside: Results | None = None) -> list[float]:
    """The bytes a second of the published card, or of the one on which other results were taken.

    Raises:
        MissingResultsError: a chapter is not published for the card.
        BookError: nobody has measured a turn of so many lines, or the program is not built, or refuses.

    """
    latencies = _of_card(library, CHAPTER, beside)
    turns = _of_card(library, CHAPTER_OF_TURNS, beside)
    (writes,) = library.descriptions(CHAPTER).of(_WRITES)
    told = {
        "curve": [point[1:] for point in loaded(library, latencies)],
        "once": {
            "seconds": measured(Quantity(one_warp(0), "time"), turns).number,
            "left": int(turns.gpu["l2_bytes"]),
            "written": measured(Quantity(Key(_WRITES, writes.measured[0]), "bandwidth"), latencies).number,
        },
        "asked": [
            {
                "bytes": one.bytes * int(turns.gpu["multiprocessors"]),
                "turn": _slowest(one.lines, turns),
                "turns": one.turns,
            }
            for one in asked
        ],
    }
    return model.ask(library, "in-flight", told)


def number(library: Library, asked: InFlight, beside: Results | None = None) -> Value:
    """One of them, as the book prints it."""
    return Value.of(bandwidths(library, [asked], beside)[0], "B/s")


def _of_card(library: Library, chapter: int, beside: Results | None) -> Results:
    """What is published of a chapter for the first card, or for that of other results."""
    for run in library.all_published(chapter):
        if beside is None or run.path.parent == beside.path.parent:
            return run
    raise MissingResultsError(f"chapter {chapter} is not published yet for this card")


def _slowest(lines: int, results: Results) -> float:
    """The seconds of a turn on the multiprocessor on which it takes longest."""
    key = one_warp(lines)
    cycles = measured(Quantity(key, "slowest-turn"), results).number
    return cycles / _cycles_of_second(results.measurements.find(key))


def _cycles_of_second(measurement: Measurement) -> float:
    if measurement.sm_mhz is None:
        raise BookError(f"{measurement.key}: nobody read the card's clock")
    return measurement.sm_mhz * 1e6
