"""What `emulate` reports of a program, however that ends, and what it refuses."""

import csv
import json
import os
import signal
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
TREE = ROOT / os.environ.get("TREE", "build")
PROGRAMS = TREE / "tests" / "emulator" / "programs"
REPORTED = PROGRAMS / "runtime_reported"
EMULATE = TREE / "emulate"
LOADS = "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum"
LOAD_SECTORS = "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"
STORE_SECTORS = "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum"
SHARED_LOADS = "smsp__inst_executed_op_shared_ld.sum"
SHARED_LOAD_WAVEFRONTS = "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ld.sum"


def emulate(*arguments: str | Path, **environment: str) -> subprocess.CompletedProcess[str]:
    """Runs `emulate`."""
    return subprocess.run(
        [EMULATE, *arguments],
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
        env=os.environ | environment,
    )


def check_launches(counters: Path) -> None:
    """Holds a file of counters against what the program's two launches must count."""
    copy, spread = json.loads(counters.read_text())
    assert copy["kernel"].startswith("copy(")
    assert (copy["grid"], copy["block"]) == ([8, 1, 1], [128, 1, 1])
    assert copy["metrics"][LOADS] == 32
    assert copy["metrics"][LOAD_SECTORS] == copy["metrics"][STORE_SECTORS] == 128
    assert spread["metrics"][STORE_SECTORS] == 32
    assert spread["metrics"][SHARED_LOAD_WAVEFRONTS] == 32
    assert "label" not in copy and spread["label"] == 'the "second"'
    assert {"kernel", "grid", "block", "metrics", "lines"} <= set(copy)
    line = next(line for line in spread["lines"] if STORE_SECTORS in line["metrics"])
    assert Path(line["file"]).name == "reported.cu"
    source = (ROOT / "tests" / "emulator" / "programs" / "runtime" / "reported.cu").read_text().splitlines()
    assert source[line["line"] - 1].strip().startswith("out[std::size_t{8} * threadIdx.x]")


def test_counters_as_json(tmp_path: Path) -> None:
    counters = tmp_path / "counters.json"
    result = emulate("--counters", counters, REPORTED)
    assert result.returncode == 0, result.stderr
    assert result.stdout == "ready\n"
    check_launches(counters)
    assert list(tmp_path.iterdir()) == [counters]


def test_counters_as_csv() -> None:
    result = emulate("--csv", REPORTED, LC_ALL="C")
    lines = result.stdout.splitlines()
    assert lines[0] == "ready"
    names, units, copy, spread = csv.reader(lines[1:])
    assert names[:4] == ["ID", "Kernel Name", "Block Size", "Grid Size"]
    assert names[4:] == sorted(names[4:])
    assert copy[0] == "0" and copy[2:4] == ["(128, 1, 1)", "(8, 1, 1)"]
    assert spread[0] == "1" and spread[1].startswith("spread(")
    unit, value = dict(zip(names, units, strict=True)), dict(zip(names, copy, strict=True))
    assert (unit[LOADS], value[LOADS]) == ("request", "32")
    assert (unit[LOAD_SECTORS], value[LOAD_SECTORS]) == ("sector", "128")
    assert (unit["launch__thread_count"], value["launch__thread_count"]) == ("thread", "1024")
    assert value[SHARED_LOADS] == "0"
    assert value["launch__registers_per_thread"] == "16"  # the fewest that a thread is given


def test_summary() -> None:
    lines = emulate(REPORTED).stderr.splitlines()
    heading = next(line for line in lines if "launches" in line)
    assert "grid (8, 1, 1)" in heading and "block (128, 1, 1)" in heading and "registers" in heading
    loads = [line.split() for line in lines if line.strip().startswith("global load")]
    assert loads == [["global", "load", "32", "128", "4.00"]]
    shared = [line.split() for line in lines if line.strip().startswith("shared store")]
    assert shared == [["shared", "store", "1", "32", "32.00"]]
    most = lines[lines.index("Lines with most wavefronts") + 1]
    assert "reported.cu:" in most and "words[std::size_t{32} * threadIdx.x]" in most


