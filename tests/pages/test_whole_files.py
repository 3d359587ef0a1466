"""Whole files and differences: hundreds of pages with one frame. One is opened, with the pages of
`test_pages.py`; the text of each other is laid into it.
"""

import re
from html.parser import HTMLParser

import pytest

from tests.pages.conftest import (
    BOOK,
    MOST_BYTES,
    MOST_PACKED,
    WIDTH,
    Browser,
    path_of,
    weight_of,
    whole_files,
)

pytestmark = pytest.mark.browser
HARMLESS = {
    *(("div", "class"), ("span", "class"), ("ins", "class"), ("del", "class"), ("p", "class")),
    *(("pre", "tabindex"), ("a", "href"), ("a", "download")),
}
"""Elements and attributes that load nothing, run nothing and bring no style of their own."""
AT_ONCE = 50  # texts that are sent to the browser together


def parted(page: str) -> tuple[str, str]:
    """A page's frame, without what tells where it lies, and the text in it."""
    before, article, rest = (BOOK / page).read_text(encoding="utf-8").partition("<article")
    attributes, _, inside = rest.partition(">")
    text, _, after = inside.partition("</article>")
    assert text
    return re.sub(r"<title>.*?</title>|(?:\.\./)+", "", before + article + attributes + after), text


class Used(HTMLParser):
    """What a text uses: its elements with their attributes, and those that have none."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.pairs: set[tuple[str, str]] = set()
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.pairs |= {(tag, name) for name, _ in attrs}
        if tag not in {"h1", *(name for name, _ in HARMLESS)}:
            self.pairs.add((tag, ""))


def widths(browser: Browser, texts: list[str]) -> list[int]:
    """How wide the page that is shown is with each of these texts."""
    return browser.run(
        f"""
        const article = document.querySelector("article");
        return arguments[0].map(text => {{
            article.innerHTML = text;
            return {WIDTH};
        }})""",
        texts,
    )


def test_their_frame_is_the_same_and_their_text_harmless() -> None:
    assert len({parted(page)[0] for page in whole_files()}) == 1
    assert {page: used for page in whole_files() if (used := Used(parted(page)[1]).pairs - HARMLESS)} == {}


@pytest.mark.parametrize("text", ["<img src='x'>", "<script>0</script>", "<p style='width: 99em'>"])
def test_a_text_that_does_more_would_be_found(text: str) -> None:
    assert Used(text).pairs - HARMLESS


def test_each_is_light_and_fits_a_phone(browser: Browser) -> None:
    browser.open(whole_files()[0], width=360, height=740)
    loaded = {path_of(address) for address in browser.requests() if address.startswith(BOOK.as_uri())}
    weight, packed = map(sum, zip(*map(weight_of, loaded - {BOOK / whole_files()[0]}), strict=True))
    assert weight and packed
    for first in range(0, len(whole_files()), AT_ONCE):
        some = whole_files()[first : first + AT_ONCE]
        found = widths(browser, [parted(page)[1] for page in some])
        assert [(page, width) for page, width in zip(some, found, strict=True) if width > 360] == []
        heavy = [page for page in some if weight + weight_of(BOOK / page)[0] > MOST_BYTES]
        heavy += [page for page in some if packed + weight_of(BOOK / page)[1] > MOST_PACKED]
        assert heavy == []
    wide, narrow = widths(browser, ["<div style='width: 500px'>wide</div>", "<p>narrow</p>"])
    assert narrow <= 360 < wide
