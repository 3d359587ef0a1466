"""What must be read again: pages whose data changed, and all pages after a build that is not whole."""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Iterable
from pathlib import Path

from sphinx.application import Sphinx
from sphinx.config import Config
from sphinx.environment import BuildEnvironment

from book.documents import BookError
from book.inputs import note_inputs
from weave.context import NOT_YET, library_of

RECORD = "inputs.json"
"""Beside the doctrees: what the pages were made of; absent if the build did not end, or found a problem."""

_USES = (
    *("weave_cards", "weave_chapters", "weave_conjectures", "weave_conjecture_lists", "weave_differences"),
    *("weave_files", "weave_headers", "weave_sources", "weave_tags", "weave_terms", "weave_unpublished"),
)
"""What the environment remembers by page."""


def digest_of(paths: Iterable[Path]) -> str:
    """One hash over files' names and what they hold."""
    digest = hashlib.blake2b()
    for path in sorted(paths):
        digest.update(str(path).encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()


def _note_code(app: Sphinx, config: Config) -> None:
    """Hold what all pages are made with as configuration: Sphinx looks whether that has changed."""
    modules = (getattr(module, "__file__", None) for module in list(sys.modules.values()))
    root = Path(__file__).resolve().parents[2]
    rooms = tuple(f"{root / room}/" for room in ("book", "docs", "figures"))
    code = {Path(file) for file in modules if file and file.startswith(rooms)}
    config.weave_code = digest_of(code | {root / "book/schema.json"})
    folders = (Path(app.confdir, name) for name in (*config.templates_path, *config.html_static_path))
    config.weave_look = digest_of(path for folder in folders for path in folder.rglob("*") if path.is_file())


def _begin(app: Sphinx) -> None:
    """Find out whose data changed since the last whole build, and read those.

    Once, before the pages are read, so that a damaged file is one message, not many. Sphinx would wrap its
    own kinds of error in a traceback; this one is the reader's to mend.
    """
    env, library, record = app.env, library_of(app.env), Path(app.doctreedir, RECORD)
    for name in _USES:
        if not hasattr(env, name):
            setattr(env, name, {})
    env.weave_whole = record.is_file()
    record.unlink(missing_ok=True)
    before = env.weave_digests if env.weave_whole and hasattr(env, "weave_digests") else {}
    try:
        env.weave_digests = {
            chapter: (digest_of(library.files(chapter)), library.front_matter(chapter))
            for chapter in library.chapters()
        }
        env.weave_changed = {
            chapter for chapter, digest in env.weave_digests.items() if before.get(chapter) != digest
        }
        for chapter in sorted(env.weave_changed):
            library.published(chapter)
            library.own(chapter)
            library.descriptions(chapter)
            library.emulation(chapter)
            library.sources(chapter)
    except (BookError, OSError) as error:
        sys.exit(str(error))


def _outdated(
    app: Sphinx, env: BuildEnvironment, added: set[str], changed: set[str], removed: set[str]
) -> set[str]:
    if not env.weave_whole:
        return env.found_docs - added
    return {docname for docname, chapters in env.weave_chapters.items() if chapters & env.weave_changed}


def _with_new_navigation(app: Sphinx, env: BuildEnvironment) -> set[str]:
    """Every page, if the table of contents beside it is not what it was."""
    texts = {docname: title.astext() for docname, title in env.titles.items()}
    titles = repr((sorted(texts.items()), sorted(env.toctree_includes.items())))
    same = getattr(env, "weave_titles", titles) == titles
    env.weave_titles = titles
    return set() if same else env.found_docs


def _purge(app: Sphinx, env: BuildEnvironment, docname: str) -> None:
    for name in _USES:
        getattr(env, name).pop(docname, None)


def _merge(app: Sphinx, env: BuildEnvironment, docnames: Iterable[str], other: BuildEnvironment) -> None:
    for name in _USES:
        theirs = getattr(other, name)
        getattr(env, name).update({docname: theirs[docname] for docname in docnames if docname in theirs})


def _end(app: Sphinx, error: Exception | None) -> None:
    """Note what the pages were made of, unless there was a problem: Sphinx would not tell of it again."""
    if error or app._warncount:
        return
    read = {app.env.doc2path(docname) for docname in app.env.all_docs}
    read |= {Path(app.srcdir, name) for names in app.env.dependencies.values() for name in names}
    library, output = library_of(app.env), Path(app.outdir)
    made = (path for path in output.rglob("*") if path.is_file())
    left_out = (output, Path(app.doctreedir), library.build / "doxygen")
    note_inputs(Path(app.doctreedir, RECORD), library, made, left_out=left_out, also=read)


def _say_unpublished(app: Sphinx, error: Exception | None) -> None:
    for page, missing in sorted(app.env.weave_unpublished.items()) if error is None else ():
        print(f"{page} says '{NOT_YET}': {'; '.join(sorted(missing))}", file=sys.stderr)


def setup(app: Sphinx) -> None:
    """Connect the events of Sphinx's incremental build."""
    app.add_config_value("weave_code", "", "env", str)
    app.add_config_value("weave_look", "", "html", str)
    app.connect("config-inited", _note_code)
    app.connect("builder-inited", _begin)
    app.connect("env-get-outdated", _outdated)
    app.connect("env-updated", _with_new_navigation)
    app.connect("env-purge-doc", _purge)
    app.connect("env-merge-info", _merge)
    app.connect("build-finished", _say_unpublished)
    app.connect("build-finished", _end, priority=900)
