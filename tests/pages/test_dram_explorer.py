"""The explorer of the textbook's DRAM on its page: held against source 003 and against its own formulas."""

from __future__ import annotations

import time
from math import gcd

import pytest
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

from tests.pages.conftest import Browser

pytestmark = pytest.mark.browser
PAGE = "chapters/3-dram/index.html"
SHOWN = """
    const explorer = document.querySelector(".explorer-dram");
    const change = (input, value) => {
        if (input.type === "radio") input.checked = true; else input.value = value;
        input.dispatchEvent(new Event("input", {bubbles: true}));
    };
    for (const [name, value] of Object.entries(arguments[0])) {
        if (name === "turn") change(explorer.querySelector(`input[type=radio][value="${value}"]`));
        else change(explorer.querySelector(`input[name=${name}]`), value);
    }
    const shown = Object.fromEntries([...explorer.querySelectorAll("dl > div")].map(
        row => [row.querySelector("dt").textContent, row.querySelector("dd").textContent]));
    const bursts = [...explorer.querySelectorAll("path.wanted")].map(
        path => path.getAttribute("d").split("M").length - 1);
    return {...shown, bursts};"""
TOY = {"latency": 20, "banks": 2, "channels": 4, "stride": 1, "burst": 1, "turn": 0}


def _open(browser: Browser) -> None:
    browser.open(PAGE)
    deadline = time.monotonic() + 5
    while not browser.driver.find_elements(By.CSS_SELECTOR, ".explorer-dram.explorer-started"):
        assert time.monotonic() < deadline, f"the explorer does not start: {browser.complaints()}"


@pytest.fixture(scope="module", autouse=True)
def _started(browser: Browser) -> None:
    _open(browser)


def test_it_starts_with_the_toy_of_source_003(browser: Browser) -> None:
    _open(browser)
    shown = browser.run(SHOWN, {})
    assert shown["of all buses"] == "9.5 %"
    assert shown["banks met"] == "8 of 8"
    assert shown["channels met"] == "4 of 4"
    assert shown["banks that fill a bus"] == "21"
    assert shown["least floats in all banks"] == "16"
    # Two banks of channel 0, and the buses of all four, in three times 21 cycles: six bursts each.
    assert shown["bursts"] == [6, 24]


@pytest.mark.parametrize(
    ("channels", "banks", "share", "bandwidth"),
    [(1, 1, "4.8 %", "0.76 GB/s"), (1, 2, "9.5 %", "1.52 GB/s"), (1, 21, "100.0 %", "16.00 GB/s")],
)
def test_the_example_of_source_003(
    browser: Browser, channels: int, banks: int, share: str, bandwidth: str
) -> None:
    shown = browser.run(SHOWN, {**TOY, "channels": channels, "banks": banks})
    assert shown["of all buses"] == share
    assert shown["bandwidth"] == bandwidth
    assert shown["bursts"] == [3 * banks, 3 * banks]


@pytest.mark.parametrize("turn", [0, 1])
@pytest.mark.parametrize("stride", [1, 2, 3, 4, 6, 8, 9, 12, 16, 64])
def test_a_stride_meets_the_banks_that_its_divisor_leaves(browser: Browser, turn: int, stride: int) -> None:
    shown = browser.run(SHOWN, {**TOY, "stride": stride, "turn": turn})
    places = 8 // gcd(stride, 8)
    assert shown["banks met"] == f"{places} of 8"
    channels = 4 // gcd(stride, 4) if turn == 0 else 8 // max(gcd(stride, 8), 2)
    assert shown["channels met"] == f"{channels} of 4"
    assert shown["of all buses"] == f"{100 * places / 21 / 4:.1f} %"


def test_longer_bursts_take_a_larger_vector(browser: Browser) -> None:
    shown = browser.run(SHOWN, {**TOY, "burst": 3})
    assert shown["least floats in all banks"] == "64"
    assert shown["stride, in floats"] == "8"


def test_the_keyboard_moves_it_and_the_change_is_announced(browser: Browser) -> None:
    browser.run(SHOWN, TOY)
    slider = browser.driver.find_element(By.CSS_SELECTOR, ".explorer-dram input[name=banks]")
    browser.run("arguments[0].focus()", slider)
    slider.send_keys(Keys.ARROW_RIGHT)
    assert slider.get_attribute("aria-valuetext") == "3"
    said = "return document.querySelector('.explorer-dram [role=status]').textContent"
    deadline = time.monotonic() + 5
    while "4 × 3 banks" not in browser.run(said) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert "14.3 % of all buses" in browser.run(said)
