"""Very slow loads of many lines on one timer, as chapter 3's `waits-together` publishes them.

Does each line wait at times of its own, or all lines at the same time?
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from book.results import Results
from book.slow_loads import VERY_SLOW

NEAR = 1500
"""Nanoseconds from the place in the period at which most waits end: what ends farther away does so by
chance."""
_FITS = 5
"""How often the period is fitted to the waits that end near its place."""
_TRIED = np.arange(20_000, 250_000, 10)
"""Periods that are tried first, in nanoseconds."""
_AS_WELL, _AROUND = 0.9, 0.01
"""A part of a period fits as well as the period itself: the longest is taken that fits nearly as the best."""


@dataclass(frozen=True)
class Together:
    """Very slow loads: which line each loaded, when it ended on the timer, and how long it waited, in ns."""

    lines: np.ndarray
    ends: np.ndarray
    waits: np.ndarray

    @classmethod
    def of(cls, results: Results, neighbours: int = 0) -> Together | None:
        """Those of a GPU's results; None if they are not published."""
        for entry in results.measurements:
            series = entry.series.get("long-waits") if entry.step == "waits-together" else None
            if series and entry.key.parameters.get("neighbours") == (neighbours,):
                found = np.array(series.rows, dtype=float).reshape(series.lengths)
                least = VERY_SLOW * entry.quantities["longest"].median * 1e9
                very = (found[:, :, 0] >= 0) & (found[:, :, 1] >= least)
                lines = np.broadcast_to(np.arange(len(found))[:, None], very.shape)
                return cls(lines[very], *found[very].T)
        return None

    @cached_property
    def _fitted(self) -> tuple[float, float]:
        """The period that all lines share, and when it begins first: where most waits end."""
        strengths = np.array([abs(np.exp(2j * np.pi * self.ends / tried).mean()) for tried in _TRIED])
        longest = _TRIED[strengths >= _AS_WELL * strengths.max()].max()
        around = np.abs(_TRIED - longest) < _AROUND * longest
        period = float(_TRIED[around][strengths[around].argmax()])
        begin = float(np.angle(np.exp(2j * np.pi * self.ends / period).sum()) / (2 * np.pi) * period)
        for _ in range(_FITS):
            turns = np.round((self.ends - begin) / period)
            near = np.abs(self.ends - begin - turns * period) < NEAR
            period, begin = (float(one) for one in np.polyfit(turns[near], self.ends[near], 1))
        return period, begin

    @property
    def period(self) -> float:
        """In nanoseconds."""
        return self._fitted[0]

    @cached_property
    def places(self) -> np.ndarray:
        """Where in the period each wait ends: 0 is the mean of those that end near each other."""
        period, begin = self._fitted
        return (self.ends - begin + period / 2) % period - period / 2

    @property
    def near(self) -> np.ndarray:
        """Which of them end where most do."""
        return np.abs(self.places) < NEAR

    @property
    def width(self) -> float:
        """19 of 20 of them end within so many nanoseconds."""
        return float(np.ptp(np.percentile(self.places[self.near], (2.5, 97.5))))
