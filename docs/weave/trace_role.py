"""The role {trace}: a download of what warps noted, {trace}`the trace`, for Perfetto."""

from __future__ import annotations

import json
from pathlib import Path

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxRole

from book.documents import BookError, MissingResultsError
from book.trace import trace
from weave.context import complain, library_of, page_of


def _file(chapter: int) -> str:
    return f"traces/chapter{chapter}.json"


class TraceRole(SphinxRole):
    """A link to the trace of the page's chapter."""

    def run(self) -> tuple[list[nodes.Node], list[nodes.system_message]]:
        """Make sure that there is one."""
        try:
            page = page_of(self.env)
            trace(page.runs)
        except BookError as error:
            return [nodes.Text(f"{self.text} ("), complain(self, error, self.text), nodes.Text(")")], []
        address = "../" * self.env.docname.count("/") + _file(page.chapter)
        return [nodes.raw("", f'<a href="{address}" download>{self.text}</a>', format="html")], []


def _write(app: Sphinx, problem: Exception | None) -> None:
    if problem:
        return
    library = library_of(app.env)
    for chapter in library.chapters():
        try:
            found = trace([*library.all_published(chapter), *library.own(chapter)])
        except MissingResultsError:
            continue
        path = Path(app.outdir, _file(chapter))
        path.parent.mkdir(exist_ok=True)
        path.write_text(json.dumps(found, separators=(",", ":")))


def setup(app: Sphinx) -> None:
    """Register the role, and the writing of the files."""
    app.add_role("trace", TraceRole())
    app.connect("build-finished", _write)
