"""The card of a step: what to predict; and, folded, what was predicted, counted and timed, and why."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from book.documents import BookError, MissingResultsError
from book.format import grouped, times
from book.keys import Parameters, near
from book.metrics import L1, METRICS, PER_REQUEST, known_counts
from book.quantities import Quantity, Value, rated_text
from book.ratings import CYCLES
from book.results import Measurement
from weave.asked import LEFT_OUT, Told, asked, counts_field, time_field
from weave.bars import bar_rows
from weave.context import Page, complain, page_of
from weave.differences import link_to_difference
from weave.files import link_to_file, link_to_results
from weave.folds import make_fold
from weave.guesses import make_said
from weave.holders import Holder, held_by
from weave.run_lines import run_this
from weave.shares import share_bars
from weave.stale import stale_notice
from weave.tables import NOTHING, Cell, make_table
from weave.tags import idea_of
from weave.values import value_node
from weave.witnesses import Traffic, Witnesses, traffic

THEIRS = "Nsight Compute"
_RUNS = {
    "cold": "runs with a cold L2",
    "warm": "runs with a warm L2",
    "kept": "runs, each with the L2 as the run before left it",
}
"""What the runs were, by what the L2 held before each."""
_RUN = {"cold": "one run with a cold L2", "warm": "one run with a warm L2", "kept": "one run"}
"""The same of a single one."""
NO_KERNEL = "Nothing to count: no kernel of the book runs here."
NOT_COUNTED = "Not counted: the emulator has no count for what this step does."
_ANSWER = "+++"
"""The line of a card's content that parts the question from what opens with the answer."""


