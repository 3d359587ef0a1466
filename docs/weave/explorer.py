"""The explorer: the reader changes a number of an access pattern and sees what the warp touches.

Its arithmetic is `code/model`, compiled to a WebAssembly module that stands in the page itself, so that it
works from a file. Without scripts, and on paper, the directive's content is there instead.
"""

from __future__ import annotations

import base64
import html
from collections.abc import Callable
from typing import Any, ClassVar

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.util.docutils import SphinxDirective
from sphinx.writers.html5 import HTML5Translator

from book.documents import BookError
from weave.context import complain, library_of

_NO_SCRIPT = "In a browser that runs scripts you can try other numbers here."


class explorer(nodes.General, nodes.Element):
    """An explorer: its children are what stands there without scripts and on paper.

    `kind` says which; `data` is what its script reads from the page, by name.
    """


def one_of(*allowed: int) -> Callable[[str], int]:
    """An option that is one of these numbers."""

    def check(text: str) -> int:
        if text.strip() not in map(str, allowed):
            first, last = allowed[0], allowed[-1]
            dense = len(allowed) == last - first + 1
            raise ValueError(f"not {f'{first} to {last}' if dense else ', '.join(map(str, allowed))}")
        return int(text)

    return check


def module_of(env: BuildEnvironment) -> str:
    """The model's module, as text for a page, which is made anew when it changes; BookError without one."""
    path = library_of(env).build / "explorer.wasm"
    try:
        module = path.read_bytes()
    except OSError:
        raise BookError(f"there is no {path}: run `make steps`") from None
    env.note_dependency(str(path))
    return base64.b64encode(module).decode("ascii")


class Explorer(SphinxDirective):
    """Explore a warp's access to global or shared memory; the options say what stands there first."""

    has_content = True
    option_spec: ClassVar = {
        "memory": lambda text: directives.choice(text, ("global", "shared")),
        "width": one_of(1, 2, 4, 8, 16),
        "offset": one_of(*range(33)),
        "stride": one_of(*range(34)),
        "lanes": one_of(*range(33)),
    }

    def run(self) -> list[nodes.Node]:
        """Put the module and the pictures that stand in for it into the page."""
        self.assert_has_content()
        try:
            module = module_of(self.env)
        except BookError as error:
            return [nodes.paragraph("", "", complain(self, error, "explorer"))]
        start = {"memory": "global", "width": 4, "offset": 0, "stride": 1, "lanes": 32, **self.options}
        return [explorer("", *self.parse_content_to_nodes(), kind="access", data={"module": module, **start})]


def _visit(translator: HTML5Translator, node: explorer) -> None:
    data = "".join(f' data-{name}="{html.escape(str(value))}"' for name, value in node["data"].items())
    translator.body.append(f'<div class="explorer explorer-{node["kind"]}"{data}>\n')
    translator.body.append('<div class="explorer-still">\n')


def _depart(translator: HTML5Translator, node: explorer) -> None:
    translator.body.append(f'<noscript><p class="small">{_NO_SCRIPT}</p></noscript>\n')
    translator.body.append("</div>\n</div>\n")


def load_on_pages_with(app: Sphinx, kind: str, script: str) -> None:
    """Load an explorer's script, behind what all explorers share, on the pages that have one of this kind."""

    def add_files(
        app: Sphinx, pagename: str, template: str, context: dict[str, Any], doctree: nodes.document | None
    ) -> None:
        if doctree is not None and any(node["kind"] == kind for node in doctree.findall(explorer)):
            app.add_css_file("explorer.css")
            for name in ("explorers.js", script):
                app.add_js_file(name, loading_method="defer")

    app.connect("html-page-context", add_files)


def setup(app: Sphinx) -> None:
    """Register the node of all explorers, this one's directive, and the files of the pages that have one."""
    app.add_node(explorer, html=(_visit, _depart))
    app.add_directive("explorer", Explorer)
    load_on_pages_with(app, "access", "explorer.js")
