"""The C++ library's reference: a section for each header of a folder, as Doxygen and Breathe render it."""

from __future__ import annotations

from pathlib import Path

from docutils import nodes
from docutils.statemachine import StringList
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.util.docutils import SphinxDirective

from book.documents import BookError
from weave.context import complain
from weave.files import link_to_file


class Api(SphinxDirective):
    """The headers of a folder: ``{api} /code/model``."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        """Build a section for each header."""
        relative, absolute = self.env.relfn2path(self.arguments[0])
        headers = sorted(Path(absolute).glob("*.hpp"))
        if not headers:
            return [nodes.paragraph("", "", complain(self, BookError(f"no header in {relative}"), relative))]
        self.env.weave_headers.setdefault(self.env.docname, {})[absolute] = _names(headers)
        return [self._section(header, f"{relative}/{header.name}") for header in headers]

    def _section(self, header: Path, name: str) -> nodes.section:
        title = name.removeprefix("code/")
        section = nodes.section("", nodes.title("", title), ids=[nodes.make_id(title)], names=[title])
        self.state.document.note_explicit_target(section)
        section += nodes.paragraph("", "", nodes.Text("Source: "), link_to_file(self.env, header))
        body = nodes.Element()
        text = StringList([f"```{{doxygenfile}} {name}", "```"], source=str(header))
        self.state.nested_parse(text, self.content_offset, body)
        section += body.children
        return section


def _names(headers: list[Path]) -> str:
    return " ".join(header.name for header in headers)


def _outdated(
    app: Sphinx, env: BuildEnvironment, added: set[str], changed: set[str], removed: set[str]
) -> set[str]:
    """The pages of folders in which headers came or went; Sphinx itself notices those that changed."""
    return {
        docname
        for docname, folders in env.weave_headers.items()
        if any(_names(sorted(Path(folder).glob("*.hpp"))) != known for folder, known in folders.items())
    }


def forget_repetitions(_app: Sphinx, env: BuildEnvironment) -> list[str]:
    """Keep one of each namespace that a header opens again.

    Sphinx adds those of every process that has read pages to its own, and keeps those of pages that are read
    anew: with six processes there would be seven times as many after each build.
    """
    waiting = [env.domaindata["cpp"]["root_symbol"]]
    while waiting:
        symbol = waiting.pop()
        repeated = {
            (str(child.identOrOp), child.docname, child.line): child
            for child in symbol._children
            if child.isRedeclaration and child.declaration is not None
        }
        kept = [child for child in symbol._children if not child.isRedeclaration]
        symbol._children = [*kept, *repeated.values()]
        waiting += symbol._children
    return []


def _before_reading(app: Sphinx, env: BuildEnvironment, _docnames: list[str]) -> None:
    forget_repetitions(app, env)


def setup(app: Sphinx) -> None:
    """Register the directive."""
    app.add_directive("api", Api)
    app.connect("env-get-outdated", _outdated)
    app.connect("env-before-read-docs", _before_reading)
    app.connect("env-updated", forget_repetitions)
