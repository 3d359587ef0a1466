"""Python's rooms know only those before them: the book's data, the drawings, the loom."""

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
ROOMS = {"book": "book", "figures": "figures", "weave": "docs/weave"}
"""Each package and its folder, in the order in which they may use each other."""


def test_no_room_knows_a_later_one() -> None:
    wrong = []
    for number, folder in enumerate(ROOMS.values()):
        later = "|".join(list(ROOMS)[number + 1 :])
        for source in sorted((ROOT / folder).glob("*.py")) if later else []:
            for name in re.findall(rf"^\s*(?:from|import) ({later})\b", source.read_text(), re.MULTILINE):
                wrong.append(f"{source.relative_to(ROOT)} uses {name}")
    assert not wrong


def test_no_module_has_the_name_of_another() -> None:
    names = [
        source.stem
        for folder in ROOMS.values()
        for source in (ROOT / folder).glob("*.py")
        if source.stem not in ("__init__", "__main__", "command_line")
    ]
    assert sorted(names) == sorted(set(names))
