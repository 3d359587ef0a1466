"""The card that opens a step: its idea, what to predict, what was counted, how long it took."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from figures import quantities
from figures.documents import BookError
from figures.format import grouped
from figures.library import SourceRow
from figures.quantities import Value
from figures.results import Measurement, Parameters, Results, Shape, shape_text
from weave.bars import Bar, bar_rows
from weave.context import Page, complain, page_of
from weave.differences import link_to_difference
from weave.files import link_to_file, link_to_results
from weave.folds import make_fold
from weave.stale import stale_notice
from weave.tables import NOTHING, make_table, times
from weave.tags import idea_of
from weave.values import value_node

QUESTION = "How many sectors will a request of one warp touch, and how many wavefronts?"

WITNESSED = {
    "load-sectors": ("load sectors", "per request"),
    "store-sectors": ("store sectors", "per request"),
    "shared-load-wavefronts": ("shared load wavefronts", "per request"),
    "shared-store-wavefronts": ("shared store wavefronts", "per request"),
}
"""What the predict and count columns hold, and what each is divided by."""


@dataclass(frozen=True)
class Witnesses:
    """What is known of one variant of a step."""

    page: Page
    step: str
    measured: Shape
    counted: Shape
    parameters: Parameters = field(default_factory=dict)

    def name(self, quantity: str, shape: Shape) -> str:
        """The quantity as the grammar writes it."""
        words = [f"{key}={shape_text(value)}" for key, value in self.parameters.items()]
        return " ".join([self.step, quantity, shape_text(shape), *words])

    def prediction(self, quantity: str) -> Value | None:
        """A predicted value; None where the step predicts nothing or makes no such request."""
        descriptions = self.page.library.descriptions(self.page.chapter)
        variants = [variant for variant in descriptions.variants if variant.step == self.step]
        if variants and not any(variant.predicted for variant in variants):
            return None
        text = self.name(quantity, self.counted)
        if _is_zero(quantity, lambda name: quantities.predicted(self.name(name, self.counted), descriptions)):
            return None
        return quantities.predicted(text, descriptions)

    def count(self, quantity: str) -> Value | None:
        """A counted value; None where the step is not counted or makes no such request."""
        results = self.page.published
        descriptions = self.page.library.descriptions(self.page.chapter)
        variants = [variant for variant in descriptions.variants if variant.step == self.step]
        if variants and not any(variant.counted for variant in variants):
            return None
        text = self.name(quantity, self.counted)
        if _is_zero(quantity, lambda name: quantities.counted(self.name(name, self.counted), results)):
            return None
        return quantities.counted(text, results)

    def measurement(self, results: Results) -> Measurement:
        """The measurement of this variant in a run."""
        return results.measurement(self.step, self.measured, self.parameters)


def _is_zero(quantity: str, evaluate: object) -> bool:
    base = quantity.removesuffix("-per-request")
    return evaluate(base).number == 0


def witness_table(witnesses: Witnesses) -> nodes.Node:
    """Predicted and counted values side by side, marked where they are equal."""
    rows = []
    for quantity, (label, per) in WITNESSED.items():
        prediction, count = witnesses.prediction(quantity), witnesses.count(quantity)
        if prediction is None and count is None:
            continue
        cells = [
            [nodes.Text(label)],
            _cell(witnesses.prediction, quantity, per),
            _cell(witnesses.count, quantity, per),
        ]
        if prediction is not None and count is not None:
            equal = prediction.number == count.number
            words = "the prediction, exactly" if equal else "not the prediction"
            mark = nodes.abbreviation("", "=" if equal else "≠", explanation=words)
            mark["classes"] = ["equal" if equal else "unequal"]
            cells[2] += [nodes.Text(" "), mark]
        rows.append(cells)
    registers = _registers(witnesses)
    if registers:
        rows.append([[nodes.Text("registers per thread")], NOTHING, registers])
    if not rows:
        return nodes.paragraph("", "Nothing is predicted or counted here: no kernel of ours runs.")
    header = [[nodes.inline("", "per launch", classes=["visually-hidden"])], "predict", "count"]
    return make_table(header, rows)


def _registers(witnesses: Witnesses) -> str | None:
    try:
        entry = witnesses.page.published.counter(witnesses.step, witnesses.counted, witnesses.parameters)
    except BookError:
        return None
    value = entry.metrics.get(quantities.METRICS["registers"])
    return None if value is None else grouped(value)


def _cell(evaluate: object, quantity: str, per: str) -> list[nodes.Node]:
    total, average = evaluate(quantity), None
    if total is None:
        return [nodes.Text(NOTHING)]
    try:
        average = evaluate(f"{quantity}-per-request")
    except BookError:  # a wavefront's requests are not counted everywhere
        return [nodes.strong(text=total.text)]
    return [
        nodes.strong(text=average.text),
        nodes.inline("", f" {per}, {total.text} in all", classes=["small"]),
    ]


def share_bars(witnesses: Witnesses, before: str | None) -> list[Bar]:
    """The step's share of the ceiling in the published run, in the reader's, and in the sources."""
    page = witnesses.page
    ceiling = page.default("ceiling")
    bars = []
    for kind, results in [
        ("published", page.published),
        *(("own", own) for own in page.library.own(page.chapter)),
    ]:
        try:
            share = _share(results, witnesses.measurement(results), ceiling)
        except BookError:
            if kind == "published":
                raise
            continue
        ghost = _ghost(results, before, witnesses.measured, ceiling)
        words = f"{Value.of(share, 'share').text} of {ceiling}"
        if ghost is not None:
            words += f" ({before}: {Value.of(ghost, 'share').text})"
        label = results.gpu_name if kind == "published" else f"yours: {results.gpu_name}"
        bars.append(Bar(label, share, words, kind, ghost))
    return bars + [bar for row in page.library.sources(page.chapter) if (bar := _source_bar(witnesses, row))]


def _share(results: Results, entry: Measurement, ceiling: str) -> float:
    return entry.bandwidth / results.measurement(ceiling, entry.shape).bandwidth


def _ghost(results: Results, before: str | None, shape: Shape, ceiling: str) -> float | None:
    if before is None:
        return None
    try:
        return _share(results, results.measurement(before, shape), ceiling)
    except BookError:
        return None


def _source_bar(witnesses: Witnesses, row: SourceRow) -> Bar | None:
    """A source's bandwidth as a share of its own copy, on its own card."""
    page = witnesses.page
    if row.step != witnesses.step or row.quantity != "bandwidth" or row.value is None:
        return None
    baseline = page.front_matter.get("baseline")
    copies = [
        other.value
        for other in page.library.sources(page.chapter)
        if (other.source, other.card, other.shape, other.quantity, other.step)
        == (row.source, row.card, row.shape, "bandwidth", baseline)
        and other.value
    ]
    if not copies or row.step == baseline:
        return None
    share = row.value / copies[0]
    text = quantities.published(_source_name(row), page.library.sources(page.chapter)).text
    words = f"{Value.of(share, 'share').text} of its copy, {text}"
    return Bar(f"source {row.source}: {row.card}", share, words, "source")


