from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from book.command_line import main
from book.library import Library
from book.report import chapter_tables, reproduce_tables
from book.terminal import Table
from tests.book.invented import FRONT_MATTER, REPOSITORY, add_experiment, invented_results, write


def rows(text: str, step: str) -> list[list[str]]:
    return [line.replace("\u00a0", "_").split() for line in text.splitlines() if line.split()[:1] == [step]]


def test_a_chapters_tables_fit_a_terminal(book: Library) -> None:
    text = "\n\n".join(chapter_tables(book, 6))
    assert max(map(len, text.splitlines())) <= 100
    assert "\x1b" not in text


def test_predicted_and_counted_stand_beside_each_other(book: Library) -> None:
    counted = next(text for text in chapter_tables(book, 6) if text.startswith("Sectors"))
    assert ["padded", "32×8", *["4", "=", "4", "=", "4", "4", "=", "4", "=", "4"]] in rows(counted, "padded")
    assert ["read-rows", "32×32", *["4", "=", "4", "=", "4", "32", "=", "32", "=", "32"]] in rows(
        counted, "read-rows"
    )


def test_without_published_counters_the_emulators_stand_alone(book: Library) -> None:
    (book.root / "figures/data/nvidia-invented/chapter6.json").unlink()
    counted = next(text for text in chapter_tables(book, 6) if text.startswith("Sectors"))
    assert rows(counted, "padded") == [["padded", "32×8", "4", "=", "4", "4", "=", "4"]]


def test_a_count_that_differs_from_its_prediction_shows(book: Library) -> None:
    path = next((book.build / "describe/6-transpose").glob("*_tile.json"))
    path.write_text(path.read_text().replace("131072", "262144"))
    counted = next(text for text in chapter_tables(book, 6) if text.startswith("Sectors"))
    assert rows(counted, "tile") == [["tile", "32×8", *["8", "≠", "4", "=", "4", "8", "≠", "4", "=", "4"]]]


def test_times_stand_beside_ceiling_library_and_the_readers(book: Library) -> None:
    timed = next(text for text in chapter_tables(book, 6) if text.startswith("Timed at 8192"))
    assert rows(timed, "padded") == [
        ["padded", "32×8", "158_µs", "3.40_TB/s", "85_%", "0.92", "316_µs", "85_%"]
    ]
    assert rows(timed, "memcpy")[0][1:5] == ["134_µs", "4.00_TB/s", "100.0_%", "1.08"]


def test_experiments_stand_in_tables_of_their_own(book: Library) -> None:
    add_experiment(book.root)
    tables = [table for table in chapter_tables(book, 6) if rows(table, "longer-rows")]
    assert [table.partition(":")[0].splitlines()[0].replace("\u00a0", "") for table in tables] == [
        "Sectors per request of experiments at 1024×1024",
        *(
            f"Experiments timed at {shape}"
            for shape in ("4096×4096", "8192×8192", "8191×8209", "16384×16384")
        ),
    ]
    assert not any(rows(table, "padded") for table in tables)
    assert rows(tables[2], "longer-rows")[0][2:5] == ["316_µs", "1.70_TB/s", "42_%"]


def test_the_sources_stand_beside_ours(book: Library) -> None:
    first = next(text for text in chapter_tables(book, 6) if text.startswith("Source 001"))
    blocks = [row for row in rows(first, "read-columns") if row[1] == "32×16"]
    assert blocks == [["read-columns", "32×16", "time", "1.69_ms", "154_µs", "307_µs"]]
    assert ["diagonal-rows", "32×32", "time", "only", "drawn"] in rows(first, "diagonal-rows")
    assert "35 (no unit)" in "\n".join(chapter_tables(book, 6))


def test_without_results_the_tables_say_so(book: Library) -> None:
    (book.root / "figures/data/nvidia-invented/chapter6.json").unlink()
    shutil.rmtree(book.build)
    text = "\n".join(chapter_tables(book, 6))
    assert "Chapter 6 has no published results yet." in text
    assert "Nothing is predicted: the chapter's steps are not built" in text
    assert "Source 004, probably Tesla V100" in text


