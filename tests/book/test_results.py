from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from book.documents import BookError
from book.format import format_value
from book.keys import Entries, Key, Parameters
from book.library import Library
from book.metrics import METRICS
from book.results import load_results
from tests.book.invented import REPOSITORY, SHAPES, invented_results, write


def refusal(path: Path) -> str:
    with pytest.raises(BookError) as error:
        load_results(path)
    assert "\n" not in str(error.value)
    return str(error.value)


def line_of(path: Path, text: str) -> int:
    return next(n for n, line in enumerate(path.read_text().splitlines(), 1) if text in line)


def test_reads_what_the_benchmark_writes(book: Library) -> None:
    results = book.require_published(6)
    entry = results.measurements.find(Key("padded", (8192, 8192)))
    assert entry.rated == pytest.approx(3400e9)
    assert [own.gpu_name for own in book.own(6)] == ["NVIDIA Other"]


def test_a_chapter_is_rated_by_what_its_ceiling_is(tmp_path: Path) -> None:
    document = invented_results()
    assert (
        load_results(write(tmp_path / "chapter6.json", document), ceiling="memcpy").rating.name == "bandwidth"
    )
    for entry in document["measurements"]:
        if entry["kind"] == "ceiling":
            entry |= {"rated_by": "operations", "amounts": {"operations": 100}}
    results = load_results(write(tmp_path / "chapter6.json", document), ceiling="memcpy")
    ceiling = results.measurements.find(Key("memcpy", (8192, 8192)))
    assert (results.rating.name, results.rating.unit) == ("rate", "flop/s")
    assert ceiling.rated == 100 / ceiling.median


def test_accesses_are_rated_by_the_time_of_one(tmp_path: Path) -> None:
    document = invented_results()
    document["measurements"][0] |= {"rated_by": "accesses", "amounts": {"accesses": 1000}}
    document["measurements"][0]["meter"] = {"sm_mhz": {"median": 1500, "low": 1500, "high": 1500}}
    entry = next(iter(load_results(write(tmp_path / "chapter6.json", document)).measurements))
    assert entry.rated == pytest.approx(entry.median / 1000)
    assert entry.performance == pytest.approx(1000 / entry.median)
    assert entry.sm_mhz == 1500


def test_what_is_reported_in_kib_is_read_as_bytes(tmp_path: Path) -> None:
    document = invented_results()
    kept = {"unit": "KiB", "median": 216, "low": 212, "high": 220}
    document["measurements"][0]["quantities"] = {"kept": kept}
    entry = next(iter(load_results(write(tmp_path / "chapter6.json", document)).measurements))
    reported = entry.quantities["kept"]
    assert (reported.median, reported.low, reported.high) == (216 << 10, 212 << 10, 220 << 10)
    assert format_value(reported.median, reported.unit) == "216\u00a0KiB"


def test_what_is_reported_in_nanoseconds_is_read_as_seconds(tmp_path: Path) -> None:
    document = invented_results()
    period = {"unit": "ns", "median": 1926, "low": 1920, "high": 1930}
    document["measurements"][0]["quantities"] = {"period": period}
    entry = next(iter(load_results(write(tmp_path / "chapter6.json", document)).measurements))
    reported = entry.quantities["period"]
    assert (reported.median, reported.low, reported.high) == pytest.approx((1.926e-6, 1.92e-6, 1.93e-6))
    assert format_value(reported.median, reported.unit) == "1.93\u00a0µs"


LATENCIES = {"unit": "cycles", "axes": ["visit", "line"], "lengths": [2, 3], "values": [605, 7, 6, 3, 2, 1]}


def test_a_series_is_read_in_rows(tmp_path: Path) -> None:
    document = invented_results()
    document["measurements"][0]["series"] = {"latencies": LATENCIES}
    entry = next(iter(load_results(write(tmp_path / "chapter6.json", document)).measurements))
    series = entry.series["latencies"]
    assert (series.unit, series.axes) == ("cycles", ("visit", "line"))
    assert series.rows == [(605, 7, 6), (3, 2, 1)]


