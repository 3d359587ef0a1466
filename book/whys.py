"""Whys: explanations of the prose, each with the experiment that tells it from its rivals.

The last lines of a why are `+ explanation | what it predicts | expression`, which must hold, and
`- rival | what it predicts | expression`, which must not; the expressions are those of claims.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from book.claims import Claim, parse_claim
from book.documents import BookError
from book.keys import Key, Parameters
from book.quantities import Quantity

_ROW = re.compile(r"(\+ |- (?=.*\|))")
_OPTION = re.compile(r"\s*:[a-z-]+:(\s|$)")


@dataclass(frozen=True)
class Experiment:
    """A step, or a variant of one, in which only the supposed cause is changed."""

    step: str
    parameters: Parameters

    def is_asked(self, claim: Claim) -> bool:
        """Whether a claim is about what was measured or counted of it."""
        return any(
            key.step == self.step and key.parameters.includes(self.parameters)
            for question in claim.questions
            if question.witness in ("measured", "counted") and isinstance(question.quantity, Quantity)
            for key in _keys(question.quantity)
        )

    def __str__(self) -> str:
        return " ".join(filter(None, (self.step, str(self.parameters))))


@dataclass(frozen=True)
class Explanation:
    """What may be the cause, and what it predicts; the claim: this came out, or, of a rival, it did not."""

    words: str
    predicts: str
    is_rival: bool
    claim: Claim


@dataclass(frozen=True)
class Why:
    """The experiments of an explanation, and what it and its rivals predict of them."""

    experiments: tuple[Experiment, ...]
    explanations: tuple[Explanation, ...]


def parse_experiments(argument: str) -> tuple[Experiment, ...]:
    """What a why's argument names: steps, or variants of them, parted by commas."""
    return tuple(map(_experiment, argument.split(",")))


def parse_why(named: tuple[Experiment, ...], rows: Sequence[str], place: str = "") -> Why:
    """A why from its experiments and its last lines; all is checked that can be without results."""
    explanations = tuple(_explanation(row, place) for row in rows)
    if sum(not one.is_rival for one in explanations) != 1:
        raise BookError("a why has one line `+ explanation | what it predicts | expression`")
    if not any(one.is_rival for one in explanations):
        raise BookError("a why has a rival, `- rival | what it predicts | expression`")
    for one in explanations:
        if not any(experiment.is_asked(one.claim) for experiment in named):
            names = " or ".join(map(str, named))
            raise BookError(f"'{one.claim.expression.text}' asks nothing of the experiment, {names}")
    for experiment in named:
        if not any(experiment.is_asked(one.claim) for one in explanations):
            raise BookError(f"no expression asks anything of the experiment {experiment}")
    return Why(named, explanations)


def split_why(content: Sequence[str]) -> tuple[int, list[str]]:
    """Where a why's rows begin, and the rows: a row goes on in lines that are indented."""
    starts = [number for number, line in enumerate(content) if _ROW.match(line)]
    first = starts[0] if starts else len(content)
    rows: list[str] = []
    for line in content[first:]:
        if _ROW.match(line):
            rows.append(line)
        elif line.startswith(" ") and line.strip():
            rows[-1] += f" {line.strip()}"
        elif line.strip():
            raise BookError(f"'{line.strip()}' stands behind the explanations, which end a why")
    return first, rows


def claims_of_why(argument: str, content: str, place: str) -> list[Claim]:
    """What a why claims: what its explanation predicts came out, what its rivals predict did not.

    A why of another chapter's experiments claims nothing of this one's results.
    """
    if any(line.strip().startswith(":chapter:") for line in content.splitlines()):
        return []
    lines = [line for line in content.splitlines() if not _OPTION.match(line)]
    return [
        one.claim for one in parse_why(parse_experiments(argument), split_why(lines)[1], place).explanations
    ]


def _experiment(text: str) -> Experiment:
    step, *parameters = text.split() or [""]
    if not step:
        raise BookError("a why names its experiments, `longer-rows, tile block=32x8`")
    return Experiment(step, Parameters.parse(parameters))


def _explanation(row: str, place: str) -> Explanation:
    parts = [part.strip() for part in row[2:].split("|")]
    if len(parts) != 3 or not all(parts):
        raise BookError(f"'{row}' is not '{row[0]} explanation | what it predicts | expression'")
    words, predicts, expression = parts
    if row[0] == "-":
        claim = parse_claim(f"not '{words}: {predicts}' :: not ({expression})", place)
        return Explanation(words, predicts, True, claim)
    return Explanation(words, predicts, False, parse_claim(f"{words}: {predicts} :: {expression}", place))


def _keys(quantity: Quantity) -> tuple[Key, ...]:
    return (quantity.key, quantity.other) if quantity.other else (quantity.key,)