def test_reproduce_shows_both_values_and_the_claims_that_fail(book: Library) -> None:
    results = invented_results(gpu="NVIDIA Other", factor=0.5)
    for entry in results["measurements"]:
        if entry["step"] == "padded":
            entry["seconds"] = {name: 4 * value for name, value in entry["seconds"].items()}
    results["counters"] = []
    write(book.build / "results/nvidia-other/chapter6.json", results)
    page = book.root / "chapters/6-transpose/index.md"
    page.write_text(
        FRONT_MATTER
        + "{claim}`padding helps :: [padded bandwidth 8192x8192] > [tile bandwidth 8192x8192]`\n\n"
        "{claim}`tiles help :: [tile bandwidth 8192x8192] > [read-rows bandwidth 8192x8192]`\n\n"
        "{claim}`no more sectors :: [counted tile load-sectors 1024x1024] == 131072`\n\n"
        "{claim}`not timed :: [wide bandwidth 8192x8192] > 0`\n"
    )
    text = "\n".join(reproduce_tables(book))
    assert rows(text, "padded")[1][1:] == ["8192x8192", "block=32x8", "158_µs", "85_%", "1.26_ms", "21_%"]
    assert "1 hold, 1 do not" in text
    assert "padding helps: 425\u00a0GB/s > 1.00\u00a0TB/s" in text
    assert "tiles help" not in text
    assert "1 about counts were not checked" in text
    assert f"1 could not be checked there:\n  {page}:16: no step wide measured" in text


def test_reproduce_without_results_is_an_error(book: Library, capsys: pytest.CaptureFixture[str]) -> None:
    shutil.rmtree(book.build / "results")
    assert main(["--root", str(book.root), "reproduce"]) == 1
    error = capsys.readouterr().err
    assert error.startswith("book: ") and "no results of yours" in error and error.count("\n") == 1


def test_a_damaged_file_is_one_line_on_stderr(book: Library, capsys: pytest.CaptureFixture[str]) -> None:
    path = book.build / "results/nvidia-other/chapter6.json"
    path.write_text('{"schema": 1,\n"chapter": 6,\n')
    assert main(["--root", str(book.root), "chapter", "6"]) == 1
    error = capsys.readouterr().err
    assert error.startswith(f"book: {path}:3: damaged: ") and error.count("\n") == 1


@pytest.mark.parametrize(
    "arguments", [["chapter"], ["chapter", "six"], ["draw"], [], ["build"], ["--colour"]]
)
def test_wrong_options_are_refused(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as end:
        main(arguments)
    assert end.value.code == 2
    assert "error:" in capsys.readouterr().err


def test_a_terminal_without_every_character_gets_the_tables(book: Library) -> None:
    command = [sys.executable, "-m", "book", "--root", str(book.root), "chapter", "6"]
    environment = os.environ | {"PYTHONIOENCODING": "ascii"}
    answer = subprocess.run(
        command, cwd=REPOSITORY, env=environment, capture_output=True, text=True, check=False
    )
    assert (answer.returncode, answer.stderr) == (0, "")
    assert "32?8" in answer.stdout


def test_an_interrupt_while_it_is_being_loaded_is_no_traceback(tmp_path: Path) -> None:
    interrupted = tmp_path / "jsonschema" / "__init__.py"
    interrupted.parent.mkdir()
    interrupted.write_text("raise KeyboardInterrupt")
    command = [sys.executable, "-m", "book", "--help"]
    environment = os.environ | {"PYTHONPATH": str(tmp_path)}
    answer = subprocess.run(
        command, cwd=REPOSITORY, env=environment, capture_output=True, text=True, check=False
    )
    assert (answer.returncode, answer.stdout, answer.stderr) == (130, "", "")


def test_an_unknown_chapter_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "chapters/2-coalescing").mkdir(parents=True)
    assert main(["--root", str(tmp_path), "chapter", "6"]) == 1
    assert "there is no chapter 6; there is 2" in capsys.readouterr().err


def test_a_table_leaves_out_empty_columns() -> None:
    table = Table(["a", "b", "c"], left=1)
    table.rows += [["x", "", "1"], ["long", "", "22"]]
    assert str(table) == "a      c\nx      1\nlong  22"
