"""What a drawing or a page was made of: noted when it is made, and compared before it is made again.

Import this first: what changes from then on, while something is being made of it, counts as changed.
"""

from __future__ import annotations

import hashlib
import json
import stat
import sys
import time
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from book.library import Library

_BEGAN = time.time_ns()
_CODE = Path(__file__).resolve().parent.parent

State = dict[str, Any]
"""A file's time, size and digest, or a folder's names; empty where nothing is."""
Part = Literal["all", "front matter and sweeps"]

_read = {str(_CODE / ".venv/.book")}
"""What this process has read; from the start the note of which packages are installed."""


def _hear(event: str, arguments: tuple[Any, ...]) -> None:
    if event == "open":
        path, mode, _ = arguments
        if isinstance(path, str | Path) and mode in ("r", "rb"):
            _read.add(str(path))
    elif event in ("os.scandir", "os.listdir", "subprocess.Popen"):
        path = arguments[0]
        if isinstance(path, Path) or (isinstance(path, str) and "/" in path):
            _read.add(str(path))


sys.addaudithook(_hear)


def note_inputs(
    record: Path,
    library: Library,
    made: Iterable[Path],
    *,
    left_out: Iterable[Path],
    also: Iterable[Path] = (),
    of_pages: Part = "all",
) -> None:
    """Note the book's files that this process has read, the folders that it has listed, and what they hold.

    What lies in `left_out` is no input, such as what is made itself; `also` is what an earlier process read;
    `of_pages` is which part of the book's pages was made use of.
    This is the last thing to do: from now on `up_to_date(record)` holds, until an input changes.
    """
    modules = (getattr(module, "__file__", None) for module in list(sys.modules.values()))
    inside = tuple(f"{folder}/" for folder in (_CODE, library.root, library.build))
    outside = tuple(f"{folder.absolute()}/" for folder in (_CODE / ".venv/lib", *left_out))
    paths = {Path(path).absolute() for path in (*_read, *filter(None, modules), *library.folders(), *also)}
    inputs = {
        path: _noted(path, of_pages if path.endswith(".md") else "all")
        for path in sorted(map(str, paths))
        if path.startswith(inside) and not f"{path}/".startswith(outside) and not path.endswith(".pyc")
    }
    record.parent.mkdir(parents=True, exist_ok=True)
    beside = record.with_name(f".{record.name}")
    noted = {"record": str(record.absolute()), "inputs": inputs, "made": sorted(map(str, made))}
    beside.write_text(json.dumps(noted, indent=1))
    beside.replace(record)


def up_to_date(record: Path) -> bool:
    """Whether all that was made is there, and all inputs hold what they held when it was made of them."""
    try:
        noted = json.loads(record.read_text())
    except (OSError, ValueError):
        return False
    return (
        noted["record"] == str(record.absolute())  # a copy of the repository has inputs of its own
        and all(Path(path).exists() for path in noted["made"])
        and all(_holds_still(path, state) for path, state in noted["inputs"].items())
    )


def _noted(path: str, part: Part) -> State:
    """What is at a path now; without a digest if the file changed after this process began."""
    digest = {"digest": _digest(path, part), "part": part} if Path(path).is_file() else {}
    state = _state(path)
    return state | digest if state.get("modified", _BEGAN) < _BEGAN else state


def _holds_still(path: str, noted: State) -> bool:
    state = _state(path)
    if "modified" not in state:
        return state == noted
    if "part" not in noted:  # it changed while it was read, or an earlier book noted it
        return False
    return state.items() <= noted.items() or noted["digest"] == _digest(path, noted["part"])


def _state(path: str) -> State:
    try:
        found = Path(path).stat()
        if stat.S_ISDIR(found.st_mode):
            names = (entry.name for entry in Path(path).iterdir())
            return {"names": sorted(name for name in names if name[0] not in "._")}  # no caches
    except OSError:
        return {}
    return {"modified": found.st_mtime_ns, "size": found.st_size}


def _digest(path: str, part: Part) -> str:
    content = Path(path).read_bytes()
    if part == "front matter and sweeps":
        matter, _, body = content.partition(b"\n---")
        content = b"\n".join([matter, *(line for line in body.splitlines() if b"{sweep}" in line)])
    return hashlib.blake2b(content).hexdigest()
