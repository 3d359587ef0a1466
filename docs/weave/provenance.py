"""Where a chapter's numbers come from: the run's card, software and settings, published and the reader's."""

from __future__ import annotations

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from book.documents import BookError
from weave.context import complain, page_of
from weave.files import link_to_results
from weave.run_facts import facts
from weave.tables import NOTHING, Cell, make_table


class Provenance(SphinxDirective):
    """A table of the published run and of the reader's own: ``{provenance}``."""

    def run(self) -> list[nodes.Node]:
        """Build the table: a row for each thing that the results say of their run."""
        try:
            page = page_of(self.env)
            runs = [page.run, *page.runs[1:]]
        except BookError as error:
            return [nodes.paragraph("", "", complain(self, error, "provenance"))]
        told = [dict(facts({"gpu": {**run.gpu, "cards": run.cards}, **run.provenance})) for run in runs]
        keys = dict.fromkeys(key for fact in told for key in fact)
        rows: list[list[Cell]] = [[key, *(fact.get(key, NOTHING) for fact in told)] for key in keys]
        links = [[link_to_results(self.env, run.path, run.path.name)] for run in runs]
        rows.append(["raw results", *links])
        header = ["", *(run.label if run.is_own else f"published: {run.label}" for run in runs)]
        table = make_table([[nodes.inline("", "what", classes=["visually-hidden"])], *header[1:]], rows)
        table["classes"].append("provenance")
        return [table]


def setup(app: Sphinx) -> None:
    """Register the directive."""
    app.add_directive("provenance", Provenance)
