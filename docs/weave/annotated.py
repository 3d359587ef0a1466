"""Annotated listings: beside each line of a kernel that touches memory, what the emulator counted for it."""

from __future__ import annotations

import html
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import ClassVar

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective
from sphinx.writers.html5 import HTML5Translator

from book.documents import BookError
from book.emulation import Emulated
from book.format import grouped, times
from book.keys import Key, Parameters
from book.metrics import METRICS
from book.quantities import Value
from weave.card import THEIRS
from weave.context import Page, complain, page_of
from weave.files import resolve
from weave.lexer import language_of
from weave.listings import captioned, highlighted, note_tag, numbered, runs
from weave.tags import Line, dedented, read_tagged

Metrics = Mapping[str, float]
Columns = Mapping[str, tuple["Access", ...]]


@dataclass(frozen=True)
class Access:
    """A kind of access: its sign in the gutter, its name, and the metrics of its requests and their parts."""

    sign: str
    name: str
    requests: str
    parts: str

    def words(self, metrics: Metrics, unit: str) -> str:
        """For those who do not see the columns: `load, 4 sectors per request`."""
        return f"{self.name}, {self.average(metrics)} {unit} per request"

    def average(self, metrics: Metrics) -> str:
        """Sectors or wavefronts per request, as the book prints them."""
        return Value.of(metrics.get(self.parts, 0) / metrics[self.requests], "average").text


def _accesses(memory: str, parts: str) -> tuple[Access, ...]:
    return tuple(
        Access(sign, name, METRICS[f"{kind}-requests"], METRICS[f"{kind}-{parts}"])
        for sign, name, kind in (
            ("ld", "load", f"{memory}load"),
            ("st", "store", f"{memory}store"),
            ("red", "reduction", f"{memory}reduction"),
            ("atom", "atomic", f"{memory}atomic"),
        )
        if f"{kind}-{parts}" in METRICS
    )


COLUMNS = {"sectors": _accesses("", "sectors"), "wavefronts": _accesses("shared-", "wavefronts")}
"""The gutter's columns: sectors in global memory, wavefronts in shared memory, each per request."""


_DATA = "data"
L1_COLUMNS = {
    "tags": (
        Access("ld", "load", METRICS["load-requests"], METRICS["tag-wavefronts"]),
        Access("st", "store", METRICS["store-requests"], METRICS["store-wavefronts"]),
    ),
    _DATA: (Access("ld", "load", METRICS["load-requests"], METRICS["data-wavefronts"]),),
}
"""What a listing shows that asks for the L1: tag and data wavefronts, each per request."""

_REQUESTS = frozenset(access.requests for accesses in COLUMNS.values() for access in accesses)


@dataclass(frozen=True)
class Annotated:
    """One line of a listing: its number, its HTML, and what the emulator counted for it."""

    number: int
    code: str
    metrics: Metrics
    columns: Columns = field(default_factory=lambda: COLUMNS)

    def cell(self, column: str) -> str:
        """What stands in a column of the gutter: `ld 4 st 32`; empty where the line does no such thing."""
        return " ".join(f"{access.sign} {access.average(self.metrics)}" for access in self._made(column))

    def title(self, column: str) -> str:
        """The sums behind a cell."""
        return "; ".join(
            f"{access.name}: {grouped(self.metrics[access.requests])} requests, "
            f"{grouped(self.metrics.get(access.parts, 0))} {column}"
            for access in self._made(column)
        )

    def words(self) -> str:
        """What all columns hold, to be read out before the line's code."""
        return "; ".join(
            access.words(self.metrics, unit) for unit in self.columns for access in self._made(unit)
        )

    def _made(self, column: str) -> list[Access]:
        made = [access for access in self.columns[column] if self.metrics.get(access.requests)]
        # Data wavefronts of loads and of others are one counter: they are told where there are only loads.
        others = _REQUESTS - {access.requests for access in made}
        return [] if column == _DATA and any(self.metrics.get(other) for other in others) else made


class annotated(nodes.General, nodes.Element):
    """The HTML of an annotated listing, ready."""


class AnnotatedListing(SphinxDirective):
    """Tagged regions of a step's file with what each line counted: ``{annotated} 13_padded.cu kernel``."""

    required_arguments = 2
    optional_arguments = 8
    option_spec: ClassVar = {
        "l1": directives.flag,
        "step": directives.unchanged_required,
        "counted": directives.unchanged_required,
        "parameters": directives.unchanged_required,
    }

    def run(self) -> list[nodes.Node]:
        """Build the listing and, under it, the sums of the whole launch."""
        name, *tags = self.arguments
        try:
            return [self._listing(page_of(self.env), resolve(self.env, name), tags)]
        except BookError as error:
            return [nodes.paragraph("", "", complain(self, error, name))]

    def _listing(self, page: Page, path: Path, tags: list[str]) -> nodes.Element:
        shape = page.shape("counted", self.options.get("counted"))
        parameters = Parameters.parse(self.options.get("parameters", "").split())
        step = self.options.get("step") or _step_of(page, path)
        entry = page.library.emulation(page.chapter).entries.find(Key(step, shape, parameters))
        file, relative = read_tagged(path), path.resolve().relative_to(page.library.root).as_posix()
        blocks = [run for tag in tags for run in runs(dedented(file.region(tag)))]
        metrics = {line.number: entry.at(relative, line.number) for block in blocks for line in block}
        if not any(metrics.values()):
            raise BookError(f"{path}: no line of {', '.join(tags)} touches memory in {step}")
        for tag in tags:
            note_tag(self.env, path, tag)
        of_l1 = "l1" in self.options
        shown = f"counted by the emulator for {step}, {times(shape)}, per request of a warp"
        shown += "; tag and data wavefronts of the L1 as if it held all that is loaded" if of_l1 else ""
        columns = {**COLUMNS, **L1_COLUMNS} if of_l1 else COLUMNS
        figure = captioned(self.env, path, [nodes.Text(shown)])
        figure += [_block(block, language_of(path.name), metrics, columns) for block in blocks]
        figure += _sums(page, entry)
        self.set_source_info(figure)
        return figure


