"""A step's program that is wrong fails, with a line that says in what; wrong.cu has one of each kind."""

import os
import re
import subprocess
from pathlib import Path

import pytest

TREE = Path(__file__).resolve().parents[2] / os.environ.get("TREE", "build")
PROGRAM = TREE / "tests/program/wrong"
CHECK, COUNT, DESCRIBE, ONCE = [], ["--count"], ["--describe"], ["--once", "64"]
# As `reproduce sanitize` runs racecheck.
NOT_BEYOND_RACECHECK = ["--small", "--", "--test-case-exclude=*(beyond racecheck)*"]


def run(wrong: str, arguments: list[str]) -> subprocess.CompletedProcess[str]:
    """Runs the program on the emulator, or describes it under the recorder."""
    environment = os.environ | {"WRONG": wrong}
    command = [TREE / "emulate", PROGRAM, *arguments]
    if arguments == DESCRIBE:
        environment |= {"LD_LIBRARY_PATH": str(TREE / "lib"), "LD_PRELOAD": "librecorder.so"}
        command = [PROGRAM, *arguments]
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=False, timeout=60)


@pytest.mark.parametrize("arguments", [CHECK, COUNT, DESCRIBE], ids=str)
def test_one_that_is_right_passes(arguments: list[str]) -> None:
    result = run("nothing wrong", arguments)
    assert result.returncode == 0, result.stdout + result.stderr


@pytest.mark.parametrize(
    ("wrong", "line"),
    [
        (
            "wrong result",
            "output[0]: expected -1.09659849e+12 (0xd37f525d), got -2.19319697e+12",
        ),
        (
            "one element is left out",
            "output[3]: expected 4.4062024e-12 (0x2c9b078b), got nan (0x7fa5a5a5)",
        ),
        ("guard before is written", "guard before output[-1]: expected to stay untouched, got 0"),
        ("guard after is written", "guard after output[64]: expected to stay untouched, got 0"),
        ("output is stale", "stale: right for the launch before"),
        ("input is written", "input[0]: expected"),
        ("nothing is launched", "output[0]: expected"),
        ("the launch fails", "cudaErrorInvalidValue: invalid argument"),
    ],
)
def test_a_wrong_launch_fails_the_checks(wrong: str, line: str) -> None:
    result = run(wrong, CHECK)
    assert result.returncode == 1
    assert re.search("copy 64 width=1: .*" + re.escape(line), result.stdout)


def test_what_is_beyond_racecheck_is_left_out_for_racecheck_alone() -> None:
    beyond = "wrong result, beyond racecheck"
    assert run(beyond, CHECK).returncode == 1
    assert run(beyond, NOT_BEYOND_RACECHECK).returncode == 0
    assert run("wrong result", NOT_BEYOND_RACECHECK).returncode == 1


def test_a_wrong_prediction_fails_where_counts_are_taken() -> None:
    result = run("wrong prediction", COUNT)
    assert result.returncode == 1
    sectors = "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"
    assert f"wrong: copy 1024 width=1: {sectors}: predicted 256, counted 128\n" in result.stderr


def test_a_series_has_a_value_for_each_place() -> None:
    assert run("a series", ONCE).stdout.startswith("trace 2x3 cycles\n1 2 3\n4 5 6\n")
    result = run("a value of a series is left out", ONCE)
    assert result.returncode == 1
    assert result.stderr.startswith("wrong: series 'trace' has 2 axes and 5 values, but a grid of 2x3\n")


@pytest.mark.parametrize(
    ("wrong", "line"),
    [
        ("nothing is launched", "launches no kernel that this program has noted"),
        ("a launch is not noted", "launches kernels in a way that this program does not note"),
    ],
)
def test_a_launch_that_is_not_noted_has_no_description(wrong: str, line: str) -> None:
    result = run(wrong, DESCRIBE)
    assert result.returncode == 1
    assert result.stdout == ""
    assert result.stderr.startswith(f"wrong: step 'copy' {line}")


@pytest.mark.parametrize("arguments", [CHECK, COUNT, DESCRIBE, ["--list"], ["--help"]], ids=str)
@pytest.mark.parametrize(
    ("wrong", "line"),
    [
        ("nothing is registered", "this program registers no step"),
        ("no step, it says", "this program says that it has no step, and registers one"),
        ("no name", "step '' width=1 has no name"),
        ("cannot be made", "step 'copy' width=1 says neither how it is made nor what it does"),
        ("measured twice", "step 'copy' width=1 is measured at a shape twice"),
        ("counted twice", "step 'copy' width=1 is counted at a shape twice"),
        ("registered twice", "step 'copy' width=1 is registered twice"),
        ("two defaults", "step 'copy' width=2 is a second default"),
        ("no default", "step 'copy' has no default variant"),
        ("two steps", "step 'other': this program has a step already, step 'copy'"),
    ],
)
def test_a_wrong_registration_refuses_every_command(wrong: str, line: str, arguments: list[str]) -> None:
    result = run(wrong, arguments)
    assert result.returncode == 1
    assert (result.stdout, result.stderr) == ("", f"wrong: {line}\n")
