"""What must be read again: pages whose data changed, and every page after a build with a problem."""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Iterable
from pathlib import Path

from sphinx.application import ENV_PICKLE_FILENAME, Sphinx
from sphinx.environment import BuildEnvironment

from book.documents import BookError
from weave.context import NOT_YET, library_of

_SETS = ("weave_data_pages", "weave_unpublished")
"""What the environment remembers of pages: those that show data, those that lack a chapter's results."""
_USES = ("weave_files", "weave_differences", "weave_tags", "weave_sources", "weave_headers")
"""What the environment remembers by page."""


def _data_digest(env: BuildEnvironment) -> str:
    """One hash over all data that a page may show, with their names."""
    library = library_of(env)
    build = (library.build / name for name in ("results", "describe", "counters"))
    folders = [library.root / "figures" / "data", *build]
    digest = hashlib.blake2b()
    for path in sorted(path for folder in folders for path in folder.rglob("*.json")):
        digest.update(str(path).encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()


def _prepare(app: Sphinx) -> None:
    env = app.env
    for name in (*_SETS, *_USES):
        if not hasattr(env, name):
            setattr(env, name, set() if name in _SETS else {})
    if not hasattr(env, "weave_data_digest"):
        env.weave_data_digest = ""


def _check_data(app: Sphinx) -> None:
    """Read all data once before the pages are, so that a damaged file is one message, not many.

    Sphinx would wrap its own kinds of error in a traceback; this one is the reader's to mend.
    """
    library = library_of(app.env)
    try:
        for chapter in library.chapters():
            library.published(chapter)
            library.own(chapter)
            library.descriptions(chapter)
            library.emulation(chapter)
            library.sources(chapter)
    except BookError as error:
        sys.exit(str(error))


def _outdated(
    app: Sphinx, env: BuildEnvironment, added: set[str], changed: set[str], removed: set[str]
) -> set[str]:
    digest = _data_digest(env)
    if digest == env.weave_data_digest:
        return set()
    env.weave_data_digest = digest
    return env.weave_data_pages - added - changed - removed


def _purge(app: Sphinx, env: BuildEnvironment, docname: str) -> None:
    for name in _SETS:
        getattr(env, name).discard(docname)
    for name in _USES:
        getattr(env, name).pop(docname, None)


def _merge(app: Sphinx, env: BuildEnvironment, docnames: Iterable[str], other: BuildEnvironment) -> None:
    for name in _SETS:
        getattr(env, name).update(getattr(other, name) & set(docnames))
    for name in _USES:
        theirs = getattr(other, name)
        getattr(env, name).update({docname: theirs[docname] for docname in docnames if docname in theirs})


def _forget_problems(app: Sphinx, error: Exception | None) -> None:
    """Sphinx would not repeat the warnings of pages it does not read again, and so pass the second time."""
    if app._warncount:
        Path(app.doctreedir, ENV_PICKLE_FILENAME).unlink(missing_ok=True)


def _say_unpublished(app: Sphinx, error: Exception | None) -> None:
    pages = sorted(app.env.weave_unpublished) if error is None else []
    if pages:
        print(f"not all results are published yet: {', '.join(pages)} say '{NOT_YET}'", file=sys.stderr)


def setup(app: Sphinx) -> None:
    """Connect the events of Sphinx's incremental build."""
    app.connect("builder-inited", _prepare)
    app.connect("builder-inited", _check_data)
    app.connect("env-get-outdated", _outdated)
    app.connect("env-purge-doc", _purge)
    app.connect("env-merge-info", _merge)
    app.connect("build-finished", _forget_problems)
    app.connect("build-finished", _say_unpublished)
