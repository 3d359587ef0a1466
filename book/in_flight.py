"""The bandwidth that bytes in flight give, worked out by Little's law from latencies.

`code/model/in_flight.cpp` does the arithmetic. It takes the turn of a warp on an otherwise idle card,
`one-warp`, and adds by how much the latency of a load grows beside others that read more and more,
`loaded-latency` of chapter 1. A launch takes once what it takes without a turn, and the time to write to the
DRAM what it drives out of the L2. The launches of those others took this, too: it is no time of their turns.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass

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
MOST_OF_READERS = 64 * 1024
"""The bytes that each multiprocessor has in flight at the last point of chapter 1."""
_WRITES = "dram-write"


@dataclass(frozen=True)
class Once:
    """What a launch takes beside its turns."""

    seconds: float
    """Without a turn."""
    left: int
    """The bytes that others have written to the L2."""
    written: float
    """The bytes a second with which they go to the DRAM."""

    def costs(self, read: int) -> float:
        """The seconds of a launch that reads so many bytes."""
        return self.seconds + min(read, self.left) / self.written


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


def is_given(key: Key) -> bool:
    """Whether the model has a variant of `bytes-in-flight` from a measurement that is nearly the same.

    The turn of its only warp was measured; or chapter 1's readers make the same loads; or more is in flight
    than they had, so that the model says what they reached.
    """
    warps, loads, width = (key.parameters.get(axis) for axis in ("warps", "loads", "width"))
    as_readers = (loads, width) == ((1,), (16,))
    return warps == (1,) or as_readers or InFlight.of_variant(key).bytes >= MOST_OF_READERS


def loaded(library: Library, results: Results) -> list[tuple[int, float, float]]:
    """For each KiB that the others have in flight, while they read: the bandwidth and the load's seconds."""
    return [
        (in_flight, found.performance, _latency(found, results))
        for in_flight, found in _readers(library, results)
    ]


def of_turns(library: Library, results: Results, once: Once) -> list[tuple[float, float]]:
    """The same without the KiB; the bandwidth is that of the others' turns, without their launch."""
    return [
        (
            found.amounts["bytes"] / (found.median - once.costs(found.amounts["bytes"])),
            _latency(found, results),
        )
        for _, found in _readers(library, results)
    ]


def one_warp(lines: int) -> Key:
    """A warp on each multiprocessor in turn, which waits for so many lines; for none, it makes no turn."""
    return Key("one-warp", (500, 128), Parameters.of({"lines": [lines], "alone": [1], "clean": [0]}))


def beside_turns(library: Library, latencies: Results, turns: Results) -> Once:
    """What a launch takes once, on the card of these two results."""
    (writes,) = library.descriptions(CHAPTER).of(_WRITES)
    return Once(
        seconds=measured(Quantity(one_warp(0), "time"), turns).number,
        left=int(turns.gpu["l2_bytes"]),
        written=measured(Quantity(Key(_WRITES, writes.measured[0]), "bandwidth"), latencies).number,
    )


def bandwidths(library: Library, asked: Sequence[InFlight], beside: Results | None = None) -> list[float]:
    """The bytes a second of the published card, or of the one on which other results were taken.

    Raises:
        MissingResultsError: a chapter is not published for the card.
        BookError: nobody has measured a turn of so many lines, or the program is not built, or refuses.

    """
    latencies = _of_card(library, CHAPTER, beside)
    turns = _of_card(library, CHAPTER_OF_TURNS, beside)
    once = beside_turns(library, latencies, turns)
    told = {
        "curve": of_turns(library, latencies, once),
        "once": asdict(once),
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


def _readers(library: Library, results: Results) -> Iterator[tuple[int, Measurement]]:
    """The KiB that the others have in flight while they read, the fewest first, and what was measured."""
    variants = [
        one
        for one in library.descriptions(CHAPTER).of("loaded-latency")
        if one.parameters.get("copies") == (0,)
    ]
    for variant in sorted(variants, key=lambda one: one.parameters.get("in-flight") or (0,)):
        key = Key("loaded-latency", variant.measured[0], variant.parameters)
        (in_flight,) = variant.parameters.get("in-flight") or (0,)
        yield in_flight, results.measurements.find(key)


def _latency(found: Measurement, results: Results) -> float:
    """The seconds of a load of the thread that is timed."""
    return measured(Quantity(found.key, "latency"), results).number / _cycles_of_second(found)


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
