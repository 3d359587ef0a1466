"""A second published card stands beside the first on every page, and claims hold on both."""

from __future__ import annotations

import re

import pytest

from tests.book.invented import invented_results, write
from tests.docs.conftest import Book
from tests.docs.test_values import text_of

CLAIM = "[padded time 8192x8192] < 160e-6"
WHY = (
    ":::{why} tile\n:changed: No padding.\n:came-out: Slower.\n\nBanks.\n\n"
    "+ banks | slower | [tile time 8192x8192] > 200e-6\n"
    "- latency | as fast | [tile time 8192x8192] < 170e-6\n:::"
)


@pytest.fixture
def book(book: Book) -> Book:
    """The book with the results of a card that is half as fast, whose folder's name comes first."""
    slow = invented_results(gpu="NVIDIA A200 Slow", factor=0.5)
    write(book.root / "figures/data/nvidia-a200/chapter6.json", slow)
    write(book.root / "figures/data/cards.json", ["nvidia-invented"])
    return book


def leave_out_padded(book: Book) -> None:
    """Publish the slow card anew, without one of its steps."""
    results = invented_results(gpu="NVIDIA A200 Slow", factor=0.5)
    results["measurements"] = [one for one in results["measurements"] if one["step"] != "padded"]
    write(book.root / "figures/data/nvidia-a200/chapter6.json", results)


def test_every_page_shows_both(book: Book) -> None:
    book.page(
        "It is {measured}`padded bandwidth 8192x8192`, "
        "{counted}`padded load-sectors 1024x1024`.\n\n```{card} padded\n```\n\n```{ladder}\n```\n\n"
        "```{provenance}\n```\n"
    )
    built = book.build()
    assert built.warnings == ""
    page = built.html()
    hint = re.search(r'<abbr[^>]*"(measured on NVIDIA Invented[^"]*)"', page)[1]
    assert text_of(hint).endswith("; on NVIDIA A200 Slow: 1.70 TB/s")
    hint = re.search(r'<abbr[^>]*"(counted by the emulator[^"]*)"', page)[1]
    assert text_of(hint).endswith("; by Nsight Compute on NVIDIA A200 Slow: 131 072")
    headings = [text_of(head).strip() for head in re.findall(r"<th[^>]*>.*?</th>", page, re.DOTALL)]
    assert "NVIDIA A200 Slow, of memcpy" in headings
    assert "here: NVIDIA Invented" in headings and "NVIDIA A200 Slow" in headings
    assert {"published: NVIDIA Invented", "published: NVIDIA A200 Slow"} <= set(headings)
    assert "yours" not in text_of(page)
    assert len(re.findall(r'class="[^"]*bar[^"]*published', page)) >= 2


@pytest.mark.parametrize(
    ("sentence", "problem"),
    [
        ("It is fast", "false claim: 'It is fast': published: 316\N{NO-BREAK SPACE}µs"),
        ("It is fast on an Invented", ""),
        ("It is fast on an A200", "false claim: 'It is fast on an A200'"),
        ("It is fast on an A2000", "false claim: 'It is fast on an A2000'"),
    ],
)
def test_a_claim_holds_on_all_cards_or_names_its_own(book: Book, sentence: str, problem: str) -> None:
    book.page(f"{{claim}}`{sentence} :: {CLAIM}`")
    warnings = book.build().warnings
    assert problem in warnings if problem else warnings == ""


def test_a_claim_is_not_asked_of_a_card_without_its_results(book: Book) -> None:
    leave_out_padded(book)
    book.page(f"{{claim}}`It is fast :: {CLAIM}`")
    assert book.build().warnings == ""


def test_what_another_card_alone_has_results_for_is_shown_with_its_name(book: Book) -> None:
    results = invented_results()
    results["measurements"] = [one for one in results["measurements"] if one["step"] != "padded"]
    write(book.root / "figures/data/nvidia-invented/chapter6.json", results)
    book.page(
        "It is {measured}`padded bandwidth 8192x8192` and "
        "{worked}`2 * [padded time 8192x8192] in s`; {measured}`tile time 8192x8192`."
    )
    built = book.build()
    assert built.warnings == ""
    shown = re.findall(r"<abbr[^>]*>([^<]*)</abbr>", built.html())
    assert [text.endswith(" (A200)") for text in shown[:3]] == [True, True, False]
    assert 'title="measured on NVIDIA A200 Slow: padded bandwidth 8192x8192"' in built.html()


def test_what_a_card_has_results_for_is_asked_of_it(book: Book) -> None:
    leave_out_padded(book)
    book.page(f"{{claim}}`It is fast on an Invented :: {CLAIM} and [tile time 8192x8192] < 300e-6`")
    assert book.build().warnings == ""
    book.page(f"{{claim}}`It is fast :: {CLAIM} and [tile time 8192x8192] < 300e-6`")
    assert re.search(
        "false claim: 'It is fast': published: [0-9]+\N{NO-BREAK SPACE}µs < 300", book.build().warnings
    )


def test_a_second_card_of_a_kind_is_told_from_the_first(book: Book) -> None:
    results = invented_results(gpu="NVIDIA Invented", factor=0.99)
    for entry in results["measurements"]:
        entry["card"] = "GPU-4711"
    write(book.root / "figures/data/nvidia-a200/chapter6.json", results)
    book.page("```{ladder}\n```\n\n```{provenance}\n```")
    built = book.build()
    assert built.warnings == ""
    assert "another NVIDIA Invented, of memcpy" in text_of(built.html())
    assert "GPU-4711" in built.html()


def test_a_rival_is_false_on_all_cards(book: Book) -> None:
    book.page(WHY)
    assert book.build().warnings == ""
    book.page(WHY.replace("< 170e-6", "> 500e-6"))
    assert "does not tell it from its rival 'latency'" in book.build().warnings
