"""Every page: silent, self-contained, narrow enough for a phone, light, and usable without sight or mouse."""

from __future__ import annotations

import time
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

from tests.pages.conftest import (
    BOOK,
    MOST_BYTES,
    MOST_PACKED,
    WIDTH,
    Browser,
    outside,
    pages,
    path_of,
    violations,
    weight_of,
    whole_files,
    written_pages,
)

pytestmark = pytest.mark.browser
TEXTS = (
    "ink",
    "quiet",
    "link",
    "link-visited",
    "witness-predict",
    "witness-count",
    "witness-time",
    "witness-why",
)
TEXTS += ("conjecture", "yours", "alarm")
CHAPTERS = [page for page in written_pages() if page.startswith("chapters/")]

every_page = pytest.mark.parametrize("page", [page for page in pages() if page not in whole_files()[1:]])
"""Of the whole files one, since they have a frame in common: `test_whole_files.py`."""
every_written_page = pytest.mark.parametrize("page", written_pages())
every_chapter = pytest.mark.parametrize("page", CHAPTERS)
themes = pytest.mark.parametrize("theme", ["light", "dark"])


def test_there_is_a_front_page_and_a_chapter() -> None:
    assert "index.html" in written_pages()
    assert CHAPTERS


@every_page
def test_a_page_is_silent_self_contained_light_and_fits_a_phone(browser: Browser, page: str) -> None:
    opened = browser.show(page, width=360, height=740)
    assert opened.complaints == []
    home = BOOK.as_uri()
    assert outside(opened.requests) == []
    paths = {path_of(address) for address in opened.requests if address.startswith(home)}
    assert BOOK / page in paths
    weight, packed = map(sum, zip(*map(weight_of, paths), strict=True))
    names = sorted(path.name for path in paths)
    assert weight <= MOST_BYTES and packed <= MOST_PACKED, f"{weight} bytes, {packed} packed: {names}"
    for unfolded in (False, True):
        _fold(browser, unfolded)
        assert browser.run(f"return {WIDTH}") <= 360, _widest(browser)


@themes
@every_chapter
def test_the_gutter_of_a_listing_stays_in_sight_on_a_phone(browser: Browser, page: str, theme: str) -> None:
    browser.show(page, width=360, height=740)
    browser.prefer(theme)
    _fold(browser, True)
    places = browser.run("""
        const found = [...document.querySelectorAll(".annotated pre")].filter(
            pre => pre.scrollWidth > pre.clientWidth + 40);
        return found.map(pre => {
            const cell = pre.querySelector(".gutter:not(.heads) .cell"), gutter = cell.closest(".gutter");
            const before = gutter.getBoundingClientRect();
            pre.scrollLeft = 40;
            const after = gutter.getBoundingClientRect(), scrolled = pre.scrollLeft;
            pre.scrollLeft = 0;
            return [before.left, after.left, before.width / pre.clientWidth, scrolled,
                getComputedStyle(gutter).backgroundColor];
        })""")
    assert places
    for before, after, share, scrolled, background in places:
        assert scrolled == 40
        assert before - 12 <= after <= before, "the gutter scrolls away with the code"
        assert share < 0.5
        assert background.startswith("rgb("), "the code shows through the gutter"


@every_written_page
def test_letters_of_figures_can_be_read_on_a_phone(browser: Browser, page: str) -> None:
    browser.show(page, width=360, height=740)
    _fold(browser, True)
    small = browser.run("""
        return [...document.querySelectorAll("figure.plot svg")].flatMap(svg => {
            const scale = svg.getBoundingClientRect().width / svg.viewBox.baseVal.width;
            return [...svg.querySelectorAll("text")].map(
                text => [parseFloat(getComputedStyle(text).fontSize) * scale, text.textContent]);
        }).filter(([size]) => size > 0 && size < 10.9)""")
    assert small == []


@every_chapter
def test_a_hint_opens_by_touch_and_closes_by_escape(browser: Browser, page: str) -> None:
    browser.show(page, width=360, height=740)
    _fold(browser, False)
    shown = browser.run("""
        const hint = document.querySelector("article a.term");
        hint.dispatchEvent(new PointerEvent("pointerdown", {pointerType: "touch", bubbles: true}));
        hint.dispatchEvent(new MouseEvent("click", {bubbles: true, cancelable: true}));
        const bubble = document.getElementById("hint-bubble"), place = bubble.getBoundingClientRect();
        const open = !bubble.hidden && place.left >= 0 && place.right <= innerWidth;
        dispatchEvent(new KeyboardEvent("keydown", {key: "Escape"}));
        return [open, bubble.hidden]""")
    assert shown == [True, True]


