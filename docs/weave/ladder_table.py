"""The chapter's ladder: every step in one table."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from book.documents import BookError, MissingResultsError
from book.emulation import Metrics
from book.format import times
from book.keys import Key, Parameters, Shape
from book.metrics import METRICS
from book.quantities import Value, rated_text
from book.results import Results
from weave.card import THEIRS, mark
from weave.context import Page, complain, page_of
from weave.files import link_to_file
from weave.stale import stale_notice
from weave.tables import NOTHING, Cell, make_table
from weave.witnesses import Traffic


@dataclass(frozen=True)
class Rung:
    """A step of the ladder, and the variant of it that is meant."""

    step: str
    parameters: Parameters

    def at(self, shape: Shape) -> Key:
        """Its key at a shape."""
        return Key(self.step, shape, self.parameters)

    def __str__(self) -> str:
        return " ".join(filter(None, (self.step, str(self.parameters))))


class Ladder(SphinxDirective):
    """All steps, or the named ones, by what was predicted, counted and timed."""

    option_spec: ClassVar = {
        "steps": directives.unchanged_required,
        "measured": directives.unchanged_required,
        "counted": directives.unchanged_required,
    }

    def run(self) -> list[nodes.Node]:
        """Build the table, and under it the notice of steps that have changed."""
        try:
            page = page_of(self.env)
            measured = page.shape("measured", self.options.get("measured"))
            counted = page.shape("counted", self.options.get("counted"))
            rungs = _rungs(self.options.get("steps", " ".join(page.step_files())))
            rows: list[dict[str, Cell]] = []
            for rung in rungs:
                link = link_to_file(self.env, page.step_file(rung.step), str(rung))
                if not _is_timed(page, rung, measured):
                    continue
                cells = dict(_counts(page, rung.at(counted)))
                try:
                    cells.update(_times(page, rung.at(measured)))
                except MissingResultsError as error:
                    cells["time"] = [complain(self, error, "time")]
                rows.append({"step": [link], **cells})
            if not rows:
                raise BookError(f"no step is timed at {times(measured)}")
            header = list(max(rows, key=len))
            which = "Steps" if "steps" in self.options else "Every step"
            caption = f"{which} of the chapter on {page.run.gpu_name}: timed at {times(measured)}, "
            caption += f"counted by the emulator at {times(counted)}; = marks where {THEIRS} says the same."
            return [
                make_table(header, [[row.get(name, NOTHING) for name in header] for row in rows], caption),
                *stale_notice(page, [rung.step for rung in rungs]),
            ]
        except BookError as error:
            return [nodes.paragraph("", "", complain(self, error, "ladder"))]


def _rungs(text: str) -> list[Rung]:
    """Steps, each with the parameters of the variant that is meant: `streaming block=256`."""
    rungs: list[list[str]] = []
    for word in text.split():
        if "=" in word and rungs:
            rungs[-1].append(word)
        else:
            rungs.append([word])
    return [Rung(step, Parameters.parse(chosen)) for step, *chosen in rungs]


def _is_timed(page: Page, rung: Rung, shape: Shape) -> bool:
    """Whether a step is to be timed there; of one that is not built, the results must say so."""
    variants = page.library.descriptions(page.chapter).of(rung.step)
    return not variants or any(shape in variant.measured for variant in variants)


def _counts(page: Page, key: Key) -> Iterator[tuple[str, Cell]]:
    """What was predicted and counted, summed over loads and stores, under their headings."""
    library, chapter = page.library, page.chapter
    for unit in ("sectors", "wavefronts"):
        names = [name for name in library.counts(chapter) if name.endswith(unit)]
        predicted = library.descriptions(chapter).predictions.get(key)
        counted, theirs = page.counted.counters.get(key), page.run.counters.get(key)
        if names and unit == "sectors":
            total = _total(predicted.metrics if predicted else None, names, missing=0)
            yield "sectors, predicted", NOTHING if total is None else Value.of(total, "count").text
        if names:
            ours = _total(counted.metrics if counted else None, names)
            yield f"{unit}, counted", _marked(ours, _total(theirs.metrics if theirs else None, names))


def _total(metrics: Metrics | None, names: list[str], missing: float | None = None) -> float | None:
    """The sum of some counts; None where not all are known."""
    counts = [metrics.get(METRICS[name], missing) for name in names] if metrics is not None else [None]
    return None if None in counts else sum(filter(None, counts))


def _marked(ours: float | None, theirs: float | None) -> Cell:
    """What the emulator counted, and whether Nsight Compute's sum is the same."""
    if ours is None:
        return NOTHING
    sign = [] if theirs is None else mark(Traffic(theirs, None), Traffic(ours, None), THEIRS)
    return [nodes.Text(Value.of(ours, "count").text), *sign]


def _times(page: Page, key: Key) -> Iterator[tuple[str, Cell]]:
    """Times and shares, of the published run and of the reader's, under their headings."""
    run, ceiling, peer = page.run, page.optional("ceiling"), page.optional("peer")
    entry = run.measurements.find(key)
    yield "time", Value.of(entry.median, "s").text
    yield run.rating.name, rated_text(entry)
    if ceiling:
        yield f"of {ceiling}", _relation(run, key, ceiling, "share")
    if peer:
        yield f"over {peer}", _relation(run, key, peer, "ratio")
    for beside in page.runs[1:]:
        if ceiling:
            try:
                yield f"{beside.label}, of {ceiling}", _relation(beside, key, ceiling, "share")
            except BookError:
                yield f"{beside.label}, of {ceiling}", NOTHING
        else:
            there = beside.measurements.get(key)
            yield beside.label, rated_text(there) if there else NOTHING


def _relation(results: Results, key: Key, whole: str, unit: str) -> str:
    entry, other = results.measurements.find(key), results.measurements.find(Key(whole, key.shape))
    if entry.rated_by != other.rated_by:
        return NOTHING
    return Value.of(entry.performance / other.performance, unit).text


def setup(app: Sphinx) -> None:
    """Register the directive."""
    app.add_directive("ladder", Ladder)
