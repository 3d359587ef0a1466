"""Draws the figures of chapters and writes those that changed: `python -m figures --output FOLDER`."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from book.documents import BookError
from book.library import Library
from figures.build import build


def main(arguments: list[str] | None = None) -> int:
    """Draw; 0 if all went well, 1 if not; wrong options end with 2."""
    parser = argparse.ArgumentParser(prog="python -m figures", description=__doc__)
    parser.add_argument("--root", type=Path, default=Path(), metavar="FOLDER", help="the repository")
    parser.add_argument("--build", type=Path, metavar="FOLDER", help="its build folder, if it is not in it")
    parser.add_argument("chapters", nargs="*", type=int, metavar="CHAPTER", help="all chapters if none")
    parser.add_argument("--output", type=Path, required=True, metavar="FOLDER", help="where SVG files go")
    parser.add_argument(
        "--skip-missing", action="store_true", help="leave out figures of results that are not published yet"
    )
    options = parser.parse_args(arguments)
    library = Library.of(options.root, options.build)
    if not (library.build / "describe").is_dir():
        print(f"figures: {library.build} holds no built programs: `make counts` builds them", file=sys.stderr)
        return 1
    try:
        build(library, options.output, options.chapters or list(library.chapters()), options.skip_missing)
    except (BookError, OSError) as error:
        print(f"figures: {error}", file=sys.stderr)
        return 1
    return 0
