"""The runner, `reproduce`, from its command line to its files, on programs that need no GPU."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest

from book.documents import read_document

ROOT = Path(__file__).resolve().parents[2]
TREE = ROOT / os.environ.get("TREE", "build")
SYSTEM = "/usr/bin:/bin"
MEASUREMENTS = 2 * (3 * 4 + 2)
"""Of a chapter of two programs: four in each of three rounds, and two of a curve."""


class FakeTree:
    """A build tree with stand-ins for the steps of two chapters, in a folder with a space in its name."""

    def __init__(self, folder: Path) -> None:
        self.root = folder / "a clone"
        self.path = SYSTEM
        self.results = self.root / "results"
        for name in ("6-transpose/04_memcpy", "6-transpose/13_padded", "7-sgemm/30_library"):
            self.add(name)

    def add(self, name: str) -> None:
        """Puts a stand-in for a program into the tree."""
        program = self.root / "chapters" / name
        program.parent.mkdir(parents=True, exist_ok=True)
        program.symlink_to(TREE / "tests/benchmark/fake_step")
        self.describe(name)

    def describe(self, name: str) -> None:
        """Notes what a program says of itself, as the build does."""
        said = subprocess.run(
            [self.root / "chapters" / name, "--describe"], capture_output=True, text=True, check=True
        ).stdout
        description = self.root / "describe" / f"{name}.json"
        description.parent.mkdir(parents=True, exist_ok=True)
        description.write_text(said)

    def note(self, name: str, text: str) -> None:
        """Tells the stand-ins of chapter 6 how to behave; see fake_step.cpp."""
        (self.root / "chapters/6-transpose" / name).write_text(text)

    def script(self, path: str, body: str) -> Path:
        """A program for the machine's PATH, or beside `chapters`."""
        script = self.root / path
        script.parent.mkdir(exist_ok=True)
        script.write_text(f"#!/bin/sh\n{body}\n")
        script.chmod(0o755)
        self.path = f"{self.root}/bin:{SYSTEM}"
        return script

    def command(self, *words: str) -> list[str | Path]:
        places = ("--programs", self.root / "chapters", "--output", self.results)
        return [TREE / "reproduce", *words, *places]

    def run(self, *words: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            self.command(*words),
            env={"PATH": self.path},
            capture_output=True,
            text=True,
            check=False,
            timeout=60,
        )

    def begun(self, what: str = "measures") -> list[str]:
        """What the stand-ins of chapter 6 began, in their order."""
        log = self.root / "chapters/6-transpose/log"
        return [line for line in log.read_text().splitlines() if what in line] if log.exists() else []

    def file(self, chapter: int) -> Path:
        """Where the results are, whatever this machine's GPU is called."""
        return next(self.results.glob(f"*/chapter{chapter}.json"), self.results / "none")

    def read(self, chapter: int) -> Any:
        """The results, held against the schema."""
        return read_document(self.file(chapter), "results")

    def journals(self) -> list[Path]:
        return list(self.results.glob("*/*.journal"))


@pytest.fixture
def tree(tmp_path: Path) -> FakeTree:
    return FakeTree(tmp_path)


@pytest.mark.parametrize(
    ("large", "again"),
    [
        ([("32", "16x16"), ("16", "16x16"), ("8", "16x16")], ["8x8 block=32", "8x8 block=16"]),
        ([("32", "8x8"), ("16", "8x8"), ("32", "16x16"), ("16", "16x16")], []),
        ([("32", "16x16")], ["8x8 block=32", "16x16 block=32", "8x8 block=16", "16x16 block=16"]),
    ],
)
def test_large_problems_are_timed_in_the_first_round_alone(
    tree: FakeTree, large: list[tuple[str, str]], again: list[str]
) -> None:
    """Unless the program's variants differ in the others: its options cannot tell them apart."""
    description = tree.root / "describe/6-transpose/13_padded.json"
    said = json.loads(description.read_text())
    for variant in said["variants"]:
        for run in variant["runs"]:
            known = (str(variant["parameters"]["block"][0]), "x".join(map(str, run["shape"])))
            run["amounts"] = {"bytes": 2**31 if known in large else 2**30}
    description.write_text(json.dumps(said))
    (tree.root / "chapters/6-transpose/stop").write_text("13")
    for _ in range(2):  # it goes on with what is missing
        tree.run("measure", "--chapter", "6", "--rounds", "2")
        (tree.root / "chapters/6-transpose/stop").unlink(missing_ok=True)
    begun = [line.partition(" measures ")[2] for line in tree.begun() if line.startswith("13_padded")]
    assert len(begun[:6]) == 6
    assert list(dict.fromkeys(begun[6:])) == again
    rounds = {len(entry["rounds"]) for entry in tree.read(6)["measurements"] if entry["step"] == "padded"}
    assert rounds == ({1, 2} if again else {1})