def _block(
    lines: list[Line], language: str, metrics: Mapping[int, Metrics], columns: Columns
) -> nodes.Element:
    if not any(metrics[line.number] for line in lines):
        return numbered(lines, language)
    code = highlighted(lines, language)
    rows = [
        Annotated(line.number, row, metrics[line.number], columns)
        for line, row in zip(lines, code, strict=True)
    ]
    return annotated("", html=annotated_html(rows))


def annotated_html(lines: list[Annotated]) -> str:
    """A block of code whose lines begin with their numbers and a gutter of the columns that they need."""
    columns = [column for column in lines[0].columns if any(line.cell(column) for line in lines)]
    width = len(str(lines[-1].number))
    heads = "".join(_head(column, _width(column, lines)) for column in columns)
    blank = " " * width
    rows = [
        f'<span class="gutter heads" aria-hidden="true"><span class="linenos">{blank}</span>{heads}</span>'
    ]
    for line in lines:
        cells = "".join(_cell(line, column, _width(column, lines)) for column in columns)
        spoken = f'<span class="visually-hidden">{html.escape(line.words())}: </span>' if line.words() else ""
        rows.append(
            f'<span class="gutter"><span class="linenos">{line.number:{width}}</span>'
            f'<span aria-hidden="true">{cells}</span></span>{spoken}{line.code}'
        )
    code = "\n".join(rows)
    return f'<div class="highlight annotated"><pre tabindex="0">{code}\n</pre></div>'


def _width(column: str, lines: list[Annotated]) -> int:
    return max(len(column), *(len(line.cell(column)) for line in lines))


def _head(column: str, width: int) -> str:
    return f'<span class="cell {column}">{column:>{width}}</span>'


def _cell(line: Annotated, column: str, width: int) -> str:
    text = line.cell(column)
    if not text:
        return f'<span class="cell {column}">{"":{width}}</span>'
    signs = re.sub("[a-z]+", lambda sign: f'<span class="sign-{sign[0]}">{sign[0]}</span>', text)
    space = " " * (width - len(text))
    return f'<span class="cell {column}" title="{line.title(column)}">{space}<span>{signs}</span></span>'


def _step_of(page: Page, path: Path) -> str:
    for step, file in (page.step_files() | page.experiment_files()).items():
        if file.resolve() == path.resolve():
            return step
    raise BookError(f"{path.name} is no step: say which one counts, `:step: …`")


def _sums(page: Page, entry: Emulated) -> nodes.Node:
    """All that the launch did, and whether Nsight Compute's sums are the same, if it counted all of them."""
    results = page.library.published(page.chapter)
    theirs_too = results.counters.exactly(entry.key) if results else None
    published = theirs_too.metrics if theirs_too else {}
    sums, differ, silent = [], False, not published
    for column, accesses in COLUMNS.items():
        for access in accesses:
            total = entry.metrics.get(access.parts)
            if not total:
                continue
            memory = "shared " if column == "wavefronts" else ""
            text = f"{grouped(total)} {memory}{access.name} {column}"
            theirs = published.get(access.parts)
            if theirs is None:
                silent = True
            elif theirs != total:
                differ = True
                text += f" ≠ {grouped(theirs)}"
            sums.append(text)
    words: list[nodes.Node] = [nodes.Text(f"The whole launch: {', '.join(sums)}")]
    if differ or not silent:
        sign = nodes.inline("", "≠" if differ else "=", classes=["unequal" if differ else "equal"])
        theirs = f" what {THEIRS} counted on {page.run.gpu_name}"
        words += [nodes.Text("; "), sign, nodes.Text(f" {'not' if differ else 'exactly'}{theirs}")]
    if entry.depends_on_schedule:
        words.append(nodes.Text("; how often it waits for an atomic may depend on the schedule"))
    return nodes.paragraph("", "", *words, nodes.Text("."), classes=["listing-sums"])


def _visit(translator: HTML5Translator, node: annotated) -> None:
    translator.body.append(node["html"])
    raise nodes.SkipNode


def setup(app: Sphinx) -> None:
    """Register the directive and its node."""
    app.add_node(annotated, html=(_visit, None))
    app.add_directive("annotated", AnnotatedListing)
