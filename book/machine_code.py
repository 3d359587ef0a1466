"""What the machine code of a program's kernels is made of, as NVIDIA's disassembler shows it."""

from __future__ import annotations

import functools
import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from book.documents import BookError

_LINE = re.compile(r"\s+/\*(?P<address>[0-9a-f]{4,})\*/\s+(?:@!?U?P\w+\s+)?(?P<text>[^;]+?)\s*;")
_TARGET = re.compile(r"0x([0-9a-f]+)$")
_WIDTH = re.compile(r"\.(8|16|U8|S8|U16|S16|64|128)\b")
_NEVER = re.compile(r"/\s+@!PT\s")
_FUNCTION = re.compile(r"^\s*Function : (\S+)$", re.MULTILINE)
_RESOURCES = re.compile(r"Function (\S+):\s+REG:(\d+)(?:.*?SHARED:(\d+))?")
_LOCAL = ("LDL", "STL")


@dataclass(frozen=True)
class Instruction:
    """One instruction: its address, and its text without the guard, such as `LDS.128 R4, [R2+0x10]`."""

    address: int
    text: str
    never: bool = False
    """Whether its guard lets no thread execute it, ever."""

    @functools.cached_property
    def opcode(self) -> str:
        """The operation without what follows its first point: LDS of LDS.128."""
        return self.text.split()[0].partition(".")[0]

    @property
    def bits(self) -> int:
        """How many bits a thread moves, if the instruction moves any."""
        found = _WIDTH.search(self.text.split()[0])
        return int(found[1].lstrip("US")) if found else 32

    @property
    def jumps_back_to(self) -> int | None:
        """Where a loop begins that ends here; None if none does."""
        target = _TARGET.search(self.text) if self.text.startswith("BRA") else None
        found = int(target[1], 16) if target else self.address
        return found if found < self.address else None


@dataclass(frozen=True)
class Loop:
    """The instructions of a loop that is there for one kind of them, such as FFMA."""

    opcode: str
    instructions: tuple[Instruction, ...]

    @functools.cached_property
    def count(self) -> int:
        """How many there are of that kind, in one turn."""
        return sum(one.opcode == self.opcode for one in self.instructions)

    @property
    def share(self) -> float:
        """Their share of all instructions."""
        return self.count / len(self.instructions) if self.instructions else 0

    @property
    def reused(self) -> int:
        """How many of them leave an operand in the operand cache for the next instruction."""
        return sum(one.opcode == self.opcode and ".reuse" in one.text for one in self.instructions)

    @property
    def spills(self) -> int:
        """Those of the kernel's spills that each turn executes."""
        return _spills(self.instructions)

    def moves(self, opcode: str) -> dict[int, int]:
        """Loads, stores or copies of a kind: how many of each width, in bits."""
        made = (one.bits for one in self.instructions if one.opcode == opcode and not one.never)
        return dict(sorted(Counter(made).items()))


@dataclass(frozen=True)
class Kernel:
    """A kernel's machine code and what each thread of it takes."""

    name: str
    registers: int
    listing: str
    shared: int = 0
    """Bytes of shared memory that each block takes, whatever the launch adds."""

    @functools.cached_property
    def instructions(self) -> tuple[Instruction, ...]:
        """What its listing holds, read when it is asked for: nobody asks for some kernels of a program."""
        return tuple(parse(self.listing.splitlines()))

    @functools.cached_property
    def _loops(self) -> tuple[tuple[Instruction, ...], ...]:
        """What lies between each jump back and where it leads."""
        addresses = [one.address for one in self.instructions]
        return tuple(
            self.instructions[bisect_left(addresses, begin) : place + 1]
            for place, end in enumerate(self.instructions)
            if (begin := end.jumps_back_to) is not None
        )

    def is_called(self, name: str) -> bool:
        """Whether the source calls it so: a mangled name holds each of its parts behind the part's length."""
        return self.name == name or f"{len(name)}{name}" in self.name

    def is_made_from(self, name: str, arguments: Iterable[str]) -> bool:
        """Whether it is a template's kernel with these arguments: integers, truth values and types."""
        return f"{len(name)}{name}I{''.join(map(_mangled, arguments))}E" in self.name

    def loops(self, opcode: str) -> list[Loop]:
        """All loops, each as one that is there for instructions of a kind."""
        return [Loop(opcode, instructions) for instructions in self._loops]

    def loop(self, opcode: str) -> Loop:
        """The densest loop of those with about the most instructions of a kind; empty if no loop has any.

        A jump back from code that was put out of the way, such as waiting, looks like a loop as well, but is
        sparse.
        """
        loops = self.loops(opcode)
        most = max((loop.count for loop in loops), default=0)
        large = [loop for loop in loops if loop.count and 2 * loop.count >= most]
        return max(large, key=lambda loop: loop.share, default=Loop(opcode, ()))

    @property
    def spills(self) -> int:
        """Loads and stores of local memory, where registers go that there is no room for."""
        return _spills(self.instructions)


def _spills(instructions: Iterable[Instruction]) -> int:
    return sum(one.opcode in _LOCAL for one in instructions)


def _mangled(argument: str) -> str:
    """A template's argument as the name of a kernel has it."""
    if argument in ("false", "true"):
        return f"Lb{int(argument == 'true')}E"
    if argument.isdigit():
        return f"Li{argument}E"
    return "f" if argument == "float" else f"{len(argument)}{argument}"


def kernels_in(listing: Path) -> tuple[Kernel, ...]:
    """The kernels in a program's disassembly, as the build wrote it: those for the first architecture.

    Raises:
        BookError: the build has not written it.

    """
    try:
        return _kernels_in(listing.resolve(), listing.stat().st_mtime_ns)
    except FileNotFoundError:
        raise BookError(f"{listing} is missing: `make book` writes it") from None


@functools.lru_cache(maxsize=64)
def _kernels_in(listing: Path, _modified: int) -> tuple[Kernel, ...]:
    text = listing.read_text()
    taken: dict[str, tuple[int, int]] = {}
    for name, registers, shared in _RESOURCES.findall(text):
        taken.setdefault(name, (int(registers), int(shared or 0)))
    kernels: dict[str, Kernel] = {}
    parts = _FUNCTION.split(text)
    for name, code in zip(parts[1::2], parts[2::2], strict=True):
        registers, shared = taken.get(name, (0, 0))
        kernels.setdefault(name, Kernel(name, registers, code, shared))
    return tuple(kernels.values())


def parse(lines: Iterable[str]) -> list[Instruction]:
    """The instructions in the lines of a disassembler's listing."""
    found = []
    for line in lines:
        if ";" in line and (match := _LINE.match(line)):
            found.append(Instruction(int(match["address"], 16), match["text"], bool(_NEVER.search(line))))
    return found
