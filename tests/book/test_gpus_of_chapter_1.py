"""Chapter 1 says which programs ran on which of the GPUs whose numbers stand first."""

from __future__ import annotations

import os
import re
from pathlib import Path

from book.library import Library

ROOT = Path(__file__).resolve().parents[2]
LIBRARY = Library.of(ROOT, ROOT / os.environ.get("TREE", "build"))
PAGE = ROOT / "chapters/1-memory-hierarchy/index.md"


def listed(page: str) -> list[set[str]]:
    """The programs of each bullet of the last section; `all other programs` names none."""
    last = page.split("\n## The GPU and the run\n")[1]
    return [set(re.findall(r"`([^`]+)`", bullet)) for bullet in re.findall(r"^- (.*)$", last, re.MULTILINE)]


def test_each_gpu_ran_the_programs_that_the_last_section_lists() -> None:
    results = LIBRARY.require_published(1)
    ran: dict[str, set[str]] = {}
    for entry in results.measurements:
        ran.setdefault(entry.card, set()).add(entry.key.step)
    *listed_ones, last = listed(PAGE.read_text())
    assert len(listed_ones) == 4 and last == set()
    every = set[str]().union(*ran.values())
    rest = every.difference(*listed_ones)
    assert sorted(map(sorted, ran.values())) == sorted(map(sorted, (*listed_ones, rest)))
    assert sum(map(len, ran.values())) == len(every), "no program ran on two of them"


def test_in_each_other_column_gpus_ran_the_third_and_the_fourth_line_and_another_all_else() -> None:
    first, *others = LIBRARY.all_published(1)
    every = {entry.key.step for entry in first.measurements}
    *_, third, fourth, _ = listed(PAGE.read_text())
    assert (len(third), len(fourth), len(others)) == (6, 3, 2)
    for results in others:
        ran: dict[str, set[str]] = {}
        for entry in results.measurements:
            ran.setdefault(entry.card, set()).add(entry.key.step)
        wanted = (third, fourth, every - third - fourth)
        assert sorted(map(sorted, ran.values())) == sorted(map(sorted, wanted)), results.path
