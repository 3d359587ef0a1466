"""The quick look at a JSON value lets the book's data through, and nothing that jsonschema refuses."""

from __future__ import annotations

import json
import os
import random
from pathlib import Path
from typing import Any

import pytest

from book import documents
from book.fits import fits
from tests.book.damage import VALUES, damaged, random_edits
from tests.book.invented import REPOSITORY

TREE = REPOSITORY / os.environ.get("TREE", "build")
PUBLISHED = sorted((REPOSITORY / "figures/data").glob("*/chapter*.json"))
SCHEMA = json.loads((REPOSITORY / "book/schema.json").read_text())
KINDS = sorted(SCHEMA["$defs"])


def refused(kind: str, value: Any) -> bool:
    return not documents._validator(kind).is_valid(value)


@pytest.mark.parametrize("kind", KINDS)
def test_what_readers_stumble_over_is_let_through_by_both_or_seen_by_the_slower(kind: str) -> None:
    look = documents._quick_look(kind)
    for value in VALUES:
        for whole in (value, [value], {"": value}, {"name": value}, {"median": value, "low": 1, "high": 2}):
            assert not (look(whole) and refused(kind, whole))


@pytest.mark.parametrize("path", (PUBLISHED[0], PUBLISHED[-1]), ids=lambda path: path.parent.name)
def test_published_results_are_let_through_and_damaged_ones_not(path: Path) -> None:
    document = documents.read_document(path, "results")
    document = {
        **document,
        "measurements": document["measurements"][:2],
        "counters": document["counters"][:2],
    }
    look = documents._quick_look("results")
    assert look(document)
    text = json.dumps(document)
    chance = random.Random(str(path.name))
    refusals = 0
    for _ in range(60):
        try:
            value = json.loads(damaged(text, random_edits(text, chance)))
        except (ValueError, RecursionError):
            continue
        if refused("results", value):
            refusals += 1
            assert not look(value)
    assert refusals > 10


@pytest.mark.parametrize(
    ("schema", "good", "bad"),
    [
        ({"type": "integer"}, [0, -7], [8192.0, True, "1", None]),
        ({"type": ["number", "null"]}, [0.5, 1, None], [True, "1"]),
        ({"enum": ["cold", "warm"]}, ["cold"], ["hot", 1, []]),
        ({"const": 2}, [2], [3, True, "2", [2]]),
        ({"type": "string", "pattern": "^[a-z]+$", "minLength": 2}, ["ab"], ["a", "aB", 1]),
        ({"type": "number", "exclusiveMinimum": 0, "minimum": 0}, [0.1], [0, -1]),
        (
            {"type": "array", "items": {"type": "integer"}, "minItems": 1, "maxItems": 2},
            [[1], [1, 2]],
            [[], [1] * 3, [1.0]],
        ),
        (
            {"type": "object", "required": ["a"], "properties": {"a": {"type": "string"}}},
            [{"a": "", "b": 1}],
            [{}, {"a": 1}],
        ),
        ({"properties": {"a": {}}, "additionalProperties": False}, [{"a": 1}, 7], [{"b": 1}]),
        (
            {"properties": {"a": {}}, "additionalProperties": {"type": "null"}},
            [{"a": 1, "b": None}],
            [{"b": 1}],
        ),
        ({"allOf": [{"type": "integer"}], "minimum": 3}, [3], [2, "3"]),
        ({"type": "integer", "multipleOf": 1}, [], [1]),
    ],
)
def test_each_keyword_means_what_it_says(schema: dict[str, Any], good: list[Any], bad: list[Any]) -> None:
    assert all(map(fits(schema), good))
    assert not any(map(fits(schema), bad))
