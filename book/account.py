"""Where the cycles of a launch went: an account whose parts are counted, and whose sum the clock checks.

In each cycle a scheduler starts an instruction, or has warps and starts none, or has no warp. While a warp
lives, each cycle adds one to one of its reasons: it is selected, it could start and another is selected, or
it waits. What the warps waited for divides the cycles in which the scheduler started nothing, each reason in
proportion to its cycles of warps.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from book.documents import BookError, MissingResultsError
from book.keys import Key
from book.metrics import METRICS
from book.results import Results

SCHEDULERS = 4
"""Of a multiprocessor."""

_ARE_READY = ("selected", "not-selected")

PARTS: Mapping[str, tuple[str, ...]] = {
    "waits for global memory": ("long-scoreboard", "lg-throttle", "tex-throttle", "drain", "membar"),
    "waits for shared memory": ("short-scoreboard", "mio-throttle"),
    "waits at a barrier": ("barrier",),
    "waits for arithmetic": ("wait", "math-pipe-throttle", "dispatch-stall"),
    "waits for something else": (
        "branch-resolving",
        "no-instruction",
        "imc-miss",
        "gmma",
        "sleeping",
        "misc",
    ),
}
"""What warps wait for, and the reasons that Nsight Compute has for it."""

ISSUES, HAS_NO_WARP = "starts an instruction", "has no warp"


@dataclass(frozen=True)
class Account:
    """What a scheduler did in a launch, in cycles: the mean of all schedulers."""

    timed: float
    """The cycles that the clock gives, of the launches that were timed."""
    parts: Mapping[str, float]
    """The counted cycles, by what the scheduler does or what its warps wait for."""

    @property
    def sum(self) -> float:
        """The counted cycles, as a share of those that the clock gives."""
        return sum(self.parts.values()) / self.timed


def account(results: Results, key: Key) -> Account:
    """The account of a variant of a step at a shape where it was timed.

    Raises:
        MissingResultsError: it is not timed, or not counted, yet.
        BookError: there is no such variant, or nobody looked at the clock.

    """
    timed, metrics = results.measurements.find(key), results.counters.find(key).metrics
    if METRICS["warp-cycles"] not in metrics:
        raise MissingResultsError(f"what the warps of {key} wait for is not counted yet")
    if timed.sm_mhz is None:
        raise BookError(f"{key}: the results do not say at which clock this was measured")

    def counted(name: str) -> float:
        return metrics.get(METRICS[f"{name}-cycles"], 0)  # not every GPU has every reason

    schedulers = SCHEDULERS * int(results.gpu["multiprocessors"])
    waiting = counted("warp") - sum(map(counted, _ARE_READY))
    of_waiting = (counted("active") - counted("issue")) / waiting if waiting else 0
    parts = {
        ISSUES: counted("issue"),
        **{part: of_waiting * sum(map(counted, reasons)) for part, reasons in PARTS.items()},
        HAS_NO_WARP: counted("elapsed") - counted("active"),
    }
    cycles = timed.median * timed.sm_mhz * 1e6
    return Account(cycles, {part: total / schedulers for part, total in parts.items()})
