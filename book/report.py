"""What `make chapterN` and `make reproduce` print at their end."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from book import beside
from book.claims import Claim, Data, evaluate_claim
from book.counted import Counted
from book.documents import BookError
from book.format import SPACE, format_published, format_value, times
from book.keys import Shape, by_size
from book.library import Library
from book.metrics import per_request
from book.prose import collect_claims
from book.quantities import Value, rated_text
from book.results import Measurement, Results
from book.sources import SourceRow
from book.terminal import BOLD, GREEN, RED, Table, paint


def chapter_tables(library: Library, chapter: int) -> Iterator[str]:
    """A chapter's tables: predicted and counted, timed at each shape, the sources' figures."""
    descriptions = library.descriptions(chapter)
    published, own = library.published(chapter), library.own(chapter)
    name = library.chapters()[chapter].name.partition("-")[2].replace("-", " ")
    yield paint(f"Chapter {chapter}, {name}", BOLD)
    yield _runs(published, own, chapter)
    if not descriptions.variants:
        yield f"Nothing is predicted: the chapter's steps are not built in {library.build}."
    for experiments in (False, True):
        yield from _counts(library, chapter, experiments)
        yield from _timings(library, chapter, experiments)
    unknown = "\n".join(_takes_a_gpu(library, chapter))
    if unknown:
        yield unknown
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


def _timings(library: Library, chapter: int, experiments: bool) -> Iterator[str]:
    """A table for each shape."""
    published, own = library.published(chapter), library.own(chapter)
    aside = library.descriptions(chapter).experiments
    entries = [
        entry
        for run in (published, *own)
        if run
        for entry in run.measurements
        if (entry.step in aside) == experiments
    ]
    for shape in sorted({entry.shape for entry in entries}, key=by_size):
        title = f"{'Experiments timed' if experiments else 'Timed'} at {times(shape)}"
        table = _timed(published, own, [entry for entry in entries if entry.shape == shape])
        yield f"{paint(title, BOLD)}\n{table}"


def _counts(library: Library, chapter: int, experiments: bool) -> Iterator[str]:
    """Averages per request of each step at each counted shape: predicted, counted, and Nsight Compute's."""
    descriptions = library.descriptions(chapter)
    witnesses = [descriptions.predictions, library.emulation(chapter).entries]
    published = library.published(chapter)
    witnesses += [published.counters] if published else []
    kinds = (("Sectors", "sectors"), ("Wavefronts", "wavefronts"))
    tables: dict[tuple[Shape, str], Table] = {}
    for prediction in witnesses[0]:
        if (prediction.step in descriptions.experiments) != experiments:
            continue
        found = [entries.exactly(prediction.key) for entries in witnesses]
        for kind, ending in kinds:
            names = [name for name in library.counts(chapter) if name.endswith(ending)]
            averages = [[per_request(one.metrics, name) if one else None for one in found] for name in names]
            texts = [text for told in averages for text in _triple(told)]
            table = tables.setdefault((prediction.shape, kind), Table(_headings(names), left=2))
            if any(texts):
                table.rows.append([prediction.step, prediction.parameters.brief, *texts])
    for (shape, kind), table in tables.items():
        if table.rows:
            of = " of experiments" if experiments else ""
            title = f"{kind} per request{of} at {times(shape)}: predicted, counted by the emulator, "
            yield f"{paint(f'{title}and by Nsight Compute', BOLD)}\n{table}"


def _headings(names: Iterable[str]) -> list[str]:
    kinds = (name.rpartition("-")[0].replace("-", " ") for name in names)
    return ["step", "variant", *(heading for kind in kinds for heading in (kind, "counted", "Nsight"))]


def _triple(told: list[float | None]) -> list[str]:
    """Each average as text; the counted one held against the prediction, Nsight Compute's against it."""
    values = [*told, None][:3]
    texts = ["" if value is None else format_value(value, "average") for value in values]
    for place in (1, 2):
        before, value = values[place - 1 : place + 1]
        if before is not None and value is not None:
            equal = before == value
            texts[place] = paint(f"{'=' if equal else '≠'} {texts[place]}", GREEN if equal else RED)
    return texts


