"""The explorer of occupancy on a page of its own, in the book's look: held against the model's tests."""

from __future__ import annotations

import base64
import html
import json
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

from book.library import Library
from tests.pages.conftest import BOOK, REPOSITORY, Browser, outside, violations

pytestmark = pytest.mark.browser
LIBRARY = Library.of(REPOSITORY, BOOK.parent)
themes = pytest.mark.parametrize("theme", ["light", "dark"])

PAGE = """---
chapter: 2
---
# A page

```{occupancy-explorer}
:registers: 103
:shared: 8
What a multiprocessor holds.
```

```{explorer}
What a warp touches.
```
"""
MEASURED = [[8, 1e12, "1 TB/s"], [16, 2e12, "2 TB/s"], [32, 4e12, "4 TB/s"]]
SHOWN = """
    const explorer = document.querySelector(".explorer-occupancy");
    for (const [name, value] of Object.entries(arguments[0])) {
        const input = explorer.querySelector(`input[name=${name}]`);
        input.value = value;
        input.dispatchEvent(new Event("input", {bubbles: true}));
    }
    return Object.fromEntries([...explorer.querySelectorAll("dl > div")].map(
        row => [row.querySelector("dt").textContent, row.querySelector("dd").textContent]))"""


@pytest.fixture(scope="session")
def page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The page, built with the book's own configuration and its published card."""
    root = tmp_path_factory.mktemp("occupancy") / "a book"
    (root / "build").mkdir(parents=True)
    (root / "build/explorer.wasm").write_bytes((LIBRARY.build / "explorer.wasm").read_bytes())
    (root / "figures").mkdir()
    (root / "figures/data").symlink_to(REPOSITORY / "figures/data")
    (root / "chapters/2-coalescing").mkdir(parents=True)
    (root / "index.md").write_text(PAGE, encoding="utf-8")
    command = [sys.executable, "-m", "sphinx", "-q", "-W", "-n", "-b", "html", "-c", REPOSITORY / "docs"]
    settings = ["-D", "extensions=myst_parser,weave"]
    subprocess.run([*command, *settings, root, root / "html"], check=True, cwd=REPOSITORY)
    return root / "html" / "index.html"


@pytest.fixture(scope="session")
def measured(page: Path) -> Path:
    """The page with a curve that was never measured: what it will show once there is one."""
    text = page.read_text(encoding="utf-8")
    start = text.index('data-told="') + len('data-told="')
    end = text.index('"', start)
    told = json.loads(html.unescape(text[start:end])) | {"measured": MEASURED}
    path = page.with_name("measured.html")
    path.write_text(text[:start] + html.escape(json.dumps(told)) + text[end:], encoding="utf-8")
    return path


def open_page(browser: Browser, page: Path, **how: Any) -> None:
    """Show the page and wait until its explorer has started."""
    browser.open(str(page), **how)
    deadline = time.monotonic() + 10
    while not browser.driver.find_elements(By.CSS_SELECTOR, ".explorer-occupancy.explorer-started"):
        assert time.monotonic() < deadline, f"the explorer has not started: {browser.complaints()}"
        time.sleep(0.05)


def test_two_kinds_of_explorers_start_on_one_page(browser: Browser, page: Path) -> None:
    open_page(browser, page)
    deadline = time.monotonic() + 10
    while not browser.driver.find_elements(By.CSS_SELECTOR, ".explorer-access.explorer-started"):
        assert time.monotonic() < deadline, f"the other explorer has not started: {browser.complaints()}"
        time.sleep(0.05)
    assert browser.complaints() == []


