from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest

from book.documents import BookError
from book.library import Library
from figures.build import build
from figures.ladder import steps_in_order
from figures.pages import chapter_figures
from figures.predicted_counted import counts
from figures.style import Drawing, canvas, style
from figures.svg import render, write_if_changed
from figures.sweeps import sweeps
from tests.book.invented import REPOSITORY, add_experiment, invented_results, write

SVG = "{http://www.w3.org/2000/svg}"


def test_every_figure_is_drawn(drawn: list[Path]) -> None:
    names = {f"{path.parent.name}/{path.stem}" for path in drawn}
    offered = {
        f"{folder.name}/{name}"
        for folder in (REPOSITORY / "chapters").iterdir()
        for name in chapter_figures(folder)
    }
    names = {name for name in names if "/sweep-" not in name}
    assert names == {
        "frontpage/weave",
        "frontpage/climb-6",
        "frontpage/climb-7",
        "emulator/pipeline",
        "emulator/divergence",
        *offered,
    }
    assert "6-transpose/banks" in names
    pages = [path.read_text() for path in (REPOSITORY / "chapters").glob("*/index.md")]
    asked = {
        words for page in pages for words in re.findall(r"^`{3,}\{sweep\} (\S+) (\S+)", page, re.MULTILINE)
    }
    assert {path.stem for path in drawn if "sweep-" in path.stem} == {
        f"sweep-{'-'.join(words)}" for words in asked
    }
    assert ("strided", "stride") in asked


def test_unchanged_data_give_unchanged_files(drawn: list[Path], real_book: Library, tmp_path: Path) -> None:
    """Another process, another hash seed, another time: the same bytes, and no file is written again."""
    copy = Path(shutil.copytree(real_book.build / "figures", tmp_path / "copy"))
    before = {path: path.stat().st_mtime_ns for path in copy.rglob("*.svg")}
    for record in copy.rglob("inputs.json"):
        record.unlink()
    book = ("--root", real_book.root, "--build", real_book.build, "--skip-missing")
    environment = {**os.environ, "PYTHONHASHSEED": "12345", "TZ": "Asia/Tokyo", "PYTHONPATH": str(REPOSITORY)}
    subprocess.run(
        [sys.executable, "-m", "figures", *book, "--output", copy], check=True, cwd=tmp_path, env=environment
    )
    assert all(copy.joinpath(page, "inputs.json").exists() for page in {path.parent.name for path in drawn})
    for path in drawn:
        assert (copy / path.parent.name / path.name).read_bytes() == path.read_bytes(), path.name
    assert before == {path: path.stat().st_mtime_ns for path in copy.rglob("*.svg")}


def test_changed_data_give_changed_files(book: Library, tmp_path: Path) -> None:
    (book.folder(6) / "figures.py").symlink_to(REPOSITORY / "chapters/6-transpose/figures.py")
    output = tmp_path / "drawn"
    assert build(book, output, [6])
    assert build(book, output, [6]) == []
    results = invented_results()
    for entry in results["measurements"]:
        if entry["step"] == "padded":
            entry["seconds"] = {name: 2 * value for name, value in entry["seconds"].items()}
    write(book.root / "figures/data/nvidia-invented/chapter6.json", results)
    changed = {path.stem for path in build(book, output, [6])}
    assert changed == {"ladder", "climb-6"}


def test_every_figure_says_what_it_shows(drawn: list[Path]) -> None:
    for path in drawn:
        root = ElementTree.parse(path).getroot()
        labels = [root.find(f"{SVG}title"), root.find(f"{SVG}desc")]
        assert root.get("role") == ("group" if root.findall(f".//{SVG}a") else "img")
        assert root.get("aria-labelledby") == " ".join(label.get("id") for label in labels)
        assert len(labels[0].text) > 8, path
        assert len(labels[1].text) > 60, path


def test_a_step_of_a_ladder_or_a_climb_is_one_link(drawn: list[Path]) -> None:
    for figure in ("6-transpose/ladder", "7-sgemm/ladder", "frontpage/climb-6", "frontpage/climb-7"):
        path = next(path for path in drawn if str(path).endswith(f"{figure}.svg"))
        links = ElementTree.parse(path).getroot().findall(f".//{SVG}a")
        addresses = [link.get("href", "") for link in links]
        assert len(addresses) > 1, figure
        assert len(addresses) == len(set(addresses)), figure
        assert all(re.fullmatch(r"step:[67]/[a-z0-9-]+", address) for address in addresses), figure
        assert all(set(link.attrib) == {"href"} and len(link) for link in links), figure


def test_identifiers_are_the_figures_own(drawn: list[Path]) -> None:
    seen: set[str] = set()
    for path in drawn:
        text = path.read_text(encoding="utf-8")
        identifiers = re.findall(r'\bid="([^"]*)"', text)
        assert all(name.startswith(f"figure-{path.parent.name}-{path.stem}-") for name in identifiers)
        assert len(identifiers) == len(set(identifiers))
        assert not seen & set(identifiers)
        seen |= set(identifiers)
        referred = set(re.findall(r'href="#([^"]*)"|url\(#([^)]*)\)', text))
        assert {a or b for a, b in referred} <= set(identifiers)