def test_counters_of_a_program_that_was_killed(tmp_path: Path) -> None:
    counters = tmp_path / "counters.json"
    result = emulate("--counters", counters, REPORTED, "kill")
    assert result.returncode == -signal.SIGKILL
    check_launches(counters)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_counters_of_a_program_that_was_interrupted(number: signal.Signals, tmp_path: Path) -> None:
    counters = tmp_path / "counters.json"
    # A shell's background jobs ignore interrupts, and so would what they start.
    command = ["env", "--default-signal", EMULATE, "--counters", counters, REPORTED, "wait"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as process:
        assert process.stdout is not None and process.stdout.readline() == "ready\n"
        process.send_signal(number)
        assert process.wait(timeout=30) == -number
    check_launches(counters)


def test_a_full_disk_loses_no_earlier_counters(tmp_path: Path) -> None:
    counters = tmp_path / "counters.json"
    counters.write_text("earlier")
    (tmp_path / "counters.json.new").symlink_to("/dev/full")
    result = emulate("--counters", counters, REPORTED)
    assert result.returncode == 1
    assert result.stderr.splitlines()[-1].startswith(f"emulate: cannot write {counters}")
    assert counters.read_text() == "earlier"
    assert list(tmp_path.iterdir()) == [counters]


def test_launches_that_could_not_be_noted_are_not_reported_in_part(tmp_path: Path) -> None:
    counters = tmp_path / "counters.json"
    counters.write_text("earlier")
    full = "trap '' XFSZ && exec prlimit --fsize=100"  # a limit stands in for a full disk
    command = ["sh", "-c", f'{full} "$@"', "sh", EMULATE, "--counters", counters, REPORTED]
    result = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    assert result.returncode == 1
    assert len(result.stderr.splitlines()) == 1 and "disk full" in result.stderr
    assert counters.read_text() == "earlier"
    assert list(tmp_path.iterdir()) == [counters]


def test_a_full_standard_output_is_said() -> None:
    with Path("/dev/full").open("w") as full:
        command = [EMULATE, "--csv", REPORTED]
        result = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert result.returncode == 1
    assert result.stderr.splitlines()[-1] == "emulate: cannot write to the standard output"


def test_status_is_the_programs() -> None:
    assert emulate(REPORTED, "seven").returncode == 7


def test_programs_that_a_script_starts(tmp_path: Path) -> None:
    script = tmp_path / "a script.sh"
    script.write_text(f'#!/bin/sh\n"{REPORTED}" && echo between && "{REPORTED}"\n')
    script.chmod(0o755)
    counters = tmp_path / "counters.json"
    assert emulate("--counters", counters, script).stdout == "ready\nbetween\nready\n"
    assert [launch["kernel"].partition("(")[0] for launch in json.loads(counters.read_text())] == [
        "copy",
        "spread",
    ] * 2


@pytest.mark.parametrize(
    ("arguments", "word"),
    [
        ([], "no program named"),
        (["--nonsense", "true"], "unknown option --nonsense"),
        (["--counters"], "--counters: 1 required FILE missing"),
        (["--device", "H300", "true"], "H200, H100, A100, RTX 4090, T4"),
        (["no-such-program"], "no program that can be run"),
        (["/tmp"], "no program that can be run"),
        (["--counters", "/no/such/folder/file", "true"], "cannot write /no/such/folder/file"),
        (["--counters", "/tmp", "true"], "cannot write /tmp: it is a folder"),
        ([PROGRAMS / "static"], "link it with nvcc -cudart shared"),
    ],
)
def test_refusals(arguments: list[str | Path], word: str) -> None:
    result = emulate(*arguments)
    assert result.returncode == 2
    assert word in result.stderr
    assert len(result.stderr.splitlines()) == 1


@pytest.mark.parametrize("wrong", ["many", "0", "-1", "1.5", "99999999999999999999"])
def test_a_wrong_number_of_threads_is_refused(wrong: str) -> None:
    result = emulate("true", WEFT_EMULATOR_THREADS=wrong)
    assert result.returncode == 2
    assert result.stderr == f"emulate: WEFT_EMULATOR_THREADS={wrong} is no number of threads\n"


def test_a_temporary_folder_that_is_none_is_refused() -> None:
    result = emulate("true", TMPDIR="/no/such/folder")
    assert result.returncode == 2
    assert result.stderr.startswith("emulate: TMPDIR") and result.stderr.count("\n") == 1


def test_machine_code_alone() -> None:
    result = emulate(PROGRAMS / "machine_code")
    assert result.returncode == 1
    assert "only machine code: build it with -gencode" in result.stderr
    assert "no kernel image is available" in result.stdout


@pytest.mark.parametrize("device", ["A100", "RTX 4090", "T4"])
def test_other_cards_say_where_the_rules_come_from(device: str) -> None:
    result = emulate("--device", device, "true")
    assert result.returncode == 0
    assert "measured on NVIDIA's H200 and H100" in result.stderr


def test_an_h100_counts_as_an_h200_does() -> None:
    result = emulate("--device", "H100", "true")
    assert (result.returncode, result.stderr) == (0, "")


def test_help_names_every_option() -> None:
    text = emulate("--help").stdout
    assert all(option in text for option in ("--counters", "--csv", "--device", "-cudart shared"))


def test_counts_that_are_doubted_say_why(tmp_path: Path) -> None:
    counters = tmp_path / "counters.json"
    result = emulate("--counters", counters, PROGRAMS / "runtime_doubtful")
    because = {
        launch["kernel"].partition("(")[0]: launch.get("because")
        for launch in json.loads(counters.read_text())
    }
    assert because == {
        "plain": None,
        "waits": ["depends on the schedule"],
        "prints": [
            "accesses to local memory (arrays, spilled registers) are not counted",
            "what printf, malloc and free access is not counted",
        ],
    }
    assert all(launch["exact"] == ("because" not in launch) for launch in json.loads(counters.read_text()))
    lines = [line.strip() for line in result.stderr.splitlines()]
    assert any(line.startswith("depends on the schedule, at ") and "doubtful.cu:" in line for line in lines)
    assert any(line.startswith("approximate: what printf") and "doubtful.cu:" in line for line in lines)


def test_machine_code_for_another_card_is_no_witness(tmp_path: Path) -> None:
    counters = tmp_path / "counters.json"
    emulate("--counters", counters, PROGRAMS / "older_card")
    for launch in json.loads(counters.read_text()):
        assert launch["because"] == ["the program holds no machine code for this card"]


def test_libraries_without_ptx_are_named() -> None:
    result = emulate(PROGRAMS / "with_curand")
    assert result.returncode == 3  # the program's
    first = result.stderr.splitlines()[0]
    assert first.startswith("emulate: libcurand.so.10 cannot run here") and "a GPU" in first


def test_registers_of_a_program_for_an_older_card() -> None:
    here = emulate(PROGRAMS / "older_card").stderr
    assert "(on sm_75)" in here
    there = emulate("--device", "T4", PROGRAMS / "older_card").stderr
    assert "(on sm_75)" not in there and "registers unknown" not in there
