"""The built book in a real browser: headless Chromium over file://."""

from __future__ import annotations

import functools
import gzip
import importlib.util
import json
import os
import shutil
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

import pytest
from selenium import webdriver
from selenium.webdriver.chrome.options import Options
from selenium.webdriver.chrome.service import Service

REPOSITORY = Path(__file__).resolve().parents[2]
BOOK = Path(os.environ.get("BOOK", REPOSITORY / os.environ.get("TREE", "build") / "html"))
MOST_BYTES, MOST_PACKED = 2_000_000, 350_000  # of a page with all that it loads

# A chapter's listings have ten thousand tokens, and axe holds each against its background for a minute.
# Those of one class and, in each theme, one colour on one ground look alike: one of each stays an element,
# the rest becomes text.
KINDS_OF_TOKENS = """
    window.kindsOfTokens ??= new Map();
    for (const token of document.querySelectorAll(":is(pre, dt) span[class]:not(:has(*))")) {
        const ground = token.closest("ins, del, pre, dt").tagName;
        const colour = getComputedStyle(token).color;
        kindsOfTokens.set(token, [kindsOfTokens.get(token), token.className, colour, ground].join());
    }"""
ONE_TOKEN_OF_A_KIND = """
    const seen = new Set();
    for (const [token, kind] of kindsOfTokens) {
        if (seen.has(kind)) token.replaceWith(token.textContent);
        seen.add(kind);
    }
    document.querySelectorAll("pre").forEach(pre => pre.normalize());"""

# Of all else, too, axe holds a few against their background: three of those with the same classes and
# colours on the same ground, and all that is drawn; or one if it has seen such ones at another width.
THREE_OF_A_KIND = """
    const grounds = new Map(), seen = new Map();
    const ground = element => {
        if (element === null) return "";
        if (!grounds.has(element)) {
            const {backgroundColor, backgroundImage, opacity} = getComputedStyle(element);
            const own = [backgroundColor, backgroundImage, opacity].join();
            const around = ground(element.parentElement);
            grounds.set(element, own === "rgba(0, 0, 0, 0),none,1" ? around : [around, own].join());
        }
        return grounds.get(element);
    };
    const numbers = window.numbersOfLooks ??= new Map(), known = numbers.size;
    for (const element of document.querySelectorAll("*")) {
        const style = getComputedStyle(element);
        const large = parseFloat(style.fontSize) >= (style.fontWeight >= 700 ? 18.66 : 24);  // to WCAG
        const looks = [ground(element), element.tagName, element.getAttribute("class"), style.color,
            style.fill, large, style.fontWeight, style.textShadow, style.position,
            element.checkVisibility()].join();
        if (!numbers.has(looks)) numbers.set(looks, numbers.size);
        const number = (seen.get(looks) ?? 0) + 1;
        seen.set(looks, number);
        const enough = numbers.get(looks) < known ? 1 : element.closest("svg") !== null ? Infinity : 3;
        element.toggleAttribute("data-contrast", number <= enough);
    }
    axe.configure({rules: [
        {id: "color-contrast", selector: "[data-contrast]"},
        {id: "link-in-text-block", selector: "a[href][data-contrast]"}]});"""

# Where the same is seen, and the same can be scrolled, in another theme, colours are all that is new to axe.
# The picture on the theme's own switch is another one in each.
RUN_AXE = """
    const done = arguments[arguments.length - 1];
    const lie = element => [
        element.checkVisibility({visibilityProperty: true, opacityProperty: true}),
        element.scrollWidth > element.clientWidth, element.scrollHeight > element.clientHeight];
    const say = node => node.html.slice(0, 200) + " " + (node.any[0]?.message ?? node.failureSummary);
    const look = async () => {
        await Promise.all(document.getAnimations().map(change => change.finished));
        const all = [...document.querySelectorAll(":not([class^=theme-icon], [class^=theme-icon] *)")];
        const layout = all.map(lie).join();
        const options = {resultTypes: ["violations"]};
        if (window.lookedAt?.layout === layout) options.runOnly = lookedAt.colourRules;
        const result = await axe.run(document, options);
        const rules = [result.violations, result.passes, result.incomplete, result.inapplicable].flat();
        const ofColour = rules.filter(rule => rule.tags.includes("cat.color")).map(rule => rule.id);
        window.lookedAt = {layout, colourRules: {type: "rule", values: [...new Set(ofColour)]}};
        return result.violations.map(
            violation => [violation.id, violation.help, violation.nodes.slice(0, 3).map(say)]);
    };
    look().then(done);"""


# The page itself never scrolls sideways: the column of its text does, where something in it is too wide.
WIDTH = "Math.max(...[...document.querySelectorAll('html, .content')].map(column => column.scrollWidth))"