@every_chapter
def test_what_is_cut_off_on_a_phone_can_be_scrolled_to_by_keyboard(browser: Browser, page: str) -> None:
    browser.open(page, width=360, height=740)
    wide = browser.run("""
        const found = [...document.querySelectorAll("article pre")].filter(
            pre => pre.scrollWidth > pre.clientWidth);
        found[0]?.focus({preventScroll: true});
        return [found.length, document.activeElement === found[0],
            found.every(pre => pre.tabIndex === 0)]""")
    assert wide[0] > 0
    assert wide[1:] == [True, True]
    active = browser.driver.switch_to.active_element
    active.send_keys(Keys.ARROW_RIGHT * 3)
    deadline = time.monotonic() + 5
    while browser.run("return document.activeElement.scrollLeft") == 0 and time.monotonic() < deadline:
        time.sleep(0.05)
    assert browser.run("return document.activeElement.scrollLeft") > 0


@pytest.mark.parametrize(("width", "height"), [(360, 740), (1280, 900)])
@every_written_page
def test_nothing_moves_while_a_page_loads(browser: Browser, page: str, width: int, height: int) -> None:
    assert browser.show(page, width, height).moved < 0.002


@every_written_page
def test_a_page_is_silent_and_self_contained_on_a_desk(browser: Browser, page: str) -> None:
    opened = browser.show(page)
    _fold(browser, True)
    assert opened.complaints + browser.complaints() == []
    assert outside(opened.requests + browser.requests()) == []
    assert browser.run("return document.documentElement.scrollWidth <= innerWidth"), _widest(browser)


@every_written_page
def test_a_page_is_as_wide_as_its_window_at_most(browser: Browser, page: str) -> None:
    """Also where the sidebar has just come into sight, and leaves the text less than it asks for."""
    browser.show(page)
    for width in (1080, 900):
        browser.resize(width)
        assert browser.run(f"return {WIDTH}") <= width, _widest(browser)
    browser.resize(1280)


@every_chapter
def test_listings_fit_on_a_desk(browser: Browser, page: str) -> None:
    """Those of the text; in a card, counts or the numbers of two sources stand beside the lines."""
    browser.show(page)
    _fold(browser, False)
    cut_off = browser.run("""
        const seen = [...document.querySelectorAll("article pre")].filter(one => one.checkVisibility());
        return seen.filter(one => one.scrollWidth > one.clientWidth + 1).map(one => one.textContent);""")
    assert cut_off == []


@every_written_page
def test_every_picture_says_what_it_shows(browser: Browser, page: str) -> None:
    browser.show(page)
    silent = browser.run("""
        const named = element => element.alt?.trim() || element.getAttribute("aria-label")?.trim() ||
            (element.getAttribute("aria-labelledby") ?? "").split(" ").some(
                id => document.getElementById(id)?.textContent.trim());
        return [...document.querySelectorAll("main img, main svg, article svg")]
            .filter(element => !element.closest("[aria-hidden=true]") && !named(element))
            .map(element => element.outerHTML.slice(0, 200))""")
    assert silent == []


@every_chapter
def test_a_chapter_has_figures_and_no_empty_one(browser: Browser, page: str) -> None:
    browser.show(page)
    _fold(browser, False)
    sizes = browser.run("""
        const shown = svg => !svg.closest(".explorer-still");  // what works by script stands in its place
        return [...document.querySelectorAll("figure.plot svg")].filter(shown).map(svg => {
            const box = svg.getBoundingClientRect();
            return [box.width, box.height, svg.querySelectorAll("*").length]})""")
    assert sizes
    assert all(width > 200 and height > 50 and parts > 10 for width, height, parts in sizes)


@themes
@every_chapter
def test_folds_open_and_close_by_keyboard(browser: Browser, page: str, theme: str) -> None:
    assert not any(browser.show(page).folds)
    browser.prefer(theme)
    _fold(browser, False)
    folds = browser.driver.find_elements(By.CSS_SELECTOR, "details.fold")
    assert folds
    for fold in folds[:3]:
        for around in fold.find_elements(By.XPATH, "ancestor::details"):
            browser.run("arguments[0].open = true", around)
        summary = fold.find_element(By.TAG_NAME, "summary")
        browser.run("arguments[0].focus()", summary)
        assert browser.run("return document.activeElement === arguments[0]", summary)
        assert fold.get_attribute("open") is None
        summary.send_keys(Keys.ENTER)
        assert fold.get_attribute("open") is not None
        summary.send_keys(Keys.SPACE)
        assert fold.get_attribute("open") is None


