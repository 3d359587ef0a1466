"""What `make chapterN` and `make reproduce` print at their end."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import suppress

from book import quantities
from book.claims import Claim, Data, collect_claims, evaluate_claim
from book.documents import BookError
from book.emulation import Counted
from book.format import SPACE, format_published, format_value, times
from book.library import Library, SourceRow
from book.metrics import METRICS, PER_REQUEST, PREDICTED_PER_REQUEST, per_request
from book.quantities import Value
from book.results import (
    Measurement,
    Parameters,
    Results,
    Shape,
    default_at,
    describe,
    find,
    parameters_text,
    shape_text,
    share,
)
from book.terminal import BOLD, GREEN, RED, Table, paint

_KINDS = {
    "Sectors per request": PREDICTED_PER_REQUEST[:2],
    "Wavefronts per request": PREDICTED_PER_REQUEST[2:],
}


def chapter_tables(library: Library, chapter: int) -> Iterator[str]:
    """A chapter's tables: predicted and counted, timed at each shape, the sources' figures."""
    descriptions = library.descriptions(chapter)
    published, own = library.published(chapter), library.own(chapter)
    name = library.chapters()[chapter].name.partition("-")[2].replace("-", " ")
    yield paint(f"Chapter {chapter}, {name}", BOLD)
    yield _runs(published, own, chapter)
    if not descriptions.variants:
        yield f"Nothing is predicted: the chapter's steps are not built in {library.build}."
    yield from _counts(library, chapter)
    for shape in _shapes([published, *own]):
        yield f"{paint(f'Timed at {times(shape)}', BOLD)}\n{_timed(published, own, shape)}"
    yield from _sources(library.sources(chapter), published, library.counted(chapter), own)
    for stale in library.stale(chapter):
        yield paint(f"changed since it was published: {stale}", RED)


def reproduce_tables(library: Library) -> Iterator[str]:
    """Published and own value of each measurement, and the claims that do not hold on the reader's GPU.

    Raises:
        BookError: there are no own results, or a claim of the prose is damaged.

    """
    found = False
    for chapter, folder in library.chapters().items():
        published = library.published(chapter)
        for own in library.own(chapter):
            found = True
            yield paint(f"Chapter {chapter} on your {own.gpu_name}", BOLD)
            yield _runs(published, [own], chapter)
            yield str(_reproduced(published, own))
            data = Data(own, library.descriptions(chapter), tuple(library.sources(chapter)))
            page = folder / "index.md"
            yield _claims(list(collect_claims([page] if page.is_file() else [])), data)
    if not found:
        raise BookError(
            f"{library.build / 'results'}: there are no results of yours; make reproduce takes them"
        )


def _runs(published: Results | None, own: list[Results], chapter: int) -> str:
    lines = [] if published else [f"Chapter {chapter} has no published results yet."]
    for name, results in (("published", published), *(("yours", results) for results in own)):
        if results:
            facts = [
                str(results.provenance[key]) for key in ("date", "commit") if results.provenance.get(key)
            ]
            lines.append(f"{name}: {', '.join([results.gpu_name, *facts])}")
    return "\n".join(lines)


def _shapes(runs: list[Results | None]) -> list[Shape]:
    shapes = {entry.shape for results in runs if results for entry in results.measurements}
    return sorted(shapes, key=lambda shape: (shape[0] * shape[-1], shape))


def _counts(library: Library, chapter: int) -> Iterator[str]:
    """Averages per request of each step at each counted shape: predicted, counted, and Nsight Compute's."""
    emulation, published = library.emulation(chapter), library.published(chapter)
    tables: dict[tuple[Shape, str], Table] = {}
    for variant in library.descriptions(chapter).variants:
        for shape, metrics in variant.predicted.items():
            if not metrics:
                continue
            predicted, counted, theirs = per_request(metrics), {}, {}
            for entries, averages in (
                (emulation.entries, counted),
                (published and published.counters, theirs),
            ):
                of_variant = [entry for entry in entries or () if entry.parameters == variant.parameters]
                with suppress(BookError):
                    averages.update(per_request(find(of_variant, variant.step, shape, {}, "").metrics))
            for kind, names in _KINDS.items():
                row = [variant.step, _block(variant.parameters)]
                for name in names:
                    row += _triple(*(averages.get(name) for averages in (predicted, counted, theirs)))
                table = tables.setdefault((shape, kind), Table(_headings(names), left=2))
                if any(row[2:]):
                    table.rows.append(row)
    for (shape, kind), table in tables.items():
        if table.rows:
            title = f"{kind} at {times(shape)}: predicted, counted by the emulator, and by Nsight Compute"
            yield f"{paint(title, BOLD)}\n{table}"


def _headings(names: Iterable[str]) -> list[str]:
    kinds = (name.removesuffix("-per-request").rpartition("-")[0].replace("-", " ") for name in names)
    return ["step", "block", *(heading for kind in kinds for heading in (kind, "counted", "Nsight"))]


def _triple(predicted: float | None, counted: float | None, theirs: float | None) -> list[str]:
    """Each average as text; the counted one held against the prediction, Nsight Compute's against it."""
    values = (predicted, counted, theirs)
    texts = ["" if value is None else format_value(value, "average") for value in values]
    for place in (1, 2):
        before, value = values[place - 1 : place + 1]
        if before is not None and value is not None:
            equal = before == value
            texts[place] = paint(f"{'=' if equal else '≠'} {texts[place]}", GREEN if equal else RED)
    return texts