def test_all_chapters_are_checked_and_timed_in_three_rounds(tree: FakeTree) -> None:
    done = tree.run("--commit", "0123abc", "--compiler", "nvcc 13.0.88")
    assert done.returncode == 0, done.stderr
    results = tree.read(6)
    assert len(results["measurements"]) == 12
    assert results["measurements"][0]["kind"] == "ceiling"
    curve, first = results["measurements"][4], results["measurements"][6]
    assert first["step"] == "padded"
    assert first["samples"] == 9
    assert first["rounds"] == [2e-6] * 3
    assert first["commit"] == "0123abc"
    assert first["quantities"] == {"latency": {"unit": "cycles", "median": 32, "low": 30.2, "high": 33.8}}
    assert first["meter"]["joules"] == 37.5
    assert first["parameters"] == {"block": [32]}
    assert len(curve["rounds"]) == 1
    provenance = results["provenance"]
    assert provenance["compiler"] == "nvcc 13.0.88"
    assert provenance["rounds"] == 3
    assert provenance["clocks"]["throttle_reasons"] == ["software power cap"]
    assert {"driver", "runtime", "nvbench", "cublas", "ecc", "power_limit_w", "date"} <= provenance.keys()
    assert tree.read(7)["measurements"][0]["fingerprint"] == ""
    assert "[6/6] chapter 6, round 3 of 3: 13_padded" in done.stderr
    assert "100.0 %" in done.stdout
    assert tree.journals() == []
    rounds = [line.split()[0] for line in tree.begun()]
    assert rounds == ["04_memcpy"] * 6 + ["13_padded"] * 6 + (["04_memcpy"] * 4 + ["13_padded"] * 4) * 2
    assert len(tree.begun("begins")) == 2


def test_experiments_are_checked_and_timed_after_the_steps(tree: FakeTree) -> None:
    tree.add("6-transpose/experiments/01_longer_rows")
    done = tree.run("--chapter", "6")
    assert done.returncode == 0, done.stderr
    measured = [entry["step"] for entry in tree.read(6)["measurements"]]
    assert list(dict.fromkeys(measured)) == ["memcpy", "padded", "longer-rows"]
    assert "01_longer_rows passed" in done.stderr
    assert "[9/9] chapter 6, round 3 of 3: 01_longer_rows" in done.stderr


def test_an_interruption_after_any_measurement_loses_that_one_at_most(tree: FakeTree) -> None:
    assert tree.run("measure", "--chapter", "6").returncode == 0
    whole = tree.read(6)
    for after in range(MEASUREMENTS):
        (tree.root / "chapters/6-transpose/log").unlink()
        tree.file(6).unlink()
        tree.note("stop", str(after))
        stopped = tree.run("measure", "--chapter", "6")
        assert stopped.returncode == 130
        assert stopped.stderr.splitlines()[-1] == (
            "reproduce: interrupted; what was measured is kept: the same command goes on from there"
        )
        assert not tree.file(6).exists()
        (tree.root / "chapters/6-transpose/stop").unlink()
        done = tree.run("measure", "--chapter", "6")
        assert done.returncode == 0, done.stderr
        assert len(tree.begun()) == MEASUREMENTS + 1
        again = tree.read(6)
        for results in (whole, again):
            results["provenance"]["date"] = ""
        assert again == whole
        assert tree.journals() == []