@pytest.mark.parametrize(
    ("damage", "words"),
    [
        ({"values": [605, 7, 6, 3, 2]}, "5 values on 2 axes are not a grid of 2x3"),
        ({"lengths": [6]}, "6 values on 2 axes are not a grid of 6"),
        ({"values": [605, 7, 6, 3, 2, 1.5]}, "1.5 is not of type 'integer'"),
        ({"axes": []}, "[] should be non-empty"),
        ({"unit": None}, "None is not of type 'string'"),
    ],
)
def test_a_damaged_series_is_refused(tmp_path: Path, damage: dict[str, Any], words: str) -> None:
    document = invented_results()
    document["measurements"][0]["series"] = {"latencies": LATENCIES | damage}
    path = write(tmp_path / "chapter6.json", document)
    assert re.match(rf"{re.escape(str(path))}:\d+: damaged: .*{re.escape(words)}", refusal(path))


def test_shares_are_of_what_is_rated_alike(tmp_path: Path) -> None:
    document = invented_results()
    path = write(tmp_path / "chapter6.json", document)
    results = load_results(path, ceiling="memcpy", peer="cublas-geam")
    key = Key("padded", (8192, 8192))
    assert results.share(key) == pytest.approx(0.85)
    assert results.over_peer(key) == pytest.approx(3400 / 3700)
    assert results.share(Key("padded", (1, 1))) is None
    for entry in document["measurements"]:
        if entry["step"] == "padded":
            entry |= {"rated_by": "accesses", "amounts": {"accesses": 1000}}
    results = load_results(write(path, document), ceiling="memcpy", peer="cublas-geam")
    assert results.share(key) is None
    assert results.over_peer(key) is None


def test_the_page_says_which_ceiling_and_peer_shares_are_of(book: Library) -> None:
    results, key = book.require_published(6), Key("padded", (8192, 8192))
    assert (results.share(key), results.over_peer(key)) == pytest.approx((0.85, 3400 / 3700))
    page = book.folder(6) / "index.md"
    page.write_text(page.read_text().replace("ceiling: memcpy", "ceiling: tile").replace("geam", "other"))
    results = book.require_published(6)
    assert results.share(key) == pytest.approx(1.7)
    assert results.over_peer(key) is None


def test_the_page_says_which_shapes_are_shown(book: Library) -> None:
    assert book.measured(6) == (8192, 8192)
    assert book.marked(6) == [(4096, 4096), (8191, 8209), (16384, 16384)]
    page = book.folder(6) / "index.md"
    page.write_text(page.read_text().replace("counted:", "marked: 4096x4096 3x5\ncounted:"))
    assert book.marked(6) == [(4096, 4096), (3, 5)]


def test_the_default_variant_is_meant_when_none_is_named(book: Library) -> None:
    measurements = book.require_published(6).measurements
    key = Key("read-rows", (8192, 8192))
    assert str(measurements.find(key).parameters) == "block=32x8"
    named = Key("read-rows", (8192, 8192), Parameters.of({"block": (64, 16)}))
    assert measurements.find(named).key == named
    assert str(measurements.find(Key("memcpy", (8192, 8192))).parameters) == ""


def test_a_sole_variant_is_not_meant_if_another_is_the_default(book: Library) -> None:
    results = book.require_published(6)
    defaults = {"read-rows": Parameters.of({"block": (32, 8)})}
    alone = [entry for entry in results.measurements if entry.parameters.get("block") == (64, 16)]
    measurements = Entries(tuple(alone), "measured", defaults)
    assert measurements.find(Key("read-rows", (8192, 8192), alone[0].parameters))
    assert measurements.get(Key("read-rows", (8192, 8192))) is None
    with pytest.raises(BookError, match="without parameters, is unknown measured; there is block=64x16"):
        measurements.find(Key("read-rows", (8192, 8192)))


