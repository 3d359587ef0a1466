"""Listings woven from tagged regions of running programs."""

from __future__ import annotations

import functools
import html
from collections.abc import Iterator
from pathlib import Path
from typing import ClassVar

from docutils import nodes
from docutils.parsers.rst import directives
from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import get_lexer_by_name
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.util.docutils import SphinxDirective

from book.documents import BookError
from weave.context import complain, logger
from weave.files import link_to_file, resolve
from weave.lexer import CudaCppLexer, language_of
from weave.tags import Line, dedented, read_tagged

_WOVEN = {".cu", ".cuh", ".hpp", ".cpp"}


def note_tag(env: BuildEnvironment, path: Path, tag: str) -> None:
    """Remember that the page being read weaves this tag."""
    env.weave_tags.setdefault(env.docname, set()).add((str(path.resolve()), tag))


def listing(env: BuildEnvironment, path: Path, tags: list[str], caption: list[nodes.Node]) -> nodes.Element:
    """The named regions of a file with its line numbers, under a caption that links to the whole file."""
    file = read_tagged(path)
    figure = captioned(env, path, caption)
    for tag in tags:
        note_tag(env, path, tag)
        for run in runs(dedented(file.region(tag))):
            figure += numbered(run, language_of(path.name))
    return figure


def numbered(lines: list[Line], language: str) -> nodes.literal_block:
    """Lines that follow one another in a file, with their numbers."""
    text = "\n".join(line.text for line in lines)
    block = nodes.literal_block(text, text, language=language, linenos=True)
    block["highlight_args"] = {"linenostart": lines[0].number}
    return block


def captioned(env: BuildEnvironment, path: Path, caption: list[nodes.Node]) -> nodes.Element:
    """What holds a listing: a caption, if there is one, and a link to the whole file."""
    words = [*caption, nodes.Text(" · ")] if caption else []
    paragraph = nodes.paragraph("", "", *words, link_to_file(env, path))
    return nodes.container(
        "", nodes.container("", paragraph, classes=["listing-caption"]), classes=["listing"]
    )


def highlighted(lines: list[Line], language: str) -> list[str]:
    """The HTML of each line."""
    return list(_highlighted(tuple(lines), language))


@functools.cache
def _highlighted(lines: tuple[Line, ...], language: str) -> list[str]:
    """The same; a step stands in the differences to both of its neighbours."""
    lexer = CudaCppLexer() if language == "cuda-cpp" else get_lexer_by_name(language)
    lexer.stripnl = False
    code = highlight("\n".join(line.text for line in lines), lexer, HtmlFormatter(nowrap=True))
    rows = code.rstrip("\n").split("\n")
    if len(rows) != len(lines):
        return [html.escape(line.text) for line in lines]
    return rows


def runs(lines: list[Line]) -> Iterator[list[Line]]:
    """Lines without gaps in their numbers: tag lines inside a region leave gaps."""
    run: list[Line] = []
    for line in lines:
        if run and line.number != run[-1].number + 1:
            yield run
            run = []
        run.append(line)
    yield run


class Snippet(SphinxDirective):
    """Weave tagged regions of a file: ``{snippet} 13_padded.cu kernel launch``."""

    required_arguments = 2
    optional_arguments = 8
    option_spec: ClassVar = {"caption": directives.unchanged_required}

    def run(self) -> list[nodes.Node]:
        """Build the listing."""
        name, *tags = self.arguments
        try:
            path = resolve(self.env, name)
            caption = self.parse_inline(self.options["caption"])[0] if "caption" in self.options else []
            figure = listing(self.env, path, tags, caption)
        except BookError as error:
            return [nodes.paragraph("", "", complain(self, error, self.arguments[0]))]
        self.set_source_info(figure)
        return [figure]


def _report_unused(app: Sphinx, env: BuildEnvironment) -> list[str]:
    """A tag below a chapter that no page weaves is a listing that the prose forgot."""
    used = {entry for entries in env.weave_tags.values() for entry in entries}
    for page in Path(env.srcdir, "chapters").glob("*/index.md"):
        for path in sorted(page.parent.rglob("*")):
            if path.suffix not in _WOVEN:
                continue
            try:
                regions = read_tagged(path).regions
            except BookError as error:
                logger.warning("%s", error, type="weave")
                continue
            for tag, lines in regions.items():
                if (str(path.resolve()), tag) not in used:
                    place = f"{path}:{lines.start - 1}"
                    logger.warning("tag [%s] is woven into no page", tag, location=place, type="weave")
    return []


def setup(app: Sphinx) -> None:
    """Register the directive and the check for unused tags."""
    app.add_directive("snippet", Snippet)
    app.connect("env-updated", _report_unused)
