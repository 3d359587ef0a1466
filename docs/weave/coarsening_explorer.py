"""The explorer of coarsening: the results of a thread in, what is saved and how full the card is out.

Its arithmetic is `code/model`, as that of the other explorers. The registers of a step's variants stand
there first, as the compiler gave them; what was measured stands beside. Without scripts, and on paper, the
directive's content is there instead.
"""

from __future__ import annotations

import json
from typing import Any, ClassVar

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from book.coarsening import kernel_of
from book.documents import BookError
from book.quantities import Quantity, measured
from weave.context import Page, complain, page_of
from weave.explorer import explorer, load_on_pages_with, module_of, one_of
from weave.occupancy import card_of


class CoarseningExplorer(SphinxDirective):
    """Explore a step whose axes are the `side` of a block and the `factor` of a thread, down and across."""

    required_arguments = 1
    has_content = True
    option_spec: ClassVar = {
        "size": directives.positive_int,
        "side": one_of(16, 32),
        "factor": one_of(1, 2, 4, 8, 16),
    }

    def run(self) -> list[nodes.Node]:
        """Put the module, the card, registers and times into the page, and what stands in for them."""
        self.assert_has_content()
        still = self.parse_content_to_nodes()
        start = {"size": 4096, "side": 16, "factor": 1, **self.options}
        try:
            page = page_of(self.env)
            told = {"start": start, "card": card_of(page), **_variants_of(page, self.arguments[0])}
            module = module_of(self.env)
        except BookError as error:
            return [nodes.paragraph("", "", complain(self, error, "coarsening-explorer")), *still]
        return [explorer("", *still, kind="coarsening", data={"module": module, "told": json.dumps(told)})]


def _variants_of(page: Page, step: str) -> dict[str, Any]:
    """The registers of each variant, by `side x factor`, and what was measured, by these and the size."""
    registers, times = {}, {}
    for variant in page.library.descriptions(page.chapter).of(step):
        axes = [variant.parameters.get(name) for name in ("side", "factor")]
        name = "x".join(str(value) for axis in axes for value in axis or ())
        for run in variant.runs:
            if run.shape not in variant.measured:
                continue
            registers[name] = kernel_of(page.library, page.chapter, variant, run).registers
            if page.runs and not page.run.measurements.is_awaited(run.key):
                value = measured(Quantity(run.key, "rate"), page.run)
                times[f"{name}x{run.shape[0]}"] = value.text
    if not registers:
        raise BookError(f"{step} is not timed with a side and a factor")
    return {"registers": registers, "measured": times}


def setup(app: Sphinx) -> None:
    """Register the directive, and the files of the pages that have one."""
    app.add_directive("coarsening-explorer", CoarseningExplorer)
    load_on_pages_with(app, "coarsening", "coarsening.js")
