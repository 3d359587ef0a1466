"""The explorer of the textbook's DRAM: R, banks, channels, a placement and a stride in, timelines out.

Its arithmetic is `code/model`, as that of the other explorers. Without scripts, and on paper, the directive's
content is there instead.
"""

from __future__ import annotations

from typing import ClassVar

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from book.documents import BookError
from weave.context import complain
from weave.explorer import explorer, load_on_pages_with, module_of, one_of


class DramExplorer(SphinxDirective):
    """Explore what fills the buses of a DRAM; the options say what stands there first."""

    has_content = True
    option_spec: ClassVar = {
        "latency": one_of(*range(41)),
        "banks": one_of(*range(1, 33)),
        "channels": one_of(*range(1, 9)),
        "burst": one_of(2, 4, 8, 16),
        "stride": one_of(*range(1, 65)),
    }

    def run(self) -> list[nodes.Node]:
        """Put the module and the pictures that stand in for it into the page."""
        self.assert_has_content()
        still = self.parse_content_to_nodes()
        try:
            module = module_of(self.env)
        except BookError as error:
            return [nodes.paragraph("", "", complain(self, error, "dram-explorer")), *still]
        start = {"latency": 20, "banks": 2, "channels": 4, "burst": 2, "stride": 1, **self.options}
        return [explorer("", *still, kind="dram", data={"module": module, **start})]


def setup(app: Sphinx) -> None:
    """Register the directive, and the files of the pages that have one."""
    app.add_directive("dram-explorer", DramExplorer)
    load_on_pages_with(app, "dram", "dram.js")
