"""Damaged data that readers once stumbled over: they are read, or refused in one line."""

from __future__ import annotations

import json
import os
import random
from pathlib import Path

import pytest

from tests.book.damage import damaged, random_edits
from tests.book.fuzz import REPOSITORY, Fed, books

KEPT = sorted((Path(__file__).parent / "damaged").glob("*.json"))


@pytest.fixture(scope="module")
def fed(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Fed]:
    tree = REPOSITORY / os.environ.get("TREE", "build")
    return {book.name: book for book in books(tree, tmp_path_factory.mktemp("fed"))}


@pytest.mark.parametrize("kept", KEPT, ids=lambda path: path.stem)
def test_what_crashed_a_reader_crashes_none(kept: Path, fed: dict[str, Fed]) -> None:
    case = json.loads(kept.read_text())
    book = fed[case["book"]]
    whole = fed[book.name.replace("few-", "all-", 1)]  # what a few programs are changes with their number
    assert Fed(book.name, whole.root, book.read).crash(case["file"], case["edits"]) == ""


def test_a_crash_is_found(fed: dict[str, Fed]) -> None:
    def stumble(_: object) -> None:
        raise KeyError("a key")

    book = next(iter(fed.values()))
    wrong = Fed(book.name, book.root, stumble)
    assert "KeyError: 'a key'" in wrong.crash(book.files()[0], [])


def test_edits_change_what_they_name() -> None:
    text = '{"a": [1, 2], "b": "c"}'
    edits = [{"at": ["a", 0], "put": None}, {"at": ["a", 1], "twice": True}, {"at": ["b"], "key": "d"}]
    assert json.loads(damaged(text, edits)) == {"a": [None, 2, 2], "d": "c"}
    assert json.loads(damaged(text, [{"at": ["a"], "drop": True}, {"at": ["x", 3], "put": 1}])) == {"b": "c"}
    assert damaged(text, [{"part": [0, 1], "text": "x"}]) == "x"


def test_the_same_chance_makes_the_same_edits() -> None:
    text = json.dumps({"a": [1, 2, {"b": 0.5}], "c": "words"})
    once, again = ([random_edits(text, random.Random(seed)) for seed in range(50)] for _ in range(2))
    assert json.dumps(once) == json.dumps(again)
