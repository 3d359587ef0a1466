"""Pages that show whole files: written again only when those, or what stands around them, have changed."""

from __future__ import annotations

import hashlib
import html
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from sphinx.application import Sphinx

from weave.freshness import digest_of

Pages = Iterator[tuple[str, dict[str, Any], str]]


def page_of_files(app: Sphinx, name: str, title: str, files: list[Path], body: Callable[[], str]) -> Pages:
    """The page of that name for Sphinx to write, made of files; none where the one that is there is right."""
    around = (
        app.config.weave_code,
        app.config.weave_look,
        app.builder.build_info.config_hash,
        app.env.weave_titles,
    )
    mark = f"<!-- {hashlib.blake2b(repr((digest_of(files), around)).encode()).hexdigest()} -->"
    if not _is_whole_with(Path(app.outdir, f"{name}.html"), mark):
        context = {
            "title": html.escape(title),
            "body": f"{mark}<h1>{html.escape(title)}</h1>{body()}",
            "parents": [],
        }
        yield name, context, "page.html"


def _is_whole_with(page: Path, mark: str) -> bool:
    try:
        text = page.read_text(encoding="utf-8")
    except FileNotFoundError:
        return False
    return mark in text and text.rstrip().endswith("</html>")
