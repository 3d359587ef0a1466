"""The glossary: the first use of a term on each page opens its definition."""

from __future__ import annotations

import re

import pytest

from tests.docs.conftest import Book

TERMS = """
- term: sector
  means: 32 bytes, as `lanes` draw them.
  counter: load-sectors
  met: 6 padded
- term: bank
  means: One of 32.
- term: bank conflict
  means: Two words of one bank.
- term: TMA
  forms: [tensor memory accelerator]
  means: A unit.
"""


def with_terms(book: Book, page: str, terms: str = TERMS) -> None:
    docs = book.root / "docs"
    docs.mkdir(exist_ok=True)
    docs.joinpath("glossary.yml").write_text(terms)
    docs.joinpath("glossary.md").write_text("# Glossary\n\n```{glossary-terms}\n```\n")
    book.root.joinpath("index.md").write_text(
        "# Book\n\nNo data.\n\n```{toctree}\nchapters/6-transpose/index\ndocs/glossary\n```\n"
    )
    book.page(page + "\n\n```{card} padded\nHow many?\n```\n")


ALL = "A TMA, a bank conflict, a bank and a sector."


def marked(html: str) -> list[str]:
    return re.findall(r'<a class="term" [^>]*>([^<]*)</a>', html)


def test_the_first_use_of_each_term_is_marked_and_its_definition_is_on_the_page(book: Book) -> None:
    with_terms(book, f"{ALL}\n\nSectors again, and the tensor memory accelerator.")
    built = book.build()
    assert built.warnings == ""
    html = built.html()
    assert marked(html) == ["TMA", "bank conflict", "bank", "sector"]
    assert (
        'href="../../docs/glossary.html#term-bank-conflict" aria-describedby="means-term-bank-conflict"'
        in html
    )
    assert (
        '<p id="means-term-sector"><strong>sector</strong>: 32 bytes, as <code>lanes</code> draw them.'
        in html
    )
    assert "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum" in html


def test_headings_code_and_links_are_left_alone(book: Book) -> None:
    with_terms(
        book, f"## A sector\n\n`a sector`, [a sector](#a-sector), a tma.\n\n```sh\nsector\n```\n\n{ALL}"
    )
    html = book.build().html()
    assert marked(html) == ["TMA", "bank conflict", "bank", "sector"]
    assert html.index('class="term"') > html.index("a tma")


def test_where_the_first_use_is_folded_the_first_in_the_open_is_marked_as_well(book: Book) -> None:
    with_terms(book, f"```{{predict}} How many?\nOne sector.\n```\n\n{ALL}\n\nA sector.")
    assert marked(book.build().html()).count("sector") == 2


def test_the_page_of_the_glossary_leads_to_the_steps(book: Book) -> None:
    with_terms(book, ALL)
    html = book.build().html("docs/glossary")
    assert marked(html) == []
    assert 'id="term-sector"' in html
    assert 'href="../chapters/6-transpose/index.html#card-padded"' in html


def test_a_term_that_no_page_uses_fails_the_build(book: Book) -> None:
    with_terms(book, "A sector, a bank conflict and a bank; tma.")
    assert "docs/glossary.yml: no page uses the term 'TMA'" in book.build().warnings


@pytest.mark.parametrize(
    ("entry", "problem"),
    [
        ("- term: bank\n  means: Again.", "'bank' is defined twice, by bank and by bank"),
        ("- term: store\n  forms: [bank]\n  means: Again.", "'bank' is defined twice, by bank and by store"),
        ("- term: lane\n  means: One.\n  count: 3", "lane: no key count; did you mean counter?"),
        ("- term: lane", "lane: there is no `means: …`"),
        ("- term: lane\n  means: One.\n  counter: load-sector", "lane: no count load-sector; did you mean"),
    ],
)
def test_a_wrong_entry_ends_the_build(book: Book, entry: str, problem: str) -> None:
    with_terms(book, ALL, f"{TERMS}\n{entry}\n")
    with pytest.raises(SystemExit, match=re.escape(problem)):
        book.build()


def test_a_step_that_is_not_there_fails_the_build(book: Book) -> None:
    with_terms(book, ALL, TERMS.replace("6 padded", "6 paded"))
    assert "docs/glossary.yml: no step paded in chapter 6; did you mean padded?" in book.build().warnings
