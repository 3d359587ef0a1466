"""What each kind of edit builds anew, as `make book` calls Python, and what it leaves alone."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.book.invented import invented_emulation, invented_results, write
from tests.docs.conftest import FRONT_MATTER, REPOSITORY, Book, make_book

CONF = """import sys
from pathlib import Path
sys.path[:0] = [str(Path(__file__).parent), str(Path(__file__).parents[1])]
extensions = ["myst_parser", "weave"]
include_patterns = ["index.md", "chapters/*/index.md"]
myst_enable_extensions = ["dollarmath", "colon_fence"]
html_math_renderer = "mathml"
html_theme = "basic"
html_static_path = ["static"]
templates_path = []
"""

FIGURES = """from book.keys import Key
from figures.style import BLUE, Drawing, canvas

def bars(library):
    figure, axes = canvas(50)
    entry = library.require_published({chapter}).measurements.find(Key("padded", (8192, 8192)))
    axes.barh([0], [entry.median], color=BLUE)
    return Drawing(figure, "A bar of chapter {chapter}", "How long it took")

FIGURES = {{"bars": bars}}
"""

BARS = "```{plot} bars\nHow long it took.\n```\n"
CARD = "```{card} padded\n```\n"
OTHER = "chapters/7-other/index"
SIX = "chapters/6-transpose/index"
INDICES = {"wrote index", "wrote search", "wrote genindex"}
"""What Sphinx writes whenever it writes anything."""
PADDED = "source/chapters/6-transpose/06_padded.cu"
CHANGE = "difference/chapters/6-transpose/05_tile-06_padded"


@dataclass(frozen=True)
class Clone:
    """A repository of its own with two chapters, and the two commands that make its book."""

    book: Book

    @property
    def root(self) -> Path:
        return self.book.root

    def make(self) -> subprocess.CompletedProcess[str]:
        drawn = self._run("-m", "figures", "--output", "build/figures")
        return drawn if drawn.returncode else self.pages()

    def pages(self) -> subprocess.CompletedProcess[str]:
        return self._run("docs/build.py", "build")

    def start(self) -> subprocess.Popen[bytes]:
        def listen() -> None:
            signal.signal(signal.SIGINT, signal.SIG_DFL)  # a shell's job in the background ignores it

        build = [sys.executable, "docs/build.py", "build"]
        return subprocess.Popen(build, cwd=self.root, env=_environment(), preexec_fn=listen)  # noqa: PLW1509

    def made(self) -> dict[str, int]:
        """When each page's figures were drawn, each page was read, and each was written."""
        build = self.root / "build"
        files = {
            **{f"drawn {path.parent.name}": path for path in build.glob("figures/*/inputs.json")},
            **{f"read {_name(path, 'doctrees')}": path for path in build.glob("doctrees/**/*.doctree")},
            **{f"wrote {_name(path, 'html')}": path for path in build.glob("html/**/*.html")},
        }
        return {name: path.stat().st_mtime_ns for name, path in files.items()}

    def makes(self) -> set[str]:
        """What is made anew by making the book."""
        before = self.made()
        done = self.make()
        assert (done.returncode, done.stderr) == (0, "")
        return {name for name, when in self.made().items() if before.get(name) != when} - INDICES

    def all(self, *kinds: str) -> set[str]:
        return {name for name in self.made() if name.startswith(kinds)} - INDICES

    def edit(self, name: str, change: Callable[[str], str]) -> None:
        path = self.root / name
        path.write_text(change(path.read_text()))

    def _run(self, *words: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, *words]
        return subprocess.run(
            command, cwd=self.root, env=_environment(), capture_output=True, text=True, check=False
        )


def _environment() -> dict[str, str]:
    """A reader's environment: no module of the repository is found but those in the clone."""
    return {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}


def _name(path: Path, folder: str) -> str:
    return path.with_suffix("").as_posix().partition(f"/build/{folder}/")[2]


@pytest.fixture(scope="module")
def clone(tmp_path_factory: pytest.TempPathFactory) -> Clone:
    """The clone, made once."""
    clone = Clone(make_book(tmp_path_factory.mktemp("clone") / "a book"))
    for room in ("book", "figures", "docs/weave"):
        shutil.copytree(REPOSITORY / room, clone.root / room, dirs_exist_ok=True, ignore=_no_data)
    shutil.copy(REPOSITORY / "docs/build.py", clone.root / "docs")
    write(clone.root / "figures/data/nvidia-invented/chapter7.json", invented_results(chapter=7))
    for name, text in {
        "docs/conf.py": CONF,
        "docs/static/book.css": "",
        "chapters/6-transpose/figures.py": FIGURES.format(chapter=6),
        "chapters/7-other/figures.py": FIGURES.format(chapter=7),
        "chapters/7-other/index.md": f"{FRONT_MATTER.replace('6', '7')}# Other\n\n{BARS}",
        "index.md": f"# Book\n\nNo data.\n\n```{{toctree}}\n{SIX}\n{OTHER}\n```\n",
    }.items():
        path = clone.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    clone.book.page(f"Some words.\n\n{BARS}\n{CARD}")
    done = clone.make()
    assert (done.returncode, done.stderr) == (0, "")
    return clone


def _no_data(folder: str, names: list[str]) -> set[str]:
    return {"data", "__pycache__"} & set(names)


def test_nothing_is_made_where_nothing_was_edited(clone: Clone) -> None:
    files = {path: path.stat().st_mtime_ns for path in (clone.root / "build").rglob("*")}
    assert clone.makes() == set()
    assert files == {path: path.stat().st_mtime_ns for path in (clone.root / "build").rglob("*")}


