"""Numbers of lines that the browser counts: written out, they were a twentieth of a chapter's packed bytes.

`.linenos` of a listing and `.sign` of a difference count in static/book.css.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from pygments.formatters import HtmlFormatter
from sphinx.application import Sphinx
from sphinx.highlighting import PygmentsBridge


def counts_from(counter: str, number: int) -> str:
    """What gives an element's first line this number, and the lines of the elements after it the next ones.

    `counter-reset` would make another counter, and browsers differ in how far that one reaches.
    """
    return f"counter-set:{counter} {number - 1}"


class Counted(HtmlFormatter[str]):
    """Pygments' own, but for the numbers in front of lines."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        if self.linenos and self.linenostart != 1:  # static/book.css starts with 1
            self.prestyles = counts_from("line", self.linenostart)

    def _wrap_inlinelinenos(self, inner: Iterator[tuple[int, str]]) -> Iterator[tuple[int, str]]:
        for kind, line in inner:
            yield kind, f'<span class="linenos"></span>{line}'


def setup(_app: Sphinx) -> None:
    """Let Sphinx format code so."""
    PygmentsBridge.html_formatter = Counted
