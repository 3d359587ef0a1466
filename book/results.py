"""Results of one chapter on one GPU: what was measured, and what Nsight Compute counted.

Published results lie in `figures/data/<gpu>/chapterN.json`, the reader's own in
`build/results/<gpu>/chapterN.json`, both written by the benchmark.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import prod
from pathlib import Path
from typing import Any

from book.descriptions import Descriptions
from book.documents import BookError, line_of, read_document
from book.keys import Entries, Entry, Key, Keyed, shape_text
from book.ratings import RATINGS, Rating

_METER = {"sm_mhz": "MHz", "memory_mhz": "MHz", "watts": "W", "celsius": "°C", "joules": "J"}
"""What a card's meter reads, and in which units."""


LEAST_SPREAD = 0.002
"""By which part of its median a time is taken to be uncertain to either side, however few rounds there are.

It is an assumption: a single round does not say what rounds differ by, and two may agree by chance.
"""


@dataclass(frozen=True)
class Reported:
    """A number that a step reports beside its time, in SI, with unit and spread; one in KiB is in bytes."""

    unit: str
    median: float
    low: float
    high: float


@dataclass(frozen=True)
class Series:
    """Integers on a grid that a step reports of one launch: a map, a trace."""

    unit: str
    axes: tuple[str, ...]
    """What the values are counted by; the last axis runs fastest."""
    lengths: tuple[int, ...]
    values: tuple[int, ...]

    @property
    def rows(self) -> list[tuple[int, ...]]:
        """The values cut along the last axis."""
        length = self.lengths[-1]
        return [self.values[first : first + length] for first in range(0, len(self.values), length or 1)]


@dataclass(frozen=True)
class Measurement(Keyed):
    """How long one variant of a step took at one shape, in seconds, and what it did in that time."""

    kind: str
    median: float
    low: float
    high: float
    samples: int
    rated_by: str
    amounts: Mapping[str, int]
    fingerprint: str
    l2: str = "cold"
    quantities: Mapping[str, Reported] = field(default_factory=dict)
    series: Mapping[str, Series] = field(default_factory=dict)
    meter: Mapping[str, Reported] = field(default_factory=dict)
    """What the card said of itself meanwhile, by `watts`, `joules`, `sm-mhz` and the like."""
    rounds: tuple[float, ...] = ()
    """Each round's median, in seconds."""
    card: str = ""
    """The serial number of the card, or its UUID; empty if nobody looked."""

    @property
    def between_rounds(self) -> tuple[float, float]:
        """The shortest and the longest round's time, and at least what rounds are assumed to differ by."""
        lowest, highest = self.median * (1 - LEAST_SPREAD), self.median * (1 + LEAST_SPREAD)
        return min((lowest, *self.rounds)), max((highest, *self.rounds))

    @property
    def sm_mhz(self) -> float | None:
        """The multiprocessors' clock while this was timed; None if nobody looked."""
        clock = self.meter.get("sm-mhz")
        return clock.median if clock else None

    @property
    def rating(self) -> Rating:
        """The kind of its rating."""
        return RATINGS[self.rated_by]

    @property
    def performance(self) -> float:
        """What it is rated by, each second: the more the better."""
        return self.amounts.get(self.rated_by, 0) / self.median

    @property
    def rated(self) -> float:
        """Its rating, in the rating's unit."""
        return 1 / self.performance if self.rating.of_one else self.performance


@dataclass(frozen=True)
class Counters(Keyed):
    """What was counted of one launch of a step, by metric name."""

    metrics: Mapping[str, float]
    fingerprint: str = ""


@dataclass(frozen=True)
class Results:
    """One chapter's results on one GPU."""

    path: Path
    chapter: int
    gpu: Mapping[str, Any]
    provenance: Mapping[str, Any]
    measurements: Entries[Measurement]
    counters: Entries[Counters]
    ceiling: str = ""
    """The step that shares are shares of, as the chapter's page says."""
    peer: str = ""
    """The library for the same work."""

    is_own: bool = False
    """Whether they are the reader's, not published."""
    is_another: bool = False
    """Whether a card of the same name is published before it."""

    @property
    def gpu_name(self) -> str:
        """The card's name as its driver gives it."""
        return str(self.gpu["name"])

    @property
    def label(self) -> str:
        """What stands over its column beside another's."""
        if self.is_own:
            return f"yours: {self.gpu_name}"
        return f"another {self.gpu_name}" if self.is_another else self.gpu_name

    @property
    def cards(self) -> list[str]:
        """The serial numbers of the cards on which was measured."""
        return list(dict.fromkeys(entry.card for entry in self.measurements if entry.card))

    @property
    def short_name(self) -> str:
        """The card's name as prose has it: an NVIDIA H200 is an `H200`."""
        return self.gpu_name.removeprefix("NVIDIA ").split()[0]

    def is_named_in(self, words: str) -> bool:
        """Whether a sentence speaks of this card."""
        return re.search(rf"\b{re.escape(self.short_name)}s?\b", words) is not None

    @property
    def rating(self) -> Rating:
        """What this chapter's steps are rated by: what its ceiling is, or else most of its steps."""
        ceiling = [entry.rated_by for entry in self.measurements if entry.step == self.ceiling]
        rated = Counter(ceiling or (entry.rated_by for entry in self.measurements))
        return RATINGS[rated.most_common(1)[0][0]] if rated else RATINGS["bytes"]

    def relative(self, key: Key, whole: str) -> float | None:
        """A step's performance over another's at its shape; None without one, or if rated otherwise."""
        entry, other = self.measurements.get(key), self.measurements.get(Key(whole, key.shape))
        alike = entry and other and entry.rated_by == other.rated_by
        return entry.performance / other.performance if alike else None

    def share(self, key: Key) -> float | None:
        """A step's performance over the chapter's ceiling at the same shape."""
        return self.relative(key, self.ceiling)

    def over_peer(self, key: Key) -> float | None:
        """A step's performance over the chapter's library at the same shape."""
        return self.relative(key, self.peer)


