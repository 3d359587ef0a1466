"""The explorer on a page of its own, in the book's look: held against the model compiled for this machine."""

from __future__ import annotations

import subprocess
import sys
import time
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.remote.webelement import WebElement

from book.library import Library
from figures.lanes import Access, Touched, ask, lanes_and_sectors
from figures.style import style
from figures.svg import render, write_if_changed
from tests.pages.conftest import BOOK, REPOSITORY, Browser, outside, violations, written_pages

pytestmark = pytest.mark.browser
LIBRARY = Library.of(REPOSITORY, BOOK.parent)
themes = pytest.mark.parametrize("theme", ["light", "dark"])

PAGE = """# A page

Change one number.

````{explorer}
:offset: 1
```{plot} page/offsets
Offsets.
```
````

```{explorer}
:width: 16
:stride: 2
:lanes: 9
Another one.
```

```{explorer}
:memory: shared
:stride: 33
Banks.
```
"""

# What an explorer shows for each of many patterns: numbers, and what is drawn.
SWEEP = """
    const explorer = document.querySelector(`.explorer-access[data-memory=${arguments[1]}]`);
    const change = (name, value) => {
        const radio = name === "width";
        const input = explorer.querySelector(radio ? `input[value="${value}"]` : `input[name=${name}]`);
        if (radio ? input.checked : input.value === String(value)) return;
        if (radio) input.checked = true; else input.value = value;
        input.dispatchEvent(new Event("input", {bubbles: true}));
    };
    return arguments[0].map(pattern => {
        for (const [name, value] of Object.entries(pattern)) change(name, value);
        const drawn = kind => explorer.querySelectorAll(kind).length;
        const numbers = [...explorer.querySelectorAll("dd")].map(number => number.textContent);
        const lines = drawn("rect.sector") / (arguments[1] === "shared" ? 1 : 4);
        return [...numbers, drawn("rect.moved"), drawn("rect.wanted"), lines, drawn("rect.crowded")];
    });"""


@pytest.fixture(scope="session")
def page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The page, built with the book's own configuration."""
    root = tmp_path_factory.mktemp("explorer") / "a book"
    with style():
        offsets = [Access.strided("aligned"), Access.strided("shifted by one", offset=1)]
        figure = render(lanes_and_sectors(LIBRARY, "Offsets", offsets), "figure-page-offsets")
    write_if_changed(root / "build/figures/page/offsets.svg", figure)
    (root / "build/explorer.wasm").write_bytes((LIBRARY.build / "explorer.wasm").read_bytes())
    (root / "index.md").write_text(PAGE, encoding="utf-8")
    command = [sys.executable, "-m", "sphinx", "-q", "-W", "-n", "-b", "html", "-c", REPOSITORY / "docs"]
    settings = ["-D", "extensions=myst_parser,weave"]
    subprocess.run([*command, *settings, root, root / "html"], check=True, cwd=REPOSITORY)
    return root / "html" / "index.html"


def open_page(browser: Browser, page: Path, **how: Any) -> None:
    """Show the page and wait until its explorers have started."""
    browser.open(str(page), **how)
    wanted = page.read_text(encoding="utf-8").count('class="explorer ')
    assert wanted > 0
    deadline = time.monotonic() + 10
    while time.monotonic() < deadline:
        if len(browser.driver.find_elements(By.CSS_SELECTOR, ".explorer-started")) == wanted:
            return
        time.sleep(0.05)
    pytest.fail(f"the explorers have not started: {browser.complaints()}")


def expected(touched: Touched) -> list[object]:
    """What the page must show of an access."""
    moved = 32 * touched.sectors
    efficiency = f"{(200 * touched.wanted_bytes + moved) // (2 * moved)} %" if moved else "–"
    numbers = [
        touched.requests,
        touched.lines,
        touched.sectors,
        f"{touched.wanted_bytes} of {moved}",
        efficiency,
        touched.tag_wavefronts,
        touched.data_wavefronts,
    ]
    drawn = [touched.sectors, len({place.address for place in touched.places}), touched.lines]
    return [*map(str, numbers), *drawn]


