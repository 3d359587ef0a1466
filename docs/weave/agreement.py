"""What the book asks of the emulator's counts: they are exact, and they are those of Nsight Compute.

Those of steps whose blocks wait for each other may depend on the schedule.
"""

from __future__ import annotations

from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment

from book.emulation import SCHEDULE
from weave.context import library_of, logger


def _report(app: Sphinx, env: BuildEnvironment) -> list[str]:
    library = library_of(env)
    for chapter in sorted(env.weave_changed):
        emulation = library.emulation(chapter)
        for entry in emulation.entries:
            for doubt in sorted(entry.doubts - {SCHEDULE}):
                words = f"what the emulator counts is approximate: {doubt}"
                logger.warning("%s: %s", entry.key, words, location=str(emulation.folder), type="weave")
        for pair in library.disagreements(chapter):
            logger.warning("%s", pair, location=str(library.require_published(chapter).path), type="weave")
    return []


def setup(app: Sphinx) -> None:
    """Connect the check, which every build makes of the chapters whose data changed."""
    app.connect("env-updated", _report)
