from __future__ import annotations

from pathlib import Path

import pytest

from book.claims import Data, directive_text, evaluate_claim, parse_claim
from book.documents import BookError
from book.expressions import Verdict
from book.library import Library
from book.prose import collect_claims
from book.results import load_results
from tests.book.invented import REPOSITORY, invented_results, write

SPACE = "\u00a0"


@pytest.fixture
def data(book: Library) -> Data:
    return Data(book.require_published(6), book.descriptions(6), tuple(book.sources(6)))


def verdict(expression: str, data: Data) -> Verdict:
    return evaluate_claim(parse_claim(f"a sentence :: {expression}"), data)


@pytest.mark.parametrize(
    ("expression", "holds", "sides"),
    [
        (
            "[padded bandwidth 8192x8192] > 2 * [tile bandwidth 8192x8192]",
            False,
            f"3.40{SPACE}TB/s > 4.00{SPACE}TB/s",
        ),
        (
            "[padded bandwidth 8192x8192] > 1.5 * [tile bandwidth 8192x8192]",
            True,
            f"3.40{SPACE}TB/s > 3.00{SPACE}TB/s",
        ),
        ("[padded bandwidth 8192x8192 of memcpy] >= 80 %", True, f"85{SPACE}% ≥ 80{SPACE}%"),
        ("[padded bandwidth 8192x8192 over tile] < 1.6", False, "1.7 < 1.6"),
        ("[padded time 8192x8192] / [tile time 8192x8192] < 0.6", True, "0.59 < 0.60"),
        (
            "80% < [padded bandwidth 8192x8192 of memcpy] < 90%",
            True,
            f"80{SPACE}% < 85{SPACE}%; 85{SPACE}% < 90.0{SPACE}%",
        ),
        ("not [tile time 8192x8192] < [padded time 8192x8192]", True, f"268{SPACE}µs < 158{SPACE}µs"),
        (
            "[counted padded store-sectors 1024x1024] == [predicted padded store-sectors 1024x1024]",
            True,
            "131\u202f072 = 131\u202f072",
        ),
        (
            "max([tile time 8192x8192], [padded time 8192x8192]) > [published 001 copy-rows time 4096x4096]",
            False,
            f"268{SPACE}µs > 1.61{SPACE}ms",
        ),
        (
            "abs([padded bandwidth 8192x8192] - [tile bandwidth 8192x8192]) < 5 * [tile bandwidth 8192x8192] "
            "and -[tile time 8192x8192] < 0",
            True,
            f"1.40{SPACE}TB/s < 10.0{SPACE}TB/s; −268{SPACE}µs < 0{SPACE}ns",
        ),
        ("[padded time 8192x8192] < 0 or [padded time 8192x8192] > 0", True, None),
    ],
)
def test_a_claim_is_held_against_results(data: Data, expression: str, holds: bool, sides: str | None) -> None:
    result = verdict(expression, data)
    assert result.holds is holds
    assert sides is None or str(result) == sides


@pytest.mark.parametrize(
    "expression",
    [
        "__import__('os').system('true') > [padded time 8192x8192]",
        "[padded time 8192x8192].__class__ == 1",
        "[padded time 8192x8192] > open('x')",
        "[padded time 8192x8192] > 9 ** 9 ** 9",
        "[padded time 8192x8192] > (lambda: 1)()",
        "[padded time 8192x8192] in (1, 2)",
        "[padded time 8192x8192] > 'text'",
        "[padded time 8192x8192] > True",
        "[padded time 8192x8192] > 1j",
        "[padded time 8192x8192] > max(*(1, 2))",
        "[padded time 8192x8192] > max(1, 2, key=abs)",
        "[padded time 8192x8192] > min(1)",
        "[padded time 8192x8192] > 1 if 1 else 2",
        "[padded time 8192x8192] > [x for x in (1, 2)]",
        "[padded time 8192x8192] > {1: 2}",
        "[padded time 8192x8192] is 1",
        "[padded time 8192x8192] > 7 // 2",
        "[padded time 8192x8192] > 1 << 2",
        "(y := [padded time 8192x8192]) > 1",
        "[padded time 8192x8192] > q0",
        "[padded time 8192x8192] > bandwidth",
        "[padded time 8192x8192] >",
        "[padded time 8192x8192] > 1; 2",
        "[padded time 8192x8192] > " + "(" * 300 + "1" + ")" * 300,
    ],
)
def test_nothing_but_comparisons_of_quantities_is_evaluated(expression: str) -> None:
    with pytest.raises(BookError):
        parse_claim(f"a sentence :: {expression}")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("only a sentence", "is not 'sentence :: expression'"),
        ("a sentence :: 2 > 1", "names no quantity"),
        ("a sentence :: [padded time 8192x8192]", "compares nothing"),
        ("a sentence :: [padded time] > 1", "is not STEP QUANTITY SHAPE"),
    ],
)
def test_what_cannot_be_false_is_no_claim(text: str, message: str) -> None:
    with pytest.raises(BookError, match=f"page.md:7: .*{message}"):
        parse_claim(text, "page.md:7")