def test_a_chapter_that_was_done_is_not_begun_anew(tree: FakeTree) -> None:
    stop = tree.root / "chapters/7-sgemm/stop"
    stop.write_text("3")
    assert tree.run("measure").returncode == 130
    assert len(tree.read(6)["measurements"]) == 12
    stop.unlink()
    assert tree.run("measure").returncode == 0
    assert len(tree.begun()) == MEASUREMENTS
    assert tree.journals() == []
    assert tree.run("measure").returncode == 0
    assert len(tree.begun()) == 2 * MEASUREMENTS


def test_what_was_measured_of_other_machine_code_is_measured_anew(tree: FakeTree) -> None:
    tree.note("stop", "9")
    assert tree.run("measure", "--chapter", "6").returncode == 130
    (tree.root / "chapters/6-transpose/stop").unlink()
    tree.note("13_padded.fingerprint", "cd34")
    tree.describe("6-transpose/13_padded")
    assert tree.run("measure", "--chapter", "6").returncode == 0
    assert len(tree.begun()) == 10 + MEASUREMENTS - 6
    assert {entry["fingerprint"] for entry in tree.read(6)["measurements"][6:]} == {"cd34"}


def test_an_interruption_ends_what_runs(tree: FakeTree) -> None:
    tree.script(
        "chapters/6-transpose/14_hangs", f'[ "$1" = --measure ] && echo $$ >"{tree.root}/pid"; exec sleep 60'
    )
    description = (tree.root / "describe/6-transpose/13_padded.json").read_text()
    (tree.root / "describe/6-transpose/14_hangs.json").write_text(description.replace("padded", "hangs"))
    running = subprocess.Popen(tree.command("measure", "--chapter", "6"), stderr=subprocess.PIPE, text=True)
    pid = tree.root / "pid"
    for _ in range(400):
        if pid.exists() and pid.read_text():
            break
        time.sleep(0.05)
    running.send_signal(signal.SIGINT)
    assert "interrupted" in running.communicate(timeout=20)[1]
    assert running.returncode == 130
    with pytest.raises(ProcessLookupError):
        os.kill(int(pid.read_text()), 0)


NCU = """echo "$*" >>"$(dirname "$0")/asked"
cat <<'END'
"ID","Process ID","Kernel Name","gpu__time_duration.sum","launch__registers_per_thread","x__y.sum"
"","","","ns","register/thread",""
"0","4711","kernel()","1,234","32","5"
END"""


def test_counters_are_taken_at_the_counted_and_at_the_timed_sizes(tree: FakeTree) -> None:
    tree.note("13_padded.profiler", "x__y.sum")
    tree.describe("6-transpose/13_padded")
    tree.script("bin/ncu", NCU)
    assert tree.run("measure", "count", "--chapter", "6").returncode == 0
    results = tree.read(6)
    assert [entry["shape"] for entry in results["counters"][:9]] == [[8, 8], [4, 4]] * 3 + [[16, 16]] * 3
    full, timed = results["counters"][0]["metrics"], results["counters"][6]["metrics"]
    assert full == {"gpu__time_duration.sum": 1234, "launch__registers_per_thread": 32}
    assert timed == {"gpu__time_duration.sum": 1234}
    assert results["counters"][-1]["metrics"]["x__y.sum"] == 5
    assert results["counters"][0]["fingerprint"] == "ab12"
    asked = (tree.root / "bin/asked").read_text().splitlines()
    assert len(asked) == 2 * (6 * 2 + 3)
    assert asked[0].endswith("04_memcpy --once 8x8 --with block=32")


def test_counting_goes_on_where_it_was_interrupted(tree: FakeTree) -> None:
    ncu = tree.script(
        "bin/ncu", NCU + '\n[ $(wc -l <"$(dirname "$0")/asked") != 8 ] || { kill -INT $PPID; sleep 60; }'
    )
    assert tree.run("count", "--chapter", "6").returncode == 130
    ncu.write_text(f"#!/bin/sh\n{NCU}\n")
    assert tree.run("count", "--chapter", "6").returncode == 0
    assert len((tree.root / "bin/asked").read_text().splitlines()) == 2 * (6 * 2 + 3) + 2
    assert len(tree.read(6)["counters"]) == 18
    assert tree.begun() == []


