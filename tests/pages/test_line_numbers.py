"""The numbers that the browser counts in front of lines are those of the file."""

import re

import pytest

from tests.pages.conftest import REPOSITORY, Browser, written_pages

CHAPTERS = [page for page in written_pages() if page.startswith("chapters/")]
LISTINGS = 5  # of a page that are read, at most: the first differences, and the first others

# What a listing is of, and how many blocks of code it has; it is marked to be found again.
FILES_OF_LISTINGS = """
    const [differs, most] = arguments;
    const plain = [...document.querySelectorAll(".listing:has(> .listing-caption):not(:has(.annotated))")];
    const some = plain.filter(one => differs === one.matches(":has(.difference)")).slice(0, most);
    for (const [number, listing] of some.entries())
        for (const code of listing.querySelectorAll("pre")) code.dataset.listing = number;
    return some.map(one =>
        [...one.querySelectorAll(".listing-caption a")].map(link => link.getAttribute("href")));"""


def texts_of(browser: Browser, selector: str) -> list[str]:
    """What is read of each such element, with what the style sheet adds."""
    command = browser.driver.execute_cdp_cmd
    root = command("DOM.getDocument", {"depth": 0})["root"]["nodeId"]
    texts = []
    for element in command("DOM.querySelectorAll", {"nodeId": root, "selector": selector})["nodeIds"]:
        found = command("Accessibility.queryAXTree", {"nodeId": element, "role": "StaticText"})["nodes"]
        texts.append("".join(node["name"]["value"] for node in found))
    return texts


def lines_of(link: str) -> list[str]:
    """The lines of the file that a caption leads to, and one before the first."""
    path = re.sub(r"^(\.\./)*source/|\.html$", "", link)
    return ["", *(REPOSITORY / path).read_text(encoding="utf-8").splitlines()]


@pytest.mark.parametrize("differs", [False, True], ids=["listing", "difference"])
@pytest.mark.parametrize("page", CHAPTERS)
def test_a_line_has_the_number_that_it_has_in_its_file(browser: Browser, page: str, differs: bool) -> None:
    browser.open(page)
    browser.run("for (const fold of document.querySelectorAll('details')) fold.open = true")
    read = 0
    for number, links in enumerate(browser.run(FILES_OF_LISTINGS, differs, LISTINGS)):
        files = [lines_of(link) for link in links]
        for text in texts_of(browser, f"[data-listing='{number}']"):
            for line in text.splitlines():
                place, sign, code = re.fullmatch(
                    r"(\d+)([−+ ] )?(.*)" if differs else r"(\d+)()(.*)", line
                ).groups()
                file = files[0 if sign == "− " else -1]
                assert code.split() == file[int(place)].split()
                read += 1
    assert read > LISTINGS
