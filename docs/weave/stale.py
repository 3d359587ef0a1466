"""The notice that a published result was measured on another version of a step."""

from __future__ import annotations

from collections.abc import Iterable

from docutils import nodes

from figures.results import parameters_text, shape_text
from weave.context import Page


def stale_notice(page: Page, steps: Iterable[str]) -> list[nodes.Node]:
    """A warning for each of these steps that changed since its results were published; none if none did."""
    wanted = set(steps)
    entries = {}
    for stale in page.library.stale(page.chapter):
        if stale.entry.step in wanted:
            text = " ".join(
                filter(None, (shape_text(stale.entry.shape), parameters_text(stale.entry.parameters)))
            )
            entries.setdefault(stale.entry.step, {})[text] = None
    if not entries:
        return []
    commit = page.published.provenance.get("commit", "unknown")
    notice = nodes.warning(classes=["stale"])
    for step, shapes in entries.items():
        words = f"{step} has changed since its results were published (commit {commit}): "
        notice += nodes.paragraph("", words + ", ".join(shapes) + ".")
    return [notice]