def expected_of_shared(touched: Touched, width: int) -> list[object]:
    """What the page must show of an access to shared memory."""
    words = {(place.address + byte) // 4 for place in touched.places for byte in range(0, width, 4)}
    load, banks = touched.shared_load_wavefronts, Counter(word % 32 for word in words)
    ratio = f"{(20 * len(words) + load) // (2 * load) / 10:g}" if load else "–"
    numbers = [load, touched.shared_store_wavefronts, len(words), ratio, len(banks)]
    most = max(banks.values(), default=0)
    fullest = next(bank for bank in range(32) if banks[bank] == most)
    addresses = {place.address for place in touched.places}
    marked = [address for address in addresses if width <= 4 and most > 1 and address // 4 % 32 == fullest]
    return [*map(str, numbers), 0, len(addresses), touched.lines, len(marked)]


def sweep(browser: Browser, page: Path, patterns: list[dict[str, int]], memory: str = "global") -> None:
    """Hold what the page shows of each pattern against the model."""
    accesses = []
    for pattern in patterns:
        elements = [pattern["offset"] + pattern["stride"] * lane for lane in range(32)]
        active = pattern["lanes"]
        accesses.append(Access("", pattern["width"], (*elements[:active], *[None] * (32 - active))))
    open_page(browser, page)
    shown = browser.run(SWEEP, patterns, memory)
    answers = ask(LIBRARY, accesses)
    if memory == "global":
        right = [[*expected(touched), 0] for touched in answers]
    else:
        pairs = zip(answers, accesses, strict=True)
        right = [expected_of_shared(touched, access.width) for touched, access in pairs]
    triples = zip(patterns, shown, right, strict=True)
    assert [triple for triple in triples if triple[1] != triple[2]][:5] == []


@pytest.mark.parametrize("width", [1, 2, 4, 8, 16])
def test_every_offset_and_stride_is_what_the_model_says(browser: Browser, page: Path, width: int) -> None:
    sweep(
        browser,
        page,
        [
            {"width": width, "offset": offset, "stride": stride, "lanes": 32}
            for offset in range(33)
            for stride in range(34)
        ],
    )


@pytest.mark.parametrize("width", [1, 2, 4, 8, 16])
def test_every_wavefront_is_what_the_model_says(browser: Browser, page: Path, width: int) -> None:
    patterns = [
        {"width": width, "offset": offset, "stride": stride, "lanes": lanes}
        for offset in (0, 1, 7, 32)
        for stride in range(34)
        for lanes in (0, 1, 9, 32)
    ]
    sweep(browser, page, patterns, "shared")


def test_every_number_of_lanes_is_what_the_model_says(browser: Browser, page: Path) -> None:
    sweep(
        browser,
        page,
        [
            {"width": width, "offset": offset, "stride": stride, "lanes": lanes}
            for width in (1, 4, 16)
            for offset in (0, 3)
            for stride in (0, 1, 5, 32)
            for lanes in range(33)
        ],
    )


def test_a_number_that_the_model_would_not_give_is_noticed() -> None:
    one, shifted = ask(LIBRARY, [Access.strided(""), Access.strided("", offset=1)])
    assert expected(one) == ["1", "1", "4", "128 of 128", "100 %", "1", "1", 4, 32, 1]
    assert expected(shifted) == ["1", "2", "5", "128 of 160", "80 %", "1", "1", 5, 32, 2]


@pytest.mark.parametrize(
    "name",
    [name for name in written_pages() if "explorer-access" in (BOOK / name).read_text(encoding="utf-8")],
)
def test_the_explorers_of_the_book_start(browser: Browser, name: str) -> None:
    open_page(browser, BOOK / name)


def test_the_options_are_where_it_starts(browser: Browser, page: Path) -> None:
    open_page(browser, page)
    codes = [code.text for code in browser.driver.find_elements(By.CSS_SELECTOR, ".explorer-code")]
    assert codes == [
        "float value = in[1 + lane];",
        "if (lane < 9) float4 value = in[2 * lane];",
        "float value = tile[33 * lane];",
    ]


def test_every_control_is_reached_and_moved_by_keyboard(browser: Browser, page: Path) -> None:
    open_page(browser, page)
    reached = {}
    for _ in range(40):
        ActionChains(browser.driver).send_keys(Keys.TAB).perform()
        active = browser.driver.switch_to.active_element
        reached.setdefault(active.get_attribute("name"), active)
    assert {"explorer-0-width", "offset", "stride", "lanes", "explorer-1-width"} <= set(reached)
    press(browser, reached["offset"], Keys.ARROW_RIGHT, "float value = in[2 + lane];")
    press(browser, reached["offset"], Keys.HOME, "float value = in[lane];")
    press(browser, reached["stride"], Keys.END, "float value = in[33 * lane];")
    press(browser, reached["stride"], Keys.HOME, "float value = in[0];")
    press(browser, reached["lanes"], Keys.ARROW_LEFT, "if (lane < 31) float value = in[0];")
    press(browser, reached["explorer-0-width"], Keys.ARROW_RIGHT, "if (lane < 31) float2 value = in[0];")


def press(browser: Browser, control: WebElement, key: str, code: str) -> None:
    """Press a key on a control of the first explorer, which then shows this line of code."""
    browser.run("arguments[0].focus()", control)
    control.send_keys(key)
    assert browser.driver.find_element(By.CSS_SELECTOR, ".explorer-code").text == code


def test_changes_are_announced_when_they_have_settled(browser: Browser, page: Path) -> None:
    open_page(browser, page)
    said = "return document.querySelector('.explorer-access [role=status]').textContent"
    assert browser.run(said) == ""
    offset = browser.driver.find_element(By.NAME, "offset")
    browser.run("arguments[0].focus()", offset)
    offset.send_keys(Keys.ARROW_RIGHT, Keys.ARROW_RIGHT)
    assert browser.run(said) == ""
    deadline = time.monotonic() + 5
    while not browser.run(said) and time.monotonic() < deadline:
        time.sleep(0.05)
    moved = "1 request, 2 lines, 5 sectors; 128 of 160 bytes wanted, 80 %"
    assert browser.run(said) == f"{moved}; 1 tag wavefront and 1 of data if it hits the L1"
    name = browser.driver.find_element(By.CSS_SELECTOR, ".explorer-live svg").get_attribute("aria-label")
    assert name == browser.run(said)


def test_the_pictures_give_way_to_the_explorer_and_are_printed(browser: Browser, page: Path) -> None:
    open_page(browser, page)
    seen = """return [".explorer-live", ".explorer-still svg"].map(
        name => document.querySelector(name).checkVisibility())"""
    assert browser.run(seen) == [True, False]
    browser.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
    assert browser.run(seen) == [False, True]
    browser.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": ""})


@pytest.mark.parametrize("missing", ["scripts", "WebAssembly"])
def test_the_pictures_stay_without(browser: Browser, page: Path, missing: str) -> None:
    identifier = None
    if missing == "scripts":
        browser.driver.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": True})
    else:
        added = browser.driver.execute_cdp_cmd(
            "Page.addScriptToEvaluateOnNewDocument", {"source": "delete globalThis.WebAssembly"}
        )
        identifier = added["identifier"]
    try:
        browser.open(str(page))
        time.sleep(0.5)
        assert browser.driver.find_elements(By.CSS_SELECTOR, ".explorer-live") == []
        picture = browser.driver.find_element(By.CSS_SELECTOR, ".explorer-still svg")
        assert picture.rect["width"] > 200
        assert picture.rect["height"] > 50
    finally:
        browser.driver.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": False})
        if identifier:
            browser.driver.execute_cdp_cmd(
                "Page.removeScriptToEvaluateOnNewDocument", {"identifier": identifier}
            )


def test_it_is_silent_self_contained_and_fits_a_phone(browser: Browser, page: Path) -> None:
    open_page(browser, page, width=360, height=740)
    for width in (1, 16):
        for memory in ("global", "shared"):
            browser.run(SWEEP, [{"width": width, "offset": 32, "stride": 33, "lanes": 31}], memory)
        assert browser.run("return document.documentElement.scrollWidth") <= 360
    assert browser.complaints() == []
    assert outside(browser.requests(), page.parent) == []


@themes
def test_axe_finds_nothing_in_it(browser: Browser, axe: str, page: Path, theme: str) -> None:
    open_page(browser, page, theme=theme)
    assert violations(browser, axe) == []


def test_the_module_is_small_and_asks_for_nothing(browser: Browser, page: Path) -> None:
    open_page(browser, page)
    module = """
        const bytes = Uint8Array.from(
            atob(document.querySelector(".explorer-access").dataset.module), letter => letter.charCodeAt(0));
        return WebAssembly.compile(bytes).then(module => [bytes.length, WebAssembly.Module.imports(module),
            WebAssembly.Module.customSections(module, "name").length])"""
    size, imports, names = browser.run(module)
    assert size < 16_000
    assert imports == []
    assert names == 0
    assert str(REPOSITORY).encode() not in (LIBRARY.build / "explorer.wasm").read_bytes()