@every_chapter
def test_a_printed_page_shows_what_is_folded(browser: Browser, page: str) -> None:
    browser.show(page)
    _fold(browser, False)
    browser.run("dispatchEvent(new Event('beforeprint'))")
    assert browser.run("return [...document.querySelectorAll('details.fold')].every(fold => fold.open)")
    browser.run("dispatchEvent(new Event('afterprint'))")
    assert browser.run("return [...document.querySelectorAll('details.fold')].every(fold => !fold.open)")


@every_chapter
def test_a_listing_copies_its_code_alone(browser: Browser, page: str) -> None:
    browser.show(page)
    _fold(browser, True)
    copied = browser.driver.execute_async_script("""
        const done = arguments[arguments.length - 1], copied = [];
        navigator.clipboard.writeText = async text => { copied.push(text); };
        const buttons = [".annotated", ".difference"].map(
            kind => document.querySelector(`${kind} button.copy`) ??
                document.querySelector(`${kind}`).parentElement.querySelector("button.copy"));
        for (const button of buttons) button.click();
        setTimeout(() => done(copied), 200)""")
    assert len(copied) == 2
    for code in copied:
        assert code.strip()
        assert not any(line.lstrip().split(" ")[0].isdigit() for line in code.splitlines() if line.strip())


@every_written_page
def test_every_hint_opens_by_keyboard(browser: Browser, page: str) -> None:
    browser.show(page)
    _fold(browser, True)
    assert browser.run("return document.querySelectorAll('article [title]:not(iframe)').length") == 0
    closed = browser.run("""
        const shown = hint => {
            hint.focus({focusVisible: true, preventScroll: true});
            const bubble = document.getElementById("hint-bubble");
            return document.activeElement === hint && !bubble.hidden && bubble.textContent.trim().length > 3;
        };
        const hints = [...document.querySelectorAll("article :is([data-hint], a.term)")];
        return hints.filter(hint => hint.checkVisibility() && !shown(hint)).map(hint => hint.outerHTML)""")
    assert closed == []


@every_written_page
def test_an_outline_is_in_reach_at_every_width(browser: Browser, page: str) -> None:
    browser.open(page)
    sections = browser.run("return document.querySelectorAll('article h2').length")
    if page == "index.html" or not sections:
        return
    for width in (1600, 1280, 1000, 360):
        browser.resize(width)
        if width < 1072:
            browser.run("document.getElementById('__navigation').click()")
        entries = browser.run("""
            return [...document.querySelectorAll(".sidebar-tree .toc-tree a")].filter(
                link => link.checkVisibility({visibilityProperty: true})).length""")
        assert entries >= sections
        if width < 1072:
            browser.run("document.getElementById('__navigation').click()")


@every_written_page
def test_axe_finds_nothing_in_either_theme(browser: Browser, axe: str, page: str) -> None:
    _hold_against_axe(browser, axe, page, 1280, 360)


@pytest.mark.parametrize("kind", ["source/", "difference/", "search.html"])
def test_axe_finds_nothing_on_pages_that_are_made(browser: Browser, axe: str, kind: str) -> None:
    of_kind = [page for page in pages() if page.startswith(kind)]
    assert of_kind
    largest = max(of_kind, key=lambda page: (BOOK / page).stat().st_size)
    _hold_against_axe(browser, axe, largest, 1280)


@pytest.mark.parametrize("faint", ["pre .kt", "td p"])
def test_axe_would_find_one_that_cannot_be_read(browser: Browser, axe: str, faint: str) -> None:
    browser.open(min(CHAPTERS, key=lambda page: (BOOK / page).stat().st_size))
    _fold(browser, True)
    browser.run(  # words of its own: those of a link in it have another colour
        r"""
        const own = element => element.firstChild?.data ?? "";
        const found = [...document.querySelectorAll(arguments[0])].filter(one => /\w{3}/.test(own(one)));
        found.at(-3).style.color = "#ddd"; """,
        faint,
    )
    assert [violation[0] for violation in violations(browser, axe)] == ["color-contrast"]


def test_the_theme_switch_changes_the_page_and_its_figures(browser: Browser) -> None:
    browser.open(CHAPTERS[0])
    colours = """return [getComputedStyle(document.body).backgroundColor,
        getComputedStyle(document.querySelector("figure.plot svg text")).fill]"""
    seen = set()
    for theme in ("light", "dark"):
        browser.run("document.body.dataset.theme = arguments[0]", theme)
        seen.add(tuple(browser.run(colours)))
    browser.run("document.body.dataset.theme = 'auto'")
    (background, text), (other_background, other_text) = seen
    assert background != other_background
    assert text != other_text


