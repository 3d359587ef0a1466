"""Roles that work a prediction out: {roof}, what the card gives, and {computed}, arithmetic."""

from __future__ import annotations

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxRole

from book import roofs
from book.claims import Arithmetic, Data, Question, parse_arithmetic
from book.descriptions import Descriptions
from book.documents import BookError
from book.quantities import Value
from weave.context import complain, library_of, note_roofs, page_of
from weave.values import value_node


class RoofRole(SphinxRole):
    """What a part of the card gives: {roof}`dram-read`, {roof}`dram-latency access-cycles`."""

    def run(self) -> tuple[list[nodes.Node], list[nodes.system_message]]:
        """Fetch the value."""
        library = library_of(self.env)
        try:
            roof = roofs.Roof.parse(self.text)
            note_roofs(self.env, [Question("roof", roof)])
            value = roofs.measured(roof, library)
        except BookError as error:
            return [complain(self, error, self.text)], []
        return [
            value_node(value.text, "measured", f"a roof, measured on {roofs.card(library)}: {self.text}")
        ], []


class Computed(SphinxRole):
    """What arithmetic comes to: {computed}`[roof dram-read] / [roof multiprocessors] :: B/s`."""

    def run(self) -> tuple[list[nodes.Node], list[nodes.system_message]]:
        """Ask for the quantities and compute."""
        expression, separator, unit = (part.strip() for part in self.text.partition("::"))
        try:
            if not separator or not unit:
                raise BookError(f"'{self.text}' is not 'arithmetic :: unit'")
            arithmetic = parse_arithmetic(expression)
            note_roofs(self.env, arithmetic.questions)
            value = Value.of(arithmetic.number(self._data(arithmetic)), unit)
        except BookError as error:
            return [complain(self, error, self.text)], []
        return [value_node(value.text, "predicted", f"computed: {expression}")], []

    def _data(self, arithmetic: Arithmetic) -> Data:
        """The page's data; roofs alone need none of a chapter's."""
        library = library_of(self.env)
        if {question.witness for question in arithmetic.questions} == {"roof"}:
            return Data(None, Descriptions(library.build), roof=lambda roof: roofs.measured(roof, library))
        page = page_of(self.env)
        return page.data(library.published(page.chapter))


def setup(app: Sphinx) -> None:
    """Register the roles."""
    app.add_role("roof", RoofRole())
    app.add_role("computed", Computed())
