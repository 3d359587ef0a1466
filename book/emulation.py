"""What the emulator counted: the steps' kernels, run on the CPU when the book is built.

The build writes `build/counters/<chapter>/<program>.json`, the launches of each variant of a program at each
shape that is counted. Nothing here was measured, and no GPU is needed for it.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from book.documents import BookError, read_document
from book.keys import Entries, Key, Keyed, Parameters

Metrics = Mapping[str, float]

SCHEDULE = "depends on the schedule"
"""The emulator's word for counts of who waits or looks back: they hold for the order of warps that it ran."""


@dataclass(frozen=True)
class Emulated(Keyed):
    """What one variant of a step did in one launch at one shape: in all, and by source line.

    `lines` are parts of the whole, by file and line. `inlined` says the same once more by the lines that
    called: what was done by functions that the compiler inlined there. Files are named from the repository's
    root, those from elsewhere by their whole path.
    """

    program: str
    """By its source below the chapter's folder: `13_padded`, `experiments/longer_rows`."""
    metrics: Metrics
    lines: Mapping[tuple[str, int], Metrics]
    inlined: Mapping[tuple[str, int], Metrics]
    doubts: frozenset[str]
    """Why a card may count something else, in the emulator's words; empty if the counts are exact."""

    @property
    def depends_on_schedule(self) -> bool:
        """Whether blocks or warps wait for each other, or see who came first."""
        return SCHEDULE in self.doubts

    def at(self, file: str, line: int) -> Metrics:
        """What a line did, itself and by functions inlined into it; empty if it touched no memory."""
        own, inlined = (found.get((file, line), {}) for found in (self.lines, self.inlined))
        return dict(Counter(own) + Counter(inlined))


@dataclass(frozen=True)
class Emulation:
    """What the emulator counted of one chapter's programs, in the order of their files."""

    folder: Path
    entries: Entries[Emulated] = field(default_factory=Entries)


def load_emulation(root: Path, folder: Path, defaults: Mapping[str, Parameters] | None = None) -> Emulation:
    """What the emulator counted of a chapter's programs; empty where nothing is built yet.

    Raises:
        BookError: a file is damaged; the message names it, with the line.

    """
    entries = []
    for path in sorted(folder.rglob("*.json")):
        launches: dict[str, list[Mapping[str, Any]]] = {}
        for launch in read_document(path, "emulation"):
            launches.setdefault(launch["label"], []).append(launch)
        entries += [_entry(path, label, counted, root, folder) for label, counted in launches.items()]
    return Emulation(folder, Entries(tuple(entries), f"counted in {folder}", defaults or {}))


def added(all_metrics: Iterable[Metrics]) -> dict[str, float]:
    """Counters of several launches in one: sums are added; of the others, such as registers, the largest."""
    total: dict[str, float] = {}
    for metrics in all_metrics:
        for name, value in metrics.items():
            before = total.get(name, 0)
            total[name] = before + value if name.endswith(".sum") else max(before, value)
    return total


def _entry(path: Path, label: str, launches: list[Mapping[str, Any]], root: Path, folder: Path) -> Emulated:
    """What a program launched of one variant at one shape, which the launches' label names."""
    try:
        key = Key.of(json.loads(label))
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise BookError(f"{path}: damaged: {label!r} names no variant") from error
    return Emulated(
        key,
        path.relative_to(folder).with_suffix("").as_posix(),
        added(launch["metrics"] for launch in launches),
        _by_line(root, folder, launches, "lines"),
        _by_line(root, folder, launches, "inlined"),
        frozenset(doubt for launch in launches for doubt in launch.get("because", ())),
    )


def _by_line(
    root: Path, folder: Path, launches: Iterable[Mapping[str, Any]], key: str
) -> dict[tuple[str, int], Metrics]:
    found: dict[tuple[str, int], list[Metrics]] = {}
    for line in (line for launch in launches for line in launch.get(key, ())):
        place = (_place(root, folder, line["file"]), line["line"])
        found.setdefault(place, []).append(line["metrics"])
    return {place: added(metrics) for place, metrics in found.items()}


def _place(root: Path, folder: Path, file: str) -> str:
    """A file's name from the repository's root.

    The compiler may have named it from the build folder, or, where its output comes out of a cache, from
    another copy of the repository.
    """
    path = (folder.parent.parent / file).resolve()
    if path.is_relative_to(root):
        return path.relative_to(root).as_posix()
    ends = (Path(*path.parts[start:]) for start in range(1, len(path.parts) - 1))
    return next((end.as_posix() for end in ends if (root / end).is_file()), str(path))
