"""Directives that Markdown takes for text: fences of backticks with a backtick in their first line."""

from __future__ import annotations

import re
from pathlib import Path

from docutils import nodes
from sphinx.application import Sphinx

from weave.context import logger

_BROKEN = re.compile(r"\s*`{3,}\{[a-z]+\}.*`")
_FENCE = re.compile(r"\s*(`{3,}|:{3,})")


def broken_fences(text: str) -> list[int]:
    """The numbers of lines that were meant to open a directive and do not, outside of other fences."""
    found, closing = [], ""
    for number, line in enumerate(text.splitlines(), start=1):
        fence = _FENCE.match(line)
        if closing:
            if fence and fence[1].startswith(closing) and line.strip() == fence[1]:
                closing = ""
        elif _BROKEN.match(line):
            found.append(number)
        elif fence and fence[1].startswith("`"):
            closing = fence[1]
    return found


def _check(app: Sphinx, document: nodes.document) -> None:
    docname = app.env.docname
    for number in broken_fences(Path(app.env.doc2path(docname)).read_text(encoding="utf-8")):
        logger.warning(
            "a fence of backticks cannot have a backtick in its first line: fence it by colons, :::{…}",
            location=(docname, number),
            type="weave",
        )


def setup(app: Sphinx) -> None:
    """Check each page as it is read."""
    app.connect("doctree-read", _check)
