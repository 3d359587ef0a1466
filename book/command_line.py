"""What the book says in a terminal: `python -m book chapter N`, `python -m book reproduce`, and a trace."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

from book.documents import BookError
from book.library import Library
from book.report import chapter_tables, reproduce_tables
from book.trace import trace


def main(arguments: list[str] | None = None) -> int:
    """Run one command; 0 if all went well, 1 if not; wrong options end with 2."""
    parser = argparse.ArgumentParser(prog="python -m book", description=__doc__)
    parser.add_argument("--root", type=Path, default=Path(), metavar="FOLDER", help="the repository")
    parser.add_argument("--build", type=Path, metavar="FOLDER", help="its build folder, if it is not in it")
    commands = parser.add_subparsers(dest="command", required=True)
    chapter = commands.add_parser("chapter", help="print a chapter's tables")
    chapter.add_argument("number", type=int, metavar="CHAPTER", help="the chapter's number")
    commands.add_parser(
        "reproduce", help="print your results beside the published ones, and the claims that fail"
    )
    traced = commands.add_parser(
        "trace", help="print what a chapter's warps noted, published and yours, as JSON for ui.perfetto.dev"
    )
    traced.add_argument("number", type=int, metavar="CHAPTER", help="the chapter's number")
    options = parser.parse_args(arguments)
    sys.stdout.reconfigure(errors="replace")  # not every terminal has every character
    library = Library.of(options.root, options.build)
    try:
        if options.command == "chapter":
            print(*chapter_tables(library, options.number), sep="\n\n")
        elif options.command == "trace":
            runs = [*library.all_published(options.number), *library.own(options.number)]
            print(json.dumps(trace(runs), separators=(",", ":")))
        else:
            print(*reproduce_tables(library), sep="\n\n")
    except BrokenPipeError:
        sys.stdout = None
        return 1
    except (BookError, OSError) as error:
        print(f"book: {error}", file=sys.stderr)
        return 1
    return 0
