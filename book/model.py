"""What `code/model` says: the program `model` of the build folder answers."""

from __future__ import annotations

import functools
import json
import subprocess
from pathlib import Path
from typing import Any

from book.documents import BookError
from book.library import Library


def program(library: Library) -> Path:
    """Where the program lies, if it is built."""
    return library.build / "model"


def ask(library: Library, what: str, question: Any = None) -> Any:
    """The answer to a question; `code/model` says what each subject is asked and answers.

    Raises:
        BookError: the program is not built, or it refuses the question.

    """
    path = program(library)
    try:
        return _answer(path, path.stat().st_mtime_ns, what, json.dumps(question, default=list))
    except OSError as error:
        raise BookError(f"{path} does not start: run `make steps`") from error


@functools.cache
def _answer(path: Path, _changed: int, what: str, question: str) -> Any:
    done = subprocess.run([path, what], input=question, capture_output=True, text=True, check=False)
    if done.returncode:
        raise BookError(done.stderr.strip())
    return json.loads(done.stdout)
