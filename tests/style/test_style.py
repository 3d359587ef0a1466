"""The sources are formatted and lint-clean, by the pinned tools, so that everybody gets the same verdict."""

import bisect
import functools
import json
import os
import re
import shlex
import subprocess
import sys
from itertools import groupby, pairwise
from pathlib import Path

import pytest
from clang_tidy import get_executable

ROOT = Path(__file__).resolve().parents[2]
TOOLS = Path(sys.executable).parent
CLANG_TIDY = get_executable("clang-tidy")  # what lies among the tools starts a Python first
FOLDERS = ("code", "chapters", "tests")
GROUP = 30  # sources that clang-tidy reads as one, at most

# What would mean something else, or nothing, among other sources: macros, what only a program's own main is
# held to, and a name that is reserved where it lies in no namespace. Or it may have to be skipped.
ALONE = re.compile(
    r"^#(define|if)|^int main\(|(?<!\w)_(?!exit\()[a-z]|^#include <(cuda|cooperative_groups|nvbench)/",
    re.MULTILINE,
)

# Types, constants and functions that a header defines.
DEFINED = re.compile(
    r"^(?:(?:struct|class) (\w+) \{|using (\w+) =|inline constexpr \w+ (\w+) =|"
    r"(?:__host__ )?__device__ (?:inline|constexpr) \w+ (\w+)\()",
    re.MULTILINE,
)


def sources(*suffixes: str) -> list[Path]:
    """The project's files with one of these suffixes, sorted, relative to its root."""
    found = (path for folder in FOLDERS for path in (ROOT / folder).rglob("*") if path.suffix in suffixes)
    return sorted(path.relative_to(ROOT) for path in found)


def text_of(source: Path) -> str:
    return (ROOT / source).read_text()


def includes(source: Path) -> list[str]:
    return re.findall(r'^#include [<"][^>"]+[>"]', text_of(source), re.MULTILINE)


def complaints(*command: str | Path) -> str:
    """What a command, run in the project's root, prints if it fails; nothing if it succeeds."""
    result = subprocess.run(
        [str(word) for word in command], cwd=ROOT, capture_output=True, text=True, check=False
    )
    return (result.stdout + result.stderr).strip() or "failed" if result.returncode else ""


def run(*command: str | Path) -> None:
    """Runs a command in the project's root; its output is the failure's text."""
    if said := complaints(*command):
        pytest.fail(said, pytrace=False)


def test_python_is_lint_clean() -> None:
    run(TOOLS / "ruff", "check", "--quiet", "--output-format=concise", ".")


def test_python_is_formatted() -> None:
    run(TOOLS / "ruff", "format", "--check", "--quiet", ".")


def test_cpp_is_formatted() -> None:
    run(TOOLS / "clang-format", "--dry-run", "--Werror", *sources(".cu", ".cpp", ".hpp", ".cuh"))


# nvcc's min and max are the host's, too; Clang has them for the device alone.
HOST_MIN_AND_MAX = "".join(
    f"inline __host__ {kind} {name}({kind} a, {kind} b) {{ return a {order} b ? a : b; }}\n"
    for name, order in (("min", "<"), ("max", ">"))
    for kind in ("int", "unsigned", "long", "unsigned long", "float", "double")
)


@functools.cache
def commands() -> dict[Path, str]:
    """How the build compiles each source: by itself, or in a file of CMake's that includes several."""
    tree = ROOT / os.environ.get("TREE", "build")
    found: dict[Path, str] = {}
    for entry in json.loads((tree / "compile_commands.json").read_text()):
        file = Path(entry["file"])
        united = file.parent.name == "Unity"
        members = re.findall(r'^#include "(.*)"', file.read_text(), re.MULTILINE) if united else [file]
        for member in members:
            found.setdefault(Path(member), entry["command"])
    return found


def include_options(source: Path) -> list[str]:
    """The include folders and definitions with which the build compiles a file."""
    if source.parent == Path("tests/toy/9-toy"):  # built where a test lays it, among the other chapters
        source = Path("chapters/6-transpose/13_padded.cu")
    command = commands().get(ROOT / source)
    if source.parent == Path("tests/emulator/fuzz"):  # Clang builds it, in a tree of its own
        return ["-Icode"]
    if not command and source == Path("code/benchmark/card/plugin.cpp"):
        pytest.skip("NVBench is not installed, so the build leaves the plugin out")
    if not command:
        pytest.fail(f"{source}: the build compiles no such file", pytrace=False)
    words = shlex.split(command)
    options = [word for word in words if re.match(r"-[ID].", word)]
    for flag, folder in pairwise(words):
        if flag == "-isystem":
            options += [flag, folder]
    return options


