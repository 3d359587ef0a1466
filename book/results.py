"""Results and predictions: what was measured, counted and predicted, looked up by step, shape and parameters.

Published results lie in `figures/data/<gpu>/chapterN.json`, the reader's own in
`build/results/<gpu>/chapterN.json`, both written by the benchmark; what each program says of itself lies in
`build/describe/<chapter>/<program>.json`.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol, TypeVar

from book.documents import BookError, line_of, read_document

Shape = tuple[int, ...]
Parameters = Mapping[str, tuple[int, ...]]

DEFAULT_PARAMETERS: Parameters = {"block": (32, 8)}
"""The variant that is meant when a step has several and none is named."""


@dataclass(frozen=True)
class Measurement:
    """How long one variant of a step took at one shape; seconds, bytes, operations."""

    step: str
    kind: str
    shape: Shape
    parameters: Parameters
    median: float
    low: float
    high: float
    samples: int
    bytes: int
    flops: int
    fingerprint: str
    l2: str = "cold"
    throttled: bool | None = None
    date: str = ""

    @property
    def bandwidth(self) -> float:
        """Bytes per second: the bytes that the problem needs over the median time."""
        return self.bytes / self.median

    @property
    def rate(self) -> float:
        """Operations per second over the median time."""
        return self.flops / self.median


@dataclass(frozen=True)
class Counters:
    """What Nsight Compute counted for one launch of a step, by metric name."""

    step: str
    shape: Shape
    parameters: Parameters
    metrics: Mapping[str, float]
    fingerprint: str = ""


@dataclass(frozen=True)
class Prediction:
    """What the model predicts for one launch of a step, by metric name."""

    step: str
    shape: Shape
    parameters: Parameters
    metrics: Mapping[str, float]


@dataclass(frozen=True)
class Variant:
    """One way to run a step, as its program describes it."""

    program: str
    step: str
    kind: str
    parameters: Parameters
    measured: tuple[Shape, ...]
    counted: tuple[Shape, ...]
    predicted: Mapping[Shape, Mapping[str, float]]
    fingerprints: Mapping[Shape, str]


class Entry(Protocol):
    """What is looked up by step, shape and parameters."""

    @property
    def step(self) -> str:
        """The step's name."""

    @property
    def shape(self) -> Shape:
        """The problem's extents."""

    @property
    def parameters(self) -> Parameters:
        """The variant of the step."""


Found = TypeVar("Found", bound=Entry)


@dataclass(frozen=True)
class Results:
    """One chapter's results on one GPU."""

    path: Path
    chapter: int
    gpu: Mapping[str, Any]
    provenance: Mapping[str, Any]
    measurements: tuple[Measurement, ...]
    counters: tuple[Counters, ...]

    @property
    def gpu_name(self) -> str:
        """The card's name as its driver gives it."""
        return str(self.gpu["name"])

    def measurement(self, step: str, shape: Shape, parameters: Parameters | None = None) -> Measurement:
        """The measurement of a step at a shape; raises BookError with near matches when there is none."""
        return find(self.measurements, step, shape, parameters or {}, f"measured in {self.path}")

    def counter(self, step: str, shape: Shape, parameters: Parameters | None = None) -> Counters:
        """The counters of a step at a shape; raises BookError with near matches when there are none."""
        return find(self.counters, step, shape, parameters or {}, f"counted in {self.path}")

    @property
    def rated_by(self) -> str:
        """What this chapter's steps are rated by: `rate` if its ceiling does operations, else `bandwidth`."""
        computes = any(entry.kind == "ceiling" and entry.flops for entry in self.measurements)
        return "rate" if computes else "bandwidth"

    @property
    def rating_unit(self) -> str:
        """The unit of a rating."""
        return "flop/s" if self.rated_by == "rate" else "B/s"

    def rating(self, entry: Measurement) -> float:
        """Operations or bytes per second, whichever this chapter's steps are rated by."""
        return entry.rate if self.rated_by == "rate" else entry.bandwidth

    def ceiling(self, shape: Shape) -> Measurement | None:
        """The fastest ceiling of the same run at this shape, if one was measured."""
        ceilings = [entry for entry in self.measurements if entry.kind == "ceiling" and entry.shape == shape]
        return max(ceilings, key=self.rating, default=None)

    def peer(self, shape: Shape) -> Measurement | None:
        """The fastest library of the same run at this shape, if one was measured."""
        peers = [entry for entry in self.measurements if entry.kind == "peer" and entry.shape == shape]
        return max(peers, key=self.rating, default=None)


