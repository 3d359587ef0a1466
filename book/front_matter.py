"""What a page says of itself between `---` lines: its chapter, and what its cards and tables show."""

from __future__ import annotations

from typing import Any

import yaml

_KEYS = ("chapter", "measured", "marked", "counted", "ceiling", "peer", "baseline", "bars", "counts", "climb")


def front_matter(text: str) -> dict[str, Any]:
    """The keys of the book in a page's front matter; none if it has none, or is damaged: MyST says so."""
    head, _, rest = text.partition("---\n")
    try:
        values = yaml.safe_load(rest.partition("\n---")[0]) if not head else None
    except yaml.YAMLError:
        values = None
    return {key: value for key, value in values.items() if key in _KEYS} if isinstance(values, dict) else {}
