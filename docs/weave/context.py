"""What a directive or role knows of its page: the chapter, its defaults, and the book's data."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.util import logging
from sphinx.util.docutils import SphinxDirective, SphinxRole

from book import memories, roofs
from book.claims import Data
from book.counted import Counted
from book.documents import BookError, MissingResultsError
from book.front_matter import front_matter
from book.in_flight import CHAPTER as CHAPTER_OF_LATENCIES
from book.in_flight import InFlight, number
from book.keys import Shape, near, parse_shape
from book.library import Library
from book.quantities import Value
from book.results import Results
from book.roofs import Roof

logger = logging.getLogger(__name__)

_FRONT_MATTER = "weave_front_matter"

NOT_YET = "not measured yet"
"""What stands where a chapter's results will be once they are published."""


@dataclass(frozen=True)
class Page:
    """A page's chapter and what its front matter says of it."""

    library: Library
    chapter: int
    front_matter: dict[str, Any]
    made_of: set[int]
    """The chapters whose data it shows."""

    @property
    def folder(self) -> Path:
        """The chapter's folder."""
        return self.library.folder(self.chapter)

    @property
    def runs(self) -> list[Results]:
        """The published runs, the book's card first, and the reader's own."""
        return [*self.library.all_published(self.chapter), *self.library.own(self.chapter)]

    @property
    def run(self) -> Results:
        """The run that the page shows first: the published one; before the first publication the reader's.

        Raises:
            MissingResultsError: there is neither.

        """
        return self.run_if_any or self.library.require_published(self.chapter)

    @property
    def run_if_any(self) -> Results | None:
        """The same run, or None."""
        return next(iter(self.runs), None)

    @property
    def counted(self) -> Counted:
        """The chapter's counters: the emulator's, and the published ones for what it does not count."""
        return self.library.counted(self.chapter)

    def data(self, results: Results | None) -> Data:
        """What claims are held against: a run; with the published one, or none, the emulator's counts."""
        sources = tuple(self.library.sources(self.chapter))
        descriptions = self.library.descriptions(self.chapter)
        if results and results.is_own:
            return Data(results, descriptions, sources, memory=self.memory)
        counted = Counted(self.library.emulation(self.chapter), results)

        def roof(roof: Roof) -> Value:
            self.made_of.update({roofs.chapter_of(roof, self.library)} - {None})
            return roofs.measured(roof, self.library, results)

        def in_flight(asked: InFlight) -> Value:
            self.made_of.add(CHAPTER_OF_LATENCIES)
            return number(self.library, asked, results)

        return Data(results, descriptions, sources, counted, roof, in_flight, self.memory)

    def memory(self, name: str) -> Value:
        """A number of a memory with real times."""
        return memories.number(self.library, name)

    def cards_of(self, sentence: str) -> list[Results]:
        """The published runs in which a claim must hold: on the cards that it names, or else on all."""
        published = self.library.all_published(self.chapter)
        return [run for run in published if run.is_named_in(sentence)] or published

    def default(self, key: str) -> str:
        """What the front matter says under a key."""
        found = self.optional(key)
        if found is None:
            raise BookError(f"the page's front matter does not say `{key}: …`")
        return found

    def optional(self, key: str) -> str | None:
        """What the page's front matter, or else that of its chapter's page, says under a key."""
        value = self.front_matter.get(key) or self.library.front_matter(self.chapter).get(key)
        return None if value is None else str(value)

    @property
    def bars(self) -> str | None:
        """The step whose rating is 100 % of the cards' bars: the ceiling, unless `bars` names another."""
        return self.optional("bars") or self.optional("ceiling")

    def shape(self, key: str, text: str | None = None) -> Shape:
        """A shape from its text, or the page's default under `measured` or `counted`."""
        return parse_shape(text or self.default(key))

    def step_file(self, step: str) -> Path:
        """The file of a step or an experiment; raises BookError with near matches."""
        files = self.step_files() | self.experiment_files()
        if step not in files:
            raise BookError(f"no step {step} in {self.folder}{near(step, files)}")
        return files[step]

    def step_files(self) -> dict[str, Path]:
        """The chapter's steps and their files, in order: 13_padded.cu holds padded."""
        paths = sorted(self.folder.glob("[0-9]*_*.cu"))
        return {path.stem.partition("_")[2].replace("_", "-"): path for path in paths}

    def experiment_files(self) -> dict[str, Path]:
        """The chapter's experiments and their files; a program may hold several."""
        experiments = self.library.descriptions(self.chapter).experiments
        return {step: self.folder / f"{program}.cu" for step, program in experiments.items()}


def page_of(env: BuildEnvironment) -> Page:
    """The page that is being read; raises BookError for a page that belongs to no chapter."""
    said = env.current_document[_FRONT_MATTER]
    if "chapter" not in said:
        raise BookError("this page belongs to no chapter: its front matter does not say `chapter: …`")
    chapter = int(said["chapter"])
    made_of = env.weave_chapters.setdefault(env.docname, set())
    made_of.add(chapter)
    return Page(library_of(env), chapter, said, made_of)


@contextmanager
def of_chapter(env: BuildEnvironment, chapter: int) -> Iterator[None]:
    """Read as if the page belonged to a chapter."""
    said = env.current_document[_FRONT_MATTER]
    env.current_document[_FRONT_MATTER] = {**said, "chapter": chapter}
    try:
        yield
    finally:
        env.current_document[_FRONT_MATTER] = said


def library_of(env: BuildEnvironment) -> Library:
    """The book's data."""
    return Library.of(env.srcdir, env.config.weave_build or None)


def complain(place: SphinxDirective | SphinxRole, problem: BookError, shown: str) -> nodes.inline:
    """Report a problem of the prose, with file and line, and give what stands in its place on the page.

    What is not published yet is not a problem: its pages say so, and so do the build's last lines.
    """
    if isinstance(problem, MissingResultsError):
        place.env.weave_unpublished.setdefault(place.env.docname, set()).add(str(problem))
        return nodes.inline("", NOT_YET, classes=["not-yet"])
    logger.warning("%s", problem, location=place.get_location(), type="weave")
    return nodes.inline("", f"[{shown}?]", classes=["missing"])


def _read_front_matter(app: Sphinx, docname: str, source: list[str]) -> None:
    app.env.current_document[_FRONT_MATTER] = front_matter(source[0])


def setup(app: Sphinx) -> None:
    """Connect what remembers each page's front matter."""
    app.add_config_value("weave_build", "", "env", str)
    app.connect("source-read", _read_front_matter)
