"""Tagged regions of a source file: a line `// [name]` opens a region, the same line closes it."""

from __future__ import annotations

import itertools
import re
import textwrap
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from book.documents import BookError
from book.keys import near

_SLASHES = re.compile(r"\s*// \[(?P<name>[a-z0-9-]+)\]\s*")
_HASH = re.compile(r"\s*# \[(?P<name>[a-z0-9-]+)\]\s*")
_HASH_SUFFIXES = {".py", ".txt", ".cmake", ".sh"}


@dataclass(frozen=True)
class Line:
    """One line of a file and its number, from 1."""

    number: int
    text: str


@dataclass(frozen=True)
class TaggedFile:
    """A source file without its tag lines, and the regions that they marked."""

    path: Path
    lines: tuple[Line, ...]
    regions: dict[str, range]

    def region(self, tag: str) -> list[Line]:
        """The lines of a region, without blank ones at its ends; raises BookError for an unknown tag."""
        if tag not in self.regions:
            raise BookError(f"{self.path}: no tag [{tag}]{near(tag, self.regions)}")
        found = [line for line in self.lines if line.number in self.regions[tag]]
        while found and not found[0].text.strip():
            found.pop(0)
        while found and not found[-1].text.strip():
            found.pop()
        if not found:
            raise BookError(f"{self.path}:{self.regions[tag].start}: tag [{tag}] holds no line")
        return found


def read_tagged(path: Path) -> TaggedFile:
    """A file's lines and regions.

    Raises:
        BookError: the file cannot be read, or a tag is there three times or more, or never closed.

    """
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "not UTF-8 text"
        raise BookError(f"{path}: cannot be read: {reason}") from error
    pattern = _HASH if path.suffix in _HASH_SUFFIXES else _SLASHES
    lines, places = [], {}
    for number, line in enumerate(text.splitlines(), start=1):
        match = pattern.fullmatch(line)
        if match:
            places.setdefault(match["name"], []).append(number)
        else:
            lines.append(Line(number, line.expandtabs(4)))
    for name, numbers in places.items():
        if len(numbers) == 1:
            raise BookError(f"{path}:{numbers[0]}: tag [{name}] is opened and never closed")
        if len(numbers) > 2:
            there = ", ".join(map(str, numbers))
            raise BookError(f"{path}:{numbers[2]}: tag [{name}] is doubled: lines {there}")
    regions = {name: range(numbers[0] + 1, numbers[1]) for name, numbers in places.items()}
    return TaggedFile(path, tuple(lines), regions)


def dedented(lines: Iterable[Line]) -> list[Line]:
    """The lines without the indentation that all of them share."""
    lines = list(lines)
    texts = textwrap.dedent("\n".join(line.text for line in lines)).split("\n")
    return [Line(line.number, text) for line, text in zip(lines, texts, strict=True)]


def idea_of(path: Path) -> str:
    """The idea of a step in a sentence: the comment with which its file begins, up to an empty line."""
    texts = [line.text for line in read_tagged(path).lines]
    comment = list(itertools.takewhile(lambda text: text.startswith("// "), texts))
    if not comment:
        raise BookError(f"{path}:1: a step's first line is a comment that says its idea")
    return " ".join(text.removeprefix("// ") for text in comment)
