"""Claims hold in the published results, or there is no book."""

from __future__ import annotations

import re

import pytest

from tests.book.invented import invented_results, write
from tests.docs.conftest import Book
from tests.docs.test_values import text_of

TRUE = "[padded bandwidth 8192x8192] > 1.5 * [tile bandwidth 8192x8192]"
FALSE = "[padded bandwidth 8192x8192] > 2 * [tile bandwidth 8192x8192]"


@pytest.mark.parametrize("form", ["{{claim}}`It *is* so :: {0}`", "```{{claim}} It *is* so\n{0}\n```"])
def test_a_claim_that_holds_is_its_sentence_with_a_mark(book: Book, form: str) -> None:
    book.page(form.format(TRUE))
    built = book.build()
    assert built.warnings == ""
    assert "It <em>is</em> so" in built.html()
    assert 'title="checked when the book was built: 3.40\N{NO-BREAK SPACE}TB/s &gt; 3.00' in built.html()


@pytest.mark.parametrize("form", ["{{claim}}`It is so :: {0}`", "```{{claim}} It is so\n{0}\n```"])
def test_a_false_claim_fails_the_build_with_both_values_and_its_place(book: Book, form: str) -> None:
    book.page("Before.\n\n" + form.format(FALSE))
    warnings = text_of(book.build().warnings)
    problem = "false claim: 'It is so': published: 3.40 TB/s > 4.00 TB/s is false"
    assert re.search(rf"6-transpose/index\.md:14: WARNING: {problem}", warnings)


def test_a_claim_that_fails_only_for_the_reader_is_shown_with_both_values(book: Book) -> None:
    results = invented_results(gpu="NVIDIA Other")
    for entry in results["measurements"]:
        if entry["step"] == "padded":
            entry["seconds"] = {name: 2 * value for name, value in entry["seconds"].items()}
    write(book.own, results)
    book.page("{claim}`It is so :: " + TRUE + "`")
    built = book.build()
    assert built.warnings == ""
    shown = text_of(built.html())
    assert (
        "does not hold on your GPU, NVIDIA Other: 1.70 TB/s &gt; 3.00 TB/s is false; published: 3.40 TB/s"
        in shown
    )


@pytest.mark.parametrize(
    ("claim", "problem"),
    [
        ("no expression", "is not 'sentence :: expression'"),
        ("it is :: 1 < 2", "names no quantity"),
        ("it is :: [padded bandwidth 8192x8192]", "compares nothing"),
        ("it is :: [padded bandwith 8192x8192] > 1", "bandwith is not a measured quantity"),
        ("it is :: [paded bandwidth 8192x8192] > 1", "no step paded"),
        ("it is :: __import__('os').system('true') > [padded bandwidth 8192x8192]", "not allowed"),
    ],
)
def test_a_malformed_claim_fails_the_build(book: Book, claim: str, problem: str) -> None:
    book.page("{claim}`" + claim + "`")
    warnings = book.build().warnings
    assert re.search(r"index\.md:12: WARNING: ", warnings)
    assert problem in warnings


def test_a_directive_that_markdown_takes_for_text_fails_the_build(book: Book) -> None:
    book.page(f"````md\n```{{claim}} `in` an example\n```\n````\n\n```{{claim}} It is `so`\n{TRUE}\n```")
    warnings = book.build().warnings
    assert "6-transpose/index.md:17: WARNING: a fence of backticks cannot have a backtick" in warnings
    assert "index.md:13" not in warnings


def test_a_claim_with_code_in_its_sentence_is_fenced_by_colons(book: Book) -> None:
    book.page(f":::{{claim}} It is `so`\n{TRUE}\n:::")
    built = book.build()
    assert built.warnings == ""
    assert re.search(r"It is <code[^>]*>.*so.*</code>", built.html())
