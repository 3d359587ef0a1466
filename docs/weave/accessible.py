"""Last touches to each page: what scrolls can be reached by keyboard, headings have levels, code is light."""

from __future__ import annotations

import re
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx

_PRE = re.compile(r"<pre(?! tabindex)")
_SCROLLER = re.compile(r'<div class="(table-wrapper|math-wrapper)(?P<rest>[^"]*)"')
_PLAIN = re.compile(r'<span class="(?:w|n|p|o|n[abcefnv])">([^<]*)</span>')
"""Blanks, names and punctuation, which both styles (code_style.py) leave alone: they double a listing."""
_PERMALINK = re.compile(r'(<a class="headerlink" href="[^"]*" )title=')
_LINK = re.compile(r'(<a class="reference internal" href="[^"]*") title="[^"]*"')
"""A link to a name whose title is that name again."""
_HEADING = re.compile(r'role="heading"(?! aria-level)')
_LABELS = {"table-wrapper": "table", "math-wrapper": "formula"}


def polished(body: str) -> str:
    """HTML with light listings, headings with levels, and scrolling parts that take the focus."""
    body = _PLAIN.sub(r"\1", body)
    body = _PERMALINK.sub(r"\1aria-label=", body)
    body = _LINK.sub(r"\1", body)
    body = _HEADING.sub('role="heading" aria-level="2"', body)
    body = _PRE.sub('<pre tabindex="0"', body)
    return _SCROLLER.sub(
        lambda match: f'{match[0]} tabindex="0" role="group" aria-label="{_LABELS[match[1]]}"', body
    )


def _touch(
    app: Sphinx, pagename: str, template: str, context: dict[str, Any], doctree: nodes.document | None
) -> None:
    for part in ("body", "furo_navigation_tree"):
        if part in context:
            context[part] = polished(context[part])


def setup(app: Sphinx) -> None:
    """Connect to the pages' last step."""
    app.connect("html-page-context", _touch, priority=900)
