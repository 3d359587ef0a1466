"""The role {textbook}: a number of source 003's DRAM, as `code/model` computes it."""

from __future__ import annotations

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxRole

from book import model, textbook
from book.documents import BookError
from weave.context import complain, library_of
from weave.values import value_node


class TextbookRole(SphinxRole):
    """What the textbook's model says: {textbook}`share banks=2`."""

    def run(self) -> tuple[list[nodes.Node], list[nodes.system_message]]:
        """Ask the program; the page is read again when it changes."""
        library = library_of(self.env)
        try:
            value = textbook.number(library, self.text)
        except BookError as error:
            return [complain(self, error, self.text)], []
        self.env.note_dependency(str(model.program(library)))
        return [value_node(value.text, "predicted", f"computed by code/model: {self.text}")], []


def setup(app: Sphinx) -> None:
    """Register the role."""
    app.add_role("textbook", TextbookRole())
