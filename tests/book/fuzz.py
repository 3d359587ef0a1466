"""Feeds damaged data of the book to whatever reads them: `python tests/book/fuzz.py TREE SECONDS [SEED]`.

The data are results, descriptions, counts and sources; the readers are the tables and the drawings.
Anything but success or a BookError of one line is a crash. The input that made it is kept in TREE/fuzz/book.
"""

from __future__ import annotations

import json
import random
import resource
import shutil
import signal
import sys
import tempfile
import time
import traceback
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

REPOSITORY = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(REPOSITORY), str(REPOSITORY / "docs")]

from book import library as loaded  # noqa: E402
from book import report  # noqa: E402
from book.claims import Claim  # noqa: E402
from book.documents import BookError, read_document  # noqa: E402
from book.library import Library  # noqa: E402
from book.prose import collect_claims  # noqa: E402
from book.report import chapter_tables, reproduce_tables  # noqa: E402
from figures import frontpage  # noqa: E402
from figures.pages import chapter_figures  # noqa: E402
from figures.style import style  # noqa: E402
from figures.svg import render  # noqa: E402
from tests.book.damage import Edit, damaged, random_edits  # noqa: E402

_LONGEST = 60
"""Seconds of a processor after which a reader counts as hung."""
_FEW = 5
"""Programs of a small book."""


class HangError(BaseException):
    """A reader does not end; no `except Exception` holds it up."""


def _hang(*_: Any) -> None:
    raise HangError(f"{_LONGEST} s")


class Memory:
    """Whole files are read once: the time is for the damaged one."""

    def __init__(self) -> None:
        self.damaged = Path()
        self._known: dict[Any, Any] = {}
        for name, module in list(sys.modules.items()):
            if name.startswith("book.") and hasattr(module, "read_document"):
                module.read_document = self._document
        report.collect_claims = self._claims

    def _document(self, path: Path, kind: str) -> Any:
        if path == self.damaged:
            return read_document(path, kind)
        return self._once((path, kind), lambda: read_document(path, kind))

    def _claims(self, pages: list[Path]) -> list[Claim]:
        return self._once(tuple(pages), lambda: list(collect_claims(pages)))

    def _once(self, key: Any, make: Callable[[], Any]) -> Any:
        if key not in self._known:
            self._known[key] = make()
        return self._known[key]


@dataclass(frozen=True)
class Fed:
    """A book of one chapter, and who reads it."""

    name: str
    root: Path
    read: Callable[[Library], None]

    def files(self) -> list[str]:
        """The files that can be damaged, from the root."""
        found = [*self.root.glob("figures/data/**/*.json"), *self.root.glob("build/*/*/*.json")]
        return sorted(str(path.relative_to(self.root)) for path in found)

    def crash(self, file: str, edits: list[Edit]) -> str:
        """What went wrong with the damaged file; empty if it was read, or refused in one line."""
        path = self.root / file
        whole = path.read_text()
        path.write_bytes(damaged(whole, edits).encode("utf-8", "surrogatepass"))
        try:
            with _limited():
                self.read(Library.of(self.root))
        except (BookError, OSError, SystemExit) as error:  # the commands tell each of these in a line
            return f"more than a line: {error}" if "\n" in str(error).strip() else ""
        except (Exception, HangError):
            return traceback.format_exc()
        finally:
            path.write_text(whole)
        return ""


@contextmanager
def _limited() -> Iterator[None]:
    """Nothing is remembered of earlier inputs, and reading ends in time."""
    for name in ("_published", "_own", "_descriptions", "_emulation", "_counted", "_sources"):
        getattr(loaded, name).cache_clear()
    signal.setitimer(signal.ITIMER_PROF, _LONGEST)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)


def read_tables(library: Library) -> None:
    """What `make chapterN` and `make reproduce` print."""
    for chapter in library.chapters():
        list(chapter_tables(library, chapter))
        library.disagreements(chapter)
    list(reproduce_tables(library))


def read_figures(library: Library) -> None:
    """The tables, and all drawings, though one is refused."""
    refused = None
    try:
        read_tables(library)
    except BookError as error:
        refused = error
    figures = dict(frontpage.figures(library))
    for folder in library.chapters().values():
        figures |= chapter_figures(folder)
    for name, draw in figures.items():
        try:
            with style():
                render(draw(library), name)
        except BookError as error:
            refused = error
    if refused:
        raise refused


