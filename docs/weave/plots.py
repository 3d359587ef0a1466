"""Figures as inline SVG, so that they follow the page's theme; each has alternative text."""

from __future__ import annotations

import html
import re
from typing import ClassVar

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective
from sphinx.writers.html5 import HTML5Translator

from figures.documents import BookError
from figures.results import near
from weave.context import complain, page_of

_REFERENCE = re.compile(r'(\bid="|href="#|url\(#)')


class drawing(nodes.General, nodes.Element):
    """An SVG, ready to stand in the page."""


def inline_svg(svg: str, name: str, alternative: str) -> str:
    """An SVG file's element, with its identifiers made unique to this figure and its alternative text."""
    start = svg.find("<svg")
    if start < 0 or "</svg>" not in svg:
        raise BookError(f"figure {name} is damaged: no <svg> in it")
    element = _REFERENCE.sub(rf"\g<1>{name}-", svg[start:])
    element = re.sub(r"<metadata>.*?</metadata>\s*", "", element, flags=re.DOTALL)
    label = html.escape(" ".join(alternative.split()), quote=True)
    return element.replace("<svg", f'<svg role="img" aria-label="{label}"', 1)


class Plot(SphinxDirective):
    """A figure of the chapter: ``{plot} ladder`` with `:alt:` and a caption."""

    required_arguments = 1
    has_content = True
    option_spec: ClassVar = {"alt": directives.unchanged, "wide": directives.flag}

    def run(self) -> list[nodes.Node]:
        """Inline the figure that the chapter's figures.py drew."""
        name = self.arguments[0]
        try:
            if not self.options.get("alt", "").strip():
                raise BookError(f"figure {name} has no :alt: text")
            page = page_of(self.env)
            folder = page.library.build / "figures" / page.folder.name
            path = folder / f"{name}.svg"
            if not path.is_file():
                known = sorted(entry.stem for entry in folder.glob("*.svg"))
                raise BookError(f"no figure {name} in {folder}{near(name, known)}")
            self.env.note_dependency(str(path))
            svg = inline_svg(path.read_text(encoding="utf-8"), name, self.options["alt"])
        except BookError as error:
            complain(self, error)
            return []
        figure = nodes.figure(classes=["plot"])
        figure += drawing("", svg=svg)
        if self.content:
            caption = self.parse_content_to_nodes()
            figure += nodes.caption("", "", *caption[0].children)
            if len(caption) > 1:
                figure += nodes.legend("", *caption[1:])
        return [figure]


def _visit(translator: HTML5Translator, node: drawing) -> None:
    translator.body.append(
        f'<div class="drawing" tabindex="0" role="group" aria-label="figure">{node["svg"]}</div>'
    )
    raise nodes.SkipNode


def setup(app: Sphinx) -> None:
    """Register the directive and its node."""
    app.add_node(drawing, html=(_visit, None))
    app.add_directive("plot", Plot)
