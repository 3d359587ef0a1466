"""The emulator's counts against the published ones of Nsight Compute: where they differ, the build fails."""

from __future__ import annotations

from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment

from weave.context import library_of, logger


def _report(app: Sphinx, env: BuildEnvironment) -> list[str]:
    library = library_of(env)
    for chapter in library.chapters():
        for pair in library.disagreements(chapter):
            logger.warning("%s", pair, location=str(library.require_published(chapter).path), type="weave")
    return []


def setup(app: Sphinx) -> None:
    """Connect the check, which every build makes."""
    app.connect("env-updated", _report)
