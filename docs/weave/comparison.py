"""What the sources of the book published, beside the book's own values and the reader's."""

from __future__ import annotations

from pathlib import Path
from typing import ClassVar

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.util.docutils import SphinxDirective

from book import beside
from book.counted import Counted
from book.documents import BookError, MissingResultsError
from book.format import as_published, format_published, times
from book.keys import near
from book.quantities import Value
from book.results import Results
from book.sources import SourceRow
from weave.context import NOT_YET, complain, library_of, logger, of_chapter, page_of
from weave.stale import stale_notice
from weave.tables import NOTHING, Cell, make_table
from weave.values import value_node


class Comparison(SphinxDirective):
    """The sources' rows of this chapter, or of another one, filtered by source, steps or quantity."""

    option_spec: ClassVar = {
        "chapter": directives.positive_int,
        "source": directives.unchanged_required,
        "steps": directives.unchanged_required,
        "quantity": directives.unchanged_required,
        "of": directives.unchanged_required,
        "caption": directives.unchanged_required,
    }

    def run(self) -> list[nodes.Node]:
        """Build the table."""
        if "chapter" not in self.options:
            return self._shown()
        with of_chapter(self.env, self.options["chapter"]):
            return self._shown()

    def _shown(self) -> list[nodes.Node]:
        try:
            page = page_of(self.env)
            rows = self._select(page.library.sources(page.chapter))
            others = [run for run in page.library.beside(page.chapter) if _tells(run, rows)]
            published = page.library.published(page.chapter)
            here = published.gpu_name if published else "the emulator’s counts"
            header = ["step", "quantity", "card", "shape", "published there", f"here: {here}"]
            header += [results.label for results in others]
            cells = [_row(row, published, page.counted, others) for row in rows]
            if "of" in self.options:
                whole = self.options["of"]
                page.step_file(whole)
                header.append(f"there, of {whole}")
                header += [f"{name.partition(':')[0]}, of {whole}" for name in header[5 : len(cells[0])]]
                runs = [published, *others]
                cells = [
                    cell + _shares(row, whole, page.library.sources(page.chapter), runs)
                    for row, cell in zip(rows, cells, strict=True)
                ]
            table = _table(header, cells, self.options.get("caption"), sorted({row.source for row in rows}))
        except BookError as error:
            return [nodes.paragraph("", "", complain(self, error, "comparison"))]
        self.env.weave_sources.setdefault(self.env.docname, set()).update(row.name for row in rows)
        notes = list(dict.fromkeys(f"{row.step}, {row.quantity}: {row.note}" for row in rows if row.note))
        found = [table, *stale_notice(page, [row.step for row in rows])]
        if notes:
            items = [nodes.list_item("", nodes.paragraph("", note)) for note in notes]
            found.append(nodes.bullet_list("", *items, classes=["table-notes"]))
        return found

    def _select(self, rows: list[SourceRow]) -> list[SourceRow]:
        filters = {"source": "source", "steps": "step", "quantity": "quantity"}
        for option, attribute in filters.items():
            if option not in self.options:
                continue
            wanted = self.options[option].split()
            known = {getattr(row, attribute) for row in rows}
            for word in wanted:
                if word not in known:
                    raise BookError(f"no row of the sources has {option} {word}{near(word, sorted(known))}")
            rows = [row for row in rows if getattr(row, attribute) in wanted]
        return rows


def _table(header: list[str], rows: list[list[Cell]], caption: str | None, sources: list[str]) -> nodes.table:
    """The table without the columns in which all rows agree: the caption says those."""
    caption = caption or f"Source {', '.join(sources)}: what it published, and what the book finds"
    same = [index for index in (1, 2, 3) if len({str(row[index]) for row in rows}) == 1]
    shared = ", ".join(str(rows[0][index]) for index in same)
    caption = f"{caption.rstrip('.')} ({shared})." if shared else f"{caption.rstrip('.')}."
    kept = [index for index in range(len(header)) if index not in same]
    return make_table(
        [header[index] for index in kept], [[row[index] for index in kept] for row in rows], caption
    )


def _row(row: SourceRow, published: Results | None, counted: Counted, others: list[Results]) -> list[Cell]:
    block, rest = row.parameters.get("block"), row.parameters.without("block")
    try:
        found = beside.ours(row, published, counted)  # whose absence is an error
        here = _text(found) if found else NOTHING if published else NOT_YET
    except MissingResultsError:
        here = NOT_YET
    return [
        ", ".join(filter(None, (row.step, block and f"block {times(block)}", str(rest)))),
        row.quantity.replace("-", " "),
        row.card,
        times(row.shape),
        _theirs(row),
        here,
        *(_there(row, results) for results in others),
    ]


def _theirs(row: SourceRow) -> Cell:
    """The source's number, with the digits that it published where they are shown when asked for."""
    if row.value is None:
        return "only drawn"
    text, exact = format_published(row.value, row.unit), as_published(row.value, row.unit)
    return text if text == exact else [value_node(text, "published", f"published as {exact}")]


def _there(row: SourceRow, results: Results) -> str:
    try:
        found = beside.ours(row, results, results)
    except BookError:
        found = None
    return _text(found) if found else NOTHING


def _tells(results: Results, rows: list[SourceRow]) -> bool:
    """Whether a run has any of these rows: a column of dashes is left out."""
    return any(_there(row, results) != NOTHING for row in rows)


def _text(found: beside.Ours) -> str:
    block = found.instead.get("block")
    return f"{found.text} (block {times(block)})" if block else found.text


def _shares(row: SourceRow, whole: str, sources: list[SourceRow], runs: list[Results | None]) -> list[str]:
    """What a row is of another step: in its source, on its card and at its shape, then in each run here."""
    there = row.at(whole, sources)
    known = Value.of(row.value / there, "share").text if row.value and there else NOTHING
    return [known, *(_share_here(row, whole, results) for results in runs)]


def _share_here(row: SourceRow, whole: str, results: Results | None) -> str:
    if results is None:
        return NOT_YET
    try:
        return beside.share(row, whole, results)
    except BookError:
        return NOTHING


def _report_unshown(app: Sphinx, env: BuildEnvironment) -> list[str]:
    """Every row of the sources stands in some table, as soon as its chapter exists."""
    shown = {name for names in env.weave_sources.values() for name in names}
    library = library_of(env)
    place = Path(library.root, "figures", "data", "sources.json")
    for chapter, folder in library.chapters().items():
        if not (folder / "index.md").is_file() or not place.is_file():
            continue
        for row in library.sources(chapter):
            if row.name not in shown:
                logger.warning("%s: no comparison shows %s", place, row.name, type="weave")
    return []


def setup(app: Sphinx) -> None:
    """Register the directive and the check that no row was forgotten."""
    app.add_directive("comparison", Comparison)
    app.connect("env-updated", _report_unshown)
