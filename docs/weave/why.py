"""Explanations: each has an experiment that tells it from its rivals, or is called a conjecture."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from book.claims import evaluate_claim
from book.documents import BookError, MissingResultsError
from book.expressions import Verdict
from book.keys import near
from book.results import Results
from book.whys import Experiment, Explanation, Why, parse_experiments, parse_why, split_why
from weave.context import Page, complain, logger, of_chapter, page_of
from weave.files import link_to_file
from weave.folds import make_fold
from weave.tables import Cell, make_table
from weave.verdicts import judge_published


class WhyDirective(SphinxDirective):
    """Explain: ``{why} longer-rows``; the content is prose, then the explanation and its rivals."""

    required_arguments = 1
    final_argument_whitespace = True
    has_content = True
    option_spec: ClassVar = {
        "changed": directives.unchanged_required,
        "came-out": directives.unchanged_required,
        "chapter": directives.nonnegative_int,
    }

    def run(self) -> list[nodes.Node]:
        """Explain with the experiments of the page's chapter, or of another."""
        if "chapter" not in self.options:
            return self._explain()
        with of_chapter(self.env, self.options["chapter"]):
            return self._explain()

    def _explain(self) -> list[nodes.Node]:
        """Hold the explanation and its rivals against the results, and show what was told apart."""
        name = f"why-{nodes.make_id(self.arguments[0])}"
        label = _label("Why")
        box = nodes.container("", label, classes=["why"], ids=[name])
        try:
            page = page_of(self.env)
            prose, rows = split_why(list(self.content))
            named = parse_experiments(self.arguments[0])
            for experiment in named:
                _require(page, experiment)
            why = parse_why(named, rows)
            for option in ("changed", "came-out"):
                if option not in self.options:
                    raise BookError(f"a why says what was changed and what came out, `:{option}: …`")
            box += self.parse_text_to_nodes("\n".join(self.content[:prose]), offset=self.content_offset)
            if _is_awaited(page, why):
                label.children[0].replace_self(nodes.strong(text="Expected"))
            box += make_fold([nodes.Text("The experiment")], [*self._told(), *self._judged(page, why)])
            box += self._run_line(page, why)
        except BookError as error:
            box += nodes.paragraph("", "", complain(self, error, self.arguments[0]))
        return [box]

    def _told(self) -> Iterator[nodes.Node]:
        for option, words in (("changed", "What is changed. "), ("came-out", "What came out. ")):
            parsed, _ = self.parse_inline(self.options[option], lineno=self.lineno)
            yield nodes.paragraph("", "", nodes.strong(text=words), *parsed)

    def _judged(self, page: Page, why: Why) -> list[nodes.Node]:
        """The table of the explanation and its rivals, and what the reader's own card says."""
        rows = [self._row(page, one) for one in why.explanations]
        table = make_table(["if it were…", "it would be", "it is"], rows)
        return [table, *(_remark(why, page, results) for results in page.library.own(page.chapter))]

    def _row(self, page: Page, one: Explanation) -> list[Cell]:
        words, _ = self.parse_inline(one.words, lineno=self.lineno)
        predicts, _ = self.parse_inline(one.predicts, lineno=self.lineno)
        try:
            outcome = self._outcome(page, one)
        except MissingResultsError as error:  # nothing is told yet
            return [words, predicts, [complain(self, error, one.words)]]
        name = nodes.inline("", "", *words, classes=["rival" if one.is_rival else "cause"])
        return [[name], predicts, outcome]

    def _outcome(self, page: Page, one: Explanation) -> Cell:
        """What came out in the published results; BookError if it is not what a why must show.

        Raises:
            MissingResultsError: it is not measured yet.

        """
        verdict = judge_published(page, one.claim)
        if not verdict.holds:
            what = (
                "false explanation" if not one.is_rival else "the experiment does not tell it from its rival"
            )
            raise BookError(f"{what} '{one.words}': published: {verdict}")
        mark = nodes.inline(
            "", "✗" if one.is_rival else "✓", classes=["unequal" if one.is_rival else "equal"]
        )
        spoken = nodes.inline(
            "", " is false: " if one.is_rival else " is true: ", classes=["visually-hidden"]
        )
        return [mark, spoken, nodes.Text(f" {_told_by(one, verdict)}")]

    def _run_line(self, page: Page, why: Why) -> nodes.Node:
        """Where the experiments are, and what runs them."""
        line = nodes.paragraph(classes=["why-run"])
        for step in dict.fromkeys(experiment.step for experiment in why.experiments):
            path = page.step_file(step)
            program = path.relative_to(page.folder.parent).with_suffix("")
            line += [link_to_file(self.env, path), nodes.Text(" · ")]
            line += [nodes.literal(text=f"build/emulate build/chapters/{program}"), nodes.Text(" · ")]
        line += nodes.literal(text=f"make chapter{page.chapter}")
        return line


