"""What the three witnesses say of one variant of a step."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from book.documents import BookError
from book.format import grouped
from book.metrics import COUNTED, METRICS, PER_REQUEST
from book.quantities import Value
from book.results import Measurement, Parameters, Results, Shape, Variant, shape_text
from weave.context import Page

WITNESSED = {
    "load-sectors": "load sectors per request",
    "store-sectors": "store sectors per request",
    "shared-load-wavefronts": "shared load wavefronts per request",
    "shared-store-wavefronts": "shared store wavefronts per request",
}
"""What the predict and count columns of a card hold."""


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
    parameters: Parameters = field(default_factory=dict)

    def name(self, quantity: str) -> str:
        """A measured quantity as the grammar writes it."""
        words = [f"{key}={shape_text(value)}" for key, value in self.parameters.items()]
        return " ".join([self.step, quantity, shape_text(self.measured), *words])

    def measurement(self, results: Results) -> Measurement:
        """How long this variant took in a run."""
        return results.measurement(self.step, self.measured, self.parameters)

    def prediction(self) -> Mapping[str, float] | None:
        """The predicted metrics; None for a step that predicts nothing."""
        variants = self._variants()
        if variants and not any(variant.predicted.get(self.counted) for variant in variants):
            return None
        descriptions = self.page.library.descriptions(self.page.chapter)
        metrics = descriptions.prediction(self.step, self.counted, self.parameters).metrics
        return {**dict.fromkeys(COUNTED, 0), **metrics}

    def count(self) -> Mapping[str, float] | None:
        """What the emulator counted; None for a step that is not counted, and where nothing is built."""
        if not self.page.library.emulation(self.page.chapter).entries or not self._is_counted():
            return None
        entry = self.page.library.emulation(self.page.chapter).entry(self.step, self.counted, self.parameters)
        return {**dict.fromkeys(COUNTED, 0), **entry.metrics}

    def published_count(self) -> Mapping[str, float] | None:
        """What Nsight Compute counted; None for a step that is not counted, and before the publication."""
        if not self.page.is_published or not self._is_counted():
            return None
        return self.page.published.counter(self.step, self.counted, self.parameters).metrics

    def _is_counted(self) -> bool:
        variants = self._variants()
        return not variants or any(self.counted in variant.counted for variant in variants)

    def _variants(self) -> list[Variant]:
        descriptions = self.page.library.descriptions(self.page.chapter)
        return [variant for variant in descriptions.variants if variant.step == self.step]


def traffic(metrics: Mapping[str, float] | None, quantity: str) -> Traffic | None:
    """A kind of traffic in metrics; None where the kernel makes none, or nothing is known."""
    total = None if metrics is None else metrics.get(METRICS[quantity])
    if not total:
        return None
    requests = metrics.get(METRICS[PER_REQUEST[f"{quantity}-per-request"][1]])
    return Traffic(total, total / requests if requests else None)


def share_of(results: Results, entry: Measurement, whole: str) -> float:
    """A measurement's rating as a share of another step's at the same shape in the same run."""
    return results.rating(entry) / results.rating(results.measurement(whole, entry.shape))


def share_or_none(results: Results, step: str, shape: Shape, whole: str) -> float | None:
    """The share of another step's default variant; None where the run lacks it."""
    try:
        return share_of(results, results.measurement(step, shape), whole)
    except BookError:
        return None
