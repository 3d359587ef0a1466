"""Mathematics as MathML, by the converter that docutils brings: no script, no font, no network."""

from __future__ import annotations

from docutils import nodes
from docutils.utils.math import MathError
from docutils.utils.math.latex2mathml import tex2mathml
from sphinx.application import Sphinx
from sphinx.util import logging
from sphinx.writers.html5 import HTML5Translator

_logger = logging.getLogger(__name__)


def _convert(node: nodes.Element, as_block: bool) -> str:
    try:
        return tex2mathml(node.astext(), as_block=as_block)
    except MathError as error:
        _logger.warning("mathematics: %s", error, location=node, type="weave", subtype="math")
        return ""


def _visit_inline(translator: HTML5Translator, node: nodes.math) -> None:
    translator.body.append(f'<span class="math">{_convert(node, as_block=False)}</span>')
    raise nodes.SkipNode


def _visit_block(translator: HTML5Translator, node: nodes.math_block) -> None:
    translator.body.append(f'<div class="math">{_convert(node, as_block=True)}</div>\n')
    raise nodes.SkipNode


def setup(app: Sphinx) -> None:
    """Register the renderer that conf.py names as `mathml`."""
    app.add_html_math_renderer("mathml", (_visit_inline, None), (_visit_block, None))
