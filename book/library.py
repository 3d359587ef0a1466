"""Where the book's data lie: one object that finds and loads what figures, tables and pages ask for."""

from __future__ import annotations

import functools
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from book.documents import BookError, MissingResultsError, read_document
from book.emulation import Counted, Emulation, Pair, compared, load_emulation
from book.results import (
    Counters,
    Descriptions,
    Measurement,
    Parameters,
    Results,
    Shape,
    describe,
    load_descriptions,
    load_results,
)


@dataclass(frozen=True)
class SourceRow:
    """One figure that a source published, exactly as it stands there; value None: it is only drawn there.

    `table` tells apart a number that the source gives once more, in a table of its own.
    """

    source: str
    chapter: int
    card: str
    step: str
    shape: Shape
    parameters: Parameters
    quantity: str
    value: float | None
    unit: str
    table: str = ""
    note: str = ""


@dataclass(frozen=True)
class Stale:
    """A published result whose step has changed since."""

    entry: Measurement | Counters
    built: str

    def __str__(self) -> str:
        return f"{describe(self.entry)}: published {self.entry.fingerprint}, built {self.built}"


@dataclass(frozen=True)
class Library:
    """The book's data under a repository root and a build folder; each file is loaded once."""

    root: Path
    build: Path

    @classmethod
    def of(cls, root: Path | str = ".", build: Path | str | None = None) -> Library:
        """The library of a repository; the build folder is `build` in it unless named."""
        root = Path(root).resolve()
        return cls(root, Path(build).resolve() if build is not None else root / "build")

    def chapters(self) -> dict[int, Path]:
        """The chapters that exist: number to folder, in order."""
        folders = {}
        for folder in (self.root / "chapters").glob("[0-9]*-*"):
            number = folder.name.split("-")[0]
            if number.isdigit() and folder.is_dir():
                folders[int(number)] = folder
        return dict(sorted(folders.items()))

    def files(self, chapter: int) -> list[Path]:
        """All files of a chapter's data."""
        folder, data = self._folder(chapter).name, self.root / "figures" / "data"
        found = [data / "sources.json"] if (data / "sources.json").is_file() else []
        for top in (data, self.build / "results"):
            found += top.rglob(f"chapter{chapter}.json")
        for kind in ("describe", "counters", "machine"):
            found += (self.build / kind / folder).glob("*")
        return found

    def folders(self) -> list[Path]:
        """The folders in which a new file may be one of the book's data, or a new chapter's."""
        within = ("chapters", "figures/data")
        built = ("results", "describe", "counters", "machine")
        tops = [*(self.root / name for name in within), *(self.build / name for name in built)]
        return [top for top in tops for top in (top, *(entry for entry in top.glob("*") if entry.is_dir()))]

    def published(self, chapter: int) -> Results | None:
        """The published results of a chapter; None before its first publication."""
        return _published(self.root / "figures" / "data", chapter)

    def require_published(self, chapter: int) -> Results:
        """The published results of a chapter; MissingResultsError before the first publication."""
        results = self.published(chapter)
        if results is None:
            folder = self.root / "figures" / "data"
            raise MissingResultsError(
                f"chapter {chapter} has no published results yet: {folder}/<gpu>/chapter{chapter}.json"
            )
        return results

    def own(self, chapter: int) -> list[Results]:
        """The reader's own results of a chapter, a file per GPU, in the order of the GPUs' folder names."""
        return list(_own(self.build / "results", chapter))

    def descriptions(self, chapter: int) -> Descriptions:
        """What the built programs of a chapter say of themselves."""
        return _descriptions(self.build / "describe" / self._folder(chapter).name)

    def emulation(self, chapter: int) -> Emulation:
        """What the emulator counted of a chapter's programs when they were built."""
        return _emulation(self.root, self.build / "counters" / self._folder(chapter).name)

    def counted(self, chapter: int) -> Counted:
        """A chapter's counters: the emulator's, and the published ones for what it does not count."""
        return Counted(self.emulation(chapter), self.published(chapter))

    def disagreements(self, chapter: int) -> list[Pair]:
        """The counters of unchanged steps that the emulator and the published results do not agree about."""
        published = self.published(chapter)
        if published is None:
            return []
        pairs = compared(self.emulation(chapter), published, self.descriptions(chapter))
        return [pair for pair in pairs if not pair.equal]

    def sources(self, chapter: int | None = None) -> list[SourceRow]:
        """What the sources published, in their order."""
        rows = _sources(self.root / "figures" / "data" / "sources.json")
        return [row for row in rows if chapter in (None, row.chapter)]

    def stale(self, chapter: int) -> list[Stale]:
        """The published results whose fingerprint is not that of the step as it is built now."""
        results = self.published(chapter)
        if results is None:
            return []
        descriptions = self.descriptions(chapter)
        found = []
        for entry in (*results.measurements, *results.counters):
            built = descriptions.fingerprint(entry.step, entry.shape, entry.parameters)
            if built is not None and entry.fingerprint and built != entry.fingerprint:
                found.append(Stale(entry, built))
        return found

    def _folder(self, chapter: int) -> Path:
        folders = self.chapters()
        if chapter not in folders:
            raise BookError(f"there is no chapter {chapter}; there is {', '.join(map(str, folders))}")
        return folders[chapter]


@functools.cache
def _published(folder: Path, chapter: int) -> Results | None:
    paths = sorted(folder.glob(f"*/chapter{chapter}.json"))
    if len(paths) > 1:
        raise BookError(
            f"chapter {chapter} is published twice: {paths[0]} and {paths[1]}; one GPU is the book's"
        )
    return load_results(paths[0]) if paths else None


@functools.cache
def _own(folder: Path, chapter: int) -> tuple[Results, ...]:
    found = []
    for path in sorted(folder.rglob(f"chapter{chapter}.json")):
        if path.parent.parent != folder:
            raise BookError(f"{path}: is in the wrong place: results belong into {folder}/<gpu>/")
        try:
            found.append(load_results(path))
        except BookError as error:
            raise BookError(f"{error}; move it away, and the book is built without it") from error
    return tuple(found)


@functools.cache
def _descriptions(folder: Path) -> Descriptions:
    return load_descriptions(folder)


@functools.cache
def _emulation(root: Path, folder: Path) -> Emulation:
    return load_emulation(root, folder)


@functools.cache
def _sources(path: Path) -> tuple[SourceRow, ...]:
    return tuple(_source(raw) for raw in read_document(path, "sources"))


def _source(raw: dict[str, Any]) -> SourceRow:
    parameters = {key: tuple(value) for key, value in raw["parameters"].items()}
    return SourceRow(**{**raw, "shape": tuple(raw["shape"]), "parameters": parameters})
