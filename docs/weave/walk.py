"""The explorer of the memory hierarchy: a walk's working set and stride in, its level and latency out.

Its latencies are those that a step measured, and its counts come from `code/model`, as those of the other
explorer do. Without scripts, and on paper, the directive's content is there instead.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from math import log2
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from book.documents import BookError, MissingResultsError
from book.keys import Key
from book.quantities import Quantity, measured
from weave.context import Page, complain, page_of
from weave.explorer import explorer, load_on_pages_with, module_of

_SAME = 1.02
"""Latencies of one level differ by less than this factor."""

Points = Sequence[tuple[float, float]]
"""The logarithm of a size in bytes, and the cycles of a load."""


class WalkExplorer(SphinxDirective):
    """Explore how far away the words of a walk are: ``{walk-explorer} STEP QUANTITY``, by its sizes."""

    required_arguments = 2
    has_content = True

    def run(self) -> list[nodes.Node]:
        """Put the module, what was measured and the pictures that stand in for both into the page."""
        self.assert_has_content()
        still = self.parse_content_to_nodes()
        try:
            page = page_of(self.env)
            points = staircase(page, *self.arguments)
            told = json.dumps({"points": points, "levels": _levels(page, points)})
            module = module_of(self.env)
        except MissingResultsError as error:
            return [nodes.paragraph("", "", complain(self, error, "walk-explorer")), *still]
        except BookError as error:
            return [nodes.paragraph("", "", complain(self, error, "walk-explorer"))]
        return [explorer("", *still, kind="walk", data={"module": module, "measured": told})]


def staircase(page: Page, step: str, quantity: str) -> list[tuple[float, float]]:
    """What a step measured at each of its sizes; BookError if it is not timed at several."""
    default = next((one for one in page.library.descriptions(page.chapter).of(step) if one.is_default), None)
    if default is None or len(default.measured) < 3:
        raise BookError(f"{step} is not timed at several sizes")
    shapes = sorted(default.measured)
    keys = [Key(step, shape, default.parameters) for shape in shapes]
    values = [measured(Quantity(key, quantity), page.run).number for key in keys]
    return [(round(log2(shape[0]), 3), round(value, 1)) for shape, value in zip(shapes, values, strict=True)]


def _levels(page: Page, points: Points) -> list[dict[str, Any]]:
    """Each level: the logarithm of the bytes that it holds, and what a load takes that it answers."""
    nearest = points[0][1]
    l1 = max(size for size, value in points if value < _SAME * nearest)
    l2 = round(log2(page.run.gpu["l2_bytes"]), 3)
    between = [value for size, value in points if l1 < size <= l2]
    if not between:
        raise BookError("no size lies between those that fill the L1 and the L2")
    return [
        {"name": "L1", "most": l1, "cycles": nearest},
        {"name": "L2", "most": l2, "cycles": sorted(between)[len(between) // 2]},
        {"name": "DRAM", "most": points[-1][0], "cycles": points[-1][1]},
    ]


def setup(app: Sphinx) -> None:
    """Register the directive, and the files of the pages that have one."""
    app.add_directive("walk-explorer", WalkExplorer)
    load_on_pages_with(app, "walk", "walk.js")
