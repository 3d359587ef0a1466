"""Whole files of the repository as pages of their own: what a listing or a card links to."""

from __future__ import annotations

import functools
import html
import shutil
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.util.docutils import SphinxRole
from sphinx.util.osutil import relative_uri

from book.documents import BookError
from weave.context import complain, library_of
from weave.lexer import language_of
from weave.whole_files import Pages, page_of_files


def resolve(env: BuildEnvironment, name: str) -> Path:
    """A file that prose names: relative to the page, or to the repository with a leading slash."""
    relative, absolute = env.relfn2path(name)
    path = Path(absolute)
    if not path.is_file():
        raise BookError(f"no file {relative}")
    return path


def address(env: BuildEnvironment, target: str) -> str:
    """The address of a file of the built book, relative to the page being read."""
    return relative_uri(f"{env.docname}.html", target)


def link_to_file(env: BuildEnvironment, path: Path, text: str | None = None) -> nodes.reference:
    """A link to the page that shows a whole file; the page is made at the end of the build."""
    relative = path.resolve().relative_to(Path(env.srcdir).resolve()).as_posix()
    env.note_dependency(relative)
    env.weave_files.setdefault(env.docname, set()).add(relative)
    uri = address(env, f"source/{relative}.html")
    return nodes.reference("", "", nodes.literal(text=text or path.name), refuri=uri, internal=True)


def link_to_results(env: BuildEnvironment, path: Path, text: str) -> nodes.reference:
    """A link to a result file, which is copied beside the pages."""
    library = library_of(env)
    own = path.is_relative_to(library.build)
    folder = "own" if own else "published"
    name = f"results/{folder}/{path.parent.name}/{path.name}"
    env.weave_files.setdefault(env.docname, set()).add((str(path), name))
    uri = address(env, name)
    return nodes.reference("", text, refuri=uri, internal=True)


class SourceRole(SphinxRole):
    """A link to a file of the repository: {source}`13_padded.cu`."""

    def run(self) -> tuple[list[nodes.Node], list[nodes.system_message]]:
        """Link to the file's page."""
        try:
            path = resolve(self.env, self.text)
        except BookError as error:
            return [complain(self, error, self.text)], []
        return [link_to_file(self.env, path)], []


def _collect_pages(app: Sphinx) -> Pages:
    used = set().union(*app.env.weave_files.values()) if app.env.weave_files else set()
    for relative in sorted(entry for entry in used if isinstance(entry, str)):
        path = Path(app.srcdir, relative)
        pagename = f"source/{relative}"
        target = Path(app.outdir, pagename)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, target)
        yield from page_of_files(
            app, pagename, path.name, [path], functools.partial(_body, app, path, relative)
        )


def _body(app: Sphinx, path: Path, relative: str) -> str:
    code = app.builder.highlighter.highlight_block(
        path.read_text(encoding="utf-8"),
        language_of(path.name),
        linenos="inline",
        opts={"lineanchors": "line", "linespans": "span"},
    )
    link = f'<a href="{html.escape(path.name)}" download>plain file</a>'
    return f'<p class="file-place">{html.escape(relative)} · {link}</p>{code}'


def _share_navigation(app: Sphinx, pagename: str, template: str, context: dict[str, Any], _: Any) -> None:
    """The table of contents is the same on all pages that lie as deep in a folder that it does not name."""
    if "toctree" in context and pagename not in app.env.all_docs:
        make, place = context["toctree"], (pagename.partition("/")[0], pagename.count("/"))

        def toctree(**options: Any) -> str:
            if place not in app.env.weave_navigation:
                app.env.weave_navigation[place] = make(**options)
            return app.env.weave_navigation[place]

        context["toctree"] = toctree


def _forget_navigation(app: Sphinx, env: BuildEnvironment) -> list[str]:
    env.weave_navigation = {}
    return []


def _copy_results(app: Sphinx, error: Exception | None) -> None:
    if error:
        return
    kept = set()
    for entry in {entry for entries in app.env.weave_files.values() for entry in entries}:
        if isinstance(entry, tuple):
            source, name = entry
            target = Path(app.outdir, name)
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(source, target)
            kept.add(name)
        else:
            kept |= {f"source/{entry}", f"source/{entry}.html"}
    differences = {entry[0] for entries in app.env.weave_differences.values() for entry in entries}
    _remove_others(Path(app.outdir), kept | {f"{pagename}.html" for pagename in differences})


def _remove_others(output: Path, kept: set[str]) -> None:
    """An earlier build may have left pages of files that no page names any more."""
    for folder in ("source", "difference", "results"):
        for path in output.joinpath(folder).rglob("*"):
            if path.is_file() and path.relative_to(output).as_posix() not in kept:
                path.unlink()


def setup(app: Sphinx) -> None:
    """Register the role and the pages."""
    app.add_role("source", SourceRole())
    app.connect("html-collect-pages", _collect_pages)
    app.connect("env-updated", _forget_navigation)
    app.connect("html-page-context", _share_navigation, priority=400)
    app.connect("build-finished", _copy_results)
