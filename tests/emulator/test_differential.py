"""Functions compiled for both sides agree bit for bit: random programs, host against emulator.

`WEFT_DIFFERENTIAL_SEED` and `WEFT_DIFFERENTIAL_PROGRAMS` say which programs and how many. A difference is
shrunk to the smallest program that still shows it.
"""

import os
import re
import subprocess
from pathlib import Path

import pytest

from tests.emulator.differential.generate import Program, Statement, make_program, source

ROOT = Path(__file__).resolve().parents[2]
TREE = ROOT / os.environ.get("TREE", "build")
FOLDER = Path(__file__).parent / "differential"
RECORDING = FOLDER / "h200.txt"
RECORDED_INSTRUCTIONS = FOLDER / "h200-instructions.txt"
SEED = int(os.environ.get("WEFT_DIFFERENTIAL_SEED", "0"))
PROGRAMS = int(os.environ.get("WEFT_DIFFERENTIAL_PROGRAMS", "8"))
INPUTS = "1"  # the inputs' seed


def compiled(programs: list[Program], folder: Path) -> Path:
    """A program that holds all of these; nothing is contracted, so both sides compute what is written."""
    cache = (TREE / "CMakeCache.txt").read_text()
    found = re.search(r"^CMAKE_CUDA_COMPILER:\w+=(.+)$", cache, re.MULTILINE)
    assert found, "the build knows no CUDA compiler"
    text = folder / "programs.cu"
    text.write_text(source(programs))
    binary = folder / "programs"
    options = ["-std=c++20", "-O1", "-cudart", "shared", "-fmad=false", "-I", FOLDER]
    options += ["-gencode", "arch=compute_90,code=compute_90"]
    options += ["-Xcompiler", "-ffp-contract=off,-frounding-math"]
    subprocess.run([found[1], *options, "-o", binary, text], check=True)
    return binary


def emulated(binary: Path, *arguments: str, vectors: str | None = None) -> list[str]:
    """What the program says of each of its functions, on the emulator."""
    environment = os.environ | ({"WEFT_EMULATOR_ISA": vectors} if vectors else {})
    command = [TREE / "all-vectors" / "emulate" if vectors else TREE / "emulate", binary, *arguments]
    result = subprocess.run(
        command, capture_output=True, text=True, check=False, timeout=250, env=environment
    )
    assert result.returncode < 2 and result.stdout, result.stderr
    return result.stdout.splitlines()


def different(programs: list[Program], folder: Path) -> list[Program]:
    """Those of the programs whose results differ."""
    if not programs:
        return []
    lines = emulated(compiled(programs, folder), "compare", INPUTS)
    return [programs[int(line.split()[0])] for line in lines if "differs" in line]


def shrunk(program: Program, folder: Path) -> Program:
    """The smallest program, a statement alone or without one after the other, that still differs."""
    while True:
        count = len(program.statements)
        candidates = [program.without(i) for i in range(count)] if count > 1 else []
        candidates += [program.unguarded(i) for i in range(count) if program.statements[i].guard]
        candidates += [Program((statement,)) for statement in program.statements if count > 2]  # often enough
        smaller = different(candidates, folder)
        if not smaller:
            return program
        program = min(smaller, key=lambda one: len(one.statements))


def test_host_and_emulator_agree(tmp_path: Path) -> None:
    programs = [make_program(seed) for seed in range(SEED, SEED + PROGRAMS)]
    wrong = different(programs, tmp_path)
    if wrong:
        seed = SEED + programs.index(wrong[0])
        pytest.fail(
            f"program {seed} differs; the smallest that does:\n{shrunk(wrong[0], tmp_path).cpp(seed)}"
        )


def test_a_difference_is_found_and_shrunk(tmp_path: Path) -> None:
    good = make_program(1)
    wrong = Statement("u1", "WEFT_EITHER({0}, {0} ^ 1)", ("u2",), "if ({0} < {1})", ("f0", "f1"))
    program = Program((*good.statements[:3], wrong, *good.statements[3:5]))
    assert different([good, program], tmp_path) == [program]
    smallest = shrunk(program, tmp_path)
    assert len(smallest.statements) == 1
    assert smallest.statements[0].text == wrong.text
    assert not smallest.statements[0].guard


def test_emulator_agrees_with_the_recording(tmp_path: Path) -> None:
    first, *recorded = RECORDING.read_text().splitlines()
    lowest, count, inputs = first.split()
    seeds = range(int(lowest), int(lowest) + int(count))
    binary = compiled([make_program(seed) for seed in seeds], tmp_path)
    assert emulated(binary, "record", inputs) == recorded


@pytest.mark.parametrize("vectors", ["baseline", "avx2", "avx512"])
def test_instructions_give_what_was_recorded(vectors: str) -> None:
    needed = {"baseline": "sse2", "avx2": "avx2", "avx512": "avx512dq"}
    if needed[vectors] not in Path("/proc/cpuinfo").read_text().split():
        pytest.skip("this processor has no such vectors")
    binary = TREE / "tests" / "emulator" / "differential" / "instructions"
    assert emulated(binary, vectors=vectors) == RECORDED_INSTRUCTIONS.read_text().splitlines()
