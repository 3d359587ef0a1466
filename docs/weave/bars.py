"""Bars against a ceiling: a row of label, bar and value for each run."""

from __future__ import annotations

from dataclasses import dataclass

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.writers.html5 import HTML5Translator

_HEADROOM = 1.04
"""How far the track goes beyond the ceiling, so that the ceiling is seen as a line."""


@dataclass(frozen=True)
class Bar:
    """A share of the ceiling, the share of the step before as a ghost, and what both say in words."""

    label: str
    share: float
    words: str
    kind: str
    ghost: float | None = None


class track(nodes.General, nodes.Element):
    """The drawn part of a bar; its words stand beside it."""


def bar_rows(bars: list[Bar]) -> nodes.container:
    """All bars on one scale."""
    top = max([_HEADROOM, *(bar.share for bar in bars), *(bar.ghost or 0 for bar in bars)])
    box = nodes.container(classes=["bars"])
    for bar in bars:
        row = nodes.container(classes=["bar", f"bar-{bar.kind}"])
        row += nodes.inline("", bar.label, classes=["bar-label"])
        row += track(share=bar.share / top, ghost=(bar.ghost or 0) / top, ceiling=1 / top)
        row += nodes.inline("", bar.words, classes=["bar-words"])
        box += row
    return box


def _visit(translator: HTML5Translator, node: track) -> None:
    parts = [f'<span class="fill" style="width:{100 * node["share"]:.1f}%"></span>']
    if node["ghost"]:
        parts.append(f'<span class="ghost" style="width:{100 * node["ghost"]:.1f}%"></span>')
    parts.append(f'<span class="ceiling" style="left:{100 * node["ceiling"]:.1f}%"></span>')
    translator.body.append(f'<span class="track" aria-hidden="true">{"".join(parts)}</span>')
    raise nodes.SkipNode


def setup(app: Sphinx) -> None:
    """Register the node."""
    app.add_node(track, html=(_visit, None))