@dataclass(frozen=True)
class Descriptions:
    """What the programs of one chapter say of themselves, in the order of their files."""

    folder: Path
    variants: tuple[Variant, ...] = field(default=())

    def prediction(self, step: str, shape: Shape, parameters: Parameters | None = None) -> Prediction:
        """The prediction for a step at a shape; raises BookError with near matches when there is none."""
        predictions = [
            Prediction(variant.step, shape_, variant.parameters, metrics)
            for variant in self.variants
            for shape_, metrics in variant.predicted.items()
            if metrics
        ]
        return find(predictions, step, shape, parameters or {}, f"predicted in {self.folder}")

    def fingerprint(self, step: str, shape: Shape, parameters: Parameters) -> str | None:
        """The fingerprint of the program as it is built now; None if it holds no such variant or shape."""
        for variant in self.variants:
            if variant.step == step and dict(variant.parameters) == dict(parameters):
                return variant.fingerprints.get(shape)
        return None

    def steps(self) -> list[str]:
        """The steps' names in the order of their files."""
        return list(dict.fromkeys(variant.step for variant in self.variants))


def load_results(path: Path) -> Results:
    """One chapter's results.

    Raises:
        BookError: the file is damaged, foreign or newer; the message names it, with the line.

    """
    document = read_document(path, "results")
    measurements = []
    for index, raw in enumerate(document["measurements"]):
        entry = _measurement(raw)
        if not entry.low <= entry.median <= entry.high:
            _refuse(
                path,
                ["measurements", index, "seconds"],
                f"{entry.step}: the median is not between low and high",
            )
        measurements.append(entry)
    _refuse_doubled(path, "measurements", measurements)
    if path.stem != f"chapter{document['chapter']}":
        _refuse(path, ["chapter"], f"the file's name does not fit its chapter, {document['chapter']}")
    counters = [_counters(raw) for raw in document["counters"]]
    _refuse_doubled(path, "counters", counters)
    return Results(
        path,
        document["chapter"],
        document["gpu"],
        document["provenance"],
        tuple(measurements),
        tuple(counters),
    )


def load_descriptions(folder: Path) -> Descriptions:
    """What the built programs of a chapter say of themselves; empty where nothing is built yet."""
    variants = []
    for path in sorted(folder.glob("*.json")):
        document = read_document(path, "description")
        variants += [_variant(document["program"], raw) for raw in document["variants"]]
    return Descriptions(folder, tuple(variants))


def find(entries: Iterable[Found], step: str, shape: Shape, parameters: Parameters, where: str) -> Found:
    """The one entry of a step at a shape whose parameters include the given ones.

    Several that fit mean the default variant. BookError names what is unknown and offers near matches.
    """
    entries = list(entries)
    of_step = [entry for entry in entries if entry.step == step]
    if not of_step:
        raise BookError(f"no step {step} {where}{near(step, [entry.step for entry in entries])}")
    at_shape = [entry for entry in of_step if entry.shape == shape]
    if not at_shape:
        known = list(dict.fromkeys(shape_text(entry.shape) for entry in of_step))
        raise BookError(f"no {step} at {shape_text(shape)} {where}; there is {', '.join(known)}")
    fitting = [entry for entry in at_shape if parameters.items() <= entry.parameters.items()]
    if len(fitting) > 1:
        fitting = [
            entry for entry in fitting if DEFAULT_PARAMETERS.items() <= entry.parameters.items()
        ] or fitting
    if len(fitting) == 1:
        return fitting[0]
    known = [parameters_text(entry.parameters) for entry in at_shape]
    wanted = parameters_text(parameters) or "without parameters"
    problem = "ambiguous" if fitting else "unknown"
    raise BookError(
        f"{step} at {shape_text(shape)}, {wanted}, is {problem} {where}; there is {', '.join(known)}"
    )


