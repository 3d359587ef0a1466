"""An invented book for the tests of figures."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from figures.library import Library
from tests.figures.invented import REPOSITORY, STEPS, invented_description, invented_results, write


@pytest.fixture
def book(tmp_path: Path) -> Library:
    """A repository with one chapter, published results of an invented GPU, and own ones of another."""
    root = tmp_path / "a book"
    (root / "chapters" / "6-transpose").mkdir(parents=True)
    write(root / "figures/data/nvidia-invented/chapter6.json", invented_results())
    write(root / "build/results/nvidia-other/chapter6.json", invented_results(gpu="NVIDIA Other", factor=0.5))
    for number, (step, kind, _) in enumerate(STEPS):
        write(root / f"build/describe/6-transpose/{number:02}_{step}.json", invented_description(step, kind))
    write(
        root / "figures/data/sources.json", json.loads((REPOSITORY / "figures/data/sources.json").read_text())
    )
    return Library.of(root)
