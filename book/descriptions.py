"""What the programs of a chapter say of themselves: `build/describe/<chapter>/<program>.json`."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from book.documents import read_document
from book.keys import Entries, Key, Keyed, Parameters, Shape


@dataclass(frozen=True)
class Line:
    """An access of a warp: the element of `width` bytes of each lane; None: it rests."""

    operation: str
    width: int
    elements: tuple[int | None, ...]
    warps: int = field(compare=False)
    """How many make it, times the executions in each."""


@dataclass(frozen=True)
class Launch:
    """One launch of a kernel of the book."""

    kernel: str
    """Its name without template arguments."""
    arguments: tuple[str, ...]
    """Of its template."""
    grid: tuple[int, ...]
    block: tuple[int, ...]
    dynamic_shared: int
    """Bytes of a block."""


@dataclass(frozen=True)
class Run(Keyed):
    """A variant at one shape: what is known of its launch before it runs."""

    fingerprint: str | None
    """None for what runs somebody else's kernels."""
    metrics: Mapping[str, float] | None
    """What is predicted, by metric name; None if nothing is."""
    lines: tuple[Line, ...]
    """The first lines of the prediction."""
    amounts: Mapping[str, int]
    """What it does that steps are rated by: bytes, operations and the like."""
    launches: tuple[Launch, ...]
    """Its launches in their order; none of somebody else's kernels."""

    @property
    def kernels(self) -> frozenset[str]:
        """The names of the kernels that it launches."""
        return frozenset(launch.kernel for launch in self.launches)


@dataclass(frozen=True)
class Reports:
    """A number that a step reports beside its time: `origin` says where it comes from."""

    name: str
    unit: str
    origin: str

    @property
    def takes_a_gpu(self) -> bool:
        """Whether nothing but a GPU can tell it."""
        return self.origin != "device"


@dataclass(frozen=True)
class Variant:
    """One way to run a step, as its program describes it."""

    program: str
    """By its source below the chapter's folder: `13_padded`, `experiments/longer_rows`."""
    step: str
    kind: str
    is_default: bool
    parameters: Parameters
    axes: tuple[str, ...]
    reports: tuple[Reports, ...]
    measured: tuple[Shape, ...]
    counted: tuple[Shape, ...]
    runs: tuple[Run, ...]


@dataclass(frozen=True)
class Descriptions:
    """What the programs of one chapter say of themselves, in the order of their files."""

    folder: Path
    variants: tuple[Variant, ...] = field(default=())

    @functools.cached_property
    def defaults(self) -> dict[str, Parameters]:
        """Of each step the parameters of the variant that is meant when none is named."""
        return {variant.step: variant.parameters for variant in self.variants if variant.is_default}

    @functools.cached_property
    def runs(self) -> Entries[Run]:
        """Every variant at every shape."""
        runs = tuple(run for variant in self.variants for run in variant.runs)
        return Entries(runs, f"described in {self.folder}", self.defaults)

    @functools.cached_property
    def predictions(self) -> Entries[Run]:
        """The runs that are predicted."""
        runs = tuple(run for run in self.runs if run.metrics is not None)
        return Entries(runs, f"predicted in {self.folder}", self.defaults)

    def fingerprint(self, key: Key) -> str | None:
        """The fingerprint of the program as it is built now; None if it holds no such variant or shape."""
        run = self.runs.exactly(key)
        return run.fingerprint if run else None

    def left_to_profiler(self, key: Key) -> frozenset[str]:
        """The metrics of a variant that nobody but Nsight Compute can tell, as its program says."""
        return frozenset(
            one.name for variant in self._fitting(key) for one in variant.reports if one.origin == "profiler"
        )

    def is_run(self, key: Key) -> bool:
        """Whether a program says that it is to be counted or timed there."""
        return any(key.shape in (run.shape for run in variant.runs) for variant in self._fitting(key))

    def is_timed(self, key: Key) -> bool:
        """Whether a program says that it is to be timed there."""
        return any(key.shape in variant.measured for variant in self._fitting(key))

    def _fitting(self, key: Key) -> list[Variant]:
        return [variant for variant in self.of(key.step) if variant.parameters.includes(key.parameters)]

    def steps(self) -> list[str]:
        """The steps' names in the order of their files, then those of the experiments."""
        return list(dict.fromkeys(variant.step for variant in self.variants))

    def predicted(self, text: str) -> Run:
        """What a step predicts at its first counted shape, by its name and parameters: `shifted offset=1`."""
        step, *chosen = text.split()
        shape = next((run.shape for run in self.predictions if run.step == step), ())
        return self.predictions.find(Key(step, shape, Parameters.parse(chosen)))

    @functools.cached_property
    def experiments(self) -> dict[str, str]:
        """Those that are experiments, or what these are held against, and their programs."""
        programs = {variant.step: variant.program for variant in self.variants}
        return {step: program for step, program in programs.items() if "/" in program}

    def of(self, step: str) -> list[Variant]:
        """A step's variants; none of a step that is not built."""
        return [variant for variant in self.variants if variant.step == step]


def load_descriptions(folder: Path) -> Descriptions:
    """What the built programs of a chapter say of themselves; empty where nothing is built yet."""
    variants = []
    for path in sorted(folder.rglob("*.json")):
        program = path.relative_to(folder).with_suffix("").as_posix()
        variants += [_variant(program, raw) for raw in read_document(path, "description")["variants"]]
    return Descriptions(folder, tuple(variants))


def _variant(program: str, raw: Mapping[str, Any]) -> Variant:
    parameters = Parameters.of(raw["parameters"])
    return Variant(
        program,
        raw["step"],
        raw["kind"],
        raw["default"],
        parameters,
        tuple(raw["axes"]),
        tuple(Reports(one["name"], one["unit"], one["from"]) for one in raw["quantities"]),
        tuple(map(tuple, raw["measured"])),
        tuple(map(tuple, raw["counted"])),
        tuple(_run(raw["step"], parameters, run) for run in raw["runs"]),
    )


def _run(step: str, parameters: Parameters, raw: Mapping[str, Any]) -> Run:
    return Run(
        Key(step, tuple(raw["shape"]), parameters),
        raw.get("fingerprint"),
        raw.get("predicted"),
        tuple(map(_line, raw.get("lines", ()))),
        raw["amounts"],
        tuple(map(_launch, raw.get("launches", ()))),
    )


def _launch(raw: Mapping[str, Any]) -> Launch:
    name, _, arguments = raw["kernel"].removesuffix(">").partition("<")
    named = tuple(arguments.split(", ")) if arguments else ()
    return Launch(name, named, tuple(raw["grid"]), tuple(raw["block"]), raw["dynamic_shared"])


def _line(raw: Mapping[str, Any]) -> Line:
    return Line(raw["operation"], raw["width"], tuple(raw["elements"]), raw["warps"])
