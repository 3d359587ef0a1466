"""The explorer of address bits on its page: held against the published pairs and against arithmetic."""

from __future__ import annotations

import json
import time
from typing import Any

import pytest
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

from tests.pages.conftest import BOOK, REPOSITORY, Browser

pytestmark = pytest.mark.browser
PAGE = "chapters/3-dram/index.html"
BITS = range(7, 21)
SHOWN = """
    const explorer = document.querySelector(".explorer-bits");
    const card = explorer.querySelector(`input[type=radio][value="${arguments[0]}"]`);
    card.checked = true;
    card.dispatchEvent(new Event("input", {bubbles: true}));
    if (arguments[1] !== null) for (const input of explorer.querySelectorAll("input[type=checkbox]")) {
        input.checked = arguments[1] >> +input.name.slice(3) & 1;
        input.dispatchEvent(new Event("input", {bubbles: true}));
    }
    const shown = Object.fromEntries([...explorer.querySelectorAll("dl > div")].map(
        row => [row.querySelector("dt").textContent, row.querySelector("dd").textContent]));
    const marks = [...explorer.querySelectorAll("svg text")].map(text => text.textContent);
    return {...shown, agree: marks.filter(text => text.includes("✓")).length,
        full: explorer.querySelectorAll("rect.wanted").length,
        bits: [...explorer.querySelectorAll(".toggles :checked + span")].map(span => +span.textContent)}"""


@pytest.fixture(scope="module")
def cards(browser: Browser) -> list[dict[str, Any]]:
    """What is known of each card, as the page has it; skipped before that is published."""
    browser.open(PAGE)
    if not browser.driver.find_elements(By.CSS_SELECTOR, ".explorer-bits"):
        assert "not measured yet" in (BOOK / PAGE).read_text(encoding="utf-8")
        pytest.skip("NOT TESTED: NO PAIRS IN CONFLICT ARE PUBLISHED YET")
    deadline = time.monotonic() + 5
    while not browser.driver.find_elements(By.CSS_SELECTOR, ".explorer-bits.explorer-started"):
        assert time.monotonic() < deadline, f"the explorer does not start: {browser.complaints()}"
    return json.loads(browser.run("return document.querySelector('.explorer-bits').dataset.cards"))


def _differences(card: str) -> list[int]:
    """The published pairs in conflict of the first card of a kind."""
    path = REPOSITORY / f"figures/data/nvidia-{card.lower()}/chapter3.json"
    entries = json.loads(path.read_text(encoding="utf-8"))["measurements"]
    for entry in entries:
        if entry["step"] == "bank-pairs" and entry["parameters"]["window"] == [2]:
            return entry["series"]["differences"]["values"]
    raise AssertionError(path)


def test_it_starts_with_a_pair_that_was_in_conflict(browser: Browser, cards: list[dict[str, Any]]) -> None:
    for number, card in enumerate(cards):
        shown = browser.run(SHOWN, number, None)
        first = _differences(card["name"])[0]
        assert shown["bits"] == [bit for bit in BITS if first >> bit & 1]
        assert shown["in one bank"] == "possible"
        assert shown["conflicts that were seen"] == str(len(_differences(card["name"])))


def test_no_published_conflict_is_excluded(browser: Browser, cards: list[dict[str, Any]]) -> None:
    for number, card in enumerate(cards):
        for difference in _differences(card["name"])[:12]:
            shown = browser.run(SHOWN, number, difference)
            assert (shown["in one bank"], shown["half of the L2"]) == ("possible", "the same")
            assert shown["agree"] == len(card["parities"])


@pytest.mark.parametrize("difference", [0, 1 << 7, 1 << 12, 1 << 16, 0b11 << 12, 0b1010101 << 12, 0x1FFF80])
def test_parities_and_halves_are_those_of_the_bits(
    browser: Browser, cards: list[dict[str, Any]], difference: int
) -> None:
    for number, card in enumerate(cards):
        shown = browser.run(SHOWN, number, difference)
        given = [odd == (mask & difference).bit_count() % 2 for mask, odd in card["parities"]]
        assert shown["parities as in all conflicts"] == f"{sum(given)} of {len(given)}"
        assert shown["agree"] == sum(given)
        expected = ("possible" if all(given) else "excluded") if difference else "the same line"
        assert shown["in one bank"] == expected
        other = (card["halves"] & difference).bit_count() % 2
        assert shown["half of the L2"] == ("the other" if other else "the same")
        masks = [~0, *(mask for mask, _ in card["parities"]), card["halves"]]
        assert shown["full"] == sum((mask & difference).bit_count() for mask in masks)
        left = sum(
            all((mask & line << 7).bit_count() % 2 == odd for mask, odd in card["parities"])
            for line in range(1, 1 << len(BITS))
        )
        share = float(shown["pairs that remain possible"].removesuffix(" %"))
        assert share == pytest.approx(100 * left / ((1 << len(BITS)) - 1), abs=0.005)


def test_the_keyboard_changes_a_bit_and_the_change_is_announced(
    browser: Browser, cards: list[dict[str, Any]]
) -> None:
    browser.run(SHOWN, 0, 0)
    bit = browser.driver.find_element(By.CSS_SELECTOR, ".explorer-bits input[name=bit13]")
    browser.run("arguments[0].focus()", bit)
    bit.send_keys(Keys.SPACE)
    assert bit.is_selected()
    said = "return document.querySelector('.explorer-bits [role=status]').textContent"
    deadline = time.monotonic() + 5
    while "differ in 13:" not in browser.run(said) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert f"{cards[0]['name']}: lines that differ in 13: " in browser.run(said)


def test_without_scripts_the_figure_of_the_parities_stands_there(cards: list[dict[str, Any]]) -> None:
    assert cards
    page = (BOOK / PAGE).read_text(encoding="utf-8")
    explorer = page.index('class="explorer explorer-bits"')
    assert page.index("figure-3-dram-parities-") < explorer
    assert "explorer-still" in page[explorer : explorer + 20_000]
