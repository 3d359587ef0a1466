"""How long a launch takes at least, by what its blocks do, as `code/model` says.

The card is the one that chapter 1 publishes first, with its DRAM's latency under load.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from book import model, roofs
from book.descriptions import Run, Variant
from book.documents import BookError, MissingResultsError
from book.keys import Key, Parameters
from book.library import Library
from book.machine_code import Kernel
from book.own_kernels import kernels_of
from book.roofs import Roof

_CHAPTER, _LATENCIES = 1, "loaded-latency"


@dataclass(frozen=True)
class Launch:
    """What a launch asks of the card; `CoarsenedLaunch` of `code/model/coarsening.hpp` says what each is."""

    threads: int
    registers: int
    shared: int
    blocks: int
    works: float
    waits: float
    bytes: float
    thread_bytes: float


@dataclass(frozen=True)
class Answer:
    """What the model says of a launch."""

    resident: int
    """Blocks that a multiprocessor holds."""
    warps: int
    """Warps that these are."""
    waves: float
    seconds: float
    """The least that it takes."""


def kernel_of(library: Library, chapter: int, variant: Variant, run: Run) -> Kernel:
    """The machine code of the one kernel that a variant launches.

    Raises:
        BookError: its program has no such kernel.

    """
    (launch,) = run.launches
    program = f"{library.folder(chapter).name}/{variant.program}"
    for kernel in kernels_of(library.build, program):
        if kernel.is_made_from(launch.kernel, launch.arguments):
            return kernel
    raise BookError(f"{program} has no kernel {launch.kernel}<{', '.join(launch.arguments)}>")


def latency(library: Library, roof: str) -> float:
    """The latency that a step of chapter 1 measures, in cycles: `l2-latency`."""
    return roofs.measured(Roof(roof, "access-cycles"), library).number


def ask(library: Library, launches: Sequence[Launch]) -> list[Answer]:
    """What the model says of each launch.

    Raises:
        BookError: the program is not built, or it refuses a launch.
        MissingResultsError: chapter 1 is not published.

    """
    question = _card(library) | {"launches": [asdict(launch) for launch in launches]}
    return [Answer(**answer) for answer in model.ask(library, "coarsening", question)]


def _card(library: Library) -> dict[str, Any]:
    published = library.published(_CHAPTER)
    if published is None:
        raise MissingResultsError(f"chapter {_CHAPTER} is not published yet")
    hertz = (
        latency(library, "dram-latency") / roofs.measured(Roof("dram-latency", "access-time"), library).number
    )
    points = []
    for variant in library.descriptions(_CHAPTER).of(_LATENCIES):
        if variant.parameters.includes(Parameters.parse(["copies=0"])):
            measured = published.measurements.find(Key(_LATENCIES, variant.measured[0], variant.parameters))
            points.append((measured.rated, measured.quantities["latency"].median / hertz))
    capability = [int(part) for part in str(published.gpu["compute_capability"]).split(".")]
    return {
        "capability": capability,
        "multiprocessors": published.gpu["multiprocessors"],
        "hertz": hertz,
        "latencies": _rising(points),
    }


def _rising(points: Sequence[tuple[float, float]]) -> list[tuple[float, float]]:
    """The points in order, without those at which fewer bytes are on their way, or move, than before."""
    kept: list[tuple[float, float]] = []
    for bandwidth, seconds in sorted(points, key=lambda point: point[0] * point[1]):
        if not kept or bandwidth > kept[-1][0]:
            kept.append((bandwidth, seconds))
    return kept
