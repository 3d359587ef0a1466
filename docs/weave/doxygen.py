"""Doxygen's XML of the C++ library, made anew when a header has changed, for Breathe to read."""

from __future__ import annotations

import copy
import re
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

from sphinx.application import Sphinx
from sphinx.config import Config
from sphinx.util.display import progress_message

from book.library import Library
from weave.context import library_of
from weave.freshness import digest_of


def _run(app: Sphinx) -> None:
    library = library_of(app.env)
    output = library.build / "doxygen"
    doxyfile, read = Path(app.confdir, "Doxyfile"), output / "read.digest"
    settings = doxyfile.read_text(encoding="utf-8")
    folders = re.search(r"^INPUT *= *(.*)$", settings, re.MULTILINE)[1].split()
    headers = (header for folder in folders for header in (library.root / folder).rglob("*.hpp"))
    digest = digest_of([doxyfile, *headers])
    if read.is_file() and read.read_text() == digest:
        return
    read.unlink(missing_ok=True)
    output.mkdir(parents=True, exist_ok=True)
    settings += f'\nOUTPUT_DIRECTORY = "{output}"\n'
    with progress_message("running doxygen"):
        done = subprocess.run(
            [Path(sys.executable).with_name("doxygen"), "-"],
            cwd=library.root,
            input=settings,
            text=True,
            capture_output=True,
            check=False,
        )
    if done.returncode:
        lines = done.stderr.strip().splitlines() or ["no message"]
        sys.exit("doxygen: " + "\n".join(lines[:20]))
    _tidy(output / "xml")
    read.write_text(digest)


def _tidy(folder: Path) -> None:
    """Make Doxygen's XML fit for Breathe.

    Breathe finds files by their names in the index, where Doxygen leaves out their folders. It shows private
    members. And it wants an entry for each exception, where `@throws A, B` makes one for both.
    """
    index = ElementTree.parse(folder / "index.xml")
    for compound in index.iterfind("compound"):
        path = folder / f"{compound.attrib['refid']}.xml"
        document = ElementTree.parse(path)
        location, name = document.find("compounddef/location"), compound.find("name")
        if compound.attrib["kind"] == "file" and location is not None and name is not None:
            name.text = location.attrib["file"]
        for definition in document.iterfind("compounddef"):
            for part in definition.findall("sectiondef"):
                if part.get("kind", "").startswith("private"):
                    definition.remove(part)
        for exceptions in document.iterfind(".//parameterlist[@kind='exception']"):
            _split_entries(exceptions)
        document.write(path, encoding="utf-8", xml_declaration=True)
    index.write(folder / "index.xml", encoding="utf-8", xml_declaration=True)


def _split_entries(exceptions: ElementTree.Element) -> None:
    for entry in exceptions.findall("parameteritem"):
        names = entry.findall("parameternamelist/parametername")
        position = list(exceptions).index(entry)
        for name in names[1:]:
            position += 1
            single = copy.deepcopy(entry)
            for other in single.findall("parameternamelist/parametername"):
                if other.text != name.text:
                    single.find("parameternamelist").remove(other)
            exceptions.insert(position, single)
        for name in names[1:]:
            entry.find("parameternamelist").remove(name)


def _name_project(app: Sphinx, config: Config) -> None:
    """Tell Breathe the folder before Sphinx compares the configuration with that of the last build."""
    build = Library.of(app.srcdir, config.weave_build or None).build
    config.breathe_projects = {config.breathe_default_project: str(build / "doxygen" / "xml")}


def setup(app: Sphinx) -> dict[str, bool]:
    """Run before Breathe reads what it wrote."""
    app.connect("config-inited", _name_project)
    app.connect("builder-inited", _run, priority=400)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
