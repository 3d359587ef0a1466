"""What unfolds only when asked for: answers to questions, solutions of exercises."""

from __future__ import annotations

import hashlib
from typing import ClassVar

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective
from sphinx.writers.html5 import HTML5Translator

from book.documents import BookError
from weave.context import complain
from weave.files import resolve
from weave.guesses import make_guess, make_said
from weave.listings import listing


class fold(nodes.General, nodes.Element):
    """A <details>: its first child is the summary."""


class fold_summary(nodes.General, nodes.TextElement):
    """The line of a fold that is always there."""


def make_fold(summary: list[nodes.Node], content: list[nodes.Node]) -> fold:
    """A fold of a summary and its content."""
    return fold("", fold_summary("", "", *summary), *content)


class Predict(SphinxDirective):
    """Ask the reader; the answer unfolds: ``{predict} How many sectors?``."""

    required_arguments = 1
    final_argument_whitespace = True
    has_content = True

    def run(self) -> list[nodes.Node]:
        """Build the question and its folded answer."""
        self.assert_has_content()
        question, _ = self.parse_inline(self.arguments[0], lineno=self.lineno)
        box = nodes.container(classes=["question"])
        box += nodes.paragraph("", "", nodes.strong(text="Predict. "), *question)
        # The question itself would be long, and stands on the page three times more.
        field = f"predicted-{hashlib.blake2b(self.arguments[0].encode(), digest_size=4).hexdigest()}"
        box += make_guess(field, "Your prediction")
        box += make_fold([nodes.Text("Answer")], [make_said(field), *self.parse_content_to_nodes()])
        return [box]


class Exercise(SphinxDirective):
    """Set an exercise; its solution, a tested program, unfolds."""

    required_arguments = 1
    final_argument_whitespace = True
    has_content = True
    option_spec: ClassVar = {"solution": directives.unchanged_required}

    def run(self) -> list[nodes.Node]:
        """Build the task and its folded solution."""
        if "solution" not in self.options:
            self.assert_has_content()
        task, _ = self.parse_inline(self.arguments[0], lineno=self.lineno)
        content = self.parse_content_to_nodes()
        if "solution" in self.options:
            try:
                name, *tags = self.options["solution"].split()
                content.append(listing(self.env, resolve(self.env, name), tags, []))
            except BookError as error:
                content.append(nodes.paragraph("", "", complain(self, error, self.options["solution"])))
        box = nodes.container(classes=["question", "exercise"])
        box += nodes.paragraph("", "", nodes.strong(text="Exercise. "), *task)
        box += make_fold([nodes.Text("Solution")], content)
        return [box]


def _visit_fold(translator: HTML5Translator, node: fold) -> None:
    classes = " ".join(["fold", *node["classes"]])
    translator.body.append(f'<details class="{classes}">\n')


def _depart_fold(translator: HTML5Translator, node: fold) -> None:
    translator.body.append("</details>\n")


def _visit_summary(translator: HTML5Translator, node: fold_summary) -> None:
    translator.body.append("<summary>")


def _depart_summary(translator: HTML5Translator, node: fold_summary) -> None:
    translator.body.append("</summary>\n")


def setup(app: Sphinx) -> None:
    """Register directives and nodes."""
    app.add_node(fold, html=(_visit_fold, _depart_fold))
    app.add_node(fold_summary, html=(_visit_summary, _depart_summary))
    app.add_directive("predict", Predict)
    app.add_directive("exercise", Exercise)
