"""The Makefile's front door: what it lists, and what it says to words it does not know."""

import os
import shutil
import subprocess
import time
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


def make(*words: str, rules: str | None = None) -> subprocess.CompletedProcess[str]:
    """`make` with these words in the project's root, as a reader types them; rules: its standard input."""
    ours = {"MAKEFLAGS", "MFLAGS", "MAKELEVEL", "TREE", "NVCC", "DEVICE"}
    return subprocess.run(
        ["make", *words],
        cwd=ROOT,
        input=rules,
        env={name: value for name, value in os.environ.items() if name not in ours},
        capture_output=True,
        text=True,
        check=False,
    )


def chapters() -> list[str]:
    """The numbers of the chapters that exist."""
    return [folder.name.split("-")[0] for folder in sorted((ROOT / "chapters").glob("*-*/"))]


def test_make_alone_lists_every_target_of_the_readme() -> None:
    listed = make().stdout
    for target in [
        "book",
        "test",
        "reproduce",
        "bundle",
        "open",
        "clean",
        *(f"chapter{n}" for n in chapters()),
    ]:
        assert f"make {target} " in listed
    assert listed == make("help").stdout


def test_there_is_a_target_for_each_chapter_and_no_other() -> None:
    assert chapters()
    for number in range(1, 10):
        known = "setup/chapter.sh" in make("--dry-run", f"chapter{number}").stdout
        assert known == (str(number) in chapters())


def test_a_chapter_that_is_not_there_is_named() -> None:
    answer = make("chapter99")
    assert answer.returncode != 0
    assert answer.stderr.splitlines()[0] == "there is no chapter 99: make lists those that there are"


@pytest.mark.parametrize("nvcc", ["/nowhere/nvcc", "/bin/false"])
def test_a_compiler_that_is_none_is_named(nvcc: str) -> None:
    answer = make("book", f"NVCC={nvcc}")
    assert answer.returncode != 0
    assert nvcc in answer.stderr
    assert answer.stderr.count("\n") == 1


def test_a_compiler_that_is_too_old_is_named_with_the_oldest_that_will_do(tmp_path: Path) -> None:
    compiler = tmp_path / "an old nvcc"
    compiler.write_text("#!/bin/sh\necho 'Cuda compilation tools, release 11.8, V11.8.89'\n")
    compiler.chmod(0o755)
    answer = make("book", f"NVCC={compiler}")
    assert answer.returncode != 0
    assert "11.8" in answer.stderr
    assert "12.4 or later" in answer.stderr


def test_parallel_makes_do_not_reach_ninja() -> None:
    """Ninja would look for make's own pipes, which are closed there, and say that it cannot."""
    rule = '.PHONY: said\nsaid:\n\t@echo "MAKEFLAGS is $${MAKEFLAGS-unset}"\n'
    assert make("-j2", "-f", "Makefile", "-f", "-", "said", rules=rule).stdout == "MAKEFLAGS is unset\n"


def test_a_make_that_is_ended_leaves_no_build_behind(tmp_path: Path) -> None:
    started = tmp_path / "started"
    (tmp_path / "build.ninja").write_text(
        f"rule wait\n  command = touch '{started}' && sleep 60\nbuild waited: wait\n"
    )
    rules = tmp_path / "rules"
    rules.write_text(f".PHONY: waits\nwaits:\n\t@setup/build.sh '{tmp_path}'\n")
    command = ["make", "-f", "Makefile", "-f", str(rules), "waits"]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT) as process:
        deadline = time.monotonic() + 20
        while not started.exists() and time.monotonic() < deadline:
            time.sleep(0.05)
        assert started.exists()
        process.terminate()
        process.communicate(timeout=20)  # ends when nothing is left that could write


def test_two_builds_in_one_tree_wait_for_each_other(tmp_path: Path) -> None:
    (tmp_path / "build.ninja").write_text(
        "rule alone\n  command = mkdir busy && sleep 1 && rmdir busy && touch built\nbuild built: alone\n"
    )
    command = [ROOT / "setup/build.sh", tmp_path]
    builds = [subprocess.Popen(command, stdout=subprocess.DEVNULL) for _ in range(2)]
    assert [build.wait(timeout=30) for build in builds] == [0, 0]


@pytest.mark.parametrize("python", ["/no/python", "/bin/false"])
def test_a_python_that_will_not_do_is_named(python: str, tmp_path: Path) -> None:
    script = tmp_path / "a clone" / "setup" / "install.sh"
    script.parent.mkdir(parents=True)
    shutil.copy(ROOT / "setup/install.sh", script)
    answer = subprocess.run(
        [script, "book"],
        env=os.environ | {"PYTHON": python},
        capture_output=True,
        text=True,
        check=False,
    )
    assert answer.returncode != 0
    assert answer.stderr == f"set-up: PYTHON={python} is no Python 3.11 or later\n"
    assert list((tmp_path / "a clone").iterdir()) == [script.parent]


def test_why_pip_failed_is_said_even_on_a_full_disk(tmp_path: Path) -> None:
    clone = tmp_path / "a clone"
    (clone / "setup").mkdir(parents=True)
    shutil.copy(ROOT / "setup/install.sh", clone / "setup")
    (clone / "requirements-gpu.txt").touch()
    python = clone / ".venv/bin/python"
    python.parent.mkdir(parents=True)
    pip = "echo Downloading https://somewhere/a.whl; echo 'No space left on device' >&2; exit 1"
    python.write_text(f"#!/bin/sh\n[ $1 = -c ] || {{ {pip}; }}\n")
    python.chmod(0o755)
    (clone / ".venv/.place").write_text(str(clone.resolve()))
    (clone / ".venv/setup.err").symlink_to("/dev/full")
    answer = subprocess.run([clone / "setup/install.sh", "gpu"], capture_output=True, text=True, check=False)
    assert answer.returncode != 0
    said = answer.stderr.splitlines()
    said.remove("  a.whl")  # at any time: it is not waited for
    assert said == [
        "set-up: installing requirements-gpu.txt into .venv",
        "No space left on device",
        "set-up: pip could not install requirements-gpu.txt",
    ]


def test_a_compiler_may_be_named_by_a_relative_path(tmp_path: Path) -> None:
    clone = tmp_path / "a clone"
    (clone / "setup").mkdir(parents=True)
    shutil.copy(ROOT / "setup/configure.sh", clone / "setup")
    for name, says in {".venv/bin/cmake": "", "mine/nvcc": "echo release 13.0,"}.items():
        program = clone / name
        program.parent.mkdir(parents=True)
        program.write_text(f"#!/bin/sh\n{says}\n")
        program.chmod(0o755)
    subprocess.run([clone / "setup/configure.sh", "build/tree", "mine/nvcc"], check=True)
    configured = (clone / "build/tree/configured").read_text().splitlines()
    assert f"-DCMAKE_CUDA_COMPILER={clone.resolve()}/mine/nvcc" in configured


def test_an_unknown_device_is_refused() -> None:
    answer = subprocess.run(
        [ROOT / "setup/chapter.sh", chapters()[0]],
        env=os.environ | {"DEVICE": "abacus"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert answer.returncode != 0
    assert "DEVICE=abacus" in answer.stderr
