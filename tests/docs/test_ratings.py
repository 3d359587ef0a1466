"""A step that is rated by accesses, and reports a number of its own, in a chapter without ceiling or peer."""

from __future__ import annotations

import json
from typing import Any

import pytest

from book.library import Library
from figures.build import build
from tests.book.invented import invented_results, write
from tests.docs.conftest import Book

FRONT_MATTER = "---\nchapter: 6\nmeasured: 8192x8192\ncounted: 1024x1024\n---\n"
COUNTS = FRONT_MATTER.replace("counted:", "counts: store-sectors\ncounted:")
SPACE = "\u00a0"


def rated(document: dict[str, Any]) -> dict[str, Any]:
    """The invented results, of a step that makes a thousand accesses."""
    document["measurements"] = [one for one in document["measurements"] if one["kind"] == "step"]
    for entry in document["measurements"]:
        if entry["step"] == "read-rows":
            entry |= {"rated_by": "accesses", "amounts": {"accesses": 1000}, "l2": "warm"}
            entry["seconds"] = {"median": 4e-5, "low": 3.9e-5, "high": 4.1e-5}
            entry["meter"] = {"sm_mhz": {"median": 1500, "low": 1500, "high": 1500}, "joules": 7.25}
            entry["quantities"] = {"walk": {"unit": "cycles", "median": 61.5, "low": 60, "high": 62}}
    return document


@pytest.fixture
def timed(book: Book) -> Book:
    write(book.published, rated(invented_results()))
    path = next((book.root / "build/describe/6-transpose").glob("*_read_rows.json"))
    description = json.loads(path.read_text())
    for variant in description["variants"]:
        variant["rated_by"] = "accesses"
        variant["quantities"] = [{"name": "walk", "unit": "cycles", "from": "clock"}]
    write(path, description)
    return book


def test_a_card_and_a_ladder_say_ns_and_cycles_of_an_access(timed: Book) -> None:
    timed.page(
        "```{card} read-rows\n```\n```{ladder}\n:steps: read-rows padded\n```", front_matter=FRONT_MATTER
    )
    built = timed.build()
    assert built.warnings == ""
    html = built.html()
    assert html.count(f"40.0{SPACE}ns each, 60.0{SPACE}cycles each") == 2
    assert f"walk 61.5{SPACE}cycles" in html
    assert "runs with a warm L2" in html


def test_a_card_says_what_an_access_is(timed: Book) -> None:
    timed.page("```{card} read-rows\n:access: load\n```", front_matter=FRONT_MATTER)
    built = timed.build()
    assert built.warnings == ""
    for told in (f"40.0{SPACE}ns per load<", f"60.0{SPACE}cycles per load<", "1000 loads to make"):
        assert told in built.html(), told


def test_a_card_leaves_out_what_answers_its_question(timed: Book) -> None:
    timed.page("```{card} read-rows\n:leave-out: amount rating\n```", front_matter=FRONT_MATTER)
    built = timed.build()
    assert built.warnings == ""
    assert "to make" not in built.html()
    assert f"{SPACE}ns each" not in built.html()
    timed.page("```{card} read-rows\n:leave-out: amounts\n```", front_matter=FRONT_MATTER)
    assert "a card cannot leave out amounts; did you mean amount" in timed.build().warnings


def test_prose_and_claims_name_what_a_step_reports(timed: Book) -> None:
    role = "{measured}`read-rows walk 8192x8192` {measured}`read-rows joules 8192x8192`"
    role += " {measured}`read-rows access-cycles 8192x8192`"
    claim = "{claim}`it waits :: [read-rows walk 8192x8192] > [read-rows access-cycles 8192x8192]`"
    timed.page(f"{role} {claim}", front_matter=FRONT_MATTER)
    built = timed.build()
    assert built.warnings == ""
    assert f">7.25{SPACE}J</abbr>" in built.html()
    assert f">60.0{SPACE}cycles</abbr>" in built.html()
    assert f"61.5{SPACE}cycles &gt; 60.0{SPACE}cycles each" in built.html()


def test_a_sweep_needs_no_code(timed: Book) -> None:
    sweeps = "```{sweep} read-rows block\nA caption.\n```\n```{sweep} read-rows block walk\n```"
    timed.page(sweeps, front_matter=FRONT_MATTER)
    library = Library.of(timed.root)
    drawn = build(library, timed.root / "build/figures", [6], skip_missing=True)
    assert {path.stem for path in drawn if path.stem.startswith("sweep-")} == {
        "sweep-read-rows-block",
        "sweep-read-rows-block-walk",
    }
    built = timed.build()
    assert built.warnings == ""
    assert "access time, ns each" in built.html()
    assert "walk, cycles" in built.html()


def test_before_the_first_publication_the_readers_run_is_shown(timed: Book) -> None:
    write(timed.own, rated(invented_results(gpu="NVIDIA Other")))
    timed.published.unlink()
    timed.page(
        "```{card} read-rows\n```\n```{ladder}\n:steps: read-rows padded\n```", front_matter=FRONT_MATTER
    )
    built = timed.build()
    assert built.warnings == ""
    assert "measured on NVIDIA Other: read-rows walk 8192x8192" in built.html()


def test_a_chapters_page_says_which_counts_are_shown(timed: Book) -> None:
    timed.page("```{card} padded\n```\n```{ladder}\n:steps: padded\n```", front_matter=COUNTS)
    built = timed.build()
    assert built.warnings == ""
    assert "store sectors per request" in built.html()
    assert "load sectors per request" not in built.html()
    assert "wavefronts, counted" not in built.html()
    timed.page("```{card} padded\n```", front_matter=COUNTS.replace("store-sectors", "store-sector"))
    assert "index.md: no count store-sector; did you mean store-sectors" in timed.build().warnings