def test_without_a_default_several_variants_are_ambiguous(book: Library) -> None:
    measurements = load_results(book.require_published(6).path).measurements
    key = Key("read-rows", (8192, 8192))
    assert measurements.get(key) is None
    with pytest.raises(BookError, match="read-rows at 8192x8192, without parameters, is ambiguous"):
        measurements.find(key)


@pytest.mark.parametrize(
    ("step", "shape", "parameters", "expected"),
    [
        ("paded", (8192, 8192), {}, "did you mean padded"),
        ("padded", (8193, 8192), {}, "no padded at 8193x8192 measured in .*; there is 4096x4096, 8192x8192"),
        ("read-rows", (4096, 4096), {"block": (7, 7)}, "block=7x7, is unknown .*block=32x32, block=32x16"),
    ],
)
def test_an_unknown_measurement_is_named(
    book: Library, step: str, shape: tuple[int, ...], parameters: dict[str, tuple[int, ...]], expected: str
) -> None:
    with pytest.raises(BookError, match=expected):
        book.require_published(6).measurements.find(Key(step, shape, Parameters.of(parameters)))


def test_damaged_json_is_refused_with_its_line(tmp_path: Path) -> None:
    path = write(tmp_path / "chapter6.json", invented_results())
    lines = path.read_text().splitlines()
    path.write_text("\n".join(lines[:40]))
    assert refusal(path).startswith(f"{path}:40: damaged: ")


def test_a_missing_key_is_refused_with_the_line_of_its_object(tmp_path: Path) -> None:
    document = invented_results()
    del document["measurements"][1]["samples"]
    path = write(tmp_path / "chapter6.json", document)
    starts = [n for n, line in enumerate(path.read_text().splitlines(), 1) if line == "  {"]
    assert refusal(path) == f"{path}:{starts[1]}: damaged: measurements[1]: 'samples' is a required property"


@pytest.mark.parametrize("bad", ['"fast"', "-1", "0", "null", "NaN", "Infinity"])
def test_an_impossible_time_is_refused_with_its_line(tmp_path: Path, bad: str) -> None:
    document = invented_results()
    document["measurements"][3]["seconds"]["median"] = 12345678
    path = write(tmp_path / "chapter6.json", document)
    line = line_of(path, "12345678")
    path.write_text(path.read_text().replace("12345678", bad))
    assert refusal(path).startswith(f"{path}:{line}: damaged: ")


def test_tabs_do_not_hide_the_line(tmp_path: Path) -> None:
    document = invented_results()
    document["measurements"][0]["amounts"]["bytes"] = -5
    path = tmp_path / "chapter6.json"
    path.write_text(json.dumps(document, indent="\t"))
    assert refusal(path).startswith(f"{path}:{line_of(path, '-5')}: damaged: measurements[0].amounts.bytes")


def test_results_of_the_first_version_are_read(tmp_path: Path) -> None:
    document = invented_results()
    today = load_results(write(tmp_path / "chapter6.json", document))
    for entry in document["measurements"]:
        entry |= {"bytes": entry.pop("amounts")["bytes"], "flops": 0, "l2_flushed": True}
        del entry["rated_by"], entry["l2"]
    document["schema"] = 1
    old = load_results(write(tmp_path / "chapter6.json", document))
    assert [entry.rated for entry in old.measurements] == [entry.rated for entry in today.measurements]
    del document["measurements"][0]["bytes"]
    assert "damaged: " in refusal(write(tmp_path / "chapter6.json", document))


def test_a_newer_schema_is_refused(tmp_path: Path) -> None:
    path = write(tmp_path / "chapter6.json", invented_results() | {"schema": 3, "measurements": "else"})
    assert refusal(path) == f"{path}:2: written by a newer book: schema 3, this one reads up to 2"


@pytest.mark.parametrize("document", [[], {}, {"schema": "draft"}, "text", 7, {"a": 1, "chapter": 6}])
def test_a_foreign_file_is_refused(tmp_path: Path, document: object) -> None:
    path = write(tmp_path / "chapter6.json", document)
    assert refusal(path).startswith(f"{path}:1: foreign: ")


