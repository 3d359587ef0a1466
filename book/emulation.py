"""What the emulator counted: the steps' kernels, run on the CPU when the book is built.

The build writes `build/counters/<chapter>/<program>.json`, what the emulator wrote for each variant of a
program at each shape that is counted. Nothing here was measured, and no GPU is needed for it; where the
published results hold Nsight Compute's counters of the same kernels, the two are held against each other.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from book.documents import BookError, read_document
from book.metrics import COUNTED
from book.results import Counters, Descriptions, Parameters, Results, Shape, describe, find

Metrics = Mapping[str, float]


@dataclass(frozen=True)
class Emulated:
    """What one variant of a step did in one launch at one shape: in all, and by source line.

    `lines` are parts of the whole, by file and line. `inlined` says the same once more by the lines that
    called: what was done by functions that the compiler inlined there. Files are named from the repository's
    root, those from elsewhere by their whole path.
    """

    program: str
    step: str
    shape: Shape
    parameters: Parameters
    metrics: Metrics
    lines: Mapping[tuple[str, int], Metrics]
    inlined: Mapping[tuple[str, int], Metrics]
    exact: bool
    """Whether the machine code makes the accesses that were counted, and no others."""

    def at(self, file: str, line: int) -> Metrics:
        """What a line did, itself and by functions inlined into it; empty if it touched no memory."""
        own, inlined = (found.get((file, line), {}) for found in (self.lines, self.inlined))
        return dict(Counter(own) + Counter(inlined))


@dataclass(frozen=True)
class Emulation:
    """What the emulator counted of one chapter's programs, in the order of their files."""

    folder: Path
    entries: tuple[Emulated, ...] = ()

    def entry(self, step: str, shape: Shape, parameters: Parameters | None = None) -> Emulated:
        """The counts of a step at a shape; raises BookError with near matches when there are none."""
        return find(self.entries, step, shape, parameters or {}, f"counted in {self.folder}")


@dataclass(frozen=True)
class Pair:
    """One counter of a step, from both witnesses: the emulator and Nsight Compute on the published card."""

    entry: Counters
    metric: str
    emulated: float
    published: float

    @property
    def equal(self) -> bool:
        """Whether they agree to the last unit."""
        return self.emulated == self.published

    def __str__(self) -> str:
        counts = f"the emulator counts {self.emulated:,.0f}, Nsight Compute {self.published:,.0f}"
        return f"{describe(self.entry)}: {self.metric}: {counts}"


@dataclass(frozen=True)
class Counted:
    """Counters from where they can be had: the emulator's; for what it does not count, Nsight Compute's."""

    emulation: Emulation
    published: Results | None

    @property
    def counters(self) -> tuple[Counters, ...]:
        """All that is known, by variant and shape."""
        keys = [*self.emulation.entries, *(self.published.counters if self.published else ())]
        found = {}
        for key in keys:
            entry = self.counter(key.step, key.shape, key.parameters)
            found.setdefault((entry.step, entry.shape, str(entry.parameters)), entry)
        return tuple(found.values())

    def counter(self, step: str, shape: Shape, parameters: Parameters | None = None) -> Counters:
        """The counters of a step at a shape; raises BookError with near matches when there are none."""
        published = _or_none(self.published, step, shape, parameters)
        try:
            emulated = self.emulation.entry(step, shape, parameters)
        except BookError:
            if published is None:
                raise
            return published
        beside = published.metrics if published else {}
        metrics = {**beside, **dict.fromkeys(COUNTED, 0), **emulated.metrics}
        return Counters(step, emulated.shape, emulated.parameters, metrics)

    def witness(self, step: str, shape: Shape, parameters: Parameters, metric: str) -> str:
        """Who counted a metric, in words."""
        published = _or_none(self.published, step, shape, parameters)
        theirs = published.metrics.get(metric) if published else None
        where = f"Nsight Compute on {self.published.gpu_name}" if self.published else ""
        try:
            metrics = self.emulation.entry(step, shape, parameters).metrics
        except BookError:
            return f"counted by {where}"
        if metric not in COUNTED and metric not in metrics:
            return f"counted by {where}"
        if theirs is None:
            return "counted by the emulator"
        verdict = "and the same" if metrics.get(metric, 0) == theirs else f"but {theirs:g}"
        return f"counted by the emulator, {verdict} by {where}"


def compared(emulation: Emulation, published: Results, descriptions: Descriptions) -> list[Pair]:
    """Every counter that both witnesses hold for the same kernels; those that changed since are left out."""
    pairs = []
    for entry in published.counters:
        if descriptions.fingerprint(entry.step, entry.shape, entry.parameters) != entry.fingerprint:
            continue
        for emulated in emulation.entries:
            if _key(emulated) == _key(entry):
                pairs += _pairs(entry, emulated.metrics)
    return pairs


def load_emulation(root: Path, folder: Path) -> Emulation:
    """What the emulator counted of a chapter's programs; empty where nothing is built yet.

    Raises:
        BookError: a file is damaged; the message names it, with the line.

    """
    entries = []
    for path in sorted(folder.glob("*.json")):
        launches: dict[str, list[Mapping[str, Any]]] = {}
        for launch in read_document(path, "emulation"):
            launches.setdefault(launch["label"], []).append(launch)
        entries += [_entry(path, label, counted, root, folder) for label, counted in launches.items()]
    return Emulation(folder, tuple(entries))


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
        key = json.loads(label)
        shape = tuple(key["shape"])
        parameters = {name: tuple(values) for name, values in key["parameters"].items()}
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise BookError(f"{path}: damaged: {label!r} names no variant") from error
    return Emulated(
        path.stem,
        key["step"],
        shape,
        parameters,
        added(launch["metrics"] for launch in launches),
        _by_line(root, folder, launches, "lines"),
        _by_line(root, folder, launches, "inlined"),
        all(launch["exact"] for launch in launches),
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


def _pairs(entry: Counters, emulated: Metrics) -> Iterator[Pair]:
    for metric in dict.fromkeys((*COUNTED, *emulated)):
        if metric in entry.metrics:
            yield Pair(entry, metric, emulated.get(metric, 0), entry.metrics[metric])


def _or_none(
    results: Results | None, step: str, shape: Shape, parameters: Parameters | None
) -> Counters | None:
    try:
        return results.counter(step, shape, parameters) if results else None
    except BookError:
        return None


def _key(entry: Counters | Emulated) -> tuple[str, Shape, dict[str, tuple[int, ...]]]:
    return entry.step, entry.shape, dict(entry.parameters)
