"""A quick look whether a JSON value fits a schema: jsonschema takes seconds for a book's worth of numbers.

It errs on one side alone: what it lets through fits. What it does not, jsonschema judges, and says why.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

Fits = Callable[[Any], bool]

_TYPES: dict[str, set[type]] = {
    "null": {type(None)},
    "boolean": {bool},
    "integer": {int},
    "number": {int, float},
    "string": {str},
    "array": {list},
    "object": {dict},
}
_REMARKS = {"description", "title", "$schema"}


def fits(schema: dict[str, Any]) -> Fits:
    """Whether a value fits a schema without references. An unknown keyword lets nothing through."""
    checks = [_check(keyword, schema) for keyword in schema if keyword not in _REMARKS]
    if len(checks) == 1:
        return checks[0]
    return lambda value: all(check(value) for check in checks)


def _check(keyword: str, schema: dict[str, Any]) -> Fits:
    """One keyword of a schema; for values that it says nothing of, it lets everything through."""
    told = schema[keyword]
    match keyword:
        case "type":
            types = set().union(*(_TYPES[name] for name in ([told] if isinstance(told, str) else told)))
            return lambda value: type(value) in types
        case "enum" | "const":
            known = {(type(one), one) for one in (told if keyword == "enum" else [told])}
            return lambda value: type(value) in (str, int) and (type(value), value) in known
        case "minimum":
            return lambda value: type(value) not in (int, float) or value >= told
        case "exclusiveMinimum":
            return lambda value: type(value) not in (int, float) or value > told
        case "minLength":
            return lambda value: type(value) is not str or len(value) >= told
        case "pattern":
            pattern = re.compile(told)
            return lambda value: type(value) is not str or pattern.search(value) is not None
        case "minItems":
            return lambda value: type(value) is not list or len(value) >= told
        case "maxItems":
            return lambda value: type(value) is not list or len(value) <= told
        case "items":
            return _items(told)
        case "required":
            return lambda value: type(value) is not dict or all(name in value for name in told)
        case "properties":
            named = {name: fits(part) for name, part in told.items()}
            return lambda value: (
                type(value) is not dict
                or all(name not in named or named[name](part) for name, part in value.items())
            )
        case "additionalProperties":
            return _others(told, schema.get("properties", {}))
        case "allOf":
            parts = [fits(part) for part in told]
            return lambda value: all(part(value) for part in parts)
        case _:
            return lambda value: False


def _items(schema: dict[str, Any]) -> Fits:
    if schema == {"type": "integer"}:  # most of what there is
        return lambda value: type(value) is not list or set(map(type, value)) <= {int}
    each = fits(schema)
    return lambda value: type(value) is not list or all(map(each, value))


def _others(schema: dict[str, Any] | bool, named: dict[str, Any]) -> Fits:
    if schema is False:
        return lambda value: type(value) is not dict or value.keys() <= named.keys()
    if schema is True:
        return lambda value: True
    each = fits(schema)
    return lambda value: (
        type(value) is not dict or all(name in named or each(part) for name, part in value.items())
    )
