"""The notice that a published result was measured on another version of a step."""

from __future__ import annotations

from collections.abc import Iterable

from docutils import nodes

from book.format import times
from weave.context import Page


def stale_notice(page: Page, steps: Iterable[str]) -> list[nodes.Node]:
    """A warning for each of these steps that changed since its results were published; none if none did."""
    wanted = set(steps)
    changed: dict[str, list[str]] = {}
    for stale in page.library.stale(page.chapter):
        if stale.entry.step in wanted:
            changed.setdefault(stale.entry.step, []).append(times(stale.entry.shape))
    if not changed:
        return []
    commit = page.run.provenance.get("commit", "unknown")
    notice = nodes.admonition(classes=["warning", "stale"])
    notice += nodes.title("", "Changed since it was measured")
    for step, shapes in changed.items():
        known = ", ".join(dict.fromkeys(shapes))
        words = f"The published results of {step} are those of commit {commit}; "
        notice += nodes.paragraph("", f"{words}what it runs at {known} has changed since.")
    return [notice]
