"""The glossary's file of terms, docs/glossary.yml."""

from __future__ import annotations

import functools
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from book.documents import BookError
from book.keys import near
from book.metrics import METRICS

FILE = "docs/glossary.yml"
_KEYS = ("term", "forms", "only", "means", "counter", "met")


@dataclass(frozen=True)
class Term:
    """A term of the field: how it is spelled, what it means, what counts it, and where it is met."""

    name: str
    forms: tuple[str, ...]
    """All spellings that are found in the text."""
    means: str
    counter: str | None
    """Nsight Compute's name."""
    met: tuple[int, str] | None
    """The chapter and the step."""

    @property
    def anchor(self) -> str:
        """Its place on the glossary's page."""
        return "term-" + re.sub(r"[^a-z0-9]+", "-", self.name.lower()).strip("-")


@dataclass(frozen=True)
class Terms:
    """All terms, in the order of the file."""

    terms: tuple[Term, ...]

    @functools.cached_property
    def by_form(self) -> dict[str, Term]:
        """Each spelling and its term."""
        return {form: term for term in self.terms for form in term.forms}

    @functools.cached_property
    def pattern(self) -> re.Pattern[str]:
        """What finds a spelling; the longest first, so that a bank conflict is not a bank."""
        words = "|".join(map(_pattern, sorted(self.by_form, key=len, reverse=True)))
        return re.compile(rf"(?<![\w-])(?:{words})(?![\w-])")

    def spelled(self, text: str) -> Term:
        """The term that is spelled so."""
        form = " ".join(text.replace("’", "'").split())
        return self.by_form.get(form) or self.by_form[form[0].lower() + form[1:]]


def _pattern(form: str) -> str:
    """Finds a spelling, at the beginning of a sentence as well; `TMA` is not the step `tma`."""
    first = f"[{form[0]}{form[0].upper()}]" if form[0].islower() else form[0]
    rest = re.escape(form[1:]).replace("'", "['’]").replace(r"\ ", r"\s+")
    return first + rest


def load_terms(path: Path) -> Terms:
    """The terms of a file; none if there is no file.

    Raises:
        BookError: the file is damaged, or a term is defined twice.

    """
    if not path.is_file():
        return Terms(())
    try:
        entries = yaml.safe_load(path.read_text(encoding="utf-8"))
    except yaml.YAMLError as error:
        raise BookError(f"{path}: {error}") from error
    terms: list[Term] = []
    spelled: dict[str, str] = {}
    for entry in entries or []:
        term = _term(path, entry)
        for form in term.forms:
            other = spelled.setdefault(form, term.name)
            if other != term.name or term.name in (one.name for one in terms):
                raise BookError(f"{path}: '{form}' is defined twice, by {other} and by {term.name}")
        terms.append(term)
    return Terms(tuple(terms))


def _term(path: Path, entry: dict[str, Any]) -> Term:
    name = str(entry.get("term"))
    for key in entry:
        if key not in _KEYS:
            raise BookError(f"{path}: {name}: no key {key}{near(key, _KEYS)}")
    for key in ("term", "means"):
        if key not in entry:
            raise BookError(f"{path}: {name}: there is no `{key}: …`")
    own = () if entry.get("only") else (name, f"{name}s")
    counter = entry.get("counter")
    if counter and "__" not in counter and counter not in METRICS:
        raise BookError(f"{path}: {name}: no count {counter}{near(counter, METRICS)}")
    met = str(entry["met"]).split() if "met" in entry else None
    return Term(
        name,
        (*own, *entry.get("forms", ())),
        " ".join(entry["means"].split()),
        METRICS.get(counter, counter) if counter else None,
        (int(met[0]), met[1]) if met else None,
    )
