"""What a reader predicts is kept and shown beside the answer; nothing is lost without scripts or on paper."""

from __future__ import annotations

import functools
import subprocess
from pathlib import Path

import pytest
from bs4 import BeautifulSoup
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

from tests.pages.conftest import BOOK, REPOSITORY, Browser, written_pages

CHAPTERS = [page for page in written_pages() if page.startswith("chapters/")]
every_chapter = pytest.mark.parametrize("page", CHAPTERS)


@functools.cache
def soup_of(page: str) -> BeautifulSoup:
    return BeautifulSoup((BOOK / page).read_text(encoding="utf-8"), "html.parser")


def shown(browser: Browser) -> list[str]:
    """What stands beside the answers, in words."""
    return browser.run(
        "return [...document.querySelectorAll('.said')].filter(place => place.checkVisibility())"
        ".map(place => place.textContent)"
    )


@pytest.mark.browser
@every_chapter
def test_a_prediction_is_kept_and_shown_beside_its_answer_alone(browser: Browser, page: str) -> None:
    browser.open(page)
    browser.run("localStorage.clear()")
    browser.open(page)
    asks_two = ".card:has([id^=predicted-counts]):has([id^=predicted-time]):not(:has(select)) input"
    asked = browser.driver.find_elements(By.CSS_SELECTOR, asks_two)[:2]
    if not asked:  # before a chapter is published its cards ask for no time
        assert "not measured yet" in soup_of(page).get_text()
        asked = browser.driver.find_elements(By.CSS_SELECTOR, ".card input[id^=predicted-counts]")[:1]
    guesses = ["four <b>sectors</b>", "200 µs"][: len(asked)]
    for field, guess, after in zip(asked, guesses, [*asked[1:], None], strict=True):
        assert shown(browser) == []
        field.send_keys(guess, Keys.ENTER)
        if after:
            assert browser.run("return document.activeElement.id") == after.get_attribute("id")
    said = [f"you predicted: {guess}" for guess in guesses]
    assert said and shown(browser) == said
    browser.open(page)
    assert shown(browser) == []
    browser.driver.find_element(By.CSS_SELECTOR, ".open-all button").click()
    assert shown(browser) == said
    browser.run("localStorage.clear()")


@pytest.mark.browser
def test_a_choice_is_kept(browser: Browser) -> None:
    page = next(page for page in CHAPTERS if soup_of(page).select("select[data-guess]"))
    browser.open(page)
    browser.driver.find_element(By.CSS_SELECTOR, "select[data-guess]").send_keys("DRAM")
    browser.open(page)
    browser.driver.find_element(By.CSS_SELECTOR, ".open-all button").click()
    assert shown(browser) == ["you predicted: DRAM"]
    browser.run("localStorage.clear()")


@pytest.mark.browser
@every_chapter
def test_all_answers_open_and_close(browser: Browser, page: str) -> None:
    browser.open(page)
    button = browser.driver.find_element(By.CSS_SELECTOR, ".open-all button")
    opened = "return [...document.querySelectorAll('details.fold')].map(fold => fold.open)"
    for pressed in (True, False):
        button.send_keys(Keys.ENTER)
        assert set(browser.run(opened)) == {pressed}


@pytest.mark.browser
def test_a_link_into_an_answer_opens_it(browser: Browser) -> None:
    page, name = next(
        (page, element["id"]) for page in CHAPTERS for element in soup_of(page).select("details.fold [id]")
    )
    browser.open(page)
    opened = """
        const done = arguments[1];
        addEventListener("hashchange", () => setTimeout(() => done(
            document.getElementById(arguments[0]).closest("details").open)));
        location.hash = arguments[0];"""
    assert browser.driver.execute_async_script(opened, name)


@pytest.mark.browser
def test_without_scripts_the_answers_can_be_opened_and_no_field_is_shown(browser: Browser) -> None:
    browser.driver.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": True})
    try:
        browser.open(CHAPTERS[0])
        fields = browser.driver.find_elements(By.CSS_SELECTOR, "[data-guess], .open-all")
        assert fields and not any(field.is_displayed() for field in fields)
        fold = browser.driver.find_element(By.CSS_SELECTOR, ".card details.fold")
        fold.find_element(By.TAG_NAME, "summary").send_keys(Keys.ENTER)
        assert fold.find_element(By.CSS_SELECTOR, ".card-body").is_displayed()
    finally:
        browser.driver.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": False})


def run_lines(page: str) -> list[list[str]]:
    """The command lines of a page's cards, in words."""
    return [block.get_text().split() for block in soup_of(page).select(".card-run pre")]


@every_chapter
def test_each_program_that_a_card_runs_is_there(page: str) -> None:
    lines = run_lines(page)
    assert lines
    for line in lines:
        *_, program = [word for word in line if word.startswith("build/chapters/")]
        assert Path(REPOSITORY, "chapters", f"{program.removeprefix('build/chapters/')}.cu").is_file()


@every_chapter
def test_a_card_s_lines_run(page: str) -> None:
    on_gpu, without = run_lines(page)[:2]
    assert on_gpu[-1] == "--measure"
    assert without[:1] == ["build/emulate"]
    checked = subprocess.run(
        [*without, "--small"], cwd=REPOSITORY, capture_output=True, text=True, check=False
    )
    assert checked.returncode == 0, checked.stderr
    timed = subprocess.run(on_gpu, cwd=REPOSITORY, capture_output=True, text=True, check=False)
    assert timed.returncode in (0, 77), timed.stderr
