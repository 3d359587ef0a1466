"""The folders of C++ know each other in one direction alone, and no two of their types have one name."""

import re
from graphlib import CycleError, TopologicalSorter
from itertools import pairwise
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
CODE = ROOT / "code"


def uses(base: Path) -> dict[str, dict[str, str]]:
    """What each folder of `base` includes of which other one: an example of each."""
    found: dict[str, dict[str, str]] = {}
    for source in sorted(base.rglob("*.[hc]pp")):
        room = source.relative_to(base).parts[0]
        for name in re.findall(r'^#include "(.+)"', source.read_text(), re.MULTILINE):
            included = CODE / name
            if not included.is_file() or base not in included.parents:
                continue
            other = included.relative_to(base).parts[0]
            if base not in (source.parent, included.parent) and other != room:
                found.setdefault(room, {})[other] = f"{source.relative_to(CODE)} includes {name}"
    return found


@pytest.mark.parametrize("folder", [".", "benchmark", "emulator"])
def test_no_folders_include_each_other_in_a_circle(folder: str) -> None:
    rooms = uses(CODE / folder)
    try:
        TopologicalSorter({room: set(others) for room, others in rooms.items()}).prepare()
    except CycleError as circle:
        members = circle.args[1]
        pytest.fail("; ".join(rooms[later][room] for room, later in pairwise(members)))


def test_the_emulators_folders_stand_in_the_order_that_its_page_says() -> None:
    page = (ROOT / "docs/emulator.md").read_text()
    order = re.findall(r"^\| `(\w+)` \| ", page, re.MULTILINE)
    folders = {source.parent.name for source in (CODE / "emulator").glob("*/*")}
    assert sorted(order) == sorted(folders)
    for room, others in uses(CODE / "emulator").items():
        for other, example in others.items():
            assert order.index(other) < order.index(room), example


def test_no_two_types_have_one_name() -> None:
    """Else the linker takes one type's functions for the other's, in a program that has both."""
    places: dict[tuple[str, str], list[str]] = {}
    for header in sorted([*CODE.rglob("*.hpp"), *ROOT.glob("chapters/*/*.hpp")]):
        text = header.read_text()
        namespace = "".join(re.findall(r"^namespace ([\w:]+) \{$", text, re.MULTILINE)[:1])
        for name in re.findall(
            r"^(?:struct|class|enum class) (\w+)(?: final)?(?: :.*)? \{", text, re.MULTILINE
        ):
            places.setdefault((namespace, name), []).append(str(header.relative_to(ROOT)))
    assert [found for found in places.values() if len(found) > 1] == []