def _timed(published: Results | None, own: list[Results], shape: Shape) -> Table:
    """Time, bandwidth, share of the ceiling and ratio to the library, published and own."""
    runs = [published] if published else []
    runs += own
    ceiling = next((entry.step for run in runs if (entry := run.ceiling(shape))), "ceiling")
    peer = next((entry.step for run in runs if (entry := run.peer(shape))), "library")
    headings = ["step", "block", "time", runs[0].rated_by, f"of {ceiling}", f"over {peer}"]
    headings += ["yours", f"of {ceiling}"] * len(own)
    table = Table(headings, left=2)
    variants = dict.fromkeys(
        (entry.step, tuple(entry.parameters.items()))
        for run in runs
        for entry in run.measurements
        if entry.shape == shape
    )
    for step, parameters in variants:
        block = _block(dict(parameters))
        row = [step, block, *_published_cells(published, step, shape, dict(parameters))]
        for run in own:
            entry = _same(run, step, shape, dict(parameters))
            row += [format_value(entry.median, "s"), _share(run, entry)] if entry else ["", ""]
        table.rows.append(row)
    return table


def _published_cells(published: Results | None, step: str, shape: Shape, parameters: Parameters) -> list[str]:
    entry = _same(published, step, shape, parameters) if published else None
    if not published or not entry:
        return ["", "", "", ""]
    peer = published.peer(shape)
    ratio = format_value(published.rating(entry) / published.rating(peer), "ratio") if peer else ""
    return [
        format_value(entry.median, "s"),
        format_value(published.rating(entry), published.rating_unit),
        _share(published, entry),
        ratio,
    ]


def _same(run: Results, step: str, shape: Shape, parameters: Parameters) -> Measurement | None:
    for entry in run.measurements:
        if (entry.step, entry.shape, dict(entry.parameters)) == (step, shape, parameters):
            return entry
    return None


def _share(run: Results, entry: Measurement) -> str:
    return format_value(share(run, entry), "share") if run.ceiling(entry.shape) else ""


def _sources(
    rows: list[SourceRow], published: Results | None, counted: Counted, own: list[Results]
) -> Iterator[str]:
    """Each of the sources' figures beside ours and the reader's; a table for each card."""
    headings = ["step", "block", "quantity", "published", "here", *["yours"] * len(own)]
    tables: dict[tuple[str, str], Table] = {}
    for row in rows:
        there = "only drawn" if row.value is None else format_published(row.value, row.unit)
        there += " (no unit)" if row.unit == "not given" else ""
        cells = [row.step, _block(row.parameters), row.quantity, there]
        cells += [_ours(row, published, counted) if published else ""]
        cells += [_ours(row, run, run) for run in own]
        tables.setdefault((row.source, row.card), Table(headings, left=3)).rows.append(cells)
    for (source, card), table in tables.items():
        yield f"{paint(f'Source {source}, {card}', BOLD)}\n{table}"


def _ours(row: SourceRow, run: Results, counted: Results | Counted) -> str:
    """Our value of what a source published; where our block is another one, with that block after it."""
    text = f"{row.step} {row.quantity} {shape_text(row.shape)} {parameters_text(row.parameters)}"
    if row.quantity in quantities.MEASURED:
        try:
            return quantities.measured(text, run).text
        except BookError:
            entry = default_at(run, row.step, row.shape)
    elif row.quantity in {**METRICS, **PER_REQUEST}:
        try:
            return quantities.counted(text, counted).text
        except BookError:
            return ""
    else:
        return ""
    if entry is None:
        return ""
    rated = Value.of(run.rating(entry), run.rating_unit)
    value = Value.of(entry.median, "s") if row.quantity == "time" else rated
    return f"{value.text} ({_block(entry.parameters)})"


def _block(parameters: Parameters) -> str:
    """A variant's block, and after it the parameters beside it: `256 offset=3`."""
    block = "×".join(map(str, parameters.get("block", ())))
    others = {name: value for name, value in parameters.items() if name != "block"}
    return " ".join(filter(None, (block, parameters_text(others))))


def _reproduced(published: Results | None, own: Results) -> Table:
    table = Table(["measurement", "published", "share", "yours", "share"])
    for entry in own.measurements:
        before = _same(published, entry.step, entry.shape, dict(entry.parameters)) if published else None
        row = [describe(entry)]
        row += (
            [format_value(before.median, "s"), _share(published, before)]
            if published and before
            else ["", ""]
        )
        row += [format_value(entry.median, "s"), _share(own, entry)]
        table.rows.append(row)
    return table


def _claims(claims: list[Claim], data: Data) -> str:
    """The claims that do not hold in these results, with both values, and those that cannot be checked."""
    lines, failed, unchecked, uncounted = [], 0, [], 0
    for claim in claims:
        if "[counted " in claim.expression and not data.results.counters:
            uncounted += 1
            continue
        try:
            verdict = evaluate_claim(claim, data)
        except BookError as error:
            unchecked.append(f"  {error}")
            continue
        if not verdict.holds:
            failed += 1
            lines.append(f"  {claim.sentence}: {verdict}")
    if not claims:
        return "The chapter makes no claims."
    held = len(claims) - failed - len(unchecked) - uncounted
    title = f"Claims of the chapter on your {data.results.gpu_name}: {held} hold, {failed} do not."
    lines.insert(0, paint(title, RED if failed else GREEN))
    if uncounted:
        lines.append(f"{uncounted} about counts were not checked: nothing was counted on this GPU.")
    if unchecked:
        lines += [f"{len(unchecked)} could not be checked there:", *unchecked]
    text = "\n".join(lines)
    return text.replace("\N{NARROW NO-BREAK SPACE}", SPACE)
