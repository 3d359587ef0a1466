"""The difference between two steps, marked by sign, colour and element."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import ClassVar

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.util.docutils import SphinxDirective
from sphinx.writers.html5 import HTML5Translator

from book.documents import BookError
from weave.changes import Changes, Row, compare
from weave.context import complain
from weave.files import address, link_to_file, resolve
from weave.folds import make_fold
from weave.line_numbers import counts_from
from weave.listings import note_tag
from weave.tags import read_tagged
from weave.whole_files import Pages, page_of_files

_SIGNS = {"same": " ", "removed": "−", "added": "+"}
_ELEMENTS = {"same": "span", "removed": "del", "added": "ins"}
_ELSE = "What else differs"
_REST = f"{_ELSE}: predictions, declarations, tests"


class difference(nodes.General, nodes.Element):
    """The HTML of a difference, ready."""


def _row(row: Row, number: str = "", style: str = "") -> str:
    element = _ELEMENTS[row.kind]
    sign = f'<span class="sign">{_SIGNS[row.kind]}</span>'
    return f'<{element} class="{row.kind}"{style}>{number}{sign} {row.code}\n</{element}>'


def _written(hunk: list[Row]) -> Iterator[str]:
    """Each row with its number, for pages that bring no style of their own."""
    for row in hunk:
        yield _row(row, f'<span class="linenos">{row.number}</span>')


def _counted(hunk: list[Row]) -> Iterator[str]:
    """Each row. The number before its sign goes on from the row before, of the same file."""
    after = {"old-line": 0, "line": 0}
    for row in hunk:
        file = "old-line" if row.kind == "removed" else "line"
        style = "" if row.number == after[file] else f' style="{counts_from(file, row.number)}"'
        after[file] = row.number + 1
        yield _row(row, style=style)


def difference_html(hunks: list[list[Row]], rows: Callable[[list[Row]], Iterator[str]] = _counted) -> str:
    """The hunks as one block of code."""
    return "\n".join(
        f'<div class="highlight difference"><pre tabindex="0">{"".join(rows(hunk))}</pre></div>'
        for hunk in hunks
    )


class Difference(SphinxDirective):
    """Show what changed between two files: ``{difference} 12_tile.cu 13_padded.cu kernel predict``.

    Predictions, declarations and tests are folded, unless their regions are named.
    """

    required_arguments = 2
    optional_arguments = 8
    option_spec: ClassVar = {"context": directives.nonnegative_int}

    def run(self) -> list[nodes.Node]:
        """Build the caption and the difference."""
        tags = self.arguments[2:]
        try:
            before, after = (resolve(self.env, name) for name in self.arguments[:2])
            for path in (before, after):
                for tag in tags:
                    read_tagged(path).region(tag)
            changes = compare(before, after, tags)
            if not changes.hunks():
                raise BookError(f"{before.name} and {after.name} do not differ")
        except BookError as error:
            return [nodes.paragraph("", "", complain(self, error, self.arguments[0]))]
        for path in (before, after):
            for tag in tags or read_tagged(path).regions:
                note_tag(self.env, path, tag)
        caption = [link_to_file(self.env, before), nodes.Text(" → "), link_to_file(self.env, after)]
        figure = nodes.container(classes=["listing"])
        figure += nodes.container("", nodes.paragraph("", "", *caption), classes=["listing-caption"])
        figure += self._shown(changes)
        return [figure]

    def _shown(self, changes: Changes) -> list[nodes.Node]:
        """What matters, and the rest in a fold; all of it if nothing matters."""
        context = self.options.get("context", 3)
        main, rest = (changes.hunks(context, matters) for matters in (True, False))
        if not main or not rest:
            return [difference("", html=difference_html(main or rest))]
        words = _ELSE if self.arguments[2:] else _REST  # of the regions, only some may be named
        folded = make_fold([nodes.Text(words)], [difference("", html=difference_html(rest))])
        return [difference("", html=difference_html(main)), folded]


def link_to_difference(env: BuildEnvironment, before: Path, after: Path, text: str) -> nodes.reference:
    """A link to the page that shows all that changed between two steps; made at the end of the build."""
    root = Path(env.srcdir).resolve()
    folder = after.resolve().parent.relative_to(root).as_posix()
    pagename = f"difference/{folder}/{before.stem}-{after.stem}"
    for path in (before, after):
        env.note_dependency(path.resolve().relative_to(root).as_posix())
    env.weave_differences.setdefault(env.docname, set()).add((pagename, str(before), str(after)))
    uri = address(env, f"{pagename}.html")
    return nodes.reference("", text, refuri=uri, internal=True)


def _collect_pages(app: Sphinx) -> Pages:
    entries = {entry for entries in app.env.weave_differences.values() for entry in entries}
    for pagename, *names in sorted(entries):
        before, after = map(Path, names)
        title = f"{before.name} → {after.name}"
        yield from page_of_files(
            app, pagename, title, [before, after], functools.partial(_body, before, after)
        )


def _body(before: Path, after: Path) -> str:
    return difference_html(compare(before, after).hunks(), _written)


def _visit(translator: HTML5Translator, node: difference) -> None:
    translator.body.append(node["html"])
    raise nodes.SkipNode


def setup(app: Sphinx) -> None:
    """Register the directive, its node and the pages of whole differences."""
    app.add_node(difference, html=(_visit, None))
    app.add_directive("difference", Difference)
    app.connect("html-collect-pages", _collect_pages)
