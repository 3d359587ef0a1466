"""Slow loads of a line, as chapter 3's `refresh` publishes them: what the times of their ends tell.

The longest waits come in a period of their own, in which a line is refreshed some fifty times.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from book.results import Results

VERY_SLOW = 1.4
"""How many times as long as nine of ten slow loads a very slow load waits."""
_SHORT = 80
"""Nanoseconds: many loads wait less, at any time."""
_TRIED, _FINELY = np.arange(20_000, 250_000, 10), np.arange(-20, 20, 0.25)
"""Periods that are tried for very slow loads, and how far around the best of them, in nanoseconds."""
_NEARBY = 2
"""Long periods, over which the wander of a clock is averaged."""
_AROUND, _TRIED_AROUND = 0.03, 0.25
"""The share by which the distance of two refreshes may differ from the program's period, and nanoseconds
from one that is tried to the next."""
_CLOSE, _APART = 200, 1000
"""Nanoseconds from the end of the longest waits: a load ends there, or has nothing to do with it."""


@dataclass(frozen=True)
class Waits:
    """Slow loads of a line: when what delayed them ended, and how long they waited, in nanoseconds."""

    ends: np.ndarray
    waits: np.ndarray
    long: float
    """Nine of ten slow loads wait so long at most."""
    period: float
    """The one that fits all slow loads best."""
    between: float
    """From one load to the next, on average."""
    share: float
    """Of slow loads among all."""

    @property
    def is_very_slow(self) -> np.ndarray:
        """Which of them are."""
        return self.waits >= VERY_SLOW * self.long

    @property
    def is_refresh(self) -> np.ndarray:
        """Which of them wait as long as for a refresh: shorter waits come at other times, too."""
        return (self.waits >= _SHORT) & (self.waits <= self.long)

    @property
    def very_slow(self) -> np.ndarray:
        """The ends of those that are very slow."""
        return self.ends[self.is_very_slow]


def waits_of(results: Results) -> list[Waits]:
    """The published slow loads of each line."""
    found = []
    for entry in results.measurements:
        series = entry.series.get("slow-loads") if entry.step == "refresh" else None
        if series and series.rows:
            ends, took = np.array(series.rows, dtype=float).T
            usual, longest, period = (
                entry.quantities[name].median * 1e9 for name in ("usual", "longest", "period")
            )
            between = entry.median * 1e9 / entry.key.shape[0]
            share = entry.quantities["slow-share"].median
            found.append(Waits(ends, took - usual, longest, period, between, share))
    return found


def beat(lines: Sequence[np.ndarray]) -> tuple[float, float] | None:
    """The period that fits events best, and its strength; each line has its own first event.

    Half of a period fits nearly as well: the events lie in the same places, but in a larger part of it.
    """
    lines = [ends for ends in lines if len(ends)]
    if not lines:
        return None
    around = _TRIED[int(_strengths(lines, _TRIED).argmax())]
    strengths = _strengths(lines, around + _FINELY)
    best = int(strengths.argmax())
    return float(around + _FINELY[best]), float(strengths[best])


def _strengths(lines: Sequence[np.ndarray], periods: np.ndarray) -> np.ndarray:
    """How closely events keep to each of some periods: 1 if each line's lie in one place."""
    turns = (np.abs(_turns(ends[:, None], periods).sum(axis=0)) for ends in lines)
    return sum(turns) / sum(len(ends) for ends in lines)


def _turns(times: np.ndarray, period: np.ndarray | float) -> np.ndarray:
    """Where in a period times lie, as places on the unit circle."""
    return np.exp(2j * np.pi * times / period)


def _time(turns: np.ndarray, period: float) -> np.ndarray:
    """What places on the circle are in time, from half a period earlier to half a period later."""
    return np.angle(turns) / (2 * np.pi) * period


class LongPeriods:
    """The period of the very slow loads of all lines of a GPU, and where in it slow loads end.

    The times of a launch come from a clock that wanders against the memory's. A line's refreshes seem to
    wander, too, so each time is corrected by where in their period refreshes end around then.
    """

    def __init__(self, lines: Sequence[Waits], period: float, strength: float) -> None:
        self.lines, self.period, self.strength = lines, period, strength
        self.places = [self._places(line) for line in lines]
        """Of each slow load's end, in nanoseconds; 0 is where those of very slow loads end."""

    @classmethod
    def of(cls, results: Results) -> LongPeriods | None:
        """Those of a GPU's results; None if it has no very slow loads."""
        lines = [line for line in waits_of(results) if len(line.very_slow)]
        found = beat([line.very_slow for line in lines])
        return cls(lines, *found) if found else None

    @property
    def refreshes(self) -> int:
        """The whole number of the program's periods that fit best."""
        return round(self.period / float(np.median([line.period for line in self.lines])))

    @property
    def fitted(self) -> float:
        """So long is a period of which a whole number fits, in nanoseconds."""
        return self.period / self.refreshes

    def _places(self, line: Waits) -> np.ndarray:
        refreshes = line.ends[line.is_refresh]
        distances = (line.ends[:, None] - refreshes) / self.period / _NEARBY
        around = np.exp(-(distances**2) / 2) @ _turns(refreshes, self.fitted)
        wander = np.unwrap(np.angle(around)) / (2 * np.pi) * self.fitted
        turns = _turns(line.ends - wander, self.period)
        places = _time(turns / turns[line.is_very_slow].sum(), self.period)
        return places - np.median(places[line.is_very_slow])

    @cached_property
    def blocked(self) -> np.ndarray:
        """How long the loads wait that end where very slow ones do, rising."""
        found = [line.waits[np.abs(places) < _CLOSE] for line, places in self._each()]
        return np.sort(np.concatenate(found))

    @property
    def longest(self) -> float:
        """All of them but one wait so long at most: one may have met something else as well."""
        return float(self.blocked[-2])

    @property
    def expected(self) -> float:
        """So many would be found if each period blocked the line once, for the longest wait."""
        noticed = self.longest - min(line.waits.min() for line in self.lines)
        return sum(
            (line.ends[-1] - line.ends[0]) / self.period * noticed / line.between for line in self.lines
        )

    @cached_property
    def distance(self) -> float:
        """Of two refreshes inside a long period, if the first one after the longest waits begins anew."""
        tried = self.fitted * np.arange(1 - _AROUND, 1 + _AROUND, _TRIED_AROUND / self.fitted)
        since = [places[others] % self.period for places, others in self._others()]
        return float(tried[_strengths(since, tried).argmax()])

    @property
    def fitting(self) -> float:
        """So many of these distances fit into the long period."""
        return self.period / self.distance

    def steps(self, parts: int) -> list[np.ndarray]:
        """How much later than in step refreshes end, in each part of the long period.

        In step with it would be refreshes of which a whole number fits. The first part begins with the end
        of the longest waits.
        """
        late, since = [], []
        for places, others in self._others():
            turns = _turns(places[others], self.fitted)
            late.append(_time(turns / turns.sum(), self.fitted))
            since.append(places[others] % self.period)
        part = np.concatenate(since) // (self.period / parts)
        return [np.concatenate(late)[part == number] for number in range(parts)]

    def _each(self) -> list[tuple[Waits, np.ndarray]]:
        return list(zip(self.lines, self.places, strict=True))

    def _others(self) -> list[tuple[np.ndarray, np.ndarray]]:
        """Of each line all places, and which of them are of refreshes elsewhere."""
        return [(places, line.is_refresh & (np.abs(places) > _APART)) for line, places in self._each()]
