"""Memories with real times: `code/model/dram.cpp` answers for them."""

from __future__ import annotations

import functools
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from book import model
from book.documents import BookError
from book.expressions import compile_arithmetic
from book.keys import near
from book.library import Library
from book.quantities import Value

_PARTS = {
    "peak": (1e9, "B/s"),
    "pseudo-channel-rate": (1e9, "B/s"),
    "pseudo-channels": (1, "count"),
    "banks-of-pseudo-channel": (1, "count"),
    "row-bytes": (1, "count"),
    "burst-bytes": (1, "count"),
    "pin-mbps": (1, "count"),
    "clock-ns": (1e-9, "s"),
}
"""What else than a time can be asked of a memory: by what its number is multiplied, and the unit."""


def memories(library: Library) -> Mapping[str, Any]:
    """Each memory by its short name: its parts, its times and their sources."""
    return model.ask(library, "memories")


def runs(library: Library) -> list[dict[str, Any]]:
    """GB/s of random runs: for each `queue`, `memory`, way of `refresh` and length in `bytes` its `rate`.

    Behind them those of several policies: if rows are left open or closed, `page`, and so many bytes lie
    `together` in a row.
    """
    path = library.build / "random-runs.json"
    try:
        return _noted(path, path.stat().st_mtime_ns)
    except OSError as error:
        raise BookError(f"{path} is not there: run `make counts`") from error


@functools.cache
def _noted(path: Path, _changed: int) -> list[dict[str, Any]]:
    return json.loads(path.read_text(encoding="utf-8"))


def trace(library: Library, question: Mapping[str, Any]) -> dict[str, Any]:
    """The commands that a controller gives for some requests, as code/model/dram.cpp says."""
    return model.ask(library, "trace", question)


def number(library: Library, text: str) -> Value:
    """What prose asks for: `h200 tRC`, `h200 runs bytes=64 refresh=all-banks`, or `4 * [h200 tRC] in s`.

    Raises:
        BookError: nobody knows it, or the program is not built.

    """
    arithmetic, _, unit = text.rpartition(" in ")
    if "[" not in text:
        return _number(library, text)
    if not arithmetic:
        raise BookError(f"'{text}' does not end with its unit: 'ARITHMETIC in s'")
    compiled = compile_arithmetic(arithmetic)
    return Value.of(compiled.number([_number(library, name) for name in compiled.quantities]), unit)


def _number(library: Library, text: str) -> Value:
    memory, _, asked = text.partition(" ")
    known = memories(library)
    if memory not in known:
        raise BookError(f"'{text}': no memory {memory}{near(memory, known)}")
    if asked.startswith("runs "):
        settings = dict(setting.partition("=")[::2] for setting in asked.split()[1:])
        for run in runs(library):  # the first has the queue of the page's prediction
            if {"memory": memory, **settings} == {name: str(run.get(name)) for name in ("memory", *settings)}:
                return Value.of(run["rate"] * 1e9, "B/s")
        raise BookError(f"'{text}': no such runs are simulated")
    if asked in _PARTS:
        scale, unit = _PARTS[asked]
        return Value.of(known[memory][asked.replace("-", "_")] * scale, unit)
    times = {time["symbol"]: time["ns"] for time in known[memory]["times"]}
    if asked not in times:
        raise BookError(f"'{text}': {memory} has no {asked}{near(asked, (*times, *_PARTS))}")
    return Value.of(times[asked] * 1e-9, "s")