def test_without_ncu_the_times_are_kept_and_one_line_says_what_is_missing(tree: FakeTree) -> None:
    done = tree.run("measure", "count", "--chapter", "6")
    assert done.returncode == 1
    assert "no ncu on PATH" in done.stderr.splitlines()[-1]
    assert len(tree.read(6)["measurements"]) == 12


def test_a_program_that_fails_is_named_and_the_others_go_on(tree: FakeTree) -> None:
    tree.note("13_padded.status", "1")
    done = tree.run("--chapter", "6")
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1] == "reproduce: FAILED: 13_padded --measure: exit status 1"
    assert {entry["step"] for entry in tree.read(6)["measurements"]} == {"memcpy"}
    assert len(tree.begun()) == 14 + 1


def test_a_program_whose_check_fails_is_not_timed(tree: FakeTree) -> None:
    tree.note("13_padded.checked", "1")
    done = tree.run("--chapter", "6")
    assert done.returncode == 1
    assert "what was checked" in done.stderr
    assert done.stderr.splitlines()[-1] == "reproduce: FAILED: 13_padded"
    assert {entry["step"] for entry in tree.read(6)["measurements"]} == {"memcpy"}


def test_a_program_that_this_gpu_cannot_run_is_left_out_without_being_a_failure(tree: FakeTree) -> None:
    tree.note("13_padded.checked", "77")
    tree.note("13_padded.status", "77")
    done = tree.run("--chapter", "6")
    assert done.returncode == 0
    assert "13_padded skipped: what was checked" in done.stderr
    assert {entry["step"] for entry in tree.read(6)["measurements"]} == {"memcpy"}


def test_where_no_program_can_run_nothing_is_written_and_the_first_says_why(tree: FakeTree) -> None:
    tree.note("04_memcpy.status", "77")
    done = tree.run("measure", "--chapter", "6")
    assert done.returncode == 1
    assert done.stderr.splitlines()[-2:] == ["memcpy: no such luck", "reproduce: nothing was measured"]
    assert not tree.file(6).exists()


def test_three_programs_are_checked_at_a_time(tree: FakeTree) -> None:
    for number in range(20, 26):
        name = f"6-transpose/{number}_more"
        (tree.root / "chapters" / name).symlink_to(TREE / "tests/benchmark/fake_step")
        tree.describe(name)
    assert tree.run("check", "--chapter", "6").returncode == 0
    running = most = 0
    for line in tree.begun(""):
        running += 1 if line.endswith("begins") else -1
        most = max(most, running)
    assert most == 3


def test_the_emulator_checks_all_but_the_libraries_kernels(tree: FakeTree) -> None:
    tree.script("emulate", 'case $1 in *padded) echo "output: wrong"; exit 1;; *) [ $# = 1 ];; esac')
    done = tree.run("emulate")
    assert done.returncode == 1
    assert "30_library left out" in done.stderr
    assert "[1/2] 04_memcpy passed" in done.stderr
    assert "13_padded FAILED, exit status 1" in done.stderr
    assert "output: wrong" in done.stderr
    assert tree.journals() == []


def test_the_sanitizer_runs_all_four_tools_over_the_small_checks_of_our_kernels(tree: FakeTree) -> None:
    said = 'tool=$2; what="$2 $4 ${5##*/}"; shift 5; echo "$what $*"'
    tree.script("bin/compute-sanitizer", f'{said} >>"{tree.root}/ran"; [ $tool != racecheck ]')
    done = tree.run("sanitize")
    tools = ("memcheck", "racecheck", "initcheck", "synccheck")
    more = {"racecheck": " -- --test-case-exclude=*(beyond racecheck)*"}
    wanted = [
        f"{tool} 99 {name} --small{more.get(tool, '')}"
        for name in ("04_memcpy", "13_padded")
        for tool in tools
    ]
    assert sorted((tree.root / "ran").read_text().splitlines()) == sorted(wanted)
    assert done.returncode == 1
    assert "[8/8]" in done.stderr
    assert sorted(done.stderr.splitlines()[-2:]) == [
        "reproduce: FAILED: 04_memcpy under racecheck",
        "reproduce: FAILED: 13_padded under racecheck",
    ]