@functools.cache
def checks(folder: Path) -> str:
    """The checks that hold in a folder, as clang-tidy takes them for a file that lies elsewhere."""
    command = [CLANG_TIDY, "--dump-config", folder / "any.cpp", "--"]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout


def tidy(file: Path, *, like: list[Path], headers: Path) -> str:
    """What clang-tidy says of a file, compiled as the sources `like` are; CUDA may need some of `headers`."""
    first = like[0]
    language: list[str | Path] = []
    for folder in dict.fromkeys(source.parent for source in like):
        language += ["-iquote", folder]
    if first.suffix == ".cu":
        language += ["-x", "cuda", "--cuda-host-only", f"--cuda-path={ROOT / '.venv/cuda'}", "-nocudalib"]
        language += ["-isystem", headers]
    return complaints(
        *(CLANG_TIDY, "--quiet", f"--config={checks(first.parent)}"),
        *(f"--header-filter=^{re.escape(str(ROOT))}/({'|'.join(FOLDERS)})/", file, "--"),
        *(*language, "-std=c++20", "-ferror-limit=0", *include_options(first)),
    )


def joined(members: list[Path]) -> str:
    """The text of sources of one room as one source, their headers before them.

    Each is wholly there and not included: some checks look at the main file alone. Those that name no
    namespace get one each, because all steps use the same names, and define register_steps() there.
    """
    lines = dict.fromkeys(line for member in members for line in includes(member))
    for number, member in enumerate(members):
        lines[f"#define MEMBER_{number}"] = None  # here the check for repeated includes starts anew
        text = text_of(member)
        if re.search(r"^namespace \w", text, re.MULTILINE) is None:
            text = text.replace("void weft::register_steps()", "using namespace weft;\nvoid register_steps()")
            text = f"namespace member_{number} {{\n{text}}}"
        lines[text] = None
    return "\n".join(lines)


def named_by(said: str, together: Path, members: list[Path]) -> list[Path]:
    """The sources in which, read as one, something is wrong, and those that include a header that is."""
    starts = [
        line
        for line, text in enumerate(together.read_text().splitlines(), start=1)
        if text.startswith("#define MEMBER_")
    ]
    wrong = set()
    for file, line in re.findall(r"^(\S+?):(\d+):\d+: error:", said, re.MULTILINE):
        if Path(file) == together:
            place = bisect.bisect(starts, int(line)) - 1
            wrong.add(members[max(place, 0)])
        else:
            wrong |= {member for member in members if f"{Path(file).name}" in "".join(includes(member))}
    return [member for member in members if member in wrong]