def test_unknown_quantities_are_refused_with_the_claims_place(data: Data) -> None:
    claim = parse_claim("a sentence :: [pad time 8192x8192] > 1", "page.md:7")
    with pytest.raises(BookError, match=r"^page.md:7: no step pad .*did you mean padded"):
        evaluate_claim(claim, data)
    with pytest.raises(BookError, match="divides by zero"):
        verdict("[padded time 8192x8192] / 0 > 1", data)


def test_claims_are_collected_from_prose(tmp_path: Path) -> None:
    page = tmp_path / "index.md"
    page.write_text(
        "# Title\n\nText with {claim}`one thing :: [padded time 8192x8192] < 1` in it.\n\n"
        "```{claim}\ntwo things\n  over lines :: [tile time 8192x8192] <\n  1\n```\n\n"
        "```{claim} three things\n:class: wide\n\n[tile time 8192x8192] < 2\n```\n\n"
        ":::{claim} four things :: [tile time 8192x8192] < 3\n:::\n\n"
        "```python\n# {claim}`not :: a claim`\n```\n\n"
        "| a |\n|-|\n| {claim}`five :: [tile time 8192x8192] < 4` |\n",
        encoding="utf-8",
    )
    claims = list(collect_claims([page]))
    assert [claim.sentence for claim in claims] == [
        "one thing",
        "two things over lines",
        "three things",
        "four things",
        "five",
    ]
    assert claims[1].expression.text == "[tile time 8192x8192] < 1"
    assert [claim.place for claim in claims[:3]] == [f"{page}:3", f"{page}:5", f"{page}:11"]
    assert parse_claim(directive_text("", "a ::\n[tile time 8192x8192] < 1")).sentence == "a"


def test_every_claim_of_the_book_parses() -> None:
    library = Library.of(REPOSITORY)
    pages = [REPOSITORY / "index.md", *(folder / "index.md" for folder in library.chapters().values())]
    list(collect_claims(page for page in pages if page.exists()))


@pytest.mark.parametrize(
    ("expression", "holds", "is_sure"),
    [
        ("[padded time 8192x8192] < 0.97 * [tile time 8192x8192]", True, True),
        ("[padded time 8192x8192] < 0.6 * [tile time 8192x8192]", True, False),
        ("[padded bandwidth 8192x8192] > 1.65 * [tile bandwidth 8192x8192]", True, False),
        ("[padded bandwidth 8192x8192 over tile] > 1.65", True, False),
        ("[padded bandwidth 8192x8192 over tile] > 1.6", True, True),
        ("not [padded time 8192x8192] > 0.6 * [tile time 8192x8192]", True, False),
        ("not [padded time 8192x8192] > 0.7 * [tile time 8192x8192]", True, True),
        ("abs([padded time 8192x8192] / [tile time 8192x8192] - 0.588) < 0.001", True, False),
        ("abs([padded time 8192x8192] / [tile time 8192x8192] - 0.588) < 0.05", True, True),
        ("1 > 2 or [padded time 8192x8192] < 0.6 * [tile time 8192x8192]", True, False),
        ("1 < 2 or [padded time 8192x8192] < 0.6 * [tile time 8192x8192]", True, True),
        ("1 < 2 and [padded time 8192x8192] < 0.6 * [tile time 8192x8192]", True, False),
        ("max([padded time 8192x8192], 1) < 2", True, True),
        ("[padded time 4096x4096] < 0.591 * [tile time 4096x4096]", True, True),
        ("[padded time 4096x4096] < 0.59 * [tile time 4096x4096]", True, False),
    ],
)
def test_a_claim_knows_whether_it_holds_between_the_rounds(
    book: Library, expression: str, holds: bool, is_sure: bool
) -> None:
    """Rounds that differ by two per cent; at 4096 × 4096 there was only one."""
    results = invented_results()
    for entry in results["measurements"]:
        time = entry["seconds"]["median"]
        rounds = [0.98 * time, time, 1.02 * time]
        entry["rounds"] = rounds if entry["shape"] == [8192, 8192] else [time]
    path = write(book.root / "figures/data/nvidia-invented/chapter6.json", results)
    told = verdict(expression, Data(load_results(path, book.descriptions(6)), book.descriptions(6)))
    assert (told.holds, told.is_sure) == (holds, is_sure)
