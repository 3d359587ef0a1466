"""What the three witnesses say of one variant of a step."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from book.descriptions import Variant
from book.format import grouped
from book.keys import Key, Parameters, Shape
from book.metrics import COUNTED, METRICS, per_request
from book.quantities import Value
from book.results import Measurement, Results
from weave.context import Page


@dataclass(frozen=True)
class Traffic:
    """The sectors or wavefronts of one launch: all of them, and how many a request makes."""

    total: float
    per_request: float | None

    @property
    def total_text(self) -> str:
        """The total, as the book prints it."""
        return grouped(self.total)

    @property
    def per_request_text(self) -> str | None:
        """The average, as the book prints it; None where the requests are not known."""
        return None if self.per_request is None else Value.of(self.per_request, "average").text


@dataclass(frozen=True)
class Witnesses:
    """One variant of a step, where it is timed, and where it is predicted and counted."""

    page: Page
    step: str
    measured: Shape
    counted: Shape
    parameters: Parameters = field(default_factory=Parameters)

    @property
    def timed_key(self) -> Key:
        """Where it is timed."""
        return Key(self.step, self.measured, self.parameters)

    @property
    def counted_key(self) -> Key:
        """Where it is predicted and counted."""
        return Key(self.step, self.counted, self.parameters)

    def measurement(self, results: Results) -> Measurement:
        """How long this variant took in a run."""
        return results.measurements.find(self.timed_key)

    def prediction(self) -> Mapping[str, float] | None:
        """The predicted metrics; None for a step that predicts nothing."""
        descriptions = self.page.library.descriptions(self.page.chapter)
        shapes = {
            run.shape for variant in self._variants() for run in variant.runs if run.metrics is not None
        }
        if self._variants() and self.counted not in shapes:
            return None
        return {
            **dict.fromkeys(COUNTED, 0),
            **(descriptions.predictions.find(self.counted_key).metrics or {}),
        }

    def count(self) -> Mapping[str, float] | None:
        """What the emulator counted; None for a step that is not counted, and where nothing is built."""
        entries = self.page.library.emulation(self.page.chapter).entries
        if not len(entries) or not self._is_counted():
            return None
        return {**dict.fromkeys(COUNTED, 0), **entries.find(self.counted_key).metrics}

    def published_count(self) -> Mapping[str, float] | None:
        """What Nsight Compute counted; None for a step or a published run that was not counted."""
        published = self.page.library.published(self.page.chapter)
        if published is None or not len(published.counters) or not self._is_counted():
            return None
        if published.counters.is_awaited(self.counted_key):
            return None
        return published.counters.find(self.counted_key).metrics

    def _is_counted(self) -> bool:
        variants = self._variants()
        return not variants or any(self.counted in variant.counted for variant in variants)

    def _variants(self) -> list[Variant]:
        return self.page.library.descriptions(self.page.chapter).of(self.step)


def traffic(metrics: Mapping[str, float] | None, count: str) -> Traffic | None:
    """A kind of traffic in metrics; None where the kernel makes none, or nothing is known."""
    total = None if metrics is None else metrics.get(METRICS[count])
    return Traffic(total, per_request(metrics or {}, count)) if total else None
