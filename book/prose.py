"""What the prose claims: its claims, and what its whys say came out."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from markdown_it import MarkdownIt
from mdit_py_plugins.colon_fence import colon_fence_plugin
from mdit_py_plugins.front_matter import front_matter_plugin
from mdit_py_plugins.myst_role import myst_role_plugin

from book.claims import Claim, directive_text, parse_claim
from book.whys import claims_of_why


def collect_claims(paths: Iterable[Path]) -> Iterator[Claim]:
    """The claims of Markdown files, as roles, as directives and in the directives `why`, in order."""
    parser = MarkdownIt("commonmark").enable("table").use(front_matter_plugin)
    parser.use(myst_role_plugin).use(colon_fence_plugin)
    for path in paths:
        yield from _claims_in(parser, path.read_text(encoding="utf-8"), path, 1)


def _claims_in(parser: MarkdownIt, text: str, path: Path, first_line: int) -> Iterator[Claim]:
    for token in parser.parse(text):
        line = token.map[0] + first_line if token.map else first_line
        place = f"{path}:{line}"
        if token.type in ("fence", "colon_fence"):
            name, _, argument = token.info.partition("}")
            if name == "{claim":
                yield parse_claim(directive_text(argument, token.content), place)
            if name == "{why":
                yield from claims_of_why(argument, token.content, place)
            if name in ("{why", "{conjecture"):
                yield from _claims_in(parser, token.content, path, line + 1)
        for child in token.children or ():
            if child.type == "myst_role" and child.meta["name"] == "claim":
                yield parse_claim(child.content, place)
