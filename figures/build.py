"""Draw the chapters' figures and write those that changed."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

from book.documents import BookError, MissingResultsError
from book.library import Library
from figures import emulator, frontpage
from figures.style import Drawing, style
from figures.svg import render, write_if_changed
from figures.sweeps import sweeps

Draw = Callable[[Library], Drawing]


def chapter_figures(folder: Path) -> Mapping[str, Draw]:
    """The figures that a chapter's `figures.py` offers: name to function; empty if it has none."""
    path = folder / "figures.py"
    if not path.is_file():
        return {}
    spec = importlib.util.spec_from_file_location(f"figures_of_chapter_{folder.name.split('-')[0]}", path)
    if spec is None or spec.loader is None:
        raise BookError(f"{path}: cannot be imported")
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module.FIGURES


def build(library: Library, output: Path, chapters: Iterable[int], skip_missing: bool = False) -> list[Path]:
    """Draw the figures of chapters, and the front page's, as `output/<chapter's folder>/<figure>.svg`.

    Returns the files that changed. With `skip_missing` a figure whose results are not published yet is left
    out, and what an earlier build left of it is removed; without, that is a BookError.
    """
    folders = library.chapters()
    pages: dict[str, Mapping[str, Draw]] = {}
    for chapter in chapters:
        if chapter not in folders:
            raise BookError(f"there is no chapter {chapter}; there is {', '.join(map(str, folders))}")
        own = chapter_figures(folders[chapter])
        pages[folders[chapter].name] = {**sweeps(library, chapter), **own}
    pages["frontpage"] = frontpage.FIGURES
    pages["emulator"] = emulator.FIGURES
    changed = []
    for page, figures in pages.items():
        for name, draw in figures.items():
            path = output / page / f"{name}.svg"
            try:
                with style():
                    text = render(draw(library), f"figure-{page}-{name}")
            except MissingResultsError as error:
                if not skip_missing:
                    raise
                path.unlink(missing_ok=True)
                print(f"figures: {name} left out: {error}", file=sys.stderr)
                continue
            if write_if_changed(path, text):
                changed.append(path)
    return changed
