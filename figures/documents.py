"""Read the book's JSON files, and refuse a damaged, foreign or newer one by name, with the line."""

from __future__ import annotations

import functools
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import yaml
from jsonschema import Draft202012Validator
from jsonschema.exceptions import ValidationError, best_match

SCHEMA = 1
"""The newest version of result files that this book reads."""


class BookError(Exception):
    """Something in the book's data or prose is wrong; the message is one line that says what and where."""


class MissingResultsError(BookError):
    """A chapter's results are not published yet."""


def read_document(path: Path, kind: str) -> Any:
    """The content of a JSON file that fits the definition `kind` of schema.json.

    Raises:
        BookError: the file cannot be read, is no JSON, does not fit, or was written by a newer book.

    """
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise BookError(f"{path}: cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        line = error.object[: error.start].count(b"\n") + 1
        raise BookError(f"{path}:{line}: damaged: not UTF-8 text") from error
    try:
        document = json.loads(text, parse_constant=_refuse_constant)
    except json.JSONDecodeError as error:
        raise BookError(f"{path}:{error.lineno}: damaged: {error.msg}") from error
    except _ConstantError as error:
        line = text[: max(text.find(str(error)), 0)].count("\n") + 1
        raise BookError(f"{path}:{line}: damaged: {error} is not a number") from error
    if kind == "results":
        _check_version(path, text, document)
    error = best_match(_validator(kind).iter_errors(document), key=_depth)
    if error is not None:
        where = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in error.absolute_path)
        line = line_of(text, list(error.absolute_path))
        raise BookError(f"{path}:{line}: damaged: {where.lstrip('.') or 'the file'}: {_short(error)}")
    return document


def line_of(text: str, path: Sequence[str | int]) -> int:
    """The line, from 1, on which the value at `path` begins in a JSON text."""
    node = yaml.compose(
        text.replace("\t", " "), Loader=yaml.CSafeLoader if yaml.__with_libyaml__ else yaml.SafeLoader
    )
    for part in path:
        if isinstance(node, yaml.MappingNode):
            node = next(value for key, value in node.value if key.value == part)
        elif isinstance(node, yaml.SequenceNode) and isinstance(part, int):
            node = node.value[part]
    return node.start_mark.line + 1


class _ConstantError(Exception):
    """NaN or Infinity, which Python's json lets through."""


def _refuse_constant(name: str) -> Any:
    raise _ConstantError(name)


def _check_version(path: Path, text: str, document: Any) -> None:
    if (
        not isinstance(document, dict)
        or not isinstance(document.get("schema"), int)
        or "chapter" not in document
    ):
        raise BookError(f'{path}:1: foreign: not a result file of this book (no "schema" and "chapter")')
    if document["schema"] > SCHEMA:
        line = line_of(text, ["schema"])
        newer = f"schema {document['schema']}, this one reads up to {SCHEMA}"
        raise BookError(f"{path}:{line}: written by a newer book: {newer}")


@functools.cache
def _validator(kind: str) -> Draft202012Validator:
    schema = json.loads(Path(__file__).with_name("schema.json").read_text(encoding="utf-8"))
    return Draft202012Validator({"$ref": f"#/$defs/{kind}", "$defs": schema["$defs"]})


def _depth(error: ValidationError) -> int:
    return -len(error.absolute_path)


def _short(error: ValidationError) -> str:
    message = error.message
    return message if len(message) <= 120 else f"{message[:117]}..."
