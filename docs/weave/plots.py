"""Figures as inline SVG, so that they follow the page's theme; each says in words what it shows."""

from __future__ import annotations

import functools
import re
from pathlib import Path
from typing import ClassVar
from xml.etree import ElementTree

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.application import Sphinx
from sphinx.builders.html import StandaloneHTMLBuilder
from sphinx.util.docutils import SphinxDirective
from sphinx.writers.html5 import HTML5Translator

from book.documents import BookError, MissingResultsError
from book.keys import near
from weave.context import complain, library_of, page_of

_SVG = "{http://www.w3.org/2000/svg}"
_TO_STEP = re.compile(r'<a href="step:(\d+)/([^"]+)">(.*?)</a>\n?', re.DOTALL)
"""What leads to a step, as figures/style.py addresses it."""


class drawing(nodes.General, nodes.Element):
    """An SVG, ready to stand in the page."""


def read_svg(path: Path) -> str:
    """A figure's SVG; BookError if there is none, it is damaged, or it has no title and description."""
    if not path.is_file():
        known = sorted(entry.stem for entry in path.parent.glob("*.svg"))
        raise BookError(f"no figure {path.stem} in {path.parent}{near(path.stem, known)}")
    text = path.read_text(encoding="utf-8")
    try:
        root = ElementTree.fromstring(text)
    except ElementTree.ParseError as error:
        raise BookError(f"{path}: damaged: {error}") from error
    named = root.get("role") in ("img", "group") and root.get("aria-labelledby")
    for part in ("title", "desc"):
        named = named and (root.findtext(f"{_SVG}{part}") or "").strip()
    if not named:
        raise BookError(f"{path}: the figure has no text for those who cannot see it")
    return text


class Plot(SphinxDirective):
    """A figure of the page's chapter, ``{plot} ladder``, or of a folder, ``{plot} frontpage/book``."""

    required_arguments = 1
    has_content = True
    option_spec: ClassVar = {"class": directives.class_option}

    @property
    def figure(self) -> str:
        """The figure's name, after that of its folder if that is not the chapter's."""
        return self.arguments[0]

    def run(self) -> list[nodes.Node]:
        """Inline the figure that was drawn before the pages are built."""
        folder, _, name = self.figure.rpartition("/")
        try:
            folder = folder or page_of(self.env).folder.name
            library = library_of(self.env)
            path = library.build / "figures" / folder / f"{name}.svg"
            self.env.note_dependency(str(path))
            if not path.is_file() and not any(map(library.published, library.chapters())):
                raise MissingResultsError(f"no figure {name} yet")
            svg = read_svg(path)
        except BookError as error:
            return [nodes.paragraph("", "", complain(self, error, self.figure))]
        figure = nodes.figure(classes=["plot", *self.options.get("class", [])])
        figure += drawing("", svg=svg)
        if self.content:
            first, *rest = self.parse_content_to_nodes()
            figure += nodes.caption("", "", *first.children)
            if rest:
                figure += nodes.legend("", *rest)
        return [figure]


class Sweep(Plot):
    """A step along one of its axes: its rating, or a quantity that it reports: ``{sweep} strided stride``."""

    required_arguments = 2
    optional_arguments = 1

    @property
    def figure(self) -> str:
        """The name under which the sweep was drawn."""
        return "-".join(("sweep", *self.arguments))  # as figures/sweeps.py calls it


def _visit(translator: HTML5Translator, node: drawing) -> None:
    svg = _TO_STEP.sub(functools.partial(_link_to_card, translator.builder), node["svg"])
    translator.body.append(f'<div class="drawing">{svg}</div>')
    raise nodes.SkipNode


def _link_to_card(builder: StandaloneHTMLBuilder, found: re.Match[str]) -> str:
    """What leads to a step's card; where a step has none, only what is drawn."""
    chapter, step, drawn = found.groups()
    page = f"{library_of(builder.env).folder(int(chapter)).relative_to(builder.srcdir).as_posix()}/index"
    if step not in builder.env.weave_cards.get(page, ()):
        return drawn
    address = builder.get_relative_uri(builder.current_docname, page)
    return f'<a href="{address}#card-{step}"><title>{step}</title>{drawn}</a>'


def setup(app: Sphinx) -> None:
    """Register the directive and its node."""
    app.add_node(drawing, html=(_visit, None))
    app.add_directive("plot", Plot)
    app.add_directive("sweep", Sweep)