def _timed(published: Results | None, own: list[Results], entries: list[Measurement]) -> Table:
    """Time, rating, share of the ceiling and ratio to the library, and what steps report beside.

    Of the reader's runs, if there is a published one, the time, the share and what steps report.
    """
    first, *others = [published, *own] if published else own
    of_ceiling, over_peer = f"of {first.ceiling}", f"over {first.peer}"
    reported = list(dict.fromkeys(name for entry in entries for name in entry.quantities))
    ratings = {entry.rating.name for entry in entries}
    rating = ratings.pop() if len(ratings) == 1 else "rating"
    time = "time" if published else "yours"
    headings = ["step", "variant", time, rating, of_ceiling, over_peer, *reported]
    table = Table([*headings, *["yours", of_ceiling, *reported] * len(others)], left=2)
    for key in dict.fromkeys(entry.key for entry in entries):
        row = [key.step, key.parameters.brief]
        for run in (first, *others):
            entry = run.measurements.exactly(key)
            rated = _rated(run, entry) if run is first else []
            row += [_time(entry), *rated[:1], _share(run, entry), *rated[1:], *_reports(entry, reported)]
        table.rows.append(row)
    return table


def _time(entry: Measurement | None) -> str:
    return format_value(entry.median, "s") if entry else ""


def _rated(run: Results, entry: Measurement | None) -> list[str]:
    """The rating, and its ratio to the library's."""
    if entry is None:
        return ["", ""]
    ratio = run.over_peer(entry.key)
    return [rated_text(entry), "" if ratio is None else format_value(ratio, "ratio")]


def _share(run: Results, entry: Measurement | None) -> str:
    share = run.share(entry.key) if entry else None
    return "" if share is None else format_value(share, "share")


def _reports(entry: Measurement | None, names: Iterable[str]) -> list[str]:
    known = entry.quantities if entry else {}
    return [Value.of(known[name].median, known[name].unit).text if name in known else "" for name in names]


def _takes_a_gpu(library: Library, chapter: int) -> Iterator[str]:
    """What steps report that nobody has measured yet."""
    runs = [library.published(chapter), *library.own(chapter)]
    known = {
        (entry.step, name) for run in runs if run for entry in run.measurements for name in entry.quantities
    }
    told = {
        (variant.step, report.name): "takes a GPU" if report.takes_a_gpu else "`--once` prints it"
        for variant in library.descriptions(chapter).variants
        for report in variant.reports
    }
    for (step, name), how in told.items():
        if (step, name) not in known:
            yield f"{step} reports its {name}: {how}"


def _sources(
    rows: list[SourceRow], published: Results | None, counted: Counted, own: list[Results]
) -> Iterator[str]:
    """Each of the sources' figures beside ours and the reader's; a table for each card."""
    headings = ["step", "variant", "quantity", "published", "here", *["yours"] * len(own)]
    tables: dict[tuple[str, str], Table] = {}
    for row in rows:
        there = "only drawn" if row.value is None else format_published(row.value, row.unit)
        there += " (no unit)" if row.unit == "not given" else ""
        cells = [row.step, row.parameters.brief, row.quantity, there]
        cells += [_ours(row, published, counted), *(_ours(row, run, run) for run in own)]
        tables.setdefault((row.source, row.card), Table(headings, left=3)).rows.append(cells)
    for (source, card), table in tables.items():
        yield f"{paint(f'Source {source}, {card}', BOLD)}\n{table}"


def _ours(row: SourceRow, run: Results | None, counted: Results | Counted) -> str:
    try:
        found = beside.ours(row, run, counted)
    except BookError:
        found = None
    if found is None:
        return ""
    return f"{found.text} ({found.instead.brief})" if found.instead else found.text


def _reproduced(published: Results | None, own: Results) -> Table:
    table = Table(["measurement", "published", "share", "yours", "share"])
    for entry in own.measurements:
        before = published.measurements.exactly(entry.key) if published else None
        row = [str(entry.key), _time(before), _share(published, before) if published else ""]
        table.rows.append([*row, _time(entry), _share(own, entry)])
    return table


def _claims(claims: list[Claim], data: Data) -> str:
    """The claims that do not hold in these results, with both values, and those that cannot be checked."""
    lines, failed, unchecked, uncounted = [], 0, [], 0
    for claim in claims:
        if "counted" in claim.witnesses and not len(data.measured.counters):
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
    title = f"Claims of the chapter on your {data.measured.gpu_name}: {held} hold, {failed} do not."
    lines.insert(0, paint(title, RED if failed else GREEN))
    if uncounted:
        lines.append(f"{uncounted} about counts were not checked: nothing was counted on this GPU.")
    if unchecked:
        lines += [f"{len(unchecked)} could not be checked there:", *unchecked]
    text = "\n".join(lines)
    return text.replace("\N{NARROW NO-BREAK SPACE}", SPACE)