LOADED = """
    const done = arguments[arguments.length - 1];
    const folds = [...document.querySelectorAll("details.fold")].map(fold => fold.open);
    let moved = 0;
    new PerformanceObserver(list => { for (const entry of list.getEntries()) moved += entry.value; })
        .observe({type: "layout-shift", buffered: true});
    setTimeout(() => done([folds, moved]), 300)"""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """The tests of a page follow one another, so that those that show it alike open it once."""
    places = [place for place, item in enumerate(items) if item.path.name == "test_pages.py"]
    tests = [items[place] for place in places]
    page_of = {test: getattr(test, "callspec", None) and test.callspec.params.get("page") for test in tests}
    order = {page: number for number, page in enumerate(pages())}
    tests.sort(key=lambda test: order.get(page_of[test], -1))
    for place, test in zip(places, tests, strict=True):
        items[place] = test


@functools.cache
def pages() -> list[str]:
    """Every page of the book, by its path."""
    return sorted(
        (str(path.relative_to(BOOK)) for path in BOOK.rglob("*.html")), key=lambda path: (len(path), path)
    )


@functools.cache
def written_pages() -> list[str]:
    """The pages that somebody wrote: not the whole files and differences that they link to."""
    made = {*whole_files(), "search.html", "genindex.html"}
    return [page for page in pages() if page not in made]


@functools.cache
def whole_files() -> list[str]:
    """The pages of whole files and of differences."""
    return [page for page in pages() if page.startswith(("source/", "difference/"))]


@dataclass(frozen=True)
class Opened:
    """What happened while a page was opened that nobody has touched yet."""

    requests: list[str]
    complaints: list[str]
    folds: list[bool]  # whether each stands open; none of a page that nobody wrote
    moved: float  # how far things moved while it loaded; 0 for a page that nobody wrote


@dataclass
class Browser:
    """A browser window, with what it asked for and what it complained of since it was last looked at."""

    driver: webdriver.Chrome
    shown: tuple[str, int, int] | None = None
    opened: Opened | None = None
    size: tuple[int, int] | None = None

    def open(self, page: str, width: int = 1280, height: int = 900, theme: str = "light") -> None:
        """Show a page in a window of this size, with this theme preferred."""
        self.shown = None
        self.events()
        self.complaints()
        self.resize(width, height)
        self.prefer(theme)
        self.driver.execute_cdp_cmd("Emulation.setFocusEmulationEnabled", {"enabled": True})
        self.driver.get((BOOK / page).as_uri())

    def show(self, page: str, width: int = 1280, height: int = 900) -> Opened:
        """The same in the light theme for a test that leaves the page as it is, but for folds and theme.
        Where the test before has shown it so, it is not opened again."""
        if self.opened is None or self.shown != (page, width, height):
            self.open(page, width, height)
            folds, moved = self.driver.execute_async_script(LOADED) if page in written_pages() else ([], 0)
            self.opened = Opened(self.requests(), self.complaints(), folds, moved)
            self.shown = (page, width, height)
        else:
            self.prefer("light")
        return self.opened

    def resize(self, width: int, height: int = 900) -> None:
        """Make the window as large."""
        if self.size == (width, height):
            return
        self.size = (width, height)
        size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600}
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)

    def prefer(self, theme: str) -> None:
        """Prefer this theme from now on."""
        preference = {"features": [{"name": "prefers-color-scheme", "value": theme}]}
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", preference)

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
        """The console's messages since the page was opened, or since the last call."""
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


@functools.cache
def weight_of(file: Path) -> tuple[int, int]:
    """The bytes of a file, as it is and packed; most pages load the same ones."""
    content = file.read_bytes()
    return len(content), len(gzip.compress(content))


def path_of(address: str) -> Path:
    """The file of an address that begins with `file://`."""
    return Path(unquote(urlsplit(address).path))


def outside(requests: list[str], book: Path = BOOK) -> list[str]:
    """The requests for something that is not in the book's folder."""
    return [address for address in requests if not address.startswith((book.as_uri(), "data:"))]


def violations(
    browser: Browser, axe: str, themes: Sequence[str] = (), widths: Sequence[int] = ()
) -> list[list[object]]:
    """What axe finds on the page as it is shown, or in each of these themes, or at each of these widths."""
    browser.run(axe)
    for theme in themes or [None]:
        browser.prefer(theme) if theme else None
        browser.run(KINDS_OF_TOKENS)
    browser.run(ONE_TOKEN_OF_A_KIND)
    found = []
    for width in widths or [None]:
        browser.resize(width) if width else None
        for theme in themes or [None]:
            browser.prefer(theme) if theme else None
            browser.run(THREE_OF_A_KIND)
            found += browser.driver.execute_async_script(RUN_AXE)
    browser.complaints()  # axe asks for the style sheets; from a file, the console complains of that
    return found
