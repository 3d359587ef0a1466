"""What a reader predicts: a field beside each question, kept by the browser and shown beside the answer."""

from __future__ import annotations

import html
import re
from collections.abc import Sequence
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.writers.html5 import HTML5Translator

_SCRIPT, _LOOK = "questions.js", "questions.css"
_TITLE_END = re.compile(r"</h1>")
_OPEN_ALL = '<p class="open-all"><button type="button" aria-pressed="false">Open all answers</button></p>'


class guess(nodes.General, nodes.Element):
    """A field for the reader's prediction: one of `choices`, or free text."""


class said(nodes.General, nodes.Element):
    """Beside the answer: what the reader predicted."""


def make_guess(name: str, label: str, choices: Sequence[str] = ()) -> guess:
    """A field; its name tells it from the others of the page, so that the browser can keep what is in it."""
    return guess("", name=name, label=label, choices=tuple(choices))


def make_said(name: str) -> said:
    """The place where the prediction of that name is shown again."""
    return said("", name=name)


def _visit_guess(translator: HTML5Translator, node: guess) -> None:
    name, label = html.escape(node["name"]), html.escape(node["label"])
    if node["choices"]:
        options = "".join(f"<option>{html.escape(choice)}</option>" for choice in ("", *node["choices"]))
        field = f'<select id="{name}" data-guess>{options}</select>'
    else:
        field = f'<input id="{name}" type="text" autocomplete="off" data-guess>'
    translator.body.append(f'<p class="guess"><label for="{name}">{label}</label> {field}</p>\n')
    raise nodes.SkipNode


def _visit_said(translator: HTML5Translator, node: said) -> None:
    translator.body.append(f'<p class="said" data-said="{html.escape(node["name"])}" hidden></p>\n')
    raise nodes.SkipNode


def _add_files(
    app: Sphinx, pagename: str, template: str, context: dict[str, Any], doctree: nodes.document | None
) -> None:
    if doctree is not None and doctree.next_node(guess):
        app.add_css_file(_LOOK)
        app.add_js_file(_SCRIPT, loading_method="defer")
        context["body"] = _TITLE_END.sub(lambda match: match[0] + _OPEN_ALL, context["body"], count=1)


def setup(app: Sphinx) -> None:
    """Register the nodes, and the files of the pages that have fields."""
    app.add_node(guess, html=(_visit_guess, None))
    app.add_node(said, html=(_visit_said, None))
    app.connect("html-page-context", _add_files)
