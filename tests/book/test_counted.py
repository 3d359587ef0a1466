"""The emulator's counts against Nsight Compute's: equal, or at least as many where a step looks again."""

from __future__ import annotations

from dataclasses import replace

import pytest

from book.counted import compared
from book.descriptions import Reports
from book.library import Library
from book.results import Counters
from tests.book.invented import LOAD, STORE


@pytest.mark.parametrize(
    ("left", "metric", "more", "agree"),
    [
        ((), LOAD, 0, True),
        ((), LOAD, 1, False),
        ((LOAD,), LOAD, 0, True),
        ((LOAD,), LOAD, 16, True),
        ((LOAD,), LOAD, -1, False),
        ((LOAD,), STORE, 1, False),
    ],
)
def test_only_what_a_step_leaves_to_the_profiler_may_be_more_and_never_less(
    book: Library, left: tuple[str, ...], metric: str, more: int, agree: bool
) -> None:
    published = book.require_published(6)
    assert all(pair.equal for pair in compared(book.emulation(6), published, book.descriptions(6)))
    changed = published.counters.all[0]
    counted = Counters(
        changed.key, {**changed.metrics, metric: changed.metrics[metric] + more}, changed.fingerprint
    )
    entries = tuple(counted if entry is changed else entry for entry in published.counters)
    described = book.descriptions(6)
    reports = tuple(Reports(name, "1", "profiler") for name in left)
    variants = tuple(
        replace(variant, reports=reports) if variant.step == changed.key.step else variant
        for variant in described.variants
    )
    pairs = compared(
        book.emulation(6),
        replace(published, counters=replace(published.counters, all=entries)),
        replace(described, variants=variants),
    )
    assert [(pair.entry.key, pair.metric) for pair in pairs if not pair.equal] == (
        [] if agree else [(changed.key, metric)]
    )
