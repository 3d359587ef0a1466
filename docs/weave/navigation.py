"""The sidebar: numbered chapters, the outline of the page that is read, the appendices."""

from __future__ import annotations

import html
import re
from typing import Any

from bs4 import BeautifulSoup
from docutils import nodes
from sphinx.application import Sphinx

_CHAPTER = re.compile(r"chapters/(\d+)-")
_FOLDER = re.compile(r"(\d+)-[^/]*/(?:index\.html)?$")
_HEADING = re.compile(r"<h1>")


def chapter_number(docname: str) -> str:
    """The number of a chapter's page; empty for other pages."""
    found = _CHAPTER.match(docname)
    return found[1] if found else ""


def _numbered(docname: str) -> str:
    number = chapter_number(docname)
    return f'<span class="chapter-number">{number}</span>' if number else ""


def _outline(toc: str) -> str:
    """The sections of the page that is read."""
    sections = BeautifulSoup(toc, "html.parser").select_one("ul > li > ul")
    return f'<div class="toc-scroll"><div class="toc-tree">{sections}</div></div>' if sections else ""


def _group(app: Sphinx, context: dict[str, Any], pagename: str, title: str, pages: list[str]) -> str:
    rows = [f'<p class="caption">{title}</p>', "<ul>"]
    for page in pages:
        name = html.escape(app.env.titles[page].astext(), quote=False)
        here = page == pagename
        inside = here or pagename in app.env.toctree_includes.get(page, ())
        item, link = (' class="current-page"', ' aria-current="page"') if here else ("", "")
        text = f"{_numbered(page)}{name}"
        rows.append(f'<li{item}><a href="{context["pathto"](page)}"{link}>{text}</a>')
        rows.append(_outline(context.get("toc", "")) if inside else "")
        rows.append("</li>")
    return "\n".join([*rows, "</ul>"])


def _put_into_page(
    app: Sphinx, pagename: str, template: str, context: dict[str, Any], doctree: nodes.document | None
) -> None:
    includes = app.env.toctree_includes.get(app.config.root_doc, [])
    chapters = [page for page in includes if chapter_number(page)]
    others = [page for page in includes if not chapter_number(page)]
    context["furo_navigation_tree"] = _group(app, context, pagename, "Chapters", chapters) + _group(
        app, context, pagename, "Appendices", others
    )
    context["furo_hide_toc"] = True  # the sidebar holds the outline, at every width
    if "body" in context:
        context["body"] = _HEADING.sub(f"<h1>{_numbered(pagename)}", context["body"], count=1)
    for neighbour in filter(None, (context.get("prev"), context.get("next"))):
        number = _FOLDER.search(neighbour["link"])
        if number:
            neighbour["title"] = f"{number[1]} {neighbour['title']}"


def setup(app: Sphinx) -> None:
    """Connect to the pages' last step, after the theme."""
    app.connect("html-page-context", _put_into_page, priority=800)
