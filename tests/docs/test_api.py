"""The reference of the C++ library: what Sphinx remembers of it does not grow with each build."""

from __future__ import annotations

from contextlib import suppress
from types import SimpleNamespace

import pytest
from sphinx.domains.cpp import CPPDomain
from sphinx.domains.cpp._ast import ASTDeclaration
from sphinx.domains.cpp._parser import DefinitionParser
from sphinx.domains.cpp._symbol import Symbol, _DuplicateSymbolError

from tests.docs import conftest  # noqa: F401  it says where the book's directives are
from weave.api import forget_repetitions


def parsed(kind: str, text: str) -> ASTDeclaration:
    settings = SimpleNamespace(cpp_id_attributes=[], cpp_paren_attributes=[])
    return DefinitionParser(text, location=None, config=settings).parse_declaration(kind, kind)


@pytest.fixture
def env() -> SimpleNamespace:
    """What is known of two pages, each of them with two headers that open the same namespace."""
    root = Symbol(None, None, None, None, None, None, None)
    for docname in ("one", "other"):
        for line in (1, 2):
            with suppress(_DuplicateSymbolError):
                root.add_declaration(parsed("type", "weft"), docname, line)
    root.add_declaration(parsed("function", "int weft::answer()"), "one", 3)
    return SimpleNamespace(domaindata={CPPDomain.name: {"root_symbol": root}})


def names(env: SimpleNamespace) -> list[tuple[str, str | None, int | None]]:
    found = env.domaindata["cpp"]["root_symbol"].get_all_symbols()
    return sorted((str(one.identOrOp), str(one.docname), one.line or 0) for one in found)


def test_what_other_processes_know_is_not_added_again(env: SimpleNamespace) -> None:
    root, before = env.domaindata["cpp"]["root_symbol"], names(env)
    assert forget_repetitions(None, env) == [] and names(env) == before
    root._children += [one for one in root._children if one.isRedeclaration]
    assert names(env) != before
    forget_repetitions(None, env)
    assert names(env) == before


def test_what_was_known_of_a_page_that_is_read_anew_is_forgotten(env: SimpleNamespace) -> None:
    root = env.domaindata["cpp"]["root_symbol"]
    root.clear_doc("other")
    forget_repetitions(None, env)
    assert "other" not in {docname for _, docname, _ in names(env)}
    assert sum(name == "weft" for name, _, _ in names(env)) == 2
