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
from jsonschema.validators import extend

from book.fits import Fits, fits

SCHEMA = 2
"""The newest version of result files that this book reads."""


_OF_THE_FIRST = ("bytes", "flops", "l2_flushed")
"""What measurements had in the first version alone."""


class BookError(Exception):
    """Something in the book's data or prose is wrong; the message is one line that says what and where."""


class MissingResultsError(BookError):
    """Results of a chapter, or all of them, are not published yet."""


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
        document = json.loads(
            text,
            parse_constant=_refuse_constant,
            parse_float=_number,
            parse_int=_number,
            object_pairs_hook=_object,
        )
        json.dumps(document, ensure_ascii=False).encode()
    except json.JSONDecodeError as error:
        raise BookError(f"{path}:{error.lineno}: damaged: {error.msg}") from error
    except UnicodeEncodeError as error:
        raise BookError(f"{path}:1: damaged: half of a surrogate pair in a text") from error
    except _ConstantError as error:
        line = text[: max(text.find(str(error)), 0)].count("\n") + 1
        raise BookError(f"{path}:{line}: damaged: {_cut(str(error))} is not a number of this book") from error
    except _DoubledKeyError as error:
        line = _line_of_doubled_key(_compose(text)) or 1
        raise BookError(f"{path}:{line}: damaged: {error} stands twice in one object") from error
    except (RecursionError, ValueError) as error:  # that Python gives up on a long number is a ValueError
        raise BookError(f"{path}:1: damaged: nested too deeply, or a number of too many digits") from error
    if kind == "results":
        _check_version(path, text, document)
        document = _of_today(document)
    error = None
    if not _quick_look(kind)(document):
        error = best_match(_validator(kind).iter_errors(document), key=_depth)
    if error is not None:
        where = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in error.absolute_path)
        line = line_of(text, list(error.absolute_path))
        raise BookError(f"{path}:{line}: damaged: {where.lstrip('.') or 'the file'}: {_short(error)}")
    return document


def line_of(text: str, path: Sequence[str | int]) -> int:
    """The line, from 1, on which the value at `path` begins in a JSON text."""
    node = _compose(text)
    for part in path:
        if isinstance(node, yaml.MappingNode):
            node = next((value for key, value in node.value if key.value == part), node)
        elif isinstance(node, yaml.SequenceNode) and isinstance(part, int):
            node = node.value[part]
    return node.start_mark.line + 1 if node else 1


def _compose(text: str) -> yaml.Node | None:
    """The parts of a JSON text with their places; None if it is no YAML: half of a surrogate pair is not."""
    loader = yaml.CSafeLoader if yaml.__with_libyaml__ else yaml.SafeLoader
    try:
        return yaml.compose(text.replace("\t", " "), Loader=loader)
    except yaml.YAMLError:
        return None


class _ConstantError(Exception):
    """NaN, Infinity and numbers that nothing can be reckoned with, which Python's json lets through."""


def _refuse_constant(name: str) -> Any:
    raise _ConstantError(name)


def _number(text: str) -> int | float:
    """A number whose sums and ratios are finite."""
    number = float(text)
    if abs(number) >= 1 << 63 or 0 < abs(number) < 2**-63:
        raise _ConstantError(text)
    return number if set(text) & set(".eE") else int(text)


class _DoubledKeyError(Exception):
    """A key that an object has twice; Python's json would drop the first."""


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        keys = [key for key, _ in pairs]
        raise _DoubledKeyError(next(f'"{key}"' for key in keys if keys.count(key) > 1))
    return found


def _line_of_doubled_key(node: yaml.Node | None) -> int | None:
    """The line of the first key that stands twice in one object; None where there is none."""
    parts = node.value if isinstance(node, yaml.SequenceNode) else []
    if isinstance(node, yaml.MappingNode):
        seen = set()
        for key, value in node.value:
            if key.value in seen:
                return key.start_mark.line + 1
            seen.add(key.value)
            parts.append(value)
    return next((line for line in map(_line_of_doubled_key, parts) if line), None)


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


def _of_today(document: Any) -> Any:
    """Results of the first version as today's: bytes and operations were amounts that were always there."""
    if document["schema"] != 1:
        return document
    try:
        entries = document["measurements"]
        computes = any(entry["kind"] == "ceiling" and entry.get("flops") for entry in entries)
        measurements = [
            {
                **{name: value for name, value in entry.items() if name not in _OF_THE_FIRST},
                "rated_by": "operations" if computes else "bytes",
                "amounts": {"bytes": entry["bytes"], "operations": entry.get("flops", 0)},
                "l2": "cold" if entry.get("l2_flushed", True) else "warm",
            }
            for entry in entries
        ]
    except (KeyError, TypeError, AttributeError):
        return document  # damaged: it does not fit, and that is said
    return {**document, "schema": SCHEMA, "measurements": measurements}


@functools.cache
def _schema(kind: str) -> Any:
    schema = json.loads(Path(__file__).with_name("schema.json").read_text(encoding="utf-8"))
    return _without_references({"$ref": f"#/$defs/{kind}"}, schema["$defs"])


@functools.cache
def _quick_look(kind: str) -> Fits:
    return fits(_schema(kind))


@functools.cache
def _validator(kind: str) -> Draft202012Validator:
    types = Draft202012Validator.TYPE_CHECKER.redefine("integer", lambda _, value: type(value) is int)
    validator = extend(Draft202012Validator, type_checker=types)  # 8192.0 is none
    return validator(_schema(kind))


def _without_references(schema: Any, definitions: dict[str, Any]) -> Any:
    """A schema with what it refers to in its place: to follow references takes half of the checking."""
    if isinstance(schema, list):
        return [_without_references(part, definitions) for part in schema]
    if not isinstance(schema, dict):
        return schema
    parts = {name: _without_references(part, definitions) for name, part in schema.items() if name != "$ref"}
    if "$ref" not in schema:
        return parts
    referred = _without_references(definitions[schema["$ref"].removeprefix("#/$defs/")], definitions)
    return {**parts, "allOf": [referred]} if parts else referred


def _depth(error: ValidationError) -> int:
    return -len(error.absolute_path)


def _short(error: ValidationError) -> str:
    return _cut(error.message)


def _cut(message: str) -> str:
    return message if len(message) <= 120 else f"{message[:117]}..."
