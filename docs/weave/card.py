"""The card that opens a step: its idea, what to predict, what was counted, how long it took."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from book.documents import BookError, MissingResultsError
from book.format import grouped, times
from book.keys import Parameters
from book.metrics import L1, METRICS, PER_REQUEST, known_counts
from book.quantities import Quantity, Value, rated_text
from weave.bars import bar_rows
from weave.context import Page, complain, page_of
from weave.differences import link_to_difference
from weave.files import link_to_file, link_to_results
from weave.folds import make_fold
from weave.shares import share_bars
from weave.stale import stale_notice
from weave.tables import NOTHING, Cell, make_table
from weave.tags import idea_of
from weave.values import value_node
from weave.witnesses import Traffic, Witnesses, traffic

QUESTION = "How many sectors does a request of one warp touch, and how many wavefronts does it take?"
THEIRS = "Nsight Compute"
_RUNS = {"cold": "cold runs", "warm": "runs with a warm L2", "kept": "runs, one after the other"}
"""What the runs were, by what the L2 held before each."""
NO_KERNEL = "Nothing to predict or count: no kernel of the book runs here."


class Card(SphinxDirective):
    """Open a step: ``{card} padded``; the content is the question above the fold."""

    required_arguments = 1
    has_content = True
    option_spec: ClassVar = {
        "bars": directives.unchanged_required,
        "before": directives.unchanged_required,
        "measured": directives.unchanged_required,
        "counted": directives.unchanged_required,
        "counts": directives.unchanged_required,
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
            Parameters.parse(self.options.get("parameters", "").split()),
        )
        card = nodes.container(classes=["card"], ids=[f"card-{step}"])
        body = nodes.container("", self._facts(witnesses), self._clock(witnesses), classes=["card-body"])
        card += [self._head(page, step, before), body]
        if page.runs:
            whole = self.options.get("bars", page.bars)
            bars = share_bars(witnesses, before, whole) if whole else []
            card += [bar_rows(bars)] if bars else []
            card += stale_notice(page, [step])
        return card

    def _before(self, page: Page, step: str) -> str | None:
        if "before" in self.options:
            page.step_file(self.options["before"])
            return self.options["before"]
        steps = list(page.step_files())
        index = steps.index(step) if step in steps else 0
        return steps[index - 1] if index else None

    def _head(self, page: Page, step: str, before: str | None) -> nodes.Node:
        path = page.step_file(step)
        links = nodes.paragraph("", "", link_to_file(self.env, path), classes=["card-links"])
        if before:
            link = link_to_difference(self.env, page.step_file(before), path, f"difference to {before}")
            links += [nodes.Text(" · "), link]
        if page.runs:
            links += [nodes.Text(" · "), link_to_results(self.env, page.run.path, "raw results")]
        idea = nodes.paragraph("", idea_of(path), classes=["card-idea"])
        return nodes.container("", idea, links, classes=["card-head"])

    def _facts(self, witnesses: Witnesses) -> nodes.Node:
        heads = _heads(f"1 launch, {times(witnesses.counted)}", "predict", "count", THEIRS)
        usual = witnesses.page.library.counts(witnesses.page.chapter)
        rows = _fact_rows(witnesses, (*usual, *known_counts(self.options.get("counts", ""))))
        if not rows:
            return nodes.container("", heads, nodes.paragraph("", NO_KERNEL), classes=["card-facts"])
        asked = self.parse_content_to_nodes() if self.content else [nodes.paragraph("", QUESTION)]
        question = nodes.container("", *asked, classes=["card-question"])
        table = make_table([_hidden("per launch"), "predict", "count", THEIRS], rows)
        fold = make_fold([nodes.Text("Predict, then look")], [table])
        return nodes.container("", heads, question, fold, classes=["card-facts"])

    def _clock(self, witnesses: Witnesses) -> nodes.Node:
        clock = nodes.container("", _heads("time", times(witnesses.measured)), classes=["card-time"])
        try:
            results = witnesses.page.run
            entry = witnesses.measurement(results)
        except MissingResultsError as error:
            clock += nodes.paragraph("", "", complain(self, error, "time"))
            return clock
        time = Value.of(entry.median, "s").text
        told = [(entry.rating.name, rated_text(entry), "rating"), ("time", time, "time")]
        reported = (
            (name, f"{name.replace('-', ' ')} {Value.of(one.median, one.unit).text}", "reported")
            for name, one in entry.quantities.items()
        )
        for name, text, kind in (*told, *reported):
            asked = Quantity(witnesses.timed_key, name)
            node = value_node(text, "measured", f"measured on {results.gpu_name}: {asked}")
            clock += nodes.paragraph("", "", node, classes=[f"clock-{kind}"])
        spread = f"{Value.of(entry.low, 's').text} to {Value.of(entry.high, 's').text}"
        words = f"median of {grouped(entry.samples)} {_RUNS[entry.l2]}; nine in ten took {spread}"
        clock += nodes.paragraph("", words, classes=["small"])
        return clock


def _fact_rows(witnesses: Witnesses, counts: Sequence[str]) -> list[list[Cell]]:
    """Predicted, counted and published traffic side by side, marked where they are equal."""
    prediction, count, published = witnesses.prediction(), witnesses.count(), witnesses.published_count()
    rows: list[list[Cell]] = []
    for name in counts:
        told = [traffic(metrics, name) for metrics in (prediction, count, published)]
        if not any(told):
            continue
        predicted, counted, theirs = told
        rows.append(
            [
                _row_name(name),
                _cell(predicted, []),
                _cell(counted, mark(counted, predicted, "the prediction")),
                _cell(theirs, mark(theirs, counted, "the emulator's count")),
            ]
        )
    registers = METRICS["registers"]
    if any(registers in (metrics or {}) for metrics in (count, published)):
        known = [(metrics or {}).get(registers) for metrics in (count, published)]
        texts = [[nodes.strong(text=grouped(value))] if value is not None else NOTHING for value in known]
        rows.append(["registers per thread", NOTHING, *texts])
    return rows


def _row_name(count: str) -> str:
    name = count.replace("-", " ") + (" per request" if f"{count}-per-request" in PER_REQUEST else "")
    return f"{name}, if all loads hit the L1" if METRICS[count] in L1 else name


def _cell(found: Traffic | None, marked: list[nodes.Node]) -> Cell:
    if found is None:
        return NOTHING
    total = nodes.inline("", f"{found.total_text} in all", classes=["small", "block"])
    return [nodes.strong(text=found.per_request_text or NOTHING), *marked, nodes.Text(" "), total]


def mark(found: Traffic | None, other: Traffic | None, words: str) -> list[nodes.Node]:
    """Whether a total is that of another witness, in a sign and in words; nothing where one is silent."""
    if found is None or other is None:
        return []
    equal = found.total == other.total
    explanation = f"{words}, exactly" if equal else f"not {words}"
    sign = nodes.abbreviation("", "=" if equal else "≠", explanation=explanation)
    sign["classes"] = ["equal" if equal else "unequal"]
    return [nodes.Text(" "), sign]


def _heads(*words: str) -> nodes.paragraph:
    heads = nodes.paragraph("", "", classes=["card-heads"])
    for word in words:
        witness = word in ("predict", "count", "time")
        heads += nodes.inline("", word, classes=["witness", word] if witness else ["small"])
        heads += nodes.Text(" ")
    return heads


def _hidden(words: str) -> Cell:
    return [nodes.inline("", words, classes=["visually-hidden"])]


def setup(app: Sphinx) -> None:
    """Register the directive."""
    app.add_directive("card", Card)