def test_a_file_that_is_no_text_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "chapter6.json"
    path.write_bytes(b'{\n"schema": \xff}')
    assert refusal(path) == f"{path}:2: damaged: not UTF-8 text"
    assert "cannot be read" in refusal(tmp_path / "chapter7.json")


def test_a_measurement_that_is_there_twice_is_refused(tmp_path: Path) -> None:
    document = invented_results()
    document["measurements"].append(document["measurements"][0])
    path = write(tmp_path / "chapter6.json", document)
    assert "copy-rows 4096x4096 block=32x8 is there twice" in refusal(path)


def test_counters_that_are_there_twice_are_refused(tmp_path: Path) -> None:
    document = invented_results()
    document["counters"].append(document["counters"][0])
    path = write(tmp_path / "chapter6.json", document)
    assert "is there twice" in refusal(path)


def test_a_key_that_stands_twice_in_one_object_is_refused_with_its_line(tmp_path: Path) -> None:
    path = write(tmp_path / "chapter6.json", invented_results())
    lines = path.read_text().splitlines()
    number = [n for n, line in enumerate(lines) if '"samples"' in line][2]
    lines.insert(number, lines[number])
    path.write_text("\n".join(lines))
    assert refusal(path) == f'{path}:{number + 2}: damaged: "samples" stands twice in one object'


@pytest.mark.parametrize("text", ["[" * 100_000, '{"schema": 1' + "0" * 5000 + "}"])
def test_what_python_gives_up_on_is_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "chapter6.json"
    path.write_text(text)
    assert re.match(rf"{path}:1: damaged: (nested too deeply|1000+\.\.\. is not a number)", refusal(path))


def test_half_of_a_surrogate_pair_is_refused(tmp_path: Path) -> None:
    path = write(tmp_path / "chapter6.json", invented_results())
    path.write_text(path.read_text().replace('"padded"', '"\\ud800"', 1))
    assert "damaged: " in refusal(path)
    path.write_text('{"\\ud800": 1, "\\ud800": 2}')
    assert refusal(path).startswith(f"{path}:1: damaged: ")


def test_own_results_that_are_refused_say_how_to_go_on(book: Library) -> None:
    path = book.build / "results/nvidia-other/chapter6.json"
    path.write_text("")
    with pytest.raises(BookError, match=r"chapter6\.json:1: damaged: .*; move it away"):
        book.own(6)


def test_own_results_in_the_wrong_place_are_named(book: Library) -> None:
    folder = book.build / "results"
    (folder / "results").mkdir()
    (folder / "nvidia-other").rename(folder / "results/nvidia-other")
    with pytest.raises(
        BookError, match=r"results/results/nvidia-other/chapter6\.json: is in the wrong place"
    ):
        book.own(6)


def test_a_rating_by_what_is_not_done_is_refused(tmp_path: Path) -> None:
    document = invented_results()
    document["measurements"][2]["rated_by"] = "accesses"
    assert "copy-rows is rated by accesses, and does none" in refusal(
        write(tmp_path / "chapter6.json", document)
    )


@pytest.mark.parametrize("clocks", [[], {"sm_mhz": 7}, {"sm_mhz": {"highest": "fast"}}])
def test_clocks_that_are_none_are_refused(tmp_path: Path, clocks: object) -> None:
    document = invented_results()
    document["provenance"]["clocks"] = clocks
    assert "damaged: provenance.clocks" in refusal(write(tmp_path / "chapter6.json", document))


def test_a_median_outside_its_spread_is_refused(tmp_path: Path) -> None:
    document = invented_results()
    document["measurements"][0]["seconds"] = {"median": 1.0, "low": 2.0, "high": 3.0}
    assert "median is not between" in refusal(write(tmp_path / "chapter6.json", document))


def test_a_file_of_another_chapter_is_refused(tmp_path: Path) -> None:
    path = write(tmp_path / "chapter7.json", invented_results(chapter=6))
    assert refusal(path) == f"{path}:3: damaged: the file's name does not fit its chapter, 6"


