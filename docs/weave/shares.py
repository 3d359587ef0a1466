"""The bars of a card: shares of one step in the published run, in the reader's, and in the sources."""

from __future__ import annotations

from book.documents import BookError
from book.format import format_published
from book.library import SourceRow
from book.quantities import Value
from book.results import Results, Shape
from weave.bars import Bar
from weave.context import Page
from weave.witnesses import Witnesses, share_of, share_or_none


def share_bars(witnesses: Witnesses, before: str | None, whole: str) -> list[Bar]:
    """A bar for the published run, for each of the reader's, and for each source that rated this step.

    All are shares of the step `whole`; where that was not measured at the step's shape, there are none.
    """
    page = witnesses.page
    page.step_file(whole)
    if not _measured(page.published, whole, witnesses.measured):
        return []
    bars = [_run_bar(witnesses, page.published, "published", before, whole)]
    for own in page.library.own(page.chapter):
        try:
            bars.append(_run_bar(witnesses, own, "own", before, whole))
        except BookError:
            continue  # not measured on that card
    for row in page.library.sources(page.chapter):
        if row.step == witnesses.step and row.quantity == page.published.rated_by:
            bars += _source_bar(page, row)
    return bars


def _run_bar(witnesses: Witnesses, results: Results, kind: str, before: str | None, whole: str) -> Bar:
    ceiling = witnesses.page.default("ceiling")
    entry = witnesses.measurement(results)
    share = share_of(results, entry, whole)
    ghost = None
    if before and before != whole:
        ghost = share_or_none(results, before, witnesses.measured, whole)
    words = f"{_percent(share)} of {whole}"
    if ghost is not None:
        words += f" ({before}: {_percent(ghost)})"
    if whole != ceiling and _measured(results, ceiling, witnesses.measured):
        words += f", {_percent(share_of(results, entry, ceiling))} of {ceiling}"
    label = results.gpu_name if kind == "published" else f"yours: {results.gpu_name}"
    return Bar(label, share, words, kind, ghost)


def _measured(results: Results, step: str, shape: Shape) -> bool:
    try:
        results.measurement(step, shape)
    except BookError:
        return False
    return True


def _source_bar(page: Page, row: SourceRow) -> list[Bar]:
    """A source's rating as a share of its own baseline, on its own card; nothing for that baseline itself."""
    baseline = page.front_matter.get("baseline")
    same_run = (row.source, row.card, row.shape, row.quantity, baseline)
    copies = [
        other.value
        for other in page.library.sources(page.chapter)
        if (other.source, other.card, other.shape, other.quantity, other.step) == same_run and other.value
    ]
    if not copies or row.value is None or row.step == baseline:
        return []
    share = row.value / copies[0]
    words = f"{_percent(share)} of its {baseline}, {format_published(row.value, row.unit)}"
    return [Bar(f"source {row.source}: {row.card}", share, words, "source")]


def _percent(share: float) -> str:
    return Value.of(share, "share").text
