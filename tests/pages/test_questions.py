"""No answer stands above its question, and no question is asked twice or without an answer."""

from __future__ import annotations

import difflib
import functools
import re
from collections.abc import Callable, Iterator

import pytest
from bs4 import BeautifulSoup, Tag

from tests.pages.conftest import BOOK, written_pages

CHAPTERS = [page for page in written_pages() if page.startswith("chapters/")]
_ORIGIN = re.compile(r"(?:measured on [^:]*|predicted|[^:]*): (?P<what>\S+ \S+ \S+.*)")
_WORDS = {1: "one", 2: "two", 3: "three", 4: "four", 5: "five", 6: "six", 8: "eight", 12: "twelve"}
_ASKED = {"time", "bandwidth", "rate", "load-sectors", "store-sectors", "load-requests", "store-requests"}
_COUNT = re.compile(r"(sectors|wavefronts|requests)")

every_chapter = pytest.mark.parametrize("page", CHAPTERS)


def origin_of(value: Tag) -> str:
    """Which quantity a number of the text is: `padded time 8192x8192`."""
    hint = value.get("title") or value.get("data-hint") or ""
    match = _ORIGIN.fullmatch(str(hint))
    return match["what"] if match else ""


def above(soup: BeautifulSoup) -> Iterator[str]:
    """Numbers of a step that stand above the card that asks for them."""
    cards = [card for card in soup.select("div.card") if card.select_one(".card-question")]
    names = {card["id"].removeprefix("card-") for card in cards}
    seen: set[str] = set()
    for element in soup.select("div.card, abbr.value"):
        if element.name == "div":
            seen.add(element["id"].removeprefix("card-"))
            continue
        card = element.find_parent("div", class_="card")
        own = card["id"].removeprefix("card-") if card and element.find_parent("details") else ""
        step, quantity, *_ = [*origin_of(element).split(), "", ""]
        count = quantity.removesuffix("-per-request")
        asked = count in _ASKED or count.endswith("wavefronts")
        told_here = step in seen and (own or not element.find_parent("div", class_="card-question"))
        given = element.find_parent(class_="card-needs") and step not in names - seen
        if step in names and asked and not told_here and not given:
            yield f"{origin_of(element)} = {element.get_text()} stands above the card of {step}"


def told(soup: BeautifulSoup) -> Iterator[str]:
    """Counts of a card in words or digits, in what is read before it is opened: its questions, headings,
    captions, figures and listings since the card before. Counts that an earlier card has had are known."""
    texts: list[str] = []
    known: set[tuple[int, str]] = set()
    for element in soup.select("h2, h3, h4, figcaption, figure svg, pre, .listing-sums, div.card"):
        if element.find_parent("details"):
            continue
        if element.name != "div":
            texts.append(element.get_text(" "))
            continue
        question = element.select_one(".card-question")
        texts += (
            [item.get_text(" ") for item in question.select("li, p:not(.card-needs)")] if question else []
        )
        counts = set(counts_of(element))
        for count, unit in counts - known if question else ():
            number = rf"(?:{count}|{_WORDS[count]})" if count in _WORDS else str(count)
            words = re.compile(rf"\b{number}\s+(?:\w+\s+)?{unit}\b", re.IGNORECASE)
            for text in texts:
                if match := words.search(text):
                    yield f"'{' '.join(match[0].split())}' stands above the answer of {element['id']}"
        texts = []
        known |= counts


def counts_of(card: Tag) -> Iterator[tuple[int, str]]:
    """What the opened card says of each request: `(5, "sectors")`."""
    for row in card.select(".card-facts tbody tr"):
        name, predicted = row.find("th").get_text(" "), row.select_one("td strong")
        unit = _COUNT.search(name)
        if "per request" in name and unit and predicted and predicted.get_text().isdigit():
            yield int(predicted.get_text()), unit[0]


def asked_twice(soup: BeautifulSoup) -> Iterator[str]:
    """Questions that are nearly the same as one before; a step's name and numbers make a difference."""
    seen: list[list[str]] = []
    for box in soup.select("div.card, div.question"):
        asked = box.select(".card-question li p:first-child") if "card" in box["class"] else [box.p]
        for text in (question.get_text(" ") for question in asked):
            words = re.findall(r"[\w-]+", text.lower())
            if text.startswith(("How long does it take at", "Which part of the GPU")):
                continue
            if any(difflib.SequenceMatcher(None, words, others).ratio() > 0.9 for others in seen):
                yield f"asked twice: {text}"
            seen.append(words)


def without_answer(soup: BeautifulSoup) -> Iterator[str]:
    """Fields whose prediction is shown beside nothing, and questions without a question mark."""
    shown = {place["data-said"] for place in soup.select("[data-said]")}
    for field in soup.select("[data-guess]"):
        if field["id"] not in shown:
            yield f"no answer to {field['id']}"
        question = field.find_parent("li") or field.find_parent("div", class_="question")
        if "?" not in question.get_text():
            yield f"no question: {question.get_text(' ')[:80]}"


@functools.cache
def soup_of(page: str) -> BeautifulSoup:
    """A built page."""
    return BeautifulSoup((BOOK / page).read_text(encoding="utf-8"), "html.parser")


@every_chapter
@pytest.mark.parametrize("rule", [above, told, asked_twice, without_answer], ids=lambda rule: rule.__name__)
def test_a_question_stands_before_its_answer(
    page: str, rule: Callable[[BeautifulSoup], Iterator[str]]
) -> None:
    assert "\n".join(rule(soup_of(page))) == ""
