"""Where the book's data lie: one object that finds and loads what figures, tables and pages ask for."""

from __future__ import annotations

import functools
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from book.counted import Counted, Pair, compared
from book.descriptions import Descriptions, load_descriptions
from book.documents import BookError, MissingResultsError, read_document
from book.emulation import Emulation, load_emulation
from book.front_matter import front_matter
from book.keys import Shape, by_size, near, parse_shape
from book.metrics import USUAL, known_counts
from book.results import Counters, Measurement, Results, load_results
from book.sources import SourceRow, load_sources


@dataclass(frozen=True)
class Stale:
    """A published result whose step has changed since."""

    entry: Measurement | Counters
    built: str

    def __str__(self) -> str:
        return f"{self.entry.key}: published {self.entry.fingerprint}, built {self.built}"


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
        within = self.root / "chapters"
        return dict(_chapters(within, within.stat().st_mtime_ns)) if within.is_dir() else {}

    def front_matter(self, chapter: int) -> dict[str, Any]:
        """What a chapter's page says of what is shown of it; empty if it has none yet."""
        page = self.folder(chapter) / "index.md"
        return _front_matter(page, page.stat().st_mtime_ns) if page.is_file() else {}

    def measured(self, chapter: int) -> Shape:
        """The shape whose times a chapter shows first; BookError if its page names none."""
        said = self.front_matter(chapter).get("measured")
        if said is None:
            raise BookError(
                f"{self.folder(chapter) / 'index.md'}: the front matter does not say `measured: …`"
            )
        return parse_shape(str(said))

    def marked(self, chapter: int) -> list[Shape]:
        """The shapes shown beside: those that the page names, or all others of the ceiling."""
        named = self.front_matter(chapter).get("marked")
        if named:
            return [parse_shape(text) for text in str(named).split()]
        results, measured = self.require_published(chapter), self.measured(chapter)
        timed = {entry.shape for entry in results.measurements if entry.step == results.ceiling}
        return sorted(timed - {measured}, key=by_size)

    def counts(self, chapter: int) -> tuple[str, ...]:
        """The counts that a chapter shows, by their short names; BookError if its page names another."""
        names = self.front_matter(chapter).get("counts")
        try:
            return known_counts(str(names)) if names else USUAL
        except BookError as error:
            raise BookError(f"{self.folder(chapter) / 'index.md'}: {error}") from error

    def files(self, chapter: int) -> list[Path]:
        """All files of a chapter's data."""
        folder, data = self.folder(chapter).name, self.root / "figures" / "data"
        found = [path for path in (data / "sources.json", data / "cards.json") if path.is_file()]
        for top in (data, self.build / "results"):
            found += top.rglob(f"chapter{chapter}.json")
        for kind in ("describe", "counters", "machine"):
            all_of_kind = (self.build / kind / folder).rglob("*")  # a link is to another of them
            found += (path for path in all_of_kind if path.is_file() and not path.is_symlink())
        return found

    def folders(self) -> list[Path]:
        """The folders in which a new file may be one of the book's data, or a new chapter's."""
        within = ("chapters", "figures/data")
        built = ("results", "describe", "counters", "machine")
        tops = [*(self.root / name for name in within), *(self.build / name for name in built)]
        below = (path for top in tops for path in (*top.glob("*"), *top.glob("*/experiments")))
        return [*tops, *(path for path in below if path.is_dir())]

    def published(self, chapter: int) -> Results | None:
        """The published results of a chapter on the book's first card; None before the first publication."""
        return next(iter(self.all_published(chapter)), None)

    def all_published(self, chapter: int) -> list[Results]:
        """The published results of a chapter, a file per GPU, in the order of `figures/data/cards.json`.

        GPUs that are not in there come last, in the order of their folders' names.
        """
        folder = self.root / "figures" / "data"
        return list(_published(folder, chapter, self._described(chapter), *self._wholes(chapter)))

    def beside(self, chapter: int) -> list[Results]:
        """The runs that stand beside the first published one: those of other cards, then the reader's."""
        return [*self.all_published(chapter)[1:], *self.own(chapter)]

    def one_beside(self, chapter: int) -> Results | None:
        """The run for which a figure has room: the reader's first, or else another card's."""
        return next(iter([*self.own(chapter), *self.all_published(chapter)[1:]]), None)

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
        folder = self.build / "results"
        return list(_own(folder, chapter, self._described(chapter), *self._wholes(chapter)))

    def descriptions(self, chapter: int) -> Descriptions:
        """What the built programs of a chapter say of themselves."""
        return _descriptions(self._described(chapter))

    def emulation(self, chapter: int) -> Emulation:
        """What the emulator counted of a chapter's programs when they were built."""
        folder = self.build / "counters" / self.folder(chapter).name
        return _emulation(self.root, folder, self._described(chapter))

    def counted(self, chapter: int) -> Counted:
        """A chapter's counters: the emulator's, and the published ones for what it does not count."""
        return _counted(self, chapter, self._wholes(chapter))

    def disagreements(self, chapter: int) -> list[Pair]:
        """The counters of unchanged steps that the emulator and the published results do not agree about."""
        emulation, descriptions = self.emulation(chapter), self.descriptions(chapter)
        found = []
        for published in self.all_published(chapter):
            found += [pair for pair in compared(emulation, published, descriptions) if not pair.equal]
        return found

    def sources(self, chapter: int | None = None) -> list[SourceRow]:
        """What the sources published, in their order."""
        rows = _sources(self.root / "figures" / "data" / "sources.json")
        return [row for row in rows if chapter in (None, row.chapter)]

    def stale(self, chapter: int) -> list[Stale]:
        """The published results whose fingerprint is not that of the step as it is built now."""
        descriptions = self.descriptions(chapter)
        found = []
        for results in self.all_published(chapter):
            for entry in (*results.measurements, *results.counters):
                built = descriptions.fingerprint(entry.key)
                if built is not None and entry.fingerprint and built != entry.fingerprint:
                    found.append(Stale(entry, built))
        return found

    def _wholes(self, chapter: int) -> tuple[str, str]:
        """The ceiling and the peer that the chapter's page names."""
        said = self.front_matter(chapter)
        return str(said.get("ceiling", "")), str(said.get("peer", ""))

    def _described(self, chapter: int) -> Path:
        return self.build / "describe" / self.folder(chapter).name

    def folder(self, chapter: int) -> Path:
        """A chapter's folder; BookError if there is none."""
        folders = self.chapters()
        if chapter not in folders:
            raise BookError(f"there is no chapter {chapter}{near(str(chapter), map(str, folders))}")
        return folders[chapter]


