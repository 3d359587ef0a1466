"""The explorer of address bits: the bits in which two lines of a page differ in, what conflicts share out.

The parities are those that published pairs in conflict have in common, as the chapter's figure has them; the
arithmetic is `code/model`, as that of the other explorers. Without scripts, and on paper, the directive's
content is there instead.
"""

from __future__ import annotations

import json
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from book import halves, quantities
from book.conflicts import LINE_BYTES, bias_of_each, halves_of_l2, independent
from book.documents import BookError, MissingResultsError
from book.library import Library
from book.results import Results
from weave.context import Page, complain, page_of
from weave.explorer import explorer, load_on_pages_with, module_of


class BitsExplorer(SphinxDirective):
    """Explore pairs of lines; ``{bits-explorer} STEP SERIES SHAPE AXIS=VALUE`` names those in conflict."""

    required_arguments = 1
    final_argument_whitespace = True
    has_content = True

    def run(self) -> list[nodes.Node]:
        """Put the module, each card's parities and the pictures that stand in for both into the page."""
        self.assert_has_content()
        still = self.parse_content_to_nodes()
        try:
            cards = cards_of(page_of(self.env), self.arguments[0])
            module = module_of(self.env)
        except MissingResultsError as error:
            return [nodes.paragraph("", "", complain(self, error, "bits-explorer")), *still]
        except BookError as error:
            return [nodes.paragraph("", "", complain(self, error, "bits-explorer"))]
        return [explorer("", *still, kind="bits", data={"module": module, "cards": json.dumps(cards)})]


def cards_of(page: Page, series: str) -> list[dict[str, Any]]:
    """What is known of the first card of each kind; MissingResultsError if nothing is published."""
    asked = quantities.parse(series)
    page.made_of.add(halves.CHAPTER)
    found = []
    for results in page.library.all_published(page.chapter):
        try:
            entry = results.measurements.find(asked.key)
        except MissingResultsError:
            continue
        if asked.name not in entry.series:
            raise BookError(f"{asked.key.step} reports no series {asked.name}")
        if not results.is_another:
            found.append(_card(page.library, results, entry.series[asked.name].values))
    if not found:
        raise MissingResultsError(f"'{series}': no card's results are published")
    return found


def _card(library: Library, results: Results, differences: list[int]) -> dict[str, Any]:
    """A card: how many pairs are in conflict, one of them, what all share, and what decides about halves."""
    biases = bias_of_each(differences)
    return {
        "name": results.short_name,
        "conflicts": len(differences),
        "first": differences[0],
        "parities": [[mask * LINE_BYTES, int(biases[mask] < 0)] for mask in independent(biases)],
        "halves": halves_of_l2(library, results),
    }


def setup(app: Sphinx) -> None:
    """Register the directive, and the files of the pages that have one."""
    app.add_directive("bits-explorer", BitsExplorer)
    load_on_pages_with(app, "bits", "bits.js")