def test_figures_follow_the_page(drawn: list[Path]) -> None:
    """Colours are the page's, text is text in the page's typeface, nothing styles the rest of the page."""
    for path in drawn:
        text = path.read_text(encoding="utf-8")
        bare = re.sub(r"var\(--[a-z-]+,#[0-9a-f]{3,6}\)", "", text)
        assert not re.search(r"(fill|stroke)\s*[:=]\s*\"?#[0-9a-fA-F]{3}", bare), path
        assert "<style" not in text
        assert "<metadata" not in text
        assert "font-family:inherit" in text
        assert "DejaVu" not in text
        assert "<text" in text
        assert "http" not in text.replace("http://www.w3.org/2000/svg", "")


def test_figures_are_small(drawn: list[Path]) -> None:
    for folder in {path.parent for path in drawn}:
        assert sum(path.stat().st_size for path in folder.glob("*.svg")) < 300_000, folder.name


def test_labels_stay_inside_the_figure(real_book: Library) -> None:
    figures = [item for folder in real_book.chapters().values() for item in chapter_figures(folder).items()]
    assert figures
    for name, draw in figures:
        with style():
            figure = draw(real_book).figure
            figure.draw_without_rendering()
            box = figure.get_tightbbox()
            width, height = figure.get_size_inches()
        assert box.x0 > -0.01, name
        assert box.y0 > -0.01, name
        assert box.x1 < width + 0.01, f"{name}: {72 * (box.x1 - width):.0f} units too wide"
        assert box.y1 < height + 0.01, f"{name}: {72 * (box.y1 - height):.0f} units too high"


def test_a_colour_of_its_own_is_refused() -> None:
    with style():
        figure, axes = canvas(50)
        axes.plot([0, 1], [0, 1], color="#123456")
        with pytest.raises(ValueError, match="#123456 is not a colour of the book"):
            render(Drawing(figure, "a title", "a description"), "name")


def test_figures_of_results_say_what_is_missing(
    book: Library, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    (book.root / "figures/data/nvidia-invented/chapter6.json").unlink()
    (book.root / "chapters/6-transpose/figures.py").symlink_to(REPOSITORY / "chapters/6-transpose/figures.py")
    old = write(tmp_path / "figures/6-transpose/ladder.svg", "an old one")
    with pytest.raises(BookError, match="chapter 6 has no published results yet"):
        build(book, tmp_path / "figures", [6])
    build(book, tmp_path / "figures", [6], skip_missing=True)
    assert {path.stem for path in tmp_path.rglob("figures/6-transpose/*.svg")} >= {"banks", "phases"}
    assert not old.exists()
    assert "ladder left out: chapter 6 has no published results yet" in capfd.readouterr().err


def test_an_unknown_chapter_is_refused(book: Library, tmp_path: Path) -> None:
    with pytest.raises(BookError, match="there is no chapter 9; there is 6"):
        build(book, tmp_path, [9])


def test_a_file_is_written_whole_or_not_at_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a.svg"
    assert write_if_changed(path, "one")
    assert not write_if_changed(path, "one")

    def full(self: Path, target: Path) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "replace", full)
    with pytest.raises(OSError, match="No space"):
        write_if_changed(path, "two")
    assert path.read_text() == "one"
    assert [entry.name for entry in tmp_path.iterdir()] == ["a.svg"]


def test_experiments_stand_in_no_ladder_and_among_no_counts(book: Library) -> None:
    add_experiment(book.root)
    description = book.build / "describe/6-transpose/experiments/longer_rows.json"
    description.write_text(description.read_text().replace('"axes": []', '"axes": ["block"]'))
    assert "longer-rows" in {entry.step for entry in book.require_published(6).measurements}
    assert "longer-rows" in {entry.step for entry in book.emulation(6).entries}
    assert "longer-rows" not in steps_in_order(book, book.require_published(6))
    assert "padded" in counts(book, 6).alt
    assert "longer-rows" not in counts(book, 6).alt
    assert sweeps(book, 6).keys() == {
        "sweep-read-rows-block",
        "sweep-read-columns-block",
        "sweep-unrolled-columns-padded-padding",
    }


def test_the_counts_drawn_are_those_that_the_page_names(book: Library) -> None:
    assert "store-sectors" in counts(book, 6).alt
    page = book.folder(6) / "index.md"
    page.write_text(page.read_text().replace("counted:", "counts: load-sectors\ncounted:"))
    drawing = counts(book, 6)
    assert "store-sectors" not in drawing.alt
    assert [text.get_text() for text in drawing.figure.legends[0].texts] == [
        "load, predicted",
        "load, counted",
    ]
