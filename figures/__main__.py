"""`python -m figures build`: draw figures."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from figures.build import build
from figures.documents import BookError
from figures.library import Library


def main(arguments: list[str] | None = None) -> int:
    """Run one command; 0 if all went well, 1 if not, 2 for wrong options."""
    parser = argparse.ArgumentParser(prog="python -m figures", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    drawing = commands.add_parser("build", help="draw the figures and write those that changed")
    drawing.add_argument(
        "chapters", nargs="*", type=int, metavar="CHAPTER", help="chapters' numbers; all if none"
    )
    drawing.add_argument(
        "--output", type=Path, required=True, metavar="FOLDER", help="where the SVG files go"
    )
    drawing.add_argument("--root", type=Path, default=Path(), metavar="FOLDER", help="the repository")
    drawing.add_argument(
        "--build", type=Path, metavar="FOLDER", help="its build folder; build in the repository if not given"
    )
    drawing.add_argument(
        "--skip-missing", action="store_true", help="leave out figures of results that are not published yet"
    )
    options = parser.parse_args(arguments)
    library = Library.of(options.root, options.build)
    try:
        chapters = options.chapters or list(library.chapters())
        for path in build(library, options.output, chapters, options.skip_missing):
            print(path)
    except (BookError, OSError) as error:
        print(f"figures: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit(130)
