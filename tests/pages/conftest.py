"""The built book in a real browser: headless Chromium over file://."""

from __future__ import annotations

import importlib.util
import json
import os
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from selenium import webdriver
from selenium.webdriver.chrome.options import Options
from selenium.webdriver.chrome.service import Service

REPOSITORY = Path(__file__).resolve().parents[2]
BOOK = Path(os.environ.get("BOOK", REPOSITORY / os.environ.get("TREE", "build") / "html"))

# A chapter's listings have ten thousand tokens, and axe holds each against its background for a minute.
# Those of one class and colour on one ground look alike: one of each stays an element, the rest becomes text.
ONE_TOKEN_OF_A_KIND = """
    const seen = new Set();
    for (const token of document.querySelectorAll(":is(pre, dt) span[class]:not(:has(*))")) {
        const ground = token.closest("ins, del, pre, dt").tagName;
        const kind = [token.className, getComputedStyle(token).color, ground].join();
        if (seen.has(kind)) token.replaceWith(token.textContent);
        seen.add(kind);
    }
    document.querySelectorAll("pre").forEach(pre => pre.normalize());"""

# Of all else, too, axe holds a few against their background: those that no other is like, and three of those
# with the same classes, colours and size of letters on the same ground; but all that is drawn.
THREE_OF_A_KIND = """
    const numbers = new Map(), kinds = new Map(), seen = new Map();
    const kind = element => {
        if (element === null) return "";
        if (!kinds.has(element)) {
            const style = getComputedStyle(element);
            const looks = [kind(element.parentElement), element.tagName, element.className, style.color,
                style.backgroundColor, style.backgroundImage, style.opacity, style.fontSize, style.fontWeight,
                style.textShadow, style.position, element.checkVisibility()].join();
            if (!numbers.has(looks)) numbers.set(looks, numbers.size);
            kinds.set(element, numbers.get(looks));
        }
        return kinds.get(element);
    };
    for (const element of document.querySelectorAll("*")) {
        const number = (seen.get(kind(element)) ?? 0) + 1;
        seen.set(kind(element), number);
        element.toggleAttribute("data-contrast", number <= 3 || element.closest("svg") !== null);
    }
    axe.configure({rules: [{id: "color-contrast", selector: "[data-contrast]"}]});"""


def pages() -> list[str]:
    """Every page of the book, by its path."""
    return sorted(
        (str(path.relative_to(BOOK)) for path in BOOK.rglob("*.html")), key=lambda path: (len(path), path)
    )


def written_pages() -> list[str]:
    """The pages that somebody wrote: not the whole files and differences that they link to."""
    made = ("source/", "difference/", "search.html", "genindex.html")
    return [page for page in pages() if not page.startswith(made)]


@dataclass
class Browser:
    """A browser window, with what it asked for and what it complained of since it was last looked at."""

    driver: webdriver.Chrome

    def open(self, page: str, width: int = 1280, height: int = 900, theme: str = "light") -> None:
        """Show a page in a window of this size, with this theme preferred."""
        self.events()
        size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600}
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
        preference = {"features": [{"name": "prefers-color-scheme", "value": theme}]}
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", preference)
        self.driver.execute_cdp_cmd("Emulation.setFocusEmulationEnabled", {"enabled": True})
        self.driver.get((BOOK / page).as_uri())

    def run(self, script: str, *arguments: Any) -> Any:
        """What a script returns in the page."""
        return self.driver.execute_script(script, *arguments)

    def events(self) -> list[dict[str, Any]]:
        """DevTools' messages since the last call."""
        return [json.loads(entry["message"])["message"] for entry in self.driver.get_log("performance")]

    def requests(self) -> list[str]:
        """The addresses asked for since the page was opened."""
        sent = [event for event in self.events() if event["method"] == "Network.requestWillBeSent"]
        return [event["params"]["request"]["url"] for event in sent]

    def complaints(self) -> list[str]:
        """The console's messages since the last call."""
        return [entry["message"] for entry in self.driver.get_log("browser")]


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """Chromium, as the distribution packages it; skipped, loudly, where there is none."""
    chromium, driver_path = shutil.which("chromium"), shutil.which("chromedriver")
    if not chromium or not driver_path:
        pytest.skip("NO BROWSER TESTS: chromium and chromedriver are not installed")
    if not (BOOK / "index.html").is_file():
        pytest.fail(f"no book in {BOOK}: run `make book`")
    options = Options()
    options.binary_location = chromium
    for argument in (
        "--headless=new",
        "--no-sandbox",
        "--disable-gpu",
        "--disable-dev-shm-usage",
        "--no-first-run",
    ):
        options.add_argument(argument)
    options.set_capability("goog:loggingPrefs", {"performance": "ALL", "browser": "ALL"})
    driver = webdriver.Chrome(options=options, service=Service(driver_path))
    driver.set_page_load_timeout(120)
    driver.set_script_timeout(300)
    try:
        yield Browser(driver)
    finally:
        driver.quit()


@pytest.fixture(scope="session")
def axe() -> str:
    """axe-core's script, from a package that is not imported: it wants a browser of its own."""
    package = importlib.util.find_spec("axe_playwright_python")
    assert package is not None, "axe-core is not installed: run `make test`"
    return Path(package.submodule_search_locations[0], "axe.min.js").read_text(encoding="utf-8")


def outside(requests: list[str], book: Path = BOOK) -> list[str]:
    """The requests for something that is not in the book's folder."""
    return [address for address in requests if not address.startswith((book.as_uri(), "data:"))]


def violations(browser: Browser, axe: str) -> list[list[object]]:
    """What axe finds on the page that is shown."""
    browser.run(ONE_TOKEN_OF_A_KIND)
    browser.run(axe)
    browser.run(THREE_OF_A_KIND)
    return browser.driver.execute_async_script("""
        const done = arguments[arguments.length - 1];
        const say = node => node.html.slice(0, 200) + " " + (node.any[0]?.message ?? node.failureSummary);
        axe.run(document, {resultTypes: ["violations"]}).then(result => done(result.violations.map(
            violation => [violation.id, violation.help, violation.nodes.slice(0, 3).map(say)])))""")
