"""Doxygen's XML of the C++ library, made anew when a header has changed, for Breathe to read."""

from __future__ import annotations

import subprocess
from pathlib import Path
from xml.etree import ElementTree

from sphinx.application import Sphinx
from sphinx.errors import ExtensionError
from sphinx.util.display import progress_message

from weave.context import library_of


def _run(app: Sphinx) -> None:
    library = library_of(app.env)
    output = library.build / "doxygen"
    app.config.breathe_projects = {app.config.breathe_default_project: str(output / "xml")}
    doxyfile = Path(app.confdir, "Doxyfile")
    stamp = output / "xml" / "index.xml"
    headers = [*library.root.glob("code/**/*.hpp"), doxyfile]
    if stamp.is_file() and all(header.stat().st_mtime < stamp.stat().st_mtime for header in headers):
        return
    output.mkdir(parents=True, exist_ok=True)
    settings = f'{doxyfile.read_text(encoding="utf-8")}\nOUTPUT_DIRECTORY = "{output}"\n'
    with progress_message("running doxygen"):
        try:
            done = subprocess.run(
                ["doxygen", "-"],
                cwd=library.root,
                input=settings,
                text=True,
                capture_output=True,
                check=False,
            )
        except FileNotFoundError as error:
            raise ExtensionError("doxygen is not installed: run `make setup`") from error
    if done.returncode:
        lines = done.stderr.strip().splitlines() or ["no message"]
        raise ExtensionError("doxygen: " + "\n".join(lines[:20]))
    _tidy(output / "xml")


def _tidy(folder: Path) -> None:
    """Leave out private members, and name files by their paths.

    Breathe finds files by their names in the index, where Doxygen writes `options.hpp` for each file of that name.
    """
    index = ElementTree.parse(folder / "index.xml")
    for compound in index.iterfind("compound"):
        path = folder / f"{compound.attrib['refid']}.xml"
        document = ElementTree.parse(path)
        definition = document.find("compounddef")
        location, name = document.find("compounddef/location"), compound.find("name")
        if compound.attrib["kind"] == "file" and location is not None and name is not None:
            name.text = location.attrib["file"]
        private = [
            part
            for part in (definition if definition is not None else ())
            if part.get("kind", "").startswith("private")
        ]
        if definition is not None and private:
            for part in private:
                definition.remove(part)
            document.write(path, encoding="utf-8", xml_declaration=True)
    index.write(folder / "index.xml", encoding="utf-8", xml_declaration=True)


def setup(app: Sphinx) -> None:
    """Run before Breathe reads what it wrote."""
    app.connect("builder-inited", _run, priority=400)
