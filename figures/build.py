"""Draw the figures of the pages whose inputs changed."""

from __future__ import annotations

import multiprocessing
import os
import signal
from collections.abc import Iterable
from pathlib import Path

from book.documents import BookError
from book.inputs import up_to_date
from book.library import Library

_OTHERS = ("frontpage", "emulator")
"""The pages with figures that are no chapters."""


def build(library: Library, output: Path, chapters: Iterable[int], skip_missing: bool = False) -> list[Path]:
    """Draw the figures of chapters, and those of no chapter, as `output/<chapter's folder>/<figure>.svg`.

    Returns the files that changed. With `skip_missing` a figure whose results are not published yet is left
    out, and what an earlier build left of it is removed; without, that is a BookError.
    """
    folders = library.chapters()
    for chapter in chapters:
        if chapter not in folders:
            raise BookError(f"there is no chapter {chapter}; there is {', '.join(map(str, folders))}")
    pages = [output / name for name in (*(folders[chapter].name for chapter in chapters), *_OTHERS)]
    tasks = [
        (library, page, skip_missing, record)
        for page in pages
        if not up_to_date(record := page / "inputs.json")
    ]
    if not tasks:
        return []
    from figures.pages import draw_page  # noqa: PLC0415  Matplotlib takes a second to load

    # A process for each page, so that what it reads is known to be its own.
    fork = multiprocessing.get_context("fork")
    workers = min(len(tasks), len(os.sched_getaffinity(0)))
    with fork.Pool(workers, signal.signal, (signal.SIGINT, signal.SIG_IGN), maxtasksperchild=1) as pool:
        drawn = [pool.apply_async(draw_page, task) for task in tasks]
        return [path for page in drawn for path in page.get()]
