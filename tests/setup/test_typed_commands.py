"""What README and pages tell a reader to type works: `sh` blocks are run, and makes asked for recipes."""

import os
import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGES = [ROOT / "README.md", ROOT / "index.md", *ROOT.glob("docs/*.md"), *ROOT.glob("chapters/*/index.md")]
README = (ROOT / "README.md").read_text()


def blocks(page: Path) -> list[str]:
    """The contents of a page's blocks of shell commands."""
    return re.findall(r"^```sh\n(.*?)^```$", page.read_text(), re.MULTILINE | re.DOTALL)


def typed_makes() -> set[str]:
    """Every `make …` that stands in a block, or as code in the text."""
    pages = [page.read_text() for page in PAGES]
    in_text = [words for text in pages for words in re.findall(r"`(make(?: [^`]+)?)`", text)]
    in_blocks = [
        line.split("#")[0].strip() for page in PAGES for block in blocks(page) for line in block.split("\n")
    ]
    return {words for words in in_text + in_blocks if words.split(" ")[0] == "make"}


def shell(command: str, folder: Path) -> None:
    """Runs a command as a reader types it."""
    ours = {"MAKEFLAGS", "MFLAGS", "MAKELEVEL", "TREE", "NVCC", "DEVICE"}
    environment = {name: value for name, value in os.environ.items() if name not in ours}
    environment["PATH"] = f"{ROOT / '.venv/cuda/bin'}:{environment['PATH']}"
    result = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", command],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=200,
    )
    assert result.returncode == 0, f"{command}\n{result.stdout}\n{result.stderr}"


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    """A folder with all that the repository's has, in which what a command writes is thrown away."""
    for entry in ROOT.iterdir():
        (tmp_path / entry.name).symlink_to(entry)
    (tmp_path / "program.cu").write_text("__global__ void kernel() {}\nint main() { kernel<<<1, 1>>>(); }\n")
    return tmp_path


def test_makes_are_typed() -> None:
    assert {"make", "make book", "make test", "make reproduce", "make chapter6"} <= typed_makes()


@pytest.mark.parametrize("command", sorted(typed_makes()))
def test_a_make_has_its_target(command: str) -> None:
    shell(command.replace("make", "make --dry-run", 1), ROOT)


@pytest.mark.parametrize("page", [page for page in PAGES if blocks(page)], ids=lambda page: page.name)
def test_the_other_commands_of_a_page_work(page: Path, clone: Path) -> None:
    for block in blocks(page):
        lines = [line for line in block.split("\n") if not re.match(r"make\b|\s*#", line)]
        on_a_gpu = re.compile(r"^ncu( --section \w+)*(?= build/)")  # the emulator launches the same
        shell("\n".join(on_a_gpu.sub("build/emulate", line) for line in lines), clone)


@pytest.mark.parametrize(
    "chapter", [path.name for path in ROOT.glob("chapters/*-*/") if path.name not in README]
)
def test_the_line_of_the_readme_builds_a_step_of_each_other_chapter(chapter: str, clone: Path) -> None:
    step = min((ROOT / "chapters" / chapter).glob("[0-9]*.cu")).stem
    command = next(block for block in blocks(ROOT / "README.md") if "nvcc" in block)
    shell(command.replace("6-transpose", chapter).replace("13_padded", step), clone)
