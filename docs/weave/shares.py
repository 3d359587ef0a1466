"""The bars of a card: shares of one step in the published run, in the reader's, and in the sources."""

from __future__ import annotations

from book.format import format_published
from book.keys import Key
from book.quantities import Value
from book.results import Measurement, Results
from book.sources import SourceRow
from weave.bars import Bar
from weave.context import Page
from weave.witnesses import Witnesses


def share_bars(witnesses: Witnesses, before: str | None, whole: str) -> list[Bar]:
    """A bar for the published run, for each of the reader's, and for each source that rated this step.

    All are shares of the step `whole`; where that was not measured at the step's shape, there are none.
    """
    page = witnesses.page
    page.step_file(whole)
    if page.run.relative(witnesses.timed_key, whole) is None:
        return []
    bars = []
    for run in page.runs:
        bars += _run_bar(witnesses, run, before, whole)  # none if not measured on that card
    for row in page.library.sources(page.chapter):
        if row.step == witnesses.step and row.quantity == page.run.rating.name:
            bars += _source_bar(page, row)
    return bars


def _run_bar(witnesses: Witnesses, results: Results, before: str | None, whole: str) -> list[Bar]:
    ceiling = witnesses.page.optional("ceiling")
    share = results.relative(witnesses.timed_key, whole)
    if share is None:
        return []
    earlier = like_it(results, witnesses.measurement(results), before) if before and before != whole else None
    ghost = results.relative(earlier, whole) if earlier else None
    words = f"{_percent(share)} of {whole}"
    if ghost is not None:
        words += f" ({before}: {_percent(ghost)})"
    of_ceiling = results.relative(witnesses.timed_key, ceiling) if ceiling and ceiling != whole else None
    if of_ceiling is not None:
        words += f", {_percent(of_ceiling)} of {ceiling}"
    return [Bar(results.label, share, words, "own" if results.is_own else "published", ghost)]


def like_it(results: Results, entry: Measurement, step: str) -> Key | None:
    """The variant of another step that an entry is held against: the only one, or the one like it."""
    there = [one.key for one in results.measurements if (one.step, one.shape) == (step, entry.shape)]
    alike = [key for key in there if key.parameters == entry.parameters] or there
    return alike[0] if len(alike) == 1 else None


def _source_bar(page: Page, row: SourceRow) -> list[Bar]:
    """A source's rating as a share of its own baseline, on its own card; nothing for that baseline itself."""
    baseline = page.optional("baseline")
    copied = row.at(baseline, page.library.sources(page.chapter)) if baseline else None
    if copied is None or row.value is None or row.step == baseline:
        return []
    share = row.value / copied
    words = f"{_percent(share)} of its {baseline}, {format_published(row.value, row.unit)}"
    return [Bar(f"source {row.source}: {row.card}", share, words, "source")]


def _percent(share: float) -> str:
    return Value.of(share, "share").text