@functools.lru_cache(maxsize=64)
def _chapters(within: Path, _modified: int) -> dict[int, Path]:
    folders = {}
    for folder in within.glob("[0-9]*-*"):
        number = folder.name.split("-")[0]
        if number.isdigit() and folder.is_dir():
            folders[int(number)] = folder
    return dict(sorted(folders.items()))


@functools.cache
def _published(folder: Path, chapter: int, described: Path, ceiling: str, peer: str) -> tuple[Results, ...]:
    first = read_document(folder / "cards.json", "cards") if (folder / "cards.json").is_file() else []
    places = {name: place for place, name in enumerate(first)}
    paths = sorted(
        folder.glob(f"*/chapter{chapter}.json"),
        key=lambda path: (places.get(path.parent.name, len(places)), path.parent.name),
    )
    found: list[Results] = []
    for path in paths:
        results = load_results(path, _descriptions(described), ceiling, peer)
        is_another = results.gpu_name in {one.gpu_name for one in found}
        found.append(replace(results, is_another=is_another))
    return tuple(found)


@functools.cache
def _own(folder: Path, chapter: int, described: Path, ceiling: str, peer: str) -> tuple[Results, ...]:
    found = []
    for path in sorted(folder.rglob(f"chapter{chapter}.json")):
        if path.parent.parent != folder:
            raise BookError(f"{path}: is in the wrong place: results belong into {folder}/<gpu>/")
        try:
            results = load_results(path, _descriptions(described), ceiling, peer)
            found.append(replace(results, is_own=True))
        except BookError as error:
            raise BookError(f"{error}; move it away, and the book is built without it") from error
    return tuple(found)


@functools.lru_cache(maxsize=64)
def _front_matter(page: Path, _modified: int) -> dict[str, Any]:
    return front_matter(page.read_text(encoding="utf-8"))


@functools.cache
def _descriptions(folder: Path) -> Descriptions:
    return load_descriptions(folder)


@functools.cache
def _emulation(root: Path, folder: Path, described: Path) -> Emulation:
    return load_emulation(root, folder, _descriptions(described).defaults)


@functools.cache
def _counted(library: Library, chapter: int, _wholes: tuple[str, str]) -> Counted:
    return Counted(library.emulation(chapter), library.published(chapter))


@functools.cache
def _sources(path: Path) -> tuple[SourceRow, ...]:
    return load_sources(path)