def books(tree: Path, place: Path) -> list[Fed]:
    """Each real chapter with a few programs for the tables, and whole for the drawings."""
    found = []
    for folder in Library.of(REPOSITORY, tree).chapters().values():
        programs = sorted(path.stem for path in (tree / "describe" / folder.name).glob("*.json"))
        few = programs[:: max(1, len(programs) // _FEW)]
        found += [
            Fed(f"few-{folder.name}", _copy(tree, folder, place / f"few-{folder.name}", few), read_tables),
            Fed(
                f"all-{folder.name}",
                _copy(tree, folder, place / f"all-{folder.name}", programs),
                read_figures,
            ),
        ]
    return found


def _copy(tree: Path, chapter: Path, root: Path, programs: list[str]) -> Path:
    """A repository with one chapter and these programs' data; what is published is the reader's as well."""
    number = int(chapter.name.split("-")[0])
    for folder in ("chapters", "build", "figures/data"):  # of a chapter that nobody has measured, too
        (root / folder).mkdir(parents=True)
    (root / "chapters" / chapter.name).symlink_to(chapter)
    steps = set()
    for program in programs:
        for kind in ("describe", "counters"):
            source = tree / kind / chapter.name / f"{program}.json"
            target = root / "build" / kind / chapter.name / source.name
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(source, target)
        steps |= {
            variant["step"]
            for variant in json.loads(_text(tree, "describe", chapter.name, program))["variants"]
        }
    for name in ("machine", "model"):
        (root / "build" / name).symlink_to(tree / name)
    for published in (REPOSITORY / "figures/data").glob(f"*/chapter{number}.json"):
        results = json.loads(published.read_text())
        for kind in ("measurements", "counters"):
            results[kind] = [entry for entry in results[kind] if entry["step"] in steps]
        for target in (root / "figures/data" / published.parent.name, root / "build/results/nvidia-other"):
            target.mkdir(parents=True, exist_ok=True)
            (target / published.name).write_text(json.dumps(results))
    rows = json.loads((REPOSITORY / "figures/data/sources.json").read_text())
    kept = [row for row in rows if row["chapter"] == number and row["step"] in steps]
    (root / "figures/data/sources.json").write_text(json.dumps(kept))
    return root


def _text(tree: Path, kind: str, chapter: str, program: str) -> str:
    return (tree / kind / chapter / f"{program}.json").read_text()


def main() -> int:
    """Entry point; see the module's docstring."""
    tree, seconds = Path(sys.argv[1]).resolve(), float(sys.argv[2])
    seed = int(sys.argv[3]) if len(sys.argv) > 3 else time.time_ns() % 10**6
    chance = random.Random(seed)
    warnings.simplefilter("ignore")
    resource.setrlimit(resource.RLIMIT_AS, (8 << 30, 8 << 30))
    end, inputs, crashes = time.monotonic() + seconds, 0, 0
    kept, known = tree / "fuzz/book", set()
    with tempfile.TemporaryDirectory() as place:
        fed, memory = books(tree, Path(place)), Memory()
        while time.monotonic() < end:
            book = chance.choice([*fed[::2] * 19, *fed[1::2]])
            file = chance.choice(book.files())
            edits = random_edits((book.root / file).read_text(), chance)
            memory.damaged = book.root / file
            crash = book.crash(file, edits)
            inputs += 1
            where = [line for line in crash.splitlines() if line.startswith("  File")][-1:] or [crash[:80]]
            if crash and where[0] not in known:
                known.add(where[0])
                crashes += 1
                kept.mkdir(parents=True, exist_ok=True)
                path = kept / f"{seed}-{inputs}.json"
                path.write_text(json.dumps({"book": book.name, "file": file, "edits": edits}, indent=1))
                print(f"{path}: {crash}", flush=True)
    if crashes:
        print(f"{crashes} crashes in {inputs} inputs (seed {seed}); they are kept in {kept}.")
        return 1
    print(f"No crash: the book's readers took {inputs} damaged inputs in {seconds:.0f} s (seed {seed}).")
    return 0


if __name__ == "__main__":
    signal.signal(signal.SIGPROF, _hang)
    sys.exit(main())