@pytest.mark.parametrize("query", ["padded", "swizzled"])
def test_search_finds_the_chapter_over_file(browser: Browser, query: str) -> None:
    links = _found(browser, query)
    assert any("chapters/6-transpose/" in link for link in links)
    assert browser.driver.current_url.startswith(BOOK.as_uri())


@pytest.mark.parametrize("query", ["wavefront", "sector"])
def test_search_leads_to_chapters_before_names_of_the_library(browser: Browser, query: str) -> None:
    links = _found(browser, query)
    assert "/chapters/" in links[0]
    names = [place for place, link in enumerate(links) if "#_CPPv4" in link]
    assert names
    assert max(place for place, link in enumerate(links) if "/chapters/" in link) < min(names)


@themes
def test_colours_of_figures_and_text_have_contrast(browser: Browser, theme: str) -> None:
    browser.open("index.html", theme=theme)
    contrasts = browser.run(
        """
        const rgb = name => {
            const probe = document.createElement("i");
            probe.style.color = `var(--${name})`;
            document.body.append(probe);
            const value = getComputedStyle(probe).color.match(/[\\d.]+/g).slice(0, 3).map(Number);
            probe.remove();
            return value;
        };
        const light = name => {
            const [r, g, b] = rgb(name).map(value => value / 255).map(
                value => value <= 0.03928 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4);
            return 0.2126 * r + 0.7152 * g + 0.0722 * b;
        };
        const contrast = (...names) => {
            const [dark, bright] = names.map(light).sort((a, b) => a - b);
            return (bright + 0.05) / (dark + 0.05);
        };
        return Object.fromEntries(arguments[0].flatMap(
            name => ["paper", "panel"].map(ground => [`${name} on ${ground}`, contrast(name, ground)])))""",
        [*TEXTS, "field"],
    )
    assert all(value >= 3 for value in contrasts.values()), contrasts
    assert all(value >= 4.5 for name, value in contrasts.items() if not name.startswith("field")), contrasts


class Anchors(HTMLParser):
    """A page's ids, and what its links lead to."""

    def __init__(self) -> None:
        super().__init__()
        self.ids: set[str] = set()
        self.links: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        for name, value in attrs:
            if name == "id" and value:
                self.ids.add(value)
            if name == "href" and tag == "a" and value is not None:
                self.links.add(value)


def test_no_link_leads_nowhere() -> None:
    anchors: dict[Path, set[str]] = {}
    links: set[tuple[str, str]] = set()
    for page in pages():
        read = Anchors()
        read.feed((BOOK / page).read_text(encoding="utf-8"))
        anchors[BOOK / page] = read.ids
        links |= {(page, link) for link in read.links}
    broken = []
    for page, link in links:
        target = urlsplit(link)
        if target.scheme in ("http", "https", "mailto"):
            continue
        file = (BOOK / page).parent / unquote(target.path) if target.path else BOOK / page
        known = anchors.get(file.resolve())
        if not file.is_file() or (
            target.fragment and known is not None and unquote(target.fragment) not in known
        ):
            broken.append(f"{page}: {link}")
    assert sorted(broken) == []


def _found(browser: Browser, query: str) -> list[str]:
    """What a search lists, in its order."""
    browser.open(CHAPTERS[0])
    field = browser.driver.find_element(By.CSS_SELECTOR, "form.sidebar-search-container input[name=q]")
    field.send_keys(query + Keys.ENTER)
    deadline = time.monotonic() + 20
    links: list[str] = []
    while time.monotonic() < deadline:
        time.sleep(0.5)
        before = len(links)
        links = browser.run(
            "return [...document.querySelectorAll('#search-results li a')].map(link => link.href)"
        )
        if links and len(links) == before:
            break
    return links


def _fold(browser: Browser, opened: bool) -> None:
    browser.run("for (const fold of document.querySelectorAll('details')) fold.open = arguments[0]", opened)


def _hold_against_axe(browser: Browser, axe: str, page: str, *widths: int) -> None:
    browser.open(page, width=widths[0])
    _fold(browser, True)
    assert violations(browser, axe, ("light", "dark"), widths) == []


def _widest(browser: Browser) -> list[str]:
    return browser.run("""
        return [...document.querySelectorAll("body *")].filter(
            element => element.getBoundingClientRect().right > innerWidth + 1).slice(0, 5)
            .map(element => element.outerHTML.slice(0, 150))""")