class Conjecture(SphinxDirective):
    """An explanation that no experiment tells from its rivals: ``{conjecture} What it is about``."""

    required_arguments = 1
    final_argument_whitespace = True
    has_content = True

    def run(self) -> list[nodes.Node]:
        """Mark it as what it is, and remember it for the list of all."""
        self.assert_has_content()
        title, _ = self.parse_inline(self.arguments[0], lineno=self.lineno)
        words = "".join(node.astext() for node in title)
        box = nodes.container("", _label("Conjecture", nodes.Text(". "), *title), classes=["conjecture"])
        box["ids"].append(f"conjecture-{nodes.make_id(words)}")
        self.state.document.note_explicit_target(box)
        self.env.weave_conjectures.setdefault(self.env.docname, []).append((words, box["ids"][0]))
        box += self.parse_content_to_nodes()
        return [box]


def _label(word: str, *title: nodes.Node) -> nodes.paragraph:
    return nodes.paragraph("", "", nodes.strong(text=word), *title, classes=["why-label"])


def _require(page: Page, experiment: Experiment) -> None:
    """BookError if there is no such step, experiment or variant."""
    page.step_file(experiment.step)
    variants = page.library.descriptions(page.chapter).of(experiment.step)
    if not any(variant.parameters.includes(experiment.parameters) for variant in variants):
        known = (str(variant.parameters) for variant in variants)
        raise BookError(f"no variant {experiment}{near(str(experiment.parameters), known)}")


def _is_awaited(page: Page, why: Why) -> bool:
    """Whether results that would tell the explanation from its rivals are still to be measured."""
    try:
        for one in why.explanations:
            judge_published(page, one.claim)
    except MissingResultsError:
        return True
    return False


def _remark(why: Why, page: Page, results: Results) -> nodes.Node:
    """Whether the reader's card tells the same; nothing where it was not measured there."""
    against = []
    try:
        for one in why.explanations:
            verdict = evaluate_claim(one.claim, page.data(results))
            if not verdict.holds:
                against.append(f"{one.words}: {verdict}")
    except BookError:
        return nodes.Text("")
    if against:
        words = f"On your GPU, {results.gpu_name}, something else came out: {'; '.join(against)}."
        return nodes.paragraph("", words, classes=["claim-fails"])
    return nodes.paragraph("", f"The same came out on your GPU, {results.gpu_name}.", classes=["small"])


def _told_by(one: Explanation, verdict: Verdict) -> str:
    """The comparisons that speak for the cause, or against the rival."""
    found = [str(told) for told in verdict.comparisons if told.holds != one.is_rival]
    return "; ".join(found) or str(verdict)


def _check(app: Sphinx, document: nodes.document) -> None:
    """An explanation stands in a why or in a conjecture."""
    for paragraph in document.findall(nodes.paragraph):
        first = next((child for child in paragraph.children if child.astext()), None)
        boxed = any({"why", "conjecture"} & set(box.get("classes", ())) for box in _around(paragraph))
        if isinstance(first, nodes.strong) and first.astext().startswith("Why") and not boxed:
            words = "an explanation without an experiment: it belongs into a `why`, or into a `conjecture`"
            logger.warning("%s", words, location=paragraph, type="weave")


def _around(node: nodes.Node) -> Iterator[nodes.Element]:
    while node.parent is not None:
        node = node.parent
        yield node


def setup(app: Sphinx) -> None:
    """Register the directives, and the check of each page as it is read."""
    app.add_directive("why", WhyDirective)
    app.add_directive("conjecture", Conjecture)
    app.connect("doctree-read", _check)