def test_a_step_that_has_changed_is_stale(book: Library) -> None:
    assert book.stale(6) == []
    for path in (book.build / "describe/6-transpose").glob("*_padded.json"):
        path.write_text(path.read_text().replace("ab12", "cd34"))
    moved = book.root.rename(book.root.with_name("a changed book"))
    stale = Library.of(moved).stale(6)
    assert {entry.entry.step for entry in stale} == {"padded"}
    assert len(stale) == len(SHAPES) + 1
    assert str(stale[0]) == "padded 4096x4096 block=32x8: published ab12, built cd34"


def test_the_book_s_card_comes_first_and_another_beside_it(book: Library) -> None:
    data = book.root / "figures/data"
    write(data / "nvidia-another/chapter6.json", invented_results(gpu="NVIDIA Another"))
    write(data / "cards.json", ["nvidia-invented"])
    library = Library.of(book.root)
    assert [run.gpu_name for run in library.all_published(6)] == ["NVIDIA Invented", "NVIDIA Another"]
    assert [run.label for run in library.beside(6)] == ["NVIDIA Another", "yours: NVIDIA Other"]
    assert library.published(6).gpu_name == "NVIDIA Invented"
    assert library.one_beside(6).is_own


def test_every_published_figure_of_the_sources_has_a_step_beside_it() -> None:
    library = Library.of(REPOSITORY)
    chapters = library.chapters()
    assert chapters, "the book has no chapters"
    for row in library.sources():
        assert row.chapter in chapters, row
        names = {
            path.stem.split("_", 1)[1].replace("_", "-")
            for path in chapters[row.chapter].glob("[0-9][0-9]_*.cu")
        }
        assert row.step in names, f"source {row.source} has {row.step}, the book has no such step"


def test_the_sources_figures_are_there_once() -> None:
    rows = Library.of(REPOSITORY).sources(6)
    keys = [(row.source, row.card, row.key, row.quantity, row.table) for row in rows]
    assert len(keys) == len(set(keys))
    assert {row.source for row in rows} == {"000", "001", "004"}


def test_predicted_equals_counted_in_the_published_results() -> None:
    library = Library.of(REPOSITORY)
    results = {n: library.published(n) for n in library.chapters()}
    if not any(results.values()):
        pytest.skip("NOT TESTED: NO RESULTS ARE PUBLISHED YET, so no prediction was held against a count")
    for chapter in filter(results.get, results):
        predictions = library.descriptions(chapter).predictions
        if not len(predictions):
            pytest.skip(
                f"NOT TESTED: CHAPTER {chapter} IS NOT BUILT (make chapter{chapter}), so nothing is predicted"
            )
        emulated = library.emulation(chapter).entries
        if not len(emulated):
            pytest.skip(
                f"NOT TESTED: CHAPTER {chapter} WAS NOT COUNTED (make counts), so no prediction was either"
            )
        for run in predictions:
            # It counts every variant, and data wavefronts as they are predicted: as if each load hit.
            # What is 0 it leaves out.
            counts = emulated.find(run.key).metrics
            assert {name: counts.get(name, 0) for name in run.metrics} == run.metrics, str(run.key)
        descriptions = library.descriptions(chapter)
        for run in predictions:
            is_default = run.parameters == descriptions.defaults.get(run.step)
            aside = run.step in descriptions.experiments or not is_default
            if aside and results[chapter].counters.is_awaited(run.key):
                continue  # not counted on a card yet: the emulator has to do
            counted = results[chapter].counters.find(run.key).metrics
            data = METRICS["data-wavefronts"]  # on a card a load that misses takes more: no rule is known
            predicted = {name: value for name, value in run.metrics.items() if name != data}
            again = descriptions.left_to_profiler(run.key) & predicted.keys()  # on a card it looks again
            assert all(counted[name] >= predicted.pop(name) for name in again), str(run.key)
            assert {name: counted.get(name) for name in predicted} == predicted, str(run.key)
            assert counted.get(data, run.metrics.get(data, 0)) >= run.metrics.get(data, 0), str(run.key)