@pytest.mark.parametrize(
    ("launch", "expected"),
    [
        ({}, ["2", "16 of 64", "registers"]),
        ({"registers": 32, "shared": 0}, ["8", "64 of 64", "registers, warps"]),
        ({"registers": 33, "shared": 0}, ["6", "48 of 64", "registers"]),
        ({"registers": 16, "shared": 0, "threads": 32}, ["32", "32 of 64", "blocks"]),
        ({"registers": 16, "shared": 113}, ["2", "16 of 64", "shared memory"]),
        ({"registers": 16, "shared": 227}, ["1", "8 of 64", "shared memory"]),
        ({"registers": 65, "shared": 0, "threads": 1024}, ["0", "0 of 64", "registers"]),
    ],
)
def test_it_shows_what_the_model_says(
    browser: Browser, page: Path, launch: dict[str, int], expected: list[str]
) -> None:
    open_page(browser, page)
    shown = browser.run(SHOWN, launch)
    assert [shown["blocks"], shown["warps"], shown["limited by"]] == expected
    blocks, limits = int(expected[0]), expected[2]
    drawn = browser.run("return document.querySelectorAll('.explorer-occupancy rect:not(.sector)').length")
    assert drawn == 5 * blocks
    crowded = browser.run("return document.querySelectorAll('.explorer-occupancy rect.crowded').length")
    assert crowded == blocks * len(limits.split(", "))


def test_the_grid_comes_in_waves(browser: Browser, page: Path) -> None:
    open_page(browser, page)
    waves = "waves on 132 multiprocessors"
    assert browser.run(SHOWN, {"grid": 1056})[waves] == "4.00"
    assert browser.run(SHOWN, {"registers": 32, "shared": 0})[waves] == "1.00"
    assert browser.run(SHOWN, {"registers": 255, "threads": 1024})[waves] == "–"


def test_the_curve_runs_along_what_was_changed_last(browser: Browser, page: Path) -> None:
    open_page(browser, page)
    said = "return document.querySelector('.explorer-occupancy svg').textContent"
    for name, words in (("threads", "threads of a block"), ("shared", "KiB of shared memory of a block")):
        browser.run(SHOWN, {name: 64})
        assert f"warps, by {words}" in browser.run(said)


@pytest.mark.parametrize(
    ("launch", "words"),
    [
        ({}, "2 TB/s"),
        ({"threads": 512}, "2 TB/s"),
        ({"registers": 80}, "2 TB/s to 4 TB/s"),
        ({"registers": 32, "shared": 0}, "more than 32 warps: not measured"),
        ({"threads": 32, "registers": 16, "shared": 113}, "fewer than 8 warps: not measured"),
    ],
)
def test_what_was_measured_stands_beside(
    browser: Browser, measured: Path, launch: dict[str, int], words: str
) -> None:
    open_page(browser, measured)
    assert browser.run(SHOWN, launch)["measured at as many warps"] == words


def test_without_a_measurement_there_is_no_place_for_it(browser: Browser, page: Path) -> None:
    open_page(browser, page)
    assert not any("measured" in name for name in browser.run(SHOWN, {}))


def test_the_keyboard_moves_it_and_the_change_is_announced(browser: Browser, page: Path) -> None:
    open_page(browser, page)
    slider = browser.driver.find_element(By.CSS_SELECTOR, ".explorer-occupancy input[name=threads]")
    browser.run("arguments[0].focus()", slider)
    slider.send_keys(Keys.ARROW_LEFT)
    said = "return document.querySelector('.explorer-occupancy [role=status]').textContent"
    deadline = time.monotonic() + 5
    while not browser.run(said) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert browser.run(said).startswith("2 blocks of 224 threads, 14 of 64 warps, limited by registers; ")


def test_it_is_silent_self_contained_and_fits_a_phone(browser: Browser, measured: Path) -> None:
    open_page(browser, measured, width=360, height=740)
    for launch in ({"registers": 80}, {"registers": 32, "shared": 0}, {"threads": 64, "registers": 32}):
        browser.run(SHOWN, launch)
        assert browser.run("return document.documentElement.scrollWidth") <= 360
    assert browser.complaints() == []
    assert outside(browser.requests(), measured.parent) == []


@themes
def test_axe_finds_nothing_in_it(browser: Browser, axe: str, measured: Path, theme: str) -> None:
    open_page(browser, measured, theme=theme)
    assert violations(browser, axe) == []


def test_the_module_that_it_asks_is_the_books(page: Path) -> None:
    module = base64.b64encode((LIBRARY.build / "explorer.wasm").read_bytes()).decode()
    assert f'data-module="{module}"' in page.read_text(encoding="utf-8")