@pytest.mark.parametrize(
    ("what", "words"),
    [("emulate", "emulate: No such file"), ("sanitize", "comes with the CUDA toolkit, and must be on PATH")],
)
def test_a_tool_that_is_missing_gets_one_line(tree: FakeTree, what: str, words: str) -> None:
    done = tree.run(what, "--chapter", "6")
    assert done.returncode == 1
    assert words in done.stderr
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('{\n"schema": 2,\n', "chapter6.json:3: damaged"),
        ('{"schema": 2, "chapter": 7}', "chapter6.json:1: damaged"),
        ('{"schema": 1}', "chapter6.json:1: schema 1"),
    ],
)
def test_a_file_of_no_use_is_refused_before_anything_runs(tree: FakeTree, text: str, words: str) -> None:
    assert tree.run("measure", "--chapter", "6").returncode == 0
    tree.file(6).write_text(text)
    begun = tree.begun()
    done = tree.run("measure", "--chapter", "6")
    assert done.returncode == 1
    assert words in done.stderr
    assert done.stderr.count("\n") == 1
    assert tree.begun() == begun
    assert tree.file(6).read_text() == text


def test_a_file_of_another_chapter_is_refused_before_anything_runs(tree: FakeTree) -> None:
    assert tree.run("measure").returncode == 0
    tree.file(7).write_bytes(tree.file(6).read_bytes())
    done = tree.run("measure")
    assert done.returncode == 1
    assert "chapter7.json: foreign: holds results of chapter 6; move it away" in done.stderr
    assert len(tree.begun()) == MEASUREMENTS


def test_earlier_results_of_what_is_not_measured_stay(tree: FakeTree) -> None:
    assert tree.run("measure", "--chapter", "6").returncode == 0
    earlier = tree.read(6)
    tree.note("13_padded.status", "1")
    assert tree.run("measure", "--chapter", "6").returncode == 1
    assert tree.read(6)["measurements"][6:] == earlier["measurements"][6:]


@pytest.mark.parametrize(
    "words",
    [
        ("--chapter", "six"),
        ("--faster",),
        ("surplus",),
        ("--chapter", "9"),
        ("--rounds", "0"),
        ("--commit", "unknown"),
        ("--commit", "012345"),
        ("--commit", "0123abc-clean"),
        ("--commit", "0123abc-dirty-dirty"),
        ("--commit", "0123ABC"),
        ("--commit", "v1-2-g0123abc"),
        ("--commit", "0" * 41),
    ],
)
def test_a_command_line_that_is_wrong_gets_one_line_and_status_2(
    tree: FakeTree, words: tuple[str, ...]
) -> None:
    done = tree.run(*words)
    assert done.returncode == 2
    assert words[-1] in done.stderr
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize("commit", ["0123abc", "0123456789ab-dirty", "0123456789" * 4])
def test_a_commit_is_written_as_it_is_named(tree: FakeTree, commit: str) -> None:
    assert tree.run("measure", "--chapter", "6", "--rounds", "1", "--commit", commit).returncode == 0
    assert tree.read(6)["provenance"]["commit"] == commit
    assert {entry["commit"] for entry in tree.read(6)["measurements"]} == {commit}


def test_without_git_no_commit_is_named(tree: FakeTree) -> None:
    assert tree.run("measure", "--chapter", "6", "--rounds", "1", "--commit", "").returncode == 0
    assert tree.read(6)["provenance"]["commit"] is None
    assert not any("commit" in entry for entry in tree.read(6)["measurements"])


def test_damaged_descriptions_are_named(tree: FakeTree) -> None:
    (tree.root / "describe/6-transpose/13_padded.json").write_text(json.dumps({"variants": [{}]}))
    done = tree.run("emulate")
    assert done.returncode == 1
    assert "13_padded.json is missing or damaged: build the steps anew" in done.stderr
