"""What changed between two files: what a reader wants to see, and the rest, such as tests."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from weave.lexer import language_of
from weave.listings import highlighted
from weave.tags import Line, TaggedFile, read_tagged

_BESIDE = ("predict", "step")
"""Regions that say of a kernel what its listing shows: they are the rest, unless a page names them."""
_BLOCK = re.compile(r"(TEST_CASE|void weft::register_steps|(model::)?Prediction \w+)\(.*")
_BOUNDS = r"(?:__launch_bounds__\([^)]*\) )?"
_KERNEL = re.compile(rf"__global__ {_BOUNDS}void {_BOUNDS}(\w+)\(")
_CONSTANT = re.compile(r"\s*(?:static )?constexpr [\w:]+ (\w+)")


@dataclass(frozen=True)
class Row:
    """One line of a difference: same, removed or added; its number in the file that holds it; its HTML."""

    kind: str
    number: int
    code: str
    matters: bool


@dataclass(frozen=True)
class Changes:
    """All lines of the later file, and those that it no longer has."""

    rows: tuple[Row, ...]

    def hunks(self, context: int = 3, matters: bool | None = None) -> list[list[Row]]:
        """Runs of changed rows with rows that are the same around them; of one kind only, if one is named."""
        changed = [
            index
            for index, row in enumerate(self.rows)
            if row.kind != "same" and matters in (None, row.matters)
        ]
        shown = {near for index in changed for near in self._around(index, context)} | set(changed)
        runs: list[list[int]] = []
        for index in sorted(shown):
            if runs and index == runs[-1][-1] + 1:
                runs[-1].append(index)
            else:
                runs.append([index])
        return [_without_blank_ends([self.rows[index] for index in run]) for run in runs]

    def _around(self, index: int, context: int) -> Iterator[int]:
        """The rows before and behind one that are the same, up to a change that is not shown with it."""
        for step in (-1, 1):
            place, left = index + step, context
            while 0 <= place < len(self.rows) and left:
                if self.rows[place].kind == "same":
                    yield place
                    left -= 1
                elif self.rows[place].matters != self.rows[index].matters:
                    break
                place += step


def _without_blank_ends(rows: list[Row]) -> list[Row]:
    told = [index for index, row in enumerate(rows) if row.kind != "same" or row.code.strip()]
    return rows[told[0] : told[-1] + 1]


def compare(before: Path, after: Path, tags: Sequence[str] = ()) -> Changes:
    """The changes from one file to another; those matter that lie in the named regions, and constants.

    If no region is named, all but predictions, declarations and tests matter. A kernel's new name is no
    change, nor is a line that is broken elsewhere.
    """
    old, new = (_Side.of(path, tags) for path in (before, after))
    matcher = difflib.SequenceMatcher(None, old.keys, new.keys, autojunk=False)
    rows: list[Row] = []
    for operation, i1, i2, j1, j2 in matcher.get_opcodes():
        if operation == "equal":
            rows += new.rows("same", j1, j2)
            continue
        rows += old.rows("removed", i1, i2) + new.rows("added", j1, j2)
    return Changes(tuple(rows))


@dataclass(frozen=True)
class _Side:
    """A file as its statements: each one's text on one line, without names that say the step's alone."""

    keys: list[str]
    statements: list[list[tuple[Line, str, bool]]]

    @classmethod
    def of(cls, path: Path, tags: Sequence[str]) -> _Side:
        file = read_tagged(path)
        lines = list(file.lines)
        codes = highlighted(lines, language_of(path.name))
        matters = list(_that_matter(file, tags))
        kernels = _KERNEL.findall("\n".join(line.text for line in lines))
        named = re.compile(rf"\b({'|'.join(map(re.escape, kernels))})\b") if kernels else None
        statements: list[list[tuple[Line, str, bool]]] = []
        depth = 0
        for line, code, matter in zip(lines, codes, matters, strict=True):
            if depth > 0 and statements:
                statements[-1].append((line, code, matter))
            else:
                statements.append([(line, code, matter)])
            text = "" if line.text.lstrip().startswith("//") else line.text
            depth = max(0, depth) + text.count("(") - text.count(")")
            if text.rstrip().endswith(("{", ";", "}")):
                depth = 0
        keys = []
        for statement in statements:
            text = " ".join(line.text.strip() for line, _, _ in statement)
            keys.append(named.sub("kernel", text) if named else text)
        return cls(keys, statements)

    def rows(self, kind: str, first: int, last: int) -> list[Row]:
        """The lines of some statements."""
        found = (one for statement in self.statements[first:last] for one in statement)
        return [Row(kind, line.number, code, matter) for line, code, matter in found]


def _that_matter(file: TaggedFile, tags: Sequence[str]) -> Iterator[bool]:
    """Of each line, whether it is what a reader wants to see."""
    wanted = set(tags) or set(file.regions) - set(_BESIDE)
    used = {word for tag in wanted for line in file.region(tag) for word in re.findall(r"\w+", line.text)}
    in_block, in_head = False, True
    for line in file.lines:
        region = next((tag for tag, lines in file.regions.items() if line.number in lines), None)
        in_head = in_head and line.text.startswith("//")
        in_block = in_block or _BLOCK.match(line.text) is not None
        plain = bool(line.text.strip()) and not in_head and not line.text.startswith("#include")
        constant = _CONSTANT.match(line.text)
        idle = constant is not None and bool(wanted) and constant[1] not in used
        yield region in wanted if region else plain and not in_block and not idle
        if line.text == "}" or line.text.endswith("; }"):
            in_block = False
