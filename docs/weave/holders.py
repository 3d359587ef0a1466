"""Which part of the GPU holds a step: a card asks for it only where its page explains it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from docutils import nodes
from sphinx.application import Sphinx

from book.documents import BookError
from book.keys import near
from weave.context import logger
from weave.guesses import make_guess, make_said

PARTS = (
    *("DRAM", "L2", "L1 tags", "L1 data", "shared memory", "multipliers", "issue slots"),
    *("bytes in flight", "starting blocks"),
)
_QUESTION = "Which part of the GPU holds it back?"


class explained_by(nodes.General, nodes.Element):
    """Stands for a link to what names the part, until the page is read to its end."""


@dataclass(frozen=True)
class Holder:
    """A part of the GPU, and the `why` or conjecture of the page that names it."""

    part: str
    because: str
    place: str
    """Where the card says so."""

    def asked(self, step: str) -> nodes.container:
        """The question, with the parts to choose from."""
        field = make_guess(part_field(step), "Your choice", PARTS)
        return nodes.container("", nodes.paragraph("", _QUESTION), field)

    def told(self, step: str) -> nodes.container:
        """The answer, with a link to what explains it."""
        link = explained_by("", because=self.because, place=self.place)
        answer = nodes.paragraph("", "", nodes.Text("Held by: "), nodes.strong(text=self.part))
        answer += [nodes.Text(" ("), link, nodes.Text(")")]
        return nodes.container("", answer, make_said(part_field(step)), classes=["card-holder"])


def part_field(step: str) -> str:
    """The name of the field for the predicted part."""
    return f"predicted-part-{step}"


def held_by(options: Mapping[str, str], place: str) -> Holder | None:
    """What a card's options say; BookError for a part that is none, or that nothing explains."""
    if ("held-by" in options) != ("because" in options):
        raise BookError("`:held-by: PART` and `:because: WHY` belong together: a page explains what it asks")
    if "held-by" not in options:
        return None
    part = options["held-by"]
    if part not in PARTS:
        raise BookError(f"no part {part} of a GPU{near(part, PARTS)}")
    return Holder(part, options["because"], place)


def _link(app: Sphinx, document: nodes.document) -> None:
    """Explanations may stand below the card: they are looked for when the page is read."""
    ids = {name for box in document.findall(nodes.container) for name in box["ids"]}
    for place in list(document.findall(explained_by)):
        name = nodes.make_id(place["because"])
        kind = next((kind for kind in ("why", "conjecture") if f"{kind}-{name}" in ids), None)
        if kind is None:
            words = f"no why and no conjecture of this page is '{place['because']}'"
            logger.warning("%s", words, location=place["place"], type="weave")
        place.replace_self(nodes.reference("", kind or "?", refid=f"{kind}-{name}", internal=True))


def setup(app: Sphinx) -> None:
    """Register what links each card to its explanation."""
    app.connect("doctree-read", _link)
