"""Counters from both who can have them: the emulator, and Nsight Compute on the published card.

Where both counted the same kernels, the two are held against each other.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator
from dataclasses import dataclass

from book.descriptions import Descriptions
from book.emulation import Emulation, Metrics
from book.format import grouped
from book.keys import Entries, Key
from book.metrics import COUNTED, L1, OF_WARPS
from book.results import Counters, Results


@dataclass(frozen=True)
class Pair:
    """One counter of a step, from both witnesses."""

    entry: Counters
    metric: str
    emulated: float
    published: float
    looks_again: bool = False
    """Whether the step waits on a GPU for what the emulator finds at its first look."""

    @property
    def equal(self) -> bool:
        """Whether they agree to the last unit; or a step that looks again has counted as many, or more."""
        return self.emulated == self.published or (self.looks_again and self.emulated < self.published)

    def __str__(self) -> str:
        counts = f"the emulator counts {self.emulated:,.0f}, Nsight Compute {self.published:,.0f}"
        return f"{self.entry.key}: {self.metric}: {counts}"


@dataclass(frozen=True)
class Counted:
    """Counters from where they can be had: the emulator's; for what it does not count, Nsight Compute's."""

    emulation: Emulation
    published: Results | None

    @functools.cached_property
    def counters(self) -> Entries[Counters]:
        """All that is known, by variant and shape."""
        emulated = self.emulation.entries
        theirs = self.published.counters if self.published else Entries[Counters]()
        keys = dict.fromkeys(entry.key for entry in (*emulated, *theirs))
        where = emulated.where if len(emulated) else theirs.where
        return Entries(tuple(map(self._joined, keys)), where, {**theirs.defaults, **emulated.defaults})

    def _joined(self, key: Key) -> Counters:
        beside = self.published.counters.exactly(key) if self.published else None
        emulated = self.emulation.entries.exactly(key)
        if emulated is None:
            assert beside
            return beside
        known = beside.metrics if beside else {}
        return Counters(key, {**known, **dict.fromkeys(COUNTED, 0), **emulated.metrics})

    def is_awaited(self, key: Key, metric: str) -> bool:
        """Whether Nsight Compute is still to count what the emulator does not."""
        if metric in COUNTED:
            return False
        if self.published is None:
            of_theirs = metric in OF_WARPS or "__" in metric  # a name of Nsight Compute's own
            return of_theirs and any(entry.step == key.step for entry in self.emulation.entries)
        theirs = self.published.counters
        return theirs.is_awaited(key) or (metric in OF_WARPS and theirs.get(key) is not None)

    def witness(self, key: Key, metric: str) -> str:
        """Who counted a metric, in words."""
        published = self.published.counters.get(key) if self.published else None
        theirs = published.metrics.get(metric) if published else None
        where = f"Nsight Compute on {self.published.gpu_name}" if self.published else ""
        emulated = self.emulation.entries.get(key)
        if emulated is None or (metric not in COUNTED and metric not in emulated.metrics):
            return f"counted by {where}"
        if metric in L1 and theirs != emulated.metrics.get(metric, 0):
            other = f"; {where} counted {grouped(theirs)}" if theirs is not None else ""
            return f"counted by the emulator, if all loads hit the L1{other}"
        if theirs is None:
            return "counted by the emulator"
        verdict = "and the same" if emulated.metrics.get(metric, 0) == theirs else f"but {grouped(theirs)}"
        return f"counted by the emulator, {verdict} by {where}"


def compared(emulation: Emulation, published: Results, descriptions: Descriptions) -> list[Pair]:
    """Every counter that both witnesses hold for the same kernels; those that changed since are left out.

    So are the L1's wavefronts, since the emulator has no caches.
    """
    pairs = []
    for entry in published.counters:
        emulated = emulation.entries.exactly(entry.key)
        if emulated and descriptions.fingerprint(entry.key) == entry.fingerprint:
            left = descriptions.left_to_profiler(entry.key)
            pairs += _pairs(entry, emulated.metrics, left)
    return pairs


def _pairs(entry: Counters, emulated: Metrics, left_to_profiler: frozenset[str]) -> Iterator[Pair]:
    for metric in dict.fromkeys((*COUNTED, *emulated)):
        if metric in entry.metrics and metric not in L1:
            looks_again = metric in left_to_profiler
            yield Pair(entry, metric, emulated.get(metric, 0), entry.metrics[metric], looks_again)
