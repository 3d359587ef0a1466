"""The role {roof}: what a part of the card gives, from which predictions are worked out."""

from __future__ import annotations

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxRole

from book import roofs
from book.documents import BookError
from weave.context import complain, library_of
from weave.values import value_node


class RoofRole(SphinxRole):
    """What the published card gives: {roof}`dram-read`, {roof}`dram-latency access-cycles`."""

    def run(self) -> tuple[list[nodes.Node], list[nodes.system_message]]:
        """Fetch the value; the page is made of the roof's chapter from then on, and need have none itself."""
        library = library_of(self.env)
        try:
            roof = roofs.Roof.parse(self.text)
            made_of = self.env.weave_chapters.setdefault(self.env.docname, set())
            made_of.update({roofs.chapter_of(roof, library)} - {None})
            value = roofs.measured(roof, library)
        except BookError as error:
            return [complain(self, error, self.text)], []
        return [
            value_node(value.text, "measured", f"a roof, measured on {roofs.card(library)}: {self.text}")
        ], []


def setup(app: Sphinx) -> None:
    """Register the role."""
    app.add_role("roof", RoofRole())
