"""The sources are formatted and lint-clean, by the pinned tools, so that everybody gets the same verdict."""

import json
import os
import re
import shlex
import subprocess
import sys
from itertools import pairwise
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
TOOLS = Path(sys.executable).parent
FOLDERS = ("code", "chapters", "tests")


def sources(*suffixes: str) -> list[Path]:
    """The project's files with one of these suffixes, sorted, relative to its root."""
    found = (path for folder in FOLDERS for path in (ROOT / folder).rglob("*") if path.suffix in suffixes)
    return sorted(path.relative_to(ROOT) for path in found)


def run(*command: str | Path) -> None:
    """Runs a command in the project's root; its output is the failure's text."""
    result = subprocess.run(
        [str(word) for word in command], cwd=ROOT, capture_output=True, text=True, check=False
    )
    if result.returncode:
        pytest.fail((result.stdout + result.stderr).strip(), pytrace=False)


def include_options(source: Path) -> list[str]:
    """The include folders and definitions with which the build compiles a file."""
    tree = ROOT / os.environ.get("TREE", "build")
    entries = json.loads((tree / "compile_commands.json").read_text())
    commands = [entry["command"] for entry in entries if Path(entry["file"]) == ROOT / source]
    if source.parent == Path("tests/emulator/fuzz"):  # Clang builds it, in a tree of its own
        return ["-Icode"]
    if not commands and source == Path("code/benchmark/plugin.cpp"):
        pytest.skip("NVBench is not installed, so the build leaves the plugin out")
    if not commands:
        pytest.fail(f"{source}: the build compiles no such file", pytrace=False)
    words = shlex.split(commands[0])
    options = [word for word in words if re.match(r"-[ID].", word)]
    for flag, folder in pairwise(words):
        if flag == "-isystem":
            options += [flag, folder]
    return options


def test_python_is_lint_clean() -> None:
    run(TOOLS / "ruff", "check", "--quiet", "--output-format=concise", ".")


def test_python_is_formatted() -> None:
    run(TOOLS / "ruff", "format", "--check", "--quiet", ".")


def test_cpp_is_formatted() -> None:
    run(TOOLS / "clang-format", "--dry-run", "--Werror", *sources(".cu", ".cpp", ".hpp", ".cuh"))


@pytest.fixture(scope="session")
def stand_ins(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the headers that clang's CUDA mode includes and no source here needs: cuRAND's."""
    folder = tmp_path_factory.mktemp("headers")
    (folder / "curand_mtgp32_kernel.h").touch()
    return folder


@pytest.mark.parametrize("source", sources(".cu", ".cpp"), ids=str)
def test_cpp_is_lint_clean(source: Path, stand_ins: Path) -> None:
    language: list[str | Path] = []
    if source.suffix == ".cu":
        if re.search(r"#include <(cuda/|cooperative_groups/)", (ROOT / source).read_text()):
            pytest.skip("Clang cannot read libcu++'s shared variables")
        language = ["-x", "cuda", "--cuda-host-only", f"--cuda-path={ROOT / '.venv/cuda'}", "-nocudalib"]
        language += ["-isystem", stand_ins]
    run(
        *(TOOLS / "clang-tidy", "--quiet", f"--header-filter=^{re.escape(str(ROOT))}/({'|'.join(FOLDERS)})/"),
        *(source, "--", *language, "-std=c++20", *include_options(source)),
    )