def lint(members: list[Path], folder: Path) -> str:
    """What clang-tidy says of sources of one room, nothing if they are clean; `folder` is for scratch.

    Most of its time goes into headers, so it reads the sources as one. If that one is not clean, be it that
    they do not go together, it reads those in which something is wrong apart from the others, and if those
    are all, either half: what it says of a source by itself is what counts.
    """
    # Clang's CUDA mode includes it, and no source here needs it. What Clang lacks stands in its place.
    (folder / "curand_mtgp32_kernel.h").write_text(HOST_MIN_AND_MAX)
    if len(members) == 1:
        return tidy(members[0], like=members, headers=folder)
    together = folder / f"together{members[0].suffix}"
    together.write_text(joined(members))
    said = tidy(together, like=members, headers=folder)
    if not said:
        return ""
    first = named_by(said, together, members)
    if not 0 < len(first) < len(members):
        first = members[: len(members) // 2]
    rest = [member for member in members if member not in first]
    return "\n".join(filter(None, (lint(rest, folder), lint(first, folder))))


def room(source: Path) -> Path:
    """The folder whose sources clang-tidy may read as one: a whole chapter, for its programs are alike."""
    return Path(*source.parts[:2]) if source.parts[0] == "chapters" else source.parent


@functools.cache
def defined_for(source: Path) -> dict[str, Path]:
    """The names that headers of its folder, or of its room's, define for a source, and which header does."""
    found = {}
    for header in re.findall(r'^#include "(\w+\.hpp)"', text_of(source), re.MULTILINE):
        beside = source.parent / header
        path = beside if (ROOT / beside).is_file() else room(source) / header
        if (ROOT / path).is_file():
            found |= defined_for(path)
            found |= dict.fromkeys(map("".join, DEFINED.findall(text_of(path))), path)
    return found


class Group:
    """Sources that clang-tidy may read as one: no name is defined in two of their headers."""

    def __init__(self) -> None:
        self.members: list[Path] = []
        self.defined: dict[str, Path] = {}

    def takes(self, source: Path) -> bool:
        """Whether there is room for the source; then it is a member."""
        own = defined_for(source)
        if len(self.members) == GROUP or any(self.defined.get(name, own[name]) != own[name] for name in own):
            return False
        self.members.append(source)
        self.defined |= own
        return True


def groups() -> list[list[Path]]:
    """All sources for clang-tidy: those of a room together, unless they must be alone."""
    found: list[list[Path]] = []
    together: dict[tuple[Path, str], list[Group]] = {}
    for source in sorted(sources(".cu", ".cpp"), key=includes):  # those that go together are often neighbours
        if source.parent.name == "cutlass_kernels":
            continue  # compiled for measuring alone, with headers that are not here
        if ALONE.search(text_of(source)):
            found.append([source])
        else:
            among = together.setdefault((room(source), source.suffix), [])
            if not any(group.takes(source) for group in among):
                among.append(Group())
                among[-1].takes(source)
    found += [group.members for among in together.values() for group in among]
    return sorted(found)


def named(group: list[Path]) -> str:
    """The name of a group's test: the first of its sources, and how many others."""
    return f"{group[0]}+{len(group) - 1}" if len(group) > 1 else str(group[0])


@pytest.mark.parametrize("group", groups(), ids=named)
def test_cpp_is_lint_clean(group: list[Path], tmp_path: Path) -> None:
    if re.search(r"^#include <(cuda|cooperative_groups)/", text_of(group[0]), re.MULTILINE):
        pytest.skip("Clang cannot read libcu++'s shared variables")
    alike = groupby(sorted(group, key=include_options), key=include_options)
    if said := "\n".join(filter(None, (lint(list(members), tmp_path) for _, members in alike))):
        pytest.fail(said, pytrace=False)


def test_steps_of_a_chapter_are_read_as_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each of them defines register_steps(), and would have to be read by itself."""
    read = []
    really = tidy

    def counted(file: Path, *, like: list[Path], headers: Path) -> str:
        read.append(file.name)
        return really(file, like=like, headers=headers)

    monkeypatch.setattr(sys.modules[__name__], "tidy", counted)
    steps = [Path("chapters/6-transpose", name) for name in ("12_tile.cu", "13_padded.cu")]
    assert lint(steps, tmp_path) == ""
    assert read == ["together.cu"]


def test_sources_are_read_apart_whose_headers_define_the_same_name() -> None:
    group = Group()
    taken = [
        name
        for name in ("31_cut_edges.cu", "20_tma.cu", "24_stream_k.cu")
        if group.takes(Path("chapters/7-sgemm", name))
    ]
    assert taken == ["31_cut_edges.cu", "24_stream_k.cu"]


def test_every_name_that_a_source_brings_in_is_used_there() -> None:
    """clang-tidy overlooks what any other source of the group uses."""
    unused = []
    for source in sources(".cu", ".cpp"):
        text = text_of(source)
        for scope, name in re.findall(r"^ *using ([\w:]+)::(\w+);", text, re.MULTILINE):
            inherited = scope.endswith(name)  # a base's constructors
            if not inherited and not re.search(rf"(?<!::)\b{name}\b", text):
                unused.append(f"{source}: {scope}::{name}")
    assert not unused


WRONG = {
    "readability-duplicate-include": "#include <cstddef>",
    "misc-unused-alias-decls": "namespace unused = std;",
    "misc-unused-using-decls": "inline namespace scope { struct Type {}; } using scope::Type;",
    "bugprone-reserved-identifier": "const int __reserved = 0;",
    "modernize-use-nullptr": "const int* const nothing = 0;",
    "misc-redundant-expression": "bool same(int a) { return a == a; }",
    "misc-unused-parameters": "int constant(int parameter) { return 1; }",
    "misc-const-correctness": "int three() { int three = 3; return three; }",
}


@pytest.mark.parametrize("suffix", [".cpp", ".cu"])
def test_what_is_wrong_among_others_is_found(
    suffix: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / ".clang-tidy").symlink_to(ROOT / ".clang-tidy")
    (tmp_path / "curand_mtgp32_kernel.h").touch()
    texts = {
        "right": "#include <cstddef>\n",
        "wrong": "#include <cstddef>\n" + "\n".join(WRONG.values()) + "\n",
    }
    members = [tmp_path / f"{name}{suffix}" for name in texts]
    for member, text in zip(members, texts.values(), strict=True):
        member.write_text(text)
        monkeypatch.setitem(commands(), member, "c++")
    together = tmp_path / f"all{suffix}"
    together.write_text(joined(members))
    found = tidy(together, like=members, headers=tmp_path)
    assert [check for check in WRONG if check not in found] == []
    said = lint(members, tmp_path)
    for line, check in enumerate(WRONG, start=2):
        assert re.search(rf"wrong{suffix}:{line}:.*{check}", said)
    assert not re.search(rf"(right|together){suffix}:", said)
