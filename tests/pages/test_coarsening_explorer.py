"""The explorer of coarsening on its chapter's page: held against what the model's tests say."""

from __future__ import annotations

import time

import pytest
from selenium.webdriver.common.by import By

from tests.pages.conftest import BOOK, Browser, outside

pytestmark = pytest.mark.browser
PAGE = BOOK / "chapters/5-coarsening/index.html"
SHOWN = """
    const explorer = document.querySelector(".explorer-coarsening");
    for (const [name, value] of arguments[0]) {
        const range = explorer.querySelector(`input[name=${name}]`);
        const input = range ?? explorer.querySelector(`input[data-name=${name}][value="${value}"]`);
        if (range) input.value = value;
        else input.checked = true;
        input.dispatchEvent(new Event("input", {bubbles: true}));
    }
    return Object.fromEntries([...explorer.querySelectorAll("dl > div")].map(
        row => [row.querySelector("dt").textContent, row.querySelector("dd").textContent]))"""


def open_page(browser: Browser, width: int = 1280) -> None:
    """Show the page and wait until its explorer has started."""
    browser.open(str(PAGE), width=width)
    deadline = time.monotonic() + 10
    while not browser.driver.find_elements(By.CSS_SELECTOR, ".explorer-coarsening.explorer-started"):
        assert time.monotonic() < deadline, f"the explorer has not started: {browser.complaints()}"
        time.sleep(0.05)


@pytest.mark.parametrize(
    ("asked", "expected"),
    [
        ({"size": 4096, "factor": 8}, ["32", "1024", "2", "16", "3.88", "8"]),
        ({"size": 1024, "factor": 8}, ["8", "64", "2", "16", "0.24", "1"]),
        ({"size": 1024, "factor": 4, "side": 32}, ["8", "64", "1", "32", "0.48", "1"]),
        ({"size": 4096, "factor": 8, "registers": 129}, ["32", "1024", "1", "8", "7.76", "8"]),
        ({"size": 4096, "side": 32, "registers": 65}, ["64", "4096", "0", "0", "–", "32"]),
    ],
)
def test_it_shows_what_the_model_says(browser: Browser, asked: dict[str, int], expected: list[str]) -> None:
    open_page(browser)
    shown = browser.run(SHOWN, list(asked.items()))
    names = (
        "loads of each element",
        "blocks",
        "blocks of a multiprocessor at a time",
        "warps",
        "waves",
        "blocks of the fullest multiprocessor",
    )
    assert [shown[name] for name in names] == expected
    drawn = browser.run("return document.querySelectorAll('.explorer-coarsening rect.moved').length")
    assert drawn == (int(expected[1]) - 1) % 132 + 1


def test_a_factor_brings_the_registers_that_the_compiler_gave(browser: Browser) -> None:
    open_page(browser)
    registers = "return +document.querySelector('.explorer-coarsening input[name=registers]').value"
    browser.run(SHOWN, [("factor", 8)])
    assert browser.run(registers) == 128
    browser.run(SHOWN, [("factor", 1)])
    assert browser.run(registers) < 64
    assert browser.run(SHOWN, [("registers", 200)])["measured"] == "not measured"


def test_it_fits_a_phone(browser: Browser) -> None:
    open_page(browser, width=360)
    browser.run(SHOWN, [("size", 8192), ("factor", 1)])
    assert browser.run("return document.documentElement.scrollWidth") <= 360
    assert outside(browser.requests()) == [] and browser.complaints() == []
