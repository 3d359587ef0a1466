"""The list of all conjectures, which the build makes."""

from __future__ import annotations

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.util.docutils import SphinxDirective


class conjectures(nodes.General, nodes.Element):
    """Stands where the list will be: its pages are read in any order."""


class Conjectures(SphinxDirective):
    """All conjectures of the book, by chapter."""

    def run(self) -> list[nodes.Node]:
        """Leave the place."""
        self.env.weave_conjecture_lists[self.env.docname] = True
        return [conjectures("")]


def _fill(app: Sphinx, document: nodes.document, docname: str) -> None:
    for place in document.findall(conjectures):
        found = []
        for page, entries in sorted(app.env.weave_conjectures.items()):
            uri = app.builder.get_relative_uri(docname, page)
            title = nodes.paragraph("", "", nodes.strong(text=app.env.titles[page].astext()))
            items = (_item(words, f"{uri}#{anchor}") for words, anchor in entries)
            found += [title, nodes.bullet_list("", *items)]
        place.replace_self(found or [nodes.paragraph("", "There is none.")])


def _item(words: str, uri: str) -> nodes.list_item:
    link = nodes.reference("", words, refuri=uri, internal=True)
    return nodes.list_item("", nodes.paragraph("", "", link))


def _outdated(app: Sphinx, env: BuildEnvironment) -> list[str]:
    """The pages with the list, if it is not what it was."""
    now = repr(sorted(env.weave_conjectures.items()))
    same = getattr(env, "weave_conjectures_listed", None) == now
    env.weave_conjectures_listed = now
    return [] if same else list(env.weave_conjecture_lists)


def setup(app: Sphinx) -> None:
    """Register the directive, and fill it in where a page is written."""
    app.add_node(conjectures)
    app.add_directive("conjectures", Conjectures)
    app.connect("env-updated", _outdated)
    app.connect("doctree-resolved", _fill)
