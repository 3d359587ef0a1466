"""The explorer of occupancy: what a block takes in, the blocks and warps that a multiprocessor holds out.

Its arithmetic is `code/model`, as that of the other explorers. Where a step is timed at several numbers of
warps, what was measured at as many stands beside. Without scripts, and on paper, the directive's content is
there instead.
"""

from __future__ import annotations

import json
from typing import Any, ClassVar

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from book.axes import find_sweep
from book.documents import BookError, MissingResultsError
from book.keys import Key
from book.quantities import Quantity, counted, measured
from weave.context import Page, complain, page_of
from weave.explorer import explorer, load_on_pages_with, module_of, one_of


class OccupancyExplorer(SphinxDirective):
    """Explore how many blocks a multiprocessor holds: ``{occupancy-explorer} STEP``, or without a step.

    What the step's launch takes stands there first, unless the options say otherwise.
    ``:measured: STEP AXIS QUANTITY`` names a step whose axis is the number of warps that a multiprocessor
    holds, and what of it stands beside.
    """

    optional_arguments = 1
    has_content = True
    option_spec: ClassVar = {
        "threads": one_of(*range(32, 1025, 32)),
        "registers": one_of(*range(16, 256)),
        "shared": one_of(*range(228)),
        "grid": directives.positive_int,
        "measured": directives.unchanged_required,
    }

    def run(self) -> list[nodes.Node]:
        """Put the module, the card and what was measured into the page, and what stands in for them."""
        self.assert_has_content()
        still = self.parse_content_to_nodes()
        start = {"threads": 256, "registers": 32, "shared": 0, "grid": 1024}
        try:
            page = page_of(self.env)
            for step in self.arguments:
                start |= _launch_of(page, step)
            start |= {name: value for name, value in self.options.items() if name in start}
            told: dict[str, Any] = {"start": start, "card": card_of(page)}
            module = module_of(self.env)
        except BookError as error:
            return [self._instead(error), *still]
        found: list[nodes.Node] = []
        try:
            if "measured" in self.options:
                told["measured"] = measured_at_warps(page, self.options["measured"])
        except BookError as error:
            found = [self._instead(error)]
        data = {"module": module, "told": json.dumps(told)}
        return [explorer("", *still, kind="occupancy", data=data), *found]

    def _instead(self, error: BookError) -> nodes.Node:
        return nodes.paragraph("", "", complain(self, error, "occupancy-explorer"))


def _launch_of(page: Page, step: str) -> dict[str, int]:
    """What a block of a step takes at the shape that the page counts it at."""
    key = Key(step, page.shape("counted"))

    def number(metric: str) -> int:
        return int(counted(Quantity(key, f"launch__{metric}"), page.counted).number)

    shared = number("shared_mem_per_block_static") + number("shared_mem_per_block_dynamic")
    return {
        "threads": number("block_size"),
        "registers": number("registers_per_thread"),
        "shared": -(-shared // 1024),
    }


def card_of(page: Page) -> dict[str, Any]:
    """The page's card as the model asks for it; before a chapter is published, the card of another one."""
    runs = [*page.runs, *filter(None, map(page.library.published, page.library.chapters()))]
    if not runs:
        raise MissingResultsError("no chapter is published yet")
    gpu = runs[0].gpu
    try:
        capability = int(str(gpu["compute_capability"]).replace(".", ""))
        return {
            "name": runs[0].short_name,
            "capability": capability,
            "multiprocessors": gpu["multiprocessors"],
        }
    except KeyError as error:
        raise BookError(f"{runs[0].path}: the card has no {error}") from None


def measured_at_warps(page: Page, asked: str) -> list[tuple[int, float, str]]:
    """What STEP AXIS QUANTITY was at each number of warps: as a number, and as the book prints it.

    Raises:
        BookError: it is not three words, or the step has no such axis or is timed at no shape.
        MissingResultsError: it is not measured yet.

    """
    try:
        step, axis, quantity = asked.split()
    except ValueError:
        raise BookError(f"'{asked}' is not STEP AXIS QUANTITY") from None
    points = []
    for variant in find_sweep(page.library, page.chapter, step, axis).variants:
        if not variant.measured:
            raise BookError(f"{step} is not timed")
        key = Key(step, variant.measured[0], variant.parameters)
        value = measured(Quantity(key, quantity), page.run)
        points.append(((variant.parameters.get(axis) or (0,))[0], value.number, value.text))
    return sorted(points)


def setup(app: Sphinx) -> None:
    """Register the directive, and the files of the pages that have one."""
    app.add_directive("occupancy-explorer", OccupancyExplorer)
    load_on_pages_with(app, "occupancy", "occupancy.js")