class Card(SphinxDirective):
    """Open a step: ``{card} padded``; the content is the question and, after `+++`, the explanation."""

    required_arguments = 1
    has_content = True
    option_spec: ClassVar = {
        "access": directives.unchanged_required,
        "bars": directives.unchanged_required,
        "because": directives.unchanged_required,
        "before": directives.unchanged_required,
        "counted": directives.unchanged_required,
        "counts": directives.unchanged_required,
        "held-by": directives.unchanged_required,
        "leave-out": directives.unchanged_required,
        "measured": directives.unchanged_required,
        "needs": directives.unchanged_required,
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
        self.env.weave_cards.setdefault(self.env.docname, set()).add(step)
        before = self._before(page, step)
        witnesses = Witnesses(
            page,
            step,
            page.shape("measured", self.options.get("measured")),
            page.shape("counted", self.options.get("counted")),
            Parameters.parse(self.options.get("parameters", "").split()),
        )
        question, answer = self._parts()
        holder = held_by(self.options, self.get_location())
        told = self._told()
        questions = asked(question, witnesses, before, holder, told)
        found = self._found(witnesses, before, holder, told)
        summary = "Predict, then look" if questions else "Look"
        opened = make_fold([nodes.Text(summary)], [*found, *answer, run_this(witnesses)])
        title = nodes.paragraph("", "", nodes.strong(text=step), classes=["card-title"])
        return nodes.container("", title, *questions, opened, classes=["card"], ids=[f"card-{step}"])

    def _parts(self) -> tuple[list[nodes.Node], list[nodes.Node]]:
        """The question and the answer, parsed; each may be empty."""
        lines = list(self.content)
        at = lines.index(_ANSWER) if _ANSWER in lines else len(lines)
        question, answer = "\n".join(lines[:at]), "\n".join(lines[at + 1 :])
        return (
            self.parse_text_to_nodes(question, offset=self.content_offset) if question.strip() else [],
            self.parse_text_to_nodes(answer, offset=self.content_offset + at + 1) if answer.strip() else [],
        )

    def _needs(self) -> list[list[nodes.Node]]:
        """What else is needed to work the prediction out: inline text, parted by semicolons."""
        texts = [text.strip() for text in self.options.get("needs", "").split(";")]
        return [self.parse_inline(text, lineno=self.lineno)[0] for text in texts if text]

    def _told(self) -> Told:
        """What the options say of the step's accesses."""
        left_out = self.options.get("leave-out", "").split()
        for one in left_out:
            if one not in LEFT_OUT:
                raise BookError(f"a card cannot leave out {one}{near(one, LEFT_OUT)}")
        return Told(self._needs(), self.options.get("access", "access"), tuple(left_out))

    def _before(self, page: Page, step: str) -> str | None:
        if "before" in self.options:
            page.step_file(self.options["before"])
            return self.options["before"]
        steps = list(page.step_files())
        index = steps.index(step) if step in steps else 0
        return steps[index - 1] if index else None

    def _found(
        self, witnesses: Witnesses, before: str | None, holder: Holder | None, told: Told
    ) -> list[nodes.Node]:
        """What opens first: the idea, counts, time, what held it, and bars."""
        page = witnesses.page
        body = nodes.container(
            "", self._facts(witnesses), self._clock(witnesses, told), classes=["card-body"]
        )
        found: list[nodes.Node] = [self._idea(page, witnesses.step, before), body]
        if holder:
            found.append(holder.told(witnesses.step))
        if page.runs:
            whole = self.options.get("bars", page.bars)
            compared = None if "before" in told.left_out else before
            bars = share_bars(witnesses, compared, whole) if whole else []
            found += [bar_rows(bars)] if bars else []
            found += stale_notice(page, [witnesses.step])
        return found

    def _idea(self, page: Page, step: str, before: str | None) -> nodes.Node:
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
        usual = witnesses.page.library.counts(witnesses.page.chapter)
        rows = _fact_rows(witnesses, (*usual, *known_counts(self.options.get("counts", ""))))
        if not rows:
            why = nodes.paragraph("", _why_no_count(witnesses))
            return nodes.container("", make_said(counts_field(witnesses.step)), why, classes=["card-facts"])
        launch = [nodes.inline("", f"one launch at {times(witnesses.counted)}", classes=["small"])]
        table = make_table([launch, _head("predict"), _head("count"), THEIRS], rows)
        return nodes.container("", make_said(counts_field(witnesses.step)), table, classes=["card-facts"])

    def _clock(self, witnesses: Witnesses, said: Told) -> nodes.Node:
        shape = nodes.inline("", f" at {times(witnesses.measured)}", classes=["small"])
        clock = nodes.container("", nodes.paragraph("", "", *_head("time"), shape), classes=["card-time"])
        try:
            results = witnesses.page.run
            entry = witnesses.measurement(results)
        except MissingResultsError as error:
            clock += nodes.paragraph("", "", complain(self, error, "time"))
            return clock
        clock += make_said(time_field(witnesses.step))
        time = Value.of(entry.median, "s").text
        told = [("time", time, "time")]
        if "rating" not in said.left_out:
            told += _ratings(entry, self.options.get("access", ""))
        reported = (
            (name, f"{name.replace('-', ' ')} {Value.of(one.median, one.unit).text}", "reported")
            for name, one in entry.quantities.items()
        )
        for name, text, kind in (*told, *reported):
            origin = f"measured on {results.gpu_name}: {Quantity(witnesses.timed_key, name)}"
            node = value_node(text, "measured", origin)
            clock += nodes.paragraph("", "", node, classes=[f"clock-{kind}"])
        words = f"median of {grouped(entry.samples)} {_RUNS[entry.l2]}; {_spread(entry)}"
        if entry.samples == 1:
            words = _RUN[entry.l2]
        clock += nodes.paragraph("", words, classes=["small"])
        return clock


def _ratings(entry: Measurement, access: str) -> list[tuple[str, str, str]]:
    """A rating: name, text and kind; time and cycles of an access that has a name are two lines."""
    text = rated_text(entry, access)
    lines = text.split(", ") if access else [text]
    names = (entry.rating.name, CYCLES)
    return [(name, line, "rating") for name, line in zip(names, lines, strict=False)]


def _spread(entry: Measurement) -> str:
    """Between which times nine of ten runs lay; one time where both are printed alike."""
    low, high = (Value.of(one, "s").text for one in (entry.low, entry.high))
    took = low if low == high else f"{low} to {high}"
    return f"nine tenths of them took {took}"


def _why_no_count(witnesses: Witnesses) -> str:
    """Why nothing is counted: a library's kernels are not the book's."""
    steps = witnesses.page.library.descriptions(witnesses.page.chapter).of(witnesses.step)
    return NOT_COUNTED if any(variant.kind == "step" for variant in steps) else NO_KERNEL


def _head(witness: str) -> list[nodes.Node]:
    return [nodes.inline("", witness, classes=["witness", witness])]


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


def setup(app: Sphinx) -> None:
    """Register the directive."""
    app.add_directive("card", Card)
