"""The loom: Sphinx directives and roles that weave programs, results and claims into the book."""

from __future__ import annotations

from typing import Any

from sphinx.application import Sphinx

from weave import (
    accessible,
    agreement,
    annotated,
    api,
    bars,
    bits_explorer,
    card,
    coarsening_explorer,
    comparison,
    conjectures,
    context,
    differences,
    dram_explorer,
    explorer,
    fences,
    files,
    folds,
    freshness,
    front,
    glossary,
    guesses,
    holders,
    instructions,
    ladder_table,
    lexer,
    line_numbers,
    listings,
    mathml,
    memory_role,
    navigation,
    occupancy,
    plots,
    provenance,
    roof_role,
    textbook_role,
    trace_role,
    values,
    verdicts,
    walk,
    why,
)

_PARTS = (
    context,
    freshness,
    agreement,
    fences,
    files,
    line_numbers,
    listings,
    annotated,
    differences,
    explorer,
    walk,
    dram_explorer,
    bits_explorer,
    occupancy,
    coarsening_explorer,
    folds,
    values,
    roof_role,
    memory_role,
    textbook_role,
    trace_role,
    verdicts,
    why,
    conjectures,
    bars,
    guesses,
    holders,
    card,
    ladder_table,
    instructions,
    comparison,
    provenance,
    plots,
    front,
    mathml,
    api,
    glossary,
    navigation,
    accessible,
)


def setup(app: Sphinx) -> dict[str, Any]:
    """Register every part of the extension."""
    app.add_lexer("cuda-cpp", lexer.CudaCppLexer)
    for part in _PARTS:
        part.setup(app)
    return {"version": "1", "env_version": 1, "parallel_read_safe": True, "parallel_write_safe": True}