def load_results(
    path: Path, descriptions: Descriptions | None = None, ceiling: str = "", peer: str = ""
) -> Results:
    """One chapter's results; its programs' descriptions say what is meant, and what is to come.

    Raises:
        BookError: the file is damaged, foreign or newer; the message names it, with the line.

    """
    said = descriptions or Descriptions(path.parent)
    document = read_document(path, "results")
    clock = document["provenance"].get("clocks", {}).get("sm_mhz", {}).get("highest")
    measurements = tuple(_measurement(raw, clock) for raw in document["measurements"])
    for index, entry in enumerate(measurements):
        if not entry.low <= entry.median <= entry.high:
            problem = f"{entry.step}: the median is not between low and high"
            _refuse(path, ["measurements", index, "seconds"], problem)
        if not entry.performance:
            _refuse(
                path, ["measurements", index], f"{entry.step} is rated by {entry.rated_by}, and does none"
            )
        for name, series in entry.series.items():
            if len(series.axes) != len(series.lengths) or prod(series.lengths) != len(series.values):
                problem = f"{len(series.values)} values on {len(series.axes)} axes are not a grid"
                problem += f" of {shape_text(series.lengths)}"
                _refuse(path, ["measurements", index, "series", name], f"{entry.step} {name}: {problem}")
    counters = tuple(
        Counters(Key.of(raw), raw["metrics"], raw.get("fingerprint", "")) for raw in document["counters"]
    )
    _refuse_doubled(path, "measurements", measurements)
    _refuse_doubled(path, "counters", counters)
    if path.stem != f"chapter{document['chapter']}":
        _refuse(path, ["chapter"], f"the file's name does not fit its chapter, {document['chapter']}")
    return Results(
        path,
        document["chapter"],
        document["gpu"],
        document["provenance"],
        Entries(measurements, f"measured in {path}", said.defaults, said.is_timed),
        Entries(counters, f"counted in {path}", said.defaults, said.is_run),
        ceiling,
        peer,
    )


def _measurement(raw: Mapping[str, Any], clock: float | None) -> Measurement:
    seconds = raw["seconds"]
    return Measurement(
        Key.of(raw),
        raw["kind"],
        seconds["median"],
        seconds["low"],
        seconds["high"],
        raw["samples"],
        raw["rated_by"],
        raw["amounts"],
        raw["fingerprint"],
        raw["l2"],
        {name: _reported(**reported) for name, reported in raw.get("quantities", {}).items()},
        {name: _series(one) for name, one in raw.get("series", {}).items()},
        dict(_meter(raw.get("meter", {}), clock)),
        tuple(raw.get("rounds", ())),
        raw.get("card", ""),
    )


_IN_SI = {"KiB": (1024, "KiB"), "ns": (1e-9, "s")}
"""What a number that a step reports is multiplied by, and its unit then."""


def _reported(unit: str, median: float, low: float, high: float) -> Reported:
    """What a step reports, in SI as all values are; a number of KiB in bytes, which are printed as KiB."""
    scale, si = _IN_SI.get(unit, (1, unit))
    return Reported(si, scale * median, scale * low, scale * high)


def _series(raw: Mapping[str, Any]) -> Series:
    return Series(raw["unit"], tuple(raw["axes"]), tuple(raw["lengths"]), tuple(raw["values"]))


def _meter(raw: Mapping[str, Any], clock: float | None) -> Iterator[tuple[str, Reported]]:
    """What the meter read; the highest clock of the whole run where it read none."""
    if clock is not None:
        yield "sm-mhz", Reported("MHz", clock, clock, clock)
    for name, unit in _METER.items():
        read = raw.get(name)
        if isinstance(read, Mapping):
            yield name.replace("_", "-"), Reported(unit, **read)
        elif read is not None:
            yield name.replace("_", "-"), Reported(unit, read, read, read)


def _refuse_doubled(path: Path, key: str, entries: Sequence[Entry]) -> None:
    seen = set()
    for index, entry in enumerate(entries):
        if entry.key in seen:
            _refuse(path, [key, index], f"{entry.key} is there twice")
        seen.add(entry.key)


def _refuse(path: Path, place: Sequence[str | int], message: str) -> None:
    line = line_of(path.read_text(encoding="utf-8"), place)
    raise BookError(f"{path}:{line}: damaged: {message}")