def test_a_file_that_is_touched_or_written_again_as_it_was_makes_nothing(clone: Clone) -> None:
    page = clone.root / "chapters/6-transpose/index.md"
    written = page.stat().st_mtime_ns
    clone.edit("chapters/6-transpose/index.md", str)
    clone.edit("book/format.py", str)
    assert clone.makes() == set()
    os.utime(page, ns=(written, written))  # once it is started for another page, Sphinx goes by it


def test_a_sentence(clone: Clone) -> None:
    clone.edit("chapters/6-transpose/index.md", lambda text: text.replace("Some words", "Other words"))
    assert clone.makes() == {f"read {SIX}", f"wrote {SIX}"}
    assert "Other words." in (clone.root / f"build/html/{SIX}.html").read_text()


def test_a_title_stands_beside_every_page(clone: Clone) -> None:
    clone.edit("chapters/6-transpose/index.md", lambda text: text.replace("# Chapter", "# A chapter"))
    assert clone.makes() == {f"read {SIX}", *clone.all("wrote ")}


def test_published_results(clone: Clone) -> None:
    write(clone.root / "figures/data/nvidia-invented/chapter7.json", invented_results(chapter=7, factor=1.1))
    assert clone.makes() == {"drawn 7-other", "drawn frontpage", f"read {OTHER}", f"wrote {OTHER}"}


def test_the_readers_own_results_though_they_are_old(clone: Clone) -> None:
    path = write(clone.root / "build/results/nvidia-other/chapter7.json", invented_results(chapter=7))
    os.utime(path, (1, 1))
    assert clone.makes() >= {"drawn 7-other", f"read {OTHER}", f"wrote {OTHER}"}
    assert f"read {SIX}" not in clone.makes()


def test_counts_of_a_kernel(clone: Clone) -> None:
    counted = invented_emulation("padded", "06_padded")
    counted[0]["lines"][0]["line"] = 5
    write(clone.book.counters("06_padded"), counted)
    assert clone.makes() == {f"read {SIX}", f"wrote {SIX}"}


def test_a_kernels_source(clone: Clone) -> None:
    clone.edit("chapters/6-transpose/06_padded.cu", lambda text: text.replace("in[6]", "in[66]"))
    assert clone.makes() == {f"read {SIX}", f"wrote {SIX}", f"wrote {PADDED}", f"wrote {CHANGE}"}
    assert ">66<" in (clone.root / f"build/html/{PADDED}.html").read_text()


def test_a_chapters_drawing(clone: Clone) -> None:
    clone.edit("chapters/7-other/figures.py", lambda text: text.replace("A bar", "The bar"))
    assert clone.makes() == {"drawn 7-other", f"read {OTHER}", f"wrote {OTHER}"}
    assert "The bar of chapter 7" in (clone.root / f"build/html/{OTHER}.html").read_text()


def test_what_all_drawings_share(clone: Clone) -> None:
    clone.edit("figures/style.py", lambda text: f"{text}\n# A remark.\n")
    assert clone.makes() == {f"drawn {page}" for page in ("6-transpose", "7-other", "frontpage", "emulator")}


def test_what_all_pages_are_woven_by(clone: Clone) -> None:
    clone.edit("docs/weave/tables.py", lambda text: f"{text}\n# A remark.\n")
    assert clone.makes() == clone.all("read ", "wrote ")


def test_the_schema_of_all_data(clone: Clone) -> None:
    clone.edit("book/schema.json", lambda text: f"{text}\n")
    assert clone.makes() >= clone.all("drawn 6", "drawn 7", "read ", "wrote ")


def test_results_that_cannot_be_read_are_named_in_a_line(clone: Clone) -> None:
    path = clone.root / "build/results/nvidia-folder/chapter6.json"
    path.mkdir(parents=True)
    done = clone.pages()
    path.parent.rename(clone.root / "elsewhere")
    assert clone.make().returncode == 0
    assert done.returncode != 0
    assert (done.stderr.count("\n"), str(path) in done.stderr) == (1, True)


def test_how_all_pages_look(clone: Clone) -> None:
    clone.edit("docs/static/book.css", lambda text: f"{text}a {{ color: red }}\n")
    assert clone.makes() == clone.all("wrote ")


def test_a_page_that_is_gone(clone: Clone) -> None:
    (clone.root / f"build/html/{OTHER}.html").unlink()
    assert clone.makes() == {f"wrote {OTHER}"}
    (clone.root / "build/figures/7-other/bars.svg").unlink()
    assert "drawn 7-other" in clone.makes()


def test_a_problem_is_said_until_it_is_mended(clone: Clone) -> None:
    clone.edit("chapters/6-transpose/index.md", lambda text: f"{text}\n{{measured}}`paded time 8192x8192`\n")
    first, second = clone.make(), clone.make()
    assert first.returncode == second.returncode != 0
    assert "no step paded" in first.stderr
    assert first.stderr == second.stderr
    clone.edit("chapters/6-transpose/index.md", lambda text: text.replace("paded", "padded"))
    assert f"wrote {SIX}" in clone.makes()
    assert clone.makes() == set()


def test_a_build_that_is_interrupted_is_not_done(clone: Clone) -> None:
    clone.edit("chapters/7-other/index.md", lambda text: f"{text}\nThe end.\n")
    record = clone.root / "build/doctrees/inputs.json"
    with clone.start() as process:
        deadline = time.monotonic() + 20
        while record.exists() and time.monotonic() < deadline:
            time.sleep(0.01)
        process.send_signal(signal.SIGINT)
    assert process.returncode != 0
    assert not record.exists()
    assert clone.makes() >= {f"read {page}" for page in ("index", SIX, OTHER)}
    assert "The end." in (clone.root / f"build/html/{OTHER}.html").read_text()