def default_at(results: Results, step: str, shape: Shape) -> Measurement | None:
    """A step's default variant at a shape; None if it was not measured there."""
    entries = [entry for entry in results.measurements if entry.step == step and entry.shape == shape]
    default = [entry for entry in entries if DEFAULT_PARAMETERS.items() <= entry.parameters.items()]
    return next(iter(default or entries), None)


def share(results: Results, entry: Measurement) -> float:
    """A measurement's rating over that of the fastest ceiling at its shape in the same run."""
    ceiling = results.ceiling(entry.shape)
    if ceiling is None:
        size = "x".join(map(str, entry.shape))
        raise BookError(
            f"{results.path}: no ceiling was measured at {size}, so {entry.step} has no share of it"
        )
    return results.rating(entry) / results.rating(ceiling)


def near(name: str, names: Iterable[str]) -> str:
    """A half sentence that offers names like this one, or all of them if few."""
    known = list(dict.fromkeys(names))
    close = difflib.get_close_matches(name, known, n=3, cutoff=0.5)
    if close:
        return f"; did you mean {' or '.join(close)}?"
    return f"; there is {', '.join(known)}" if known else "; there is none"


def shape_text(shape: Sequence[int]) -> str:
    """A shape as the grammar writes it: 8192x8192."""
    return "x".join(map(str, shape))


def parameters_text(parameters: Parameters) -> str:
    """Parameters as the grammar writes them: block=32x8."""
    return " ".join(f"{key}={shape_text(value)}" for key, value in parameters.items())


def describe(entry: Entry) -> str:
    """An entry's step, shape and parameters, as the grammar writes them."""
    return " ".join(filter(None, (entry.step, shape_text(entry.shape), parameters_text(entry.parameters))))


def _measurement(raw: Mapping[str, Any]) -> Measurement:
    seconds = raw["seconds"]
    return Measurement(
        raw["step"],
        raw["kind"],
        tuple(raw["shape"]),
        _parameters(raw),
        seconds["median"],
        seconds["low"],
        seconds["high"],
        raw["samples"],
        raw["amounts"].get("bytes", 0),
        raw["amounts"].get("operations", 0),
        raw["fingerprint"],
        raw["l2"],
        raw.get("throttled"),
        raw.get("date", ""),
    )


def _counters(raw: Mapping[str, Any]) -> Counters:
    return Counters(
        raw["step"], tuple(raw["shape"]), _parameters(raw), raw["metrics"], raw.get("fingerprint", "")
    )


def _variant(program: str, raw: Mapping[str, Any]) -> Variant:
    return Variant(
        program,
        raw["step"],
        raw["kind"],
        _parameters(raw),
        tuple(tuple(shape) for shape in raw["measured"]),
        tuple(tuple(shape) for shape in raw["counted"]),
        {tuple(run["shape"]): run["predicted"] for run in raw["runs"] if "predicted" in run},
        {tuple(run["shape"]): run["fingerprint"] for run in raw["runs"] if "fingerprint" in run},
    )


def _parameters(raw: Mapping[str, Any]) -> dict[str, tuple[int, ...]]:
    return {key: tuple(value) for key, value in raw["parameters"].items()}


def _refuse_doubled(path: Path, key: str, entries: Sequence[Entry]) -> None:
    seen = set()
    for index, entry in enumerate(entries):
        identity = (entry.step, entry.shape, *sorted(entry.parameters.items()))
        if identity in seen:
            _refuse(path, [key, index], f"{describe(entry)} is there twice")
        seen.add(identity)


def _refuse(path: Path, place: Sequence[str | int], message: str) -> None:
    line = line_of(path.read_text(encoding="utf-8"), place)
    raise BookError(f"{path}:{line}: damaged: {message}")
