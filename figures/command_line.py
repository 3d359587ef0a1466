"""The book's figures and tables: `python -m figures build`, `chapter N`, `reproduce`."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from figures.build import build
from figures.documents import BookError
from figures.library import Library
from figures.terminal import chapter_tables, reproduce_tables


def main(arguments: list[str] | None = None) -> int:
    """Run one command; 0 if all went well, 1 if not; wrong options end with 2."""
    parser = argparse.ArgumentParser(prog="python -m figures", description=__doc__)
    parser.add_argument("--root", type=Path, default=Path(), metavar="FOLDER", help="the repository")
    parser.add_argument("--build", type=Path, metavar="FOLDER", help="its build folder, if it is not in it")
    commands = parser.add_subparsers(dest="command", required=True)
    drawing = commands.add_parser("build", help="draw the figures and write those that changed")
    drawing.add_argument(
        "chapters", nargs="*", type=int, metavar="CHAPTER", help="chapters' numbers; all if none"
    )
    drawing.add_argument(
        "--output", type=Path, required=True, metavar="FOLDER", help="where the SVG files go"
    )
    drawing.add_argument(
        "--skip-missing", action="store_true", help="leave out figures of results that are not published yet"
    )
    chapter = commands.add_parser("chapter", help="print a chapter's tables")
    chapter.add_argument("number", type=int, metavar="CHAPTER", help="the chapter's number")
    commands.add_parser(
        "reproduce", help="print your results beside the published ones, and the claims that fail"
    )
    options = parser.parse_args(arguments)
    sys.stdout.reconfigure(errors="replace")  # not every terminal has every character
    library = Library.of(options.root, options.build)
    try:
        match options.command:
            case "build":
                chapters = options.chapters or list(library.chapters())
                build(library, options.output, chapters, options.skip_missing)
            case "chapter":
                print(*chapter_tables(library, options.number), sep="\n\n")
            case "reproduce":
                print(*reproduce_tables(library), sep="\n\n")
    except BrokenPipeError:
        sys.stdout = None
        return 1
    except (BookError, OSError) as error:
        print(f"figures: {error}", file=sys.stderr)
        return 1
    return 0
