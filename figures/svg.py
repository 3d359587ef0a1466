"""Matplotlib's SVG made fit to stand inside a page: small, themed, named, the same bytes every time."""

from __future__ import annotations

import io
import os
import re
import tempfile
from pathlib import Path
from xml.etree import ElementTree

from figures.style import PAINTS, WIDTH, Drawing

_SVG = "http://www.w3.org/2000/svg"
_HREF = "{http://www.w3.org/1999/xlink}href"
_LINK = f"{{{_SVG}}}a"
_NUMBER = re.compile(r"-?\d+\.\d+(?:e-?\d+)?")
_DROPPED = {"font-family", "font-stretch", "font-style", "font-variant", "stroke-linejoin", "stroke-linecap"}
_SCALE = 1.35
"""Pixels per unit at which a figure stops growing on a wide page."""


def render(drawing: Drawing, name: str) -> str:
    """The drawing as an SVG element for a page; `name` comes before every identifier in it.

    Raises:
        ValueError: the drawing uses a colour that is not the book's.

    """
    buffer = io.BytesIO()
    drawing.figure.savefig(buffer, format="svg", metadata={"Date": None, "Creator": None})
    root = ElementTree.fromstring(buffer.getvalue())
    for parent in list(root.iter()):
        for child in list(parent):
            if child.tag in (f"{{{_SVG}}}metadata", f"{{{_SVG}}}style"):
                parent.remove(child)
    for element in root.iter():
        _tidy(element)
    _rename(root, name)
    _unnest(root)
    _gather_links(root)
    return _serialize(root, drawing, name)


def write_if_changed(path: Path, text: str) -> bool:
    """Write a file beside its place and rename it, unless it holds this text already; True if written."""
    if path.is_file() and path.read_text(encoding="utf-8") == text:
        return False
    path.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.NamedTemporaryFile(
        "w", encoding="utf-8", dir=path.parent, prefix=f".{path.name}.", delete=False
    ) as file:
        beside = Path(file.name)
        try:
            file.write(text)
            file.flush()
            beside.chmod(0o666 & ~_umask())
            beside.replace(path)
        except BaseException:
            beside.unlink(missing_ok=True)
            raise
    return True


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def _tidy(element: ElementTree.Element) -> None:
    """Round numbers, name paints by CSS variables, leave the typeface to the page."""
    if _HREF in element.attrib:
        element.set("href", element.attrib.pop(_HREF))
    style = dict(
        pair.strip().split(": ", 1) for pair in element.attrib.pop("style", "").split(";") if ":" in pair
    )
    for paint in ("fill", "stroke"):
        if paint in element.attrib:
            style.setdefault(paint, element.attrib.pop(paint))
    style = {key: value for key, value in style.items() if key not in _DROPPED}
    for paint in ("fill", "stroke"):
        if style.get(paint, "none").startswith("#"):
            colour, opacity = PAINTS.get(style[paint], ("", 0.0))
            if not colour:
                raise ValueError(f"{style[paint]} is not a colour of the book")
            style[paint] = colour
            opacity *= float(style.get(f"{paint}-opacity", 1)) * float(style.get("opacity", 1))
            if opacity != 1:
                style[f"{paint}-opacity"] = f"{opacity:.2g}"
    style.pop("opacity", None)
    if element.tag == f"{{{_SVG}}}text":
        style.setdefault("fill", "currentColor")
        transform = element.get("transform", "")
        if re.search(r"rotate\(-?0\b[^.]", transform):
            element.attrib.pop("transform")
            place = re.search(r"translate\(([-\d.]+) ([-\d.]+)\)", transform)
            if place:
                element.set("x", place[1])
                element.set("y", place[2])
    if style:
        element.set("style", ";".join(f"{key}:{_rounded(value)}" for key, value in style.items()))
    for key in ("d", "x", "y", "width", "height", "transform", "points", "cx", "cy", "r"):
        if key in element.attrib:
            element.set(key, " ".join(_rounded(element.attrib[key]).split()))


def _rounded(text: str) -> str:
    def shorten(match: re.Match[str]) -> str:
        short = f"{float(match[0]):.2f}".rstrip("0").rstrip(".")
        return "0" if short == "-0" else short

    return _NUMBER.sub(shorten, text)


def _rename(root: ElementTree.Element, name: str) -> None:
    """Keep the identifiers that are referred to, under the figure's name; forget the others."""
    references = {"#" + str(element.get("id")): None for element in root.iter() if element.get("id")}
    text = ElementTree.tostring(root, encoding="unicode")
    used = {identifier for identifier in references if f'"{identifier}"' in text or f"({identifier})" in text}
    new = {
        identifier: f"#{name}-{number}"
        for number, identifier in enumerate(i for i in references if i in used)
    }
    for element in root.iter():
        identifier = "#" + str(element.attrib.pop("id", ""))
        if identifier in new:
            element.set("id", new[identifier][1:])
        for key, value in element.attrib.items():
            for old, renamed in new.items():
                if value == old or f"url({old})" in value:
                    element.set(key, value.replace(old, renamed))


def _unnest(root: ElementTree.Element) -> None:
    """Remove groups that say nothing, and empty definitions."""
    changed = True
    while changed:
        changed = False
        for parent in list(root.iter()):
            for index, child in enumerate(list(parent)):
                if child.tag == f"{{{_SVG}}}g" and not child.attrib:
                    parent[index : index + 1] = list(child)
                    changed = True
                    break
                if child.tag == f"{{{_SVG}}}defs" and len(child) == 0:
                    parent.remove(child)
                    changed = True
                    break


def _gather_links(root: ElementTree.Element) -> None:
    """One link to each step: a bar and the words beside it are one stop of the keyboard."""
    kept: dict[str, ElementTree.Element] = {}
    for parent in list(root.iter()):
        for link in parent.findall(_LINK):
            address = link.get("href", "")
            first = kept.setdefault(address, link)
            if first is not link:
                first.extend(link)
                parent.remove(link)
    for address, link in kept.items():
        link.attrib = {"href": address}


def _serialize(root: ElementTree.Element, drawing: Drawing, name: str) -> str:
    height = float(root.get("viewBox", "0 0 0 0").split()[3])
    root.attrib.clear()
    root.set("viewBox", f"0 0 {WIDTH} {_rounded(f'{height:.2f}')}")
    root.set("role", "img" if root.find(f".//{_LINK}") is None else "group")
    root.set("aria-labelledby", f"{name}-title {name}-desc")
    width = round(WIDTH * _SCALE)
    root.set("style", f"width:100%;max-width:{width}px;height:auto;stroke-linejoin:round;font-family:inherit")
    for place, (tag, text) in enumerate((("title", drawing.title), ("desc", drawing.alt))):
        element = ElementTree.Element(f"{{{_SVG}}}{tag}", {"id": f"{name}-{tag}"})
        element.text = " ".join(text.split())
        root.insert(place, element)
    for element in root.iter():
        element.tail = "\n" if len(element) == 0 or element.tag == f"{{{_SVG}}}g" else None
        if len(element) and not (element.text or "").strip():
            element.text = "\n"
    ElementTree.register_namespace("", _SVG)
    return ElementTree.tostring(root, encoding="unicode").strip() + "\n"
