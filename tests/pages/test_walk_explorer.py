"""The explorer of walks on its page: held against what was measured and against the law of lines."""

from __future__ import annotations

import json
import time
from math import log2
from typing import Any

import pytest
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

from tests.pages.conftest import BOOK, Browser

pytestmark = pytest.mark.browser
PAGE = "chapters/1-memory-hierarchy/index.html"
SHOWN = """
    const explorer = document.querySelector(".explorer-walk");
    for (const [name, value] of Object.entries(arguments[0])) {
        const input = explorer.querySelector(`input[name=${name}]`);
        input.value = value;
        input.dispatchEvent(new Event("input", {bubbles: true}));
    }
    return Object.fromEntries([...explorer.querySelectorAll("dl > div")].map(
        row => [row.querySelector("dt").textContent, row.querySelector("dd").textContent]))"""


@pytest.fixture(scope="module")
def data(browser: Browser) -> dict[str, Any]:
    """What was measured, as the page has it; skipped before that is published."""
    browser.open(PAGE)
    if not browser.driver.find_elements(By.CSS_SELECTOR, ".explorer-walk"):
        assert "not measured yet" in (BOOK / PAGE).read_text(encoding="utf-8")
        pytest.skip("NOT TESTED: THE STAIRCASE IS NOT PUBLISHED YET")
    deadline = time.monotonic() + 5
    while not browser.driver.find_elements(By.CSS_SELECTOR, ".explorer-walk.explorer-started"):
        assert time.monotonic() < deadline, "the explorer does not start"
    return json.loads(browser.run("return document.querySelector('.explorer-walk').dataset.measured"))


@pytest.mark.parametrize(
    ("log_bytes", "log_stride"), [(12, 7), (20, 7), (30, 7), (36, 7), (22, 12), (30, 12), (36, 12), (33, 21)]
)
def test_a_load_takes_what_was_measured_for_as_many_lines(
    browser: Browser, data: dict[str, Any], log_bytes: int, log_stride: int
) -> None:
    shown = browser.run(SHOWN, {"bytes": log_bytes, "stride": log_stride})
    lines = 2 ** (log_bytes - log_stride)
    assert shown["lines touched"] == f"{lines:,}"
    filled = log2(128 * lines)
    level = next(level for level in data["levels"] if filled <= level["most"])
    assert shown["level"] == level["name"]
    points = dict(data["points"])
    if filled in points:
        assert abs(float(shown["mean latency"].split()[0]) - points[filled]) <= 0.5


@pytest.mark.parametrize(
    ("log_stride", "of_l1", "of_l2"), [(3, "75 %", "12.5 %"), (4, "50 %", "25 %"), (5, None, "50 %")]
)
def test_neighbours_in_a_sector_and_in_a_fetch_are_found_again(
    browser: Browser, data: dict[str, Any], log_stride: int, of_l1: str | None, of_l2: str
) -> None:
    shown = browser.run(SHOWN, {"bytes": 30, "stride": log_stride})
    assert shown.get("answered by L1") == of_l1
    assert shown["answered by L2"] == of_l2
    assert shown["level"] == data["levels"][2]["name"]


def test_the_keyboard_moves_it_and_the_change_is_announced(browser: Browser, data: dict[str, Any]) -> None:
    assert data["points"]
    browser.run(SHOWN, {"bytes": 20, "stride": 7})
    slider = browser.driver.find_element(By.CSS_SELECTOR, ".explorer-walk input[name=bytes]")
    browser.run("arguments[0].focus()", slider)
    slider.send_keys(Keys.ARROW_RIGHT)
    assert slider.get_attribute("aria-valuetext") == "2 MiB"
    said = "return document.querySelector('.explorer-walk [role=status]').textContent"
    deadline = time.monotonic() + 5
    while "2 MiB at a stride of 128 B" not in browser.run(said) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert "16384 lines" in browser.run(said)
