"""The emulator's benchmark, `make bench-emulator`: chapter 6's steps and SGEMM, with counters.

For each program: PTX instructions x active lanes, counted in a run of its own, per second of wall clock
inside of kernels; the same per second of processor time; how much longer it takes with the checker; and how
much longer than the same work as plain C++ on as many processors. The best of several runs counts. It ends
with 1 if a floor is missed.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

LEAST_RATE = (
    4e9  # thread-instructions per second, on two processors; the floor grows and shrinks with their number
)
MOST_SGEMM_SECONDS = 2.0  # for N = 1024 on two processors
MOST_CHECKER_FACTOR = 2.0
ROUNDS = 5
BUSY = 0.85  # a rate that is less of what the processor time promises says more about other programs


@dataclass(frozen=True)
class Program:
    """What is run, and what the same work is in plain C++."""

    name: str
    command: Sequence[str]
    plain: str
    side: int  # of the matrices


@dataclass(frozen=True)
class Row:
    """What was measured of a program; times are in seconds, inside of kernels."""

    program: Program
    instructions: int
    seconds: float
    processor_seconds: float
    checked_seconds: float
    plain_seconds: float

    @property
    def rate(self) -> float:
        """Thread-instructions per second of wall clock."""
        return self.instructions / self.seconds

    @property
    def checker_factor(self) -> float:
        """How much longer it takes with the checker."""
        return self.checked_seconds / self.seconds

    @property
    def line(self) -> str:
        """The row of the table."""
        return (
            f"{self.program.name:24} {self.instructions / 1e6:9.1f} {self.seconds * 1e3:9.1f}"
            f" {self.rate / 1e9:7.2f}"
            f" {self.instructions / self.processor_seconds / 1e9:9.2f} {self.checker_factor:8.2f}"
            f" {self.seconds / self.plain_seconds:8.0f}"
        )


HEADING = f"{'':24} {'10^6':>9} {'ms':>9} {'10^9/s':>7} {'10^9/cpu s':>9} {'checked':>7} {'to C++':>8}"


def programs(tree: Path, side: int) -> list[Program]:
    """The chapter's steps whose kernels the emulator can run, and the matrix products."""
    found = []
    for description in sorted((tree / "describe/6-transpose").glob("*.json")):
        variants = json.loads(description.read_text())["variants"]
        name = description.stem
        if any(variant["kind"] == "peer" for variant in variants) or name.endswith("memcpy"):
            continue  # a library's, or no kernel at all
        program = str(tree / "chapters/6-transpose" / name)
        _, *chosen = variants[0]["arguments"]["measure"]
        command = [program, "--once", f"{side}x{side}", *chosen]
        found.append(Program(name, command, "copy" if "copy" in name else "transpose", side))
    sgemm = str(tree / "bench/bench_sgemm")
    return found + [
        Program(f"sgemm {kind}", [sgemm, kind, "1024"], "sgemm", 1024) for kind in ("tiled", "registers")
    ]


def emulate(tree: Path, program: Program, *options: str, instructions: bool = False) -> dict[str, Any]:
    """Runs a program with counters on, and gives its statistics."""
    with tempfile.TemporaryDirectory() as folder:
        statistics = Path(folder) / "statistics.json"
        environment = os.environ | {"WEFT_EMULATOR_STATISTICS": str(statistics)}
        if instructions:
            environment["WEFT_EMULATOR_INSTRUCTIONS"] = "1"
        command = [str(tree / "emulate"), "--counters", f"{folder}/counters.json", *options, *program.command]
        result = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
        if result.returncode:
            sys.exit(f"bench-emulator: {program.name} failed: {result.stdout}{result.stderr}")
        return json.loads(statistics.read_text())


def measure(tree: Path, program: Program) -> Row:
    """Runs a program and its twin several times; runs with and without the checker take turns."""
    instructions = emulate(tree, program, instructions=True)["thread_instructions"]
    plain = [str(tree / "bench/bench_plain"), program.plain, str(program.side)]
    unchecked, checked, plain_seconds = [], [], []
    for _ in range(ROUNDS):
        unchecked.append(emulate(tree, program, "--no-check"))
        checked.append(emulate(tree, program))
        plain_seconds.append(float(subprocess.run(plain, capture_output=True, text=True, check=True).stdout))
    return Row(
        program,
        int(instructions),
        min(run["seconds"] for run in unchecked),
        min(run["processor_seconds"] for run in unchecked),
        min(run["seconds"] for run in checked),
        min(plain_seconds),
    )


def processor() -> str:
    """The name that the processor gives itself."""
    for line in Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return line.partition(":")[2].strip()
    return "unknown processor"


def missed(rows: Sequence[Row], threads: int) -> list[str]:
    """The floors that were missed, one line each."""
    scale = threads / 2
    lines = []
    for name, part in {
        "chapter 6's steps": [row for row in rows if row.program.plain != "sgemm"],
        "SGEMM": [row for row in rows if row.program.plain == "sgemm"],
    }.items():
        instructions = sum(row.instructions for row in part)
        rate = instructions / sum(row.seconds for row in part)
        free_rate = threads * instructions / sum(row.processor_seconds for row in part)
        factor = sum(row.checked_seconds for row in part) / sum(row.seconds for row in part)
        print(f"{name}: {rate / 1e9:.2f} x 10^9 thread-instructions per second;", end=" ")
        print(f"with the checker it takes {factor:.2f} times as long")
        if rate < BUSY * free_rate:
            print(f"  other programs held the processors; with {threads} free it would be", end=" ")
            print(f"{free_rate / 1e9:.2f} x 10^9, which is what the floor is held against")
            rate = free_rate
        if rate < LEAST_RATE * scale:
            lines.append(f"{name}: less than {LEAST_RATE * scale:.1e} thread-instructions per second")
        if factor > MOST_CHECKER_FACTOR:
            lines.append(f"{name}: the checker takes more than {MOST_CHECKER_FACTOR} times as long")
    for row in rows:
        seconds = max(row.processor_seconds / threads, BUSY * row.seconds)
        if row.program.plain == "sgemm" and seconds > MOST_SGEMM_SECONDS / scale:
            lines.append(f"{row.program.name}: more than {MOST_SGEMM_SECONDS / scale} s")
    return lines


def main() -> int:
    """Entry point; see the module's docstring."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("tree", type=Path, help="the build tree")
    parser.add_argument("--side", type=int, default=2048, help="of the steps' matrices (default: 2048)")
    arguments = parser.parse_args()
    tree = arguments.tree.resolve()
    threads = int(os.environ.get("WEFT_EMULATOR_THREADS", "0")) or len(os.sched_getaffinity(0))
    suite = programs(tree, arguments.side)
    instruction_set = emulate(tree, suite[0])["instruction_set"]
    print(f"{processor()}, {instruction_set}, {threads} threads,", end=" ")
    print(f"steps at {arguments.side} x {arguments.side}, best of {ROUNDS} runs")
    print(HEADING)
    rows = []
    for program in suite:
        rows.append(measure(tree, program))
        print(rows[-1].line, flush=True)
    problems = missed(rows, threads)
    for problem in problems:
        print(f"missed: {problem}", file=sys.stderr)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
