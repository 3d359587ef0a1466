"""The front page's own: chapters as cards, each with its question and its headline number."""

from __future__ import annotations

from typing import ClassVar

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from book.documents import BookError
from weave.context import complain, library_of, of_chapter


class ChapterCard(SphinxDirective):
    """A chapter: ``{chapter-card} 6``; one that is not written yet says its title after its number.

    The content is the headline; its numbers are the chapter's.
    """

    required_arguments = 1
    optional_arguments = 1
    final_argument_whitespace = True
    has_content = True
    option_spec: ClassVar = {"question": directives.unchanged_required}

    def run(self) -> list[nodes.Node]:
        """Build the card."""
        number, *title = self.arguments
        folder = library_of(self.env).chapters().get(int(number))
        written = folder is not None and (folder / "index.md").is_file()
        if written == bool(title):
            words = (
                "is written: its page says its title" if written else "is not written, and has no title here"
            )
            error = BookError(f"chapter {number} {words}")
            return [nodes.paragraph("", "", complain(self, error, number))]
        card = nodes.container(classes=["chapter-card"] if written else ["chapter-card", "unwritten"])
        if written:
            text = f"[](/chapters/{folder.name}/index.md)"
            name, _ = self.parse_inline(text, lineno=self.lineno)
        else:
            name = [nodes.Text(title[0])]
        card += nodes.paragraph("", number, classes=["chapter-card-number"])
        card += nodes.rubric("", "", *name, classes=["chapter-card-title"])
        card += nodes.rubric("", self.options["question"], classes=["chapter-card-question"])
        with of_chapter(self.env, int(number)):
            headline = self.parse_content_to_nodes()
        card += nodes.container("", *headline, classes=["headline"])
        return [card]


def setup(app: Sphinx) -> None:
    """Register the directive."""
    app.add_directive("chapter-card", ChapterCard)
