"""Warps that noted the clock, as a trace that Perfetto and other viewers open.

The format is Chrome's, `traceEvents` in JSON: each wait and each piece of work is an event of its warp, which
is a thread; a run of a variant is a process. A cycle is shown as a microsecond, so that nothing is rounded.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from book.documents import MissingResultsError
from book.results import Results, Series

_STAMPS, _AXES = "stamps", ("warp", "turn", "event")
_PHASES = ("waits for its load", "works")
"""What lies between an event of a turn and the next one."""

Event = dict[str, Any]


def trace(runs: Iterable[Results]) -> dict[str, list[Event]]:
    """All that was noted in these runs; MissingResultsError if nothing was."""
    noted = [
        (f"{results.label}: {entry.key}", series)
        for results in runs
        for entry in results.measurements
        if (series := entry.series.get(_STAMPS)) and series.axes == _AXES
    ]
    if not noted:
        raise MissingResultsError("no trace of warps is published yet")
    events = [event for process, one in enumerate(noted) for event in _process(process, *one)]
    return {"traceEvents": events}


def _process(process: int, name: str, series: Series) -> Iterator[Event]:
    warps, turns, _ = series.lengths
    yield _named("process_name", name, pid=process)
    for warp in range(warps):
        yield _named("thread_name", f"warp {warp}", pid=process, tid=warp)
    for place, stamps in enumerate(series.rows):
        warp, turn = divmod(place, turns)
        for phase, begin, end in zip(_PHASES, stamps[:-1], stamps[1:], strict=True):
            yield {
                "name": phase,
                "ph": "X",
                "pid": process,
                "tid": warp,
                "ts": begin,
                "dur": end - begin,
                "args": {"turn": turn},
            }


def _named(what: str, name: str, **of: int) -> Event:
    return {"name": what, "ph": "M", "args": {"name": name}, **of}
