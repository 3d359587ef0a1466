"""A tiny book in a folder of its own, and its build."""

from __future__ import annotations

import io
import json
import os
import sys
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from jinja2 import FileSystemBytecodeCache
from sphinx.application import Sphinx
from sphinx.util.docutils import docutils_namespace, patch_docutils

REPOSITORY = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(REPOSITORY), str(REPOSITORY / "docs")]

from book import library  # noqa: E402
from tests.book.invented import (  # noqa: E402
    FRONT_MATTER,
    STEPS,
    invented_description,
    invented_emulation,
    invented_results,
    write,
)

STEP = """// The idea of {name} in a line.
#include "problem.hpp"

// [kernel]
__global__ void {name}_kernel(const float* in, float* out) {{
  out[threadIdx.x] = in[{number}];
}}
// [kernel]
"""

WEAVES_ALL = "```{{snippet}} {file} kernel\n```\n"
SHOWS_ALL_ROWS = "```{comparison}\n```\n"

TEMPLATES = REPOSITORY / os.environ.get("TREE", "build") / "pytest-cache/templates"
TEMPLATES.mkdir(parents=True, exist_ok=True)
COMPILED_TEMPLATES = FileSystemBytecodeCache(str(TEMPLATES))  # to compile them takes a fifth of a build


@dataclass
class Built:
    """What a build said and wrote."""

    warnings: str
    output: Path
    read: list[str] = field(default_factory=list)

    def html(self, page: str = "chapters/6-transpose/index") -> str:
        return (self.output / f"{page}.html").read_text(encoding="utf-8")


@dataclass(frozen=True)
class Book:
    """A repository with one chapter, whose page a test writes."""

    root: Path

    @property
    def chapter(self) -> Path:
        return self.root / "chapters" / "6-transpose"

    @property
    def published(self) -> Path:
        return self.root / "figures/data/nvidia-invented/chapter6.json"

    @property
    def own(self) -> Path:
        return self.root / "build/results/nvidia-other/chapter6.json"

    def counters(self, program: str) -> Path:
        return self.root / f"build/counters/6-transpose/{program}.json"

    def page(self, text: str, weaves_all: bool = True, front_matter: str = FRONT_MATTER) -> None:
        """Write the chapter's page; unless told otherwise it also weaves what every page must."""
        rest = ""
        if weaves_all:
            rest = SHOWS_ALL_ROWS + "".join(WEAVES_ALL.format(file=file.name) for file in self.steps())
        self.chapter.joinpath("index.md").write_text(f"{front_matter}# Chapter\n\n{text}\n\n{rest}")

    def steps(self) -> list[Path]:
        return sorted(self.chapter.glob("*.cu"))

    def build(self, parallel: int = 1) -> Built:
        for name in ("_published", "_own", "_descriptions", "_emulation", "_counted", "_sources"):
            getattr(library, name).cache_clear()
        warnings = io.StringIO()
        output = self.root / "build/html"
        options = {
            "extensions": ["myst_parser", "weave"],
            "html_theme": "basic",
            "html_math_renderer": "mathml",
            "include_patterns": ["index.md", "chapters/*/index.md", "docs/*.md"],
            "myst_enable_extensions": ["dollarmath", "colon_fence"],
            "nitpicky": True,
        }
        read: list[str] = []
        with patch_docutils(), docutils_namespace():
            app = Sphinx(
                self.root,
                None,
                output,
                self.root / "build/doctrees",
                "html",
                options,
                status=None,
                warning=warnings,
                parallel=parallel,
            )
            app.connect("source-read", lambda _app, name, _source: read.append(name))
            app.builder.templates.environment.bytecode_cache = COMPILED_TEMPLATES
            app.build()
        return Built(_plain(warnings.getvalue()), output, read)


def _plain(text: str) -> str:
    """Warnings without the terminal's colours."""
    for colour in ("\x1b[91m", "\x1b[31m", "\x1b[39;49;00m", "\x1b[31;01m"):
        text = text.replace(colour, "")
    return text


def make_book(root: Path) -> Book:
    """The book: seven steps, published results of an invented GPU, predictions, and a few sources' rows."""
    made = Book(root)
    made.chapter.mkdir(parents=True)
    write(made.published, invented_results())
    for number, (step, kind, _) in enumerate(STEPS, start=1):
        name = step.replace("-", "_")
        made.chapter.joinpath(f"{number:02}_{name}.cu").write_text(STEP.format(name=name, number=number))
        description = invented_description(step, kind)
        write(made.root / f"build/describe/6-transpose/{number:02}_{name}.json", description)
        program = f"{number:02}_{name}"
        write(made.counters(program), invented_emulation(step, program))
    # The front page's drawing asks the model itself.
    for name in ("model", "random-runs.json"):
        made.root.joinpath("build", name).symlink_to(REPOSITORY / os.environ.get("TREE", "build") / name)
    rows = json.loads((REPOSITORY / "figures/data/sources.json").read_text())
    wanted = [
        row for row in rows if row["step"] in ("padded", "copy-rows") and row["quantity"] == "bandwidth"
    ]
    write(made.root / "figures/data/sources.json", wanted)
    made.root.joinpath("index.md").write_text(
        "# Book\n\nNo data here.\n\n```{toctree}\nchapters/6-transpose/index\n```\n"
    )
    made.page("")
    return made


@pytest.fixture
def book(tmp_path: Path) -> Book:
    """The book in a folder whose name has a space."""
    return make_book(tmp_path / "a book")
