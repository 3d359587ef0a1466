"""The difference between two steps, marked by sign, colour and element."""

from __future__ import annotations

import difflib
import functools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.util.docutils import SphinxDirective
from sphinx.writers.html5 import HTML5Translator

from book.documents import BookError
from weave.context import complain
from weave.files import address, link_to_file, resolve
from weave.lexer import language_of
from weave.listings import highlighted, note_tag
from weave.tags import dedented, read_tagged
from weave.whole_files import Pages, page_of_files

_SIGNS = {"same": " ", "removed": "−", "added": "+"}
_ELEMENTS = {"same": "span", "removed": "del", "added": "ins"}


@dataclass(frozen=True)
class Row:
    """One line of a difference: same, removed or added; its number in the file that holds it; its HTML."""

    kind: str
    number: int
    code: str


class difference(nodes.General, nodes.Element):
    """The HTML of a difference, ready."""


def compare(before: Path, after: Path, tags: Sequence[str] = (), context: int = 3) -> list[list[Row]]:
    """The hunks in which two files (or some regions of both) differ, in order; empty if they are equal."""
    sides = []
    for path in (before, after):
        file = read_tagged(path)
        lines = [line for tag in tags for line in dedented(file.region(tag))] if tags else list(file.lines)
        sides.append((lines, highlighted(lines, language_of(path.name))))
    (old, old_code), (new, new_code) = sides
    matcher = difflib.SequenceMatcher(None, [li.text for li in old], [li.text for li in new], autojunk=False)
    hunks = []
    for group in matcher.get_grouped_opcodes(context):
        rows = []
        for operation, i1, i2, j1, j2 in group:
            if operation == "equal":
                rows += [Row("same", new[j].number, new_code[j]) for j in range(j1, j2)]
                continue
            rows += [Row("removed", old[i].number, old_code[i]) for i in range(i1, i2)]
            rows += [Row("added", new[j].number, new_code[j]) for j in range(j1, j2)]
        hunks.append(rows)
    return hunks


def difference_html(hunks: list[list[Row]]) -> str:
    """The hunks as one block of code."""
    return "\n".join(
        f'<div class="highlight difference"><pre tabindex="0">{"".join(_lines(hunk))}</pre></div>'
        for hunk in hunks
    )


def _lines(hunk: list[Row]) -> Iterator[str]:
    for row in hunk:
        element = _ELEMENTS[row.kind]
        yield (
            f'<{element} class="{row.kind}"><span class="linenos">{row.number:4d}</span>'
            f'<span class="sign">{_SIGNS[row.kind]}</span> {row.code}\n</{element}>'
        )


class Difference(SphinxDirective):
    """Show what changed between two files: ``{difference} 12_tile.cu 13_padded.cu kernel predict``."""

    required_arguments = 2
    optional_arguments = 8
    option_spec: ClassVar = {"context": directives.nonnegative_int}

    def run(self) -> list[nodes.Node]:
        """Build the caption and the difference."""
        tags = self.arguments[2:]
        try:
            before, after = (resolve(self.env, name) for name in self.arguments[:2])
            hunks = compare(before, after, tags, self.options.get("context", 3))
            if not hunks:
                where = f" in {', '.join(tags)}" if tags else ""
                raise BookError(f"{before.name} and {after.name} do not differ{where}")
            shown = {path: tags or read_tagged(path).regions for path in (before, after)}
        except BookError as error:
            return [nodes.paragraph("", "", complain(self, error, self.arguments[0]))]
        for path, woven in shown.items():
            for tag in woven:
                note_tag(self.env, path, tag)
        caption = [link_to_file(self.env, before), nodes.Text(" → "), link_to_file(self.env, after)]
        figure = nodes.container(classes=["listing"])
        figure += nodes.container("", nodes.paragraph("", "", *caption), classes=["listing-caption"])
        figure += difference("", html=difference_html(hunks))
        return [figure]


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
    return difference_html(compare(before, after))


def _visit(translator: HTML5Translator, node: difference) -> None:
    translator.body.append(node["html"])
    raise nodes.SkipNode


def setup(app: Sphinx) -> None:
    """Register the directive, its node and the pages of whole differences."""
    app.add_node(difference, html=(_visit, None))
    app.add_directive("difference", Difference)
    app.connect("html-collect-pages", _collect_pages)
