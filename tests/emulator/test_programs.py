"""Programs that use what the book's steps do not, each of which checks itself, run on emulated cards."""

import os
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
TREE = ROOT / os.environ.get("TREE", "build")
PROGRAMS = sorted(path.stem for path in (Path(__file__).parent / "programs").glob("*.cu"))


def emulate(
    program: str, *arguments: str, options: tuple[str, ...] = (), **environment: str
) -> subprocess.CompletedProcess[str]:
    """Runs a program on the emulator."""
    path = TREE / "tests" / "emulator" / "programs" / program
    return subprocess.run(
        [TREE / "emulate", *options, path, *arguments],
        capture_output=True,
        text=True,
        check=False,
        timeout=200,
        env=os.environ | environment,
    )


@pytest.mark.parametrize("device", ["H200", "T4"])
@pytest.mark.parametrize("program", PROGRAMS)
def test_program_finds_what_it_expects(program: str, device: str) -> None:
    result = emulate(program, WEFT_EMULATOR_DEVICE=device)
    assert result.returncode == 0, result.stdout + result.stderr


@pytest.mark.parametrize("program", PROGRAMS)
def test_output_and_counts_are_the_same_on_any_number_of_threads(program: str, tmp_path: Path) -> None:
    seen = set()
    for threads in ("1", "2", "3", "7"):
        counters = tmp_path / f"{threads}.json"
        result = emulate(program, options=("--counters", str(counters)), WEFT_EMULATOR_THREADS=threads)
        assert result.returncode == 0, result.stdout + result.stderr
        seen.add((result.stdout, counters.read_text()))
    assert len(seen) == 1


def test_printf_prints_what_c_prints() -> None:
    kinds = [
        "%d|   42|42   |00042|+42|-1|3000000000|ff|0XFF|10|w|%%|-7",
        "-1099511627776|9223372036854775808|abcdef012345|4",
        "1.500000|0.67| 1.235e+04|1e-09|0x1p-1",
        "warp|      weft|a   |ab|    17|2.2",
        "no arguments",
    ]
    first, *others = kinds
    expected = ["launched"]
    expected += [(first % -lane) for lane in range(2)]
    expected += [line for line in others for _ in range(2)]
    expected += ["two: 1 2", "none"] + [f"block {block} of 4" for block in range(4)]
    assert emulate("printing").stdout.splitlines() == expected


def test_what_is_never_waited_for_is_not_printed() -> None:
    result = emulate("printing", "forgotten")
    assert result.returncode == 0
    assert result.stdout == ""
    assert "cudaDeviceSynchronize()" in result.stderr


def test_assertions_end_as_cudas_do() -> None:
    result = emulate("printing", "assert")
    assert result.returncode == 0  # the program has seen the error
    lines = [line for line in result.stderr.splitlines() if "Assertion" in line]
    assert len(lines) == 4
    for thread, line in zip(range(28, 32), lines, strict=True):
        assert line.endswith(
            f": void assert_small(int): block: [1,0,0], thread: [{thread},0,0] "
            'Assertion `i < limit && "too large"` failed.'
        )
        assert "printing.cu:" in line
    assert result.stdout.splitlines() == ["cudaErrorAssert", "cudaErrorAssert"]


def test_a_trap_is_an_error_of_the_launch() -> None:
    result = emulate("printing", "trap")
    assert result.stdout.splitlines() == ["cudaErrorLaunchFailure"]
    assert "stop()" in result.stderr


def test_units_that_were_compiled_separately() -> None:
    result = emulate("linked")
    assert result.returncode == 0, result.stdout + result.stderr
    assert result.stdout.splitlines() == ["this unit: 2 100", "other unit: 3 7"]
