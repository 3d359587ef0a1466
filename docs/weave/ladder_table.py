"""The chapter's ladder: every step in one table."""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from book import quantities
from book.documents import BookError
from book.emulation import Counted
from book.format import times
from book.quantities import Value
from book.results import Results, Shape, shape_text
from weave.card import THEIRS, mark
from weave.context import Page, complain, page_of
from weave.files import link_to_file
from weave.stale import stale_notice
from weave.tables import NOTHING, Cell, make_table
from weave.witnesses import Traffic

SECTORS = ("load-sectors", "store-sectors")
WAVEFRONTS = ("shared-load-wavefronts", "shared-store-wavefronts")


class Ladder(SphinxDirective):
    """All steps, or the named ones, by what was predicted, counted and timed."""

    option_spec: ClassVar = {
        "steps": directives.unchanged_required,
        "measured": directives.unchanged_required,
        "counted": directives.unchanged_required,
    }

    def run(self) -> list[nodes.Node]:
        """Build the table, and under it the notice of steps that have changed."""
        try:
            page = page_of(self.env)
            rungs = _rungs(self.options.get("steps", " ".join(page.step_files())))
            measured = page.shape("measured", self.options.get("measured"))
            counted = page.shape("counted", self.options.get("counted"))
            rows = [self._row(page, step, chosen, measured, counted) for step, chosen in rungs]
            rows = [row for row in rows if row]
            ceiling, peer = page.default("ceiling"), page.default("peer")
            header = [
                "step",
                "sectors, predicted",
                "sectors, counted",
                "wavefronts, counted",
                "time",
                page.published.rated_by,
            ]
            header += [f"of {ceiling}", f"over {peer}"]
            header += [f"yours: {own.gpu_name}, of {ceiling}" for own in page.library.own(page.chapter)]
            caption = f"Every step of the chapter on {page.published.gpu_name}: timed at {times(measured)}, "
            caption += f"counted by the emulator at {times(counted)}; = marks where {THEIRS} says the same."
            return [make_table(header, rows, caption), *stale_notice(page, [step for step, _ in rungs])]
        except BookError as error:
            return [nodes.paragraph("", "", complain(self, error, "ladder"))]

    def _row(self, page: Page, step: str, chosen: str, measured: Shape, counted: Shape) -> list[Cell] | None:
        link = link_to_file(self.env, page.step_file(step), f"{step}{chosen}")
        descriptions = page.library.descriptions(page.chapter)
        shape = shape_text(measured)
        published = page.published

        def time(relation: str, quantity: str = published.rated_by, results: Results = published) -> str:
            return quantities.measured(f"{step} {quantity} {shape}{chosen}{relation}", results).text

        described = [variant for variant in descriptions.variants if variant.step == step]
        if described and not any(measured in variant.measured for variant in described):
            return None
        row: list[Cell] = [
            [link],
            _total(
                SECTORS,
                lambda name: quantities.predicted(
                    f"{step} {name} {shape_text(counted)}{chosen}", descriptions
                ),
            ),
            _counted(page, f"{step} {{}} {shape_text(counted)}{chosen}", SECTORS),
            _counted(page, f"{step} {{}} {shape_text(counted)}{chosen}", WAVEFRONTS),
            time("", "time"),
            time(""),
            time(f" of {page.default('ceiling')}"),
            time(f" over {page.default('peer')}"),
        ]
        for own in page.library.own(page.chapter):
            try:
                row.append(time(f" of {page.default('ceiling')}", results=own))
            except BookError:
                row.append(NOTHING)
        return row


def _rungs(text: str) -> list[tuple[str, str]]:
    """Steps, each with the parameters of the variant that is meant: ` block=256`, or nothing."""
    rungs: list[tuple[str, str]] = []
    for word in text.split():
        if "=" in word and rungs:
            rungs[-1] = (rungs[-1][0], f"{rungs[-1][1]} {word}")
        else:
            rungs.append((word, ""))
    return rungs


def _total(names: tuple[str, ...], evaluate: Callable[[str], Value]) -> str:
    """The sum over loads and stores; a dash for what runs no kernel of ours."""
    total = _sum(names, evaluate)
    return NOTHING if total is None else Value.of(total, "count").text


def _sum(names: tuple[str, ...], evaluate: Callable[[str], Value]) -> float | None:
    try:
        return sum(evaluate(name).number for name in names)
    except BookError:
        return None


def _counted(page: Page, quantity: str, names: tuple[str, ...]) -> Cell:
    """The sum that the emulator counted, and whether Nsight Compute's is the same.

    In the quantity, braces stand for the counter's name.
    """

    def total(counters: Results | Counted) -> float | None:
        return _sum(names, lambda name: quantities.counted(quantity.format(name), counters))

    ours, theirs = total(page.counted), total(page.published)
    if ours is None:
        return NOTHING
    sign = [] if theirs is None else mark(Traffic(theirs, None), Traffic(ours, None), THEIRS)
    return [nodes.Text(Value.of(ours, "count").text), *sign]


def setup(app: Sphinx) -> None:
    """Register the directive."""
    app.add_directive("ladder", Ladder)
