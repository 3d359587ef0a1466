"""Published results are those of the steps as they are built: none has gone stale in silence."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from book.keys import Key
from book.library import Library

REPOSITORY = Path(__file__).resolve().parents[2]
BOOK = Library.of(REPOSITORY)
TREE = os.environ.get("TREE", "build")


@pytest.fixture(params=BOOK.chapters(), ids=lambda chapter: f"chapter {chapter}")
def chapter(request: pytest.FixtureRequest) -> int:
    if TREE != "build":
        pytest.skip(f"{TREE} is another compiler's: fingerprints are those of the pinned one")
    assert BOOK.descriptions(request.param).variants, "no step is built: run `make steps`"
    if BOOK.published(request.param) is None:
        pytest.skip(f"chapter {request.param} is not measured yet")
    return request.param


def test_no_published_result_is_stale(chapter: int) -> None:
    stale = [str(entry) for entry in BOOK.stale(chapter)]
    assert not stale, "\n".join(
        ["published results whose step has changed; measure and publish again:", *stale]
    )


def test_every_published_result_has_its_step(chapter: int) -> None:
    results = BOOK.require_published(chapter)
    built = {run.key for run in BOOK.descriptions(chapter).runs}
    entries = (*results.measurements, *results.counters)
    orphans = [str(entry.key) for entry in entries if entry.key not in built]
    assert not orphans, "\n".join(["published results that no step makes any more:", *orphans])


AWAITED = {"held-tiles", "near-copies"}
"""Steps that are published, but not on the book's card yet: their pages say on which."""


def test_every_step_has_its_published_results(chapter: int) -> None:
    first, *others = BOOK.all_published(chapter)
    measured = {entry.key for entry in first.measurements}
    assert not {key.step for key in measured} & AWAITED, "awaited no more"
    measured |= {entry.key for results in others for entry in results.measurements if entry.step in AWAITED}
    keys = [
        Key(variant.step, shape, variant.parameters)
        for variant in BOOK.descriptions(chapter).variants
        for shape in variant.measured
    ]
    missing = [str(key) for key in keys if key not in measured]
    assert not missing, "\n".join(["steps that were never published:", *missing])
