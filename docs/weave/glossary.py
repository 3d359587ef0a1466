"""The first use of a term on each page opens its definition; the glossary's page lists them all."""

from __future__ import annotations

import html
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.util.docutils import SphinxDirective
from sphinx.writers.html5 import HTML5Translator

from book.documents import BookError
from book.keys import near
from weave.context import complain, library_of, logger
from weave.folds import fold, fold_summary
from weave.terms import FILE, Term, Terms, load_terms

_PAGE = "docs/glossary"
_LOOK = "glossary.css"
_NOT_IN = (
    *(
        nodes.title,
        nodes.rubric,
        nodes.literal,
        nodes.FixedTextElement,
        nodes.reference,
        nodes.abbreviation,
        nodes.raw,
    ),
    *(nodes.math, nodes.math_block, nodes.thead, addnodes.pending_xref, addnodes.desc, fold_summary),
)
"""What holds no marked term: headings, code, links, and numbers with their origin."""
_CODE = re.compile(r"`([^`]+)`")


class term_use(nodes.Inline, nodes.TextElement):
    """A term where its definition opens."""


class GlossaryTerms(SphinxDirective):
    """All terms with their definitions, counters and steps."""

    def run(self) -> list[nodes.Node]:
        """Build the list."""
        self.env.note_dependency(FILE)
        entries = sorted(self.env.weave_glossary.terms, key=lambda term: term.name.lower())
        return [nodes.definition_list("", *map(self._entry, entries), classes=["glossary-terms"])]

    def _entry(self, term: Term) -> nodes.definition_list_item:
        name = nodes.term("", term.name, ids=[term.anchor])
        told = nodes.paragraph("", "", *_parts(term.means))
        more = [nodes.literal(text=term.counter)] if term.counter else []
        if term.met:
            more += [nodes.Text(" · ")] if more else []
            more += [nodes.Text("met in "), self._link(term)]
        definition = nodes.definition("", told)
        if more:
            definition += nodes.paragraph("", "", *more, classes=["small"])
        return nodes.definition_list_item("", name, definition)

    def _link(self, term: Term) -> nodes.Node:
        try:
            chapter, step = term.met or (0, "")
            page = _step_page(self.env, chapter, step)
        except BookError as error:
            return complain(self, error, term.name)
        uri = f"../{page}.html#card-{step}"
        return nodes.reference(
            "", "", nodes.Text(f"chapter {chapter}, "), nodes.literal(text=step), refuri=uri
        )


def _step_page(env: BuildEnvironment, chapter: int, step: str) -> str:
    """The page of a step's chapter; BookError if there is no such step."""
    library = library_of(env)
    if chapter not in library.chapters():
        raise BookError(f"{FILE}: there is no chapter {chapter}")
    folder = library.folder(chapter)
    steps = [path.stem.partition("_")[2].replace("_", "-") for path in folder.glob("[0-9]*_*.cu")]
    if step not in steps:
        raise BookError(f"{FILE}: no step {step} in chapter {chapter}{near(step, steps)}")
    return f"{folder.relative_to(env.srcdir).as_posix()}/index"


def _parts(text: str) -> Iterator[nodes.Node]:
    """Text with code between backticks."""
    for index, part in enumerate(_CODE.split(text)):
        if part:
            yield nodes.literal(text=part) if index % 2 else nodes.Text(part)


def _load(app: Sphinx) -> None:
    try:
        terms = load_terms(Path(app.srcdir, FILE))
    except BookError as error:
        sys.exit(str(error))
    app.env.weave_glossary = terms


def _mark(app: Sphinx, document: nodes.document) -> None:
    """Mark the first use of each term, and the first in the open where that one is folded."""
    env = app.env
    terms: Terms = env.weave_glossary
    if not terms.terms or env.docname == _PAGE:
        return
    env.note_dependency(FILE)
    seen: set[tuple[str, bool]] = set()
    for text in list(document.findall(nodes.Text)):
        around = list(_around(text))
        if any(isinstance(element, _NOT_IN) or "card-title" in element["classes"] for element in around):
            continue
        folded = any(isinstance(element, fold) for element in around)
        _mark_in(text, terms, seen, folded)
    env.weave_terms[env.docname] = {name for name, _ in seen}


def _mark_in(text: nodes.Text, terms: Terms, seen: set[tuple[str, bool]], folded: bool) -> None:
    words, parts, end = text.astext(), [], 0
    for match in terms.pattern.finditer(words):
        term = terms.spelled(match[0])
        if (term.name, False) in seen or (term.name, folded) in seen:
            continue
        seen.add((term.name, folded))
        parts += [nodes.Text(words[end : match.start()]), term_use("", match[0], term=term)]
        end = match.end()
    if parts:
        text.parent.replace(text, [part for part in [*parts, nodes.Text(words[end:])] if part.astext()])


def _around(node: nodes.Node) -> Iterator[nodes.Element]:
    while node.parent is not None:
        node = node.parent
        yield node


def _report_unused(app: Sphinx, env: BuildEnvironment) -> list[str]:
    used = set().union(*env.weave_terms.values()) if env.weave_terms else set()
    for term in env.weave_glossary.terms:
        if term.name not in used:
            logger.warning("%s: no page uses the term '%s'", FILE, term.name, type="weave")
    return []


def _visit(translator: HTML5Translator, node: term_use) -> None:
    term: Term = node["term"]
    uri = translator.builder.get_relative_uri(translator.builder.current_docname, _PAGE)
    translator.body.append(
        f'<a class="term" href="{uri}#{term.anchor}" aria-describedby="means-{term.anchor}">'
    )


def _depart(translator: HTML5Translator, node: term_use) -> None:
    translator.body.append("</a>")


def _add_definitions(
    app: Sphinx, pagename: str, template: str, context: dict[str, Any], doctree: nodes.document | None
) -> None:
    uses = {use["term"].name: use["term"] for use in doctree.findall(term_use)} if doctree else {}
    if uses:
        app.add_css_file(_LOOK)
        definitions = "".join(map(_definition, uses.values()))
        context["body"] += f'<div class="term-definitions" hidden>{definitions}</div>'


def _definition(term: Term) -> str:
    text = _CODE.sub(r"<code>\1</code>", html.escape(term.means, quote=False))
    counter = f" <code>{html.escape(term.counter)}</code>" if term.counter else ""
    return f'<p id="means-{term.anchor}"><strong>{html.escape(term.name)}</strong>: {text}{counter}</p>'


def setup(app: Sphinx) -> None:
    """Register the directive, the node, and what finds the terms."""
    app.add_node(term_use, html=(_visit, _depart))
    app.add_directive("glossary-terms", GlossaryTerms)
    app.connect("builder-inited", _load)
    app.connect("doctree-read", _mark)
    app.connect("env-updated", _report_unused)
    app.connect("html-page-context", _add_definitions)