def _source_name(row: SourceRow) -> str:
    parameters = [f"{key}={shape_text(value)}" for key, value in row.parameters.items()]
    card = row.card.replace(" ", "")
    return " ".join([row.source, row.step, row.quantity, shape_text(row.shape), *parameters, f"card={card}"])


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
            return [self._card()]
        except BookError as error:
            complain(self, error)
            return [nodes.paragraph("", f"[{self.arguments[0]}: {error}]", classes=["missing"])]

    def _card(self) -> nodes.Element:
        page, step = page_of(self.env), self.arguments[0]
        path = page.step_file(step)
        before = self._before(page, step)
        witnesses = Witnesses(
            page,
            step,
            page.shape("measured", self.options.get("measured")),
            page.shape("counted", self.options.get("counted")),
            _parameters(self.options.get("parameters", "")),
        )
        card = nodes.container(classes=["card"], ids=[f"card-{step}"])
        head = nodes.container(classes=["card-head"])
        head += nodes.paragraph("", idea_of(path), classes=["card-idea"])
        links = nodes.paragraph("", "", link_to_file(self.env, path), classes=["card-links"])
        if before:
            link = link_to_difference(self.env, page.step_file(before), path)
            links += [nodes.Text(" · "), link, nodes.Text(f" to {before}")]
        links += [nodes.Text(" · "), link_to_results(self.env, page.published.path, "results")]
        head += links
        card += head
        body = nodes.container(classes=["card-body"])
        body += self._facts(witnesses)
        body += _clock(witnesses)
        card += body
        card += bar_rows(share_bars(witnesses, before))
        card += stale_notice(page, [step])
        return card

    def _before(self, page: Page, step: str) -> str | None:
        if "before" in self.options:
            page.step_file(self.options["before"])
            return self.options["before"]
        steps = list(page.step_files())
        index = steps.index(step)
        return steps[index - 1] if index else None

    def _facts(self, witnesses: Witnesses) -> nodes.Node:
        facts = nodes.container(classes=["card-facts"])
        facts += nodes.paragraph("", "", *_heads("predict", "count"), classes=["card-heads"])
        question = self.parse_content_to_nodes() if self.content else [nodes.paragraph("", QUESTION)]
        facts += nodes.container("", *question, classes=["card-question"])
        shape = times(witnesses.counted)
        summary = [nodes.Text("Predict, then look")]
        facts += make_fold(
            summary,
            [witness_table(witnesses), nodes.paragraph("", f"One launch at {shape}.", classes=["small"])],
        )
        return facts


def _heads(*words: str) -> list[nodes.Node]:
    return [nodes.inline("", word, classes=["witness", word]) for word in words]


def _clock(witnesses: Witnesses) -> nodes.Node:
    page = witnesses.page
    results = page.published
    entry = witnesses.measurement(results)
    shape = times(witnesses.measured)
    clock = nodes.container(classes=["card-time"])
    clock += nodes.paragraph("", "", *_heads("time"), classes=["card-heads"])
    for quantity in ("bandwidth", "time"):
        name = witnesses.name(quantity, witnesses.measured)
        value = quantities.measured(name, results)
        clock += nodes.paragraph(
            "",
            "",
            value_node(value.text, "measured", f"measured on {results.gpu_name}: {name}"),
            classes=[f"card-{quantity}"],
        )
    spread = f"{Value.of(entry.low, 's').text} to {Value.of(entry.high, 's').text}"
    words = f"{shape}, median of {grouped(entry.samples)} cold runs; nine in ten took {spread}"
    clock += nodes.paragraph("", words, classes=["small"])
    return clock


def _parameters(text: str) -> Parameters:
    words = [word.partition("=") for word in text.split()]
    return {key: tuple(int(part) for part in value.split("x")) for key, _, value in words}


def setup(app: Sphinx) -> None:
    """Register the directive."""
    app.add_directive("card", Card)
