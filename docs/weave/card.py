"""The card that opens a step: its idea, what to predict, what was counted, how long it took."""

from __future__ import annotations

from typing import ClassVar

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from figures import quantities
from figures.documents import BookError, MissingResultsError
from figures.format import grouped
from figures.quantities import METRICS, Value
from figures.results import Parameters
from weave.bars import bar_rows
from weave.context import Page, complain, page_of
from weave.differences import link_to_difference
from weave.files import link_to_file, link_to_results
from weave.folds import make_fold
from weave.shares import share_bars
from weave.stale import stale_notice
from weave.tables import NOTHING, Cell, make_table, times
from weave.tags import idea_of
from weave.values import value_node
from weave.witnesses import WITNESSED, Traffic, Witnesses, traffic

QUESTION = "How many sectors does a request of one warp touch, and how many wavefronts does it take?"
NO_KERNEL = "Nothing to predict or count: no kernel of the book runs here."


class Card(SphinxDirective):
    """Open a step: ``{card} padded``; the content is the question above the fold."""

    required_arguments = 1
    has_content = True
    option_spec: ClassVar = {
        "before": directives.unchanged_required,
        "measured": directives.unchanged_required,
        "counted": directives.unchanged_required,
        "parameters": directives.unchanged_required,
    }

    def run(self) -> list[nodes.Node]:
        """Build the card."""
        try:
            return [self._card(page_of(self.env), self.arguments[0])]
        except BookError as error:
            return [nodes.paragraph("", "", complain(self, error, self.arguments[0]))]

    def _card(self, page: Page, step: str) -> nodes.Element:
        page.step_file(step)
        before = self._before(page, step)
        witnesses = Witnesses(
            page,
            step,
            page.shape("measured", self.options.get("measured")),
            page.shape("counted", self.options.get("counted")),
            _parameters(self.options.get("parameters", "")),
        )
        card = nodes.container(classes=["card"], ids=[f"card-{step}"])
        body = nodes.container("", self._facts(witnesses), self._clock(witnesses), classes=["card-body"])
        card += [self._head(page, step, before), body]
        if page.is_published:
            card += [bar_rows(share_bars(witnesses, before)), *stale_notice(page, [step])]
        return card

    def _before(self, page: Page, step: str) -> str | None:
        if "before" in self.options:
            page.step_file(self.options["before"])
            return self.options["before"]
        steps = list(page.step_files())
        index = steps.index(step)
        return steps[index - 1] if index else None

    def _head(self, page: Page, step: str, before: str | None) -> nodes.Node:
        path = page.step_file(step)
        links = nodes.paragraph("", "", link_to_file(self.env, path), classes=["card-links"])
        if before:
            link = link_to_difference(self.env, page.step_file(before), path, f"difference to {before}")
            links += [nodes.Text(" · "), link]
        if page.is_published:
            links += [nodes.Text(" · "), link_to_results(self.env, page.published.path, "raw results")]
        idea = nodes.paragraph("", idea_of(path), classes=["card-idea"])
        return nodes.container("", idea, links, classes=["card-head"])

    def _facts(self, witnesses: Witnesses) -> nodes.Node:
        heads = _heads(f"1 launch, {times(witnesses.counted)}", "predict", "count")
        rows = _fact_rows(witnesses)
        if not rows:
            return nodes.container("", heads, nodes.paragraph("", NO_KERNEL), classes=["card-facts"])
        asked = self.parse_content_to_nodes() if self.content else [nodes.paragraph("", QUESTION)]
        question = nodes.container("", *asked, classes=["card-question"])
        table = make_table([_hidden("per launch"), "predict", "count"], rows)
        fold = make_fold([nodes.Text("Predict, then look")], [table])
        return nodes.container("", heads, question, fold, classes=["card-facts"])

    def _clock(self, witnesses: Witnesses) -> nodes.Node:
        clock = nodes.container("", _heads("time", times(witnesses.measured)), classes=["card-time"])
        try:
            results = witnesses.page.published
        except MissingResultsError as error:
            clock += nodes.paragraph("", "", complain(self, error, "time"))
            return clock
        entry = witnesses.measurement(results)
        for quantity in ("bandwidth", "time"):
            name = witnesses.name(quantity)
            value = quantities.measured(name, results)
            node = value_node(value.text, "measured", f"measured on {results.gpu_name}: {name}")
            clock += nodes.paragraph("", "", node, classes=[f"clock-{quantity}"])
        spread = f"{Value.of(entry.low, 's').text} to {Value.of(entry.high, 's').text}"
        words = f"median of {grouped(entry.samples)} cold runs; nine in ten took {spread}"
        clock += nodes.paragraph("", words, classes=["small"])
        return clock


def _fact_rows(witnesses: Witnesses) -> list[list[Cell]]:
    """Predicted and counted traffic side by side, marked where they are equal."""
    prediction, count = witnesses.prediction(), witnesses.count()
    rows: list[list[Cell]] = []
    for quantity, label in WITNESSED.items():
        predicted, counted = traffic(prediction, quantity), traffic(count, quantity)
        if predicted or counted:
            mark = _mark(predicted.total == counted.total) if predicted and counted else []
            rows.append([label, _cell(predicted, []), _cell(counted, mark)])
    registers = (count or {}).get(METRICS["registers"])
    if registers is not None:
        rows.append(["registers per thread", NOTHING, [nodes.strong(text=grouped(registers))]])
    return rows


def _cell(found: Traffic | None, mark: list[nodes.Node]) -> Cell:
    if found is None:
        return NOTHING
    total = nodes.inline("", f"{found.total_text} in all", classes=["small", "block"])
    return [nodes.strong(text=found.per_request_text or NOTHING), *mark, nodes.Text(" "), total]


def _mark(equal: bool) -> list[nodes.Node]:
    words = "the prediction, exactly" if equal else "not the prediction"
    mark = nodes.abbreviation("", "=" if equal else "≠", explanation=words)
    mark["classes"] = ["equal" if equal else "unequal"]
    return [nodes.Text(" "), mark]


def _heads(*words: str) -> nodes.paragraph:
    heads = nodes.paragraph("", "", classes=["card-heads"])
    for word in words:
        witness = word in ("predict", "count", "time")
        heads += nodes.inline("", word, classes=["witness", word] if witness else ["small"])
        heads += nodes.Text(" ")
    return heads


def _hidden(words: str) -> Cell:
    return [nodes.inline("", words, classes=["visually-hidden"])]


def _parameters(text: str) -> Parameters:
    try:
        pairs = (word.split("=") for word in text.split())
        return {key: tuple(int(part) for part in value.split("x")) for key, value in pairs}
    except ValueError as error:
        raise BookError(f"'{text}' are no parameters such as block=32x8") from error


def setup(app: Sphinx) -> None:
    """Register the directive."""
    app.add_directive("card", Card)
