"""The figures of each page, and the drawing of them into files."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

from book.documents import BookError, MissingResultsError
from book.inputs import note_inputs
from book.library import Library
from figures import emulator, frontpage
from figures.style import Drawing, style
from figures.svg import render, write_if_changed
from figures.sweeps import asked_sweeps, sweeps

Draw = Callable[[Library], Drawing]


def chapter_figures(folder: Path) -> Mapping[str, Draw]:
    """The figures that a chapter's `figures*.py` offer: name to function; empty if it has none."""
    found: dict[str, Draw] = {}
    for path in sorted(folder.glob("figures*.py")):
        spec = importlib.util.spec_from_file_location(
            f"{path.stem}_of_chapter_{folder.name.split('-')[0]}", path
        )
        if spec is None or spec.loader is None:
            raise BookError(f"{path}: cannot be imported")
        module = importlib.util.module_from_spec(spec)
        sys.modules[spec.name] = module
        spec.loader.exec_module(module)
        found.update(module.FIGURES)
    return found


def _figures(library: Library, page: str) -> Mapping[str, Draw]:
    if page == "frontpage":
        return frontpage.figures(library)
    if page == "emulator":
        return emulator.FIGURES
    folder = library.root / "chapters" / page
    asked = asked_sweeps(folder)
    offered = sweeps(library, int(page.partition("-")[0])) if asked else {}
    shown = {name: draw for name, draw in offered.items() if name in asked}
    return {**shown, **chapter_figures(folder)}


def draw_page(library: Library, folder: Path, skip_missing: bool, record: Path) -> list[Path]:
    """Draw the figures of the page that `folder` is named for into it; returns the files that changed."""
    figures = _figures(library, folder.name)
    made, changed = set(), []
    for name, draw in figures.items():
        path = folder / f"{name}.svg"
        try:
            with style():
                text = render(draw(library), f"figure-{folder.name}-{name}")
        except MissingResultsError as error:
            if not skip_missing:
                raise
            print(f"figures: {name} left out: {error}", file=sys.stderr)
            continue
        made.add(path)
        if write_if_changed(path, text):
            changed.append(path)
    for path in set(folder.glob("*.svg")) - made:  # an earlier build's
        path.unlink()
    note_inputs(record, library, made, left_out=[folder.parent], of_pages="front matter and sweeps")
    return changed
