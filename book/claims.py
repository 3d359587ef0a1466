"""Claims: sentences of the prose with an expression over results that must hold.

`padding more than doubles the bandwidth :: [padded bandwidth 8192x8192] > 2 * [tile bandwidth 8192x8192]`: in
brackets a measured quantity, or one after `counted`, `predicted`, `published`, `roof`, `in-flight` or
`memory`; around them stand arithmetic, comparisons, `and`, `or`, `not`, `min`, `max`, `abs`; a number may
end in `%`. Nothing else is evaluated.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace

from book import quantities, sources
from book.counted import Counted
from book.descriptions import Descriptions
from book.documents import BookError, MissingResultsError
from book.expressions import Expression, Verdict, compile_arithmetic, compile_expression
from book.in_flight import InFlight
from book.quantities import Quantity, Value
from book.results import Results
from book.roofs import Roof
from book.sources import SourceQuantity, SourceRow

WITNESSES = ("measured", "counted", "predicted", "published", "roof", "in-flight", "memory")


@dataclass(frozen=True)
class Data:
    """What claims are held against: a run, the programs' predictions, the sources' figures, counters.

    Without counters of their own, those of the run are taken.
    """

    results: Results | None
    descriptions: Descriptions
    sources: tuple[SourceRow, ...] = ()
    counted: Counted | None = None
    roof: Callable[[Roof], Value] | None = None
    """What the card gives, if it is the published one."""
    in_flight: Callable[[InFlight], Value] | None = None
    """What bytes in flight give on that card."""
    memory: Callable[[str], Value] | None = None
    """What a memory with real times gives: code/model/dram."""

    @property
    def measured(self) -> Results:
        """The run; MissingResultsError where there is none."""
        if self.results is None:
            raise MissingResultsError("the chapter has no published results yet")
        return self.results


@dataclass(frozen=True)
class Question:
    """A quantity, and who is asked for it."""

    witness: str
    quantity: Quantity | SourceQuantity | Roof | InFlight | str

    @classmethod
    def parse(cls, text: str) -> Question:
        """A question from what stands in brackets; a clock is asked if no witness is named."""
        first, _, rest = text.partition(" ")
        witness, name = (first, rest) if first in WITNESSES else ("measured", text)
        match witness:
            case "published":
                return cls(witness, SourceQuantity.parse(name))
            case "roof":
                return cls(witness, Roof.parse(name))
            case "in-flight":
                return cls(witness, InFlight.parse(name))
            case "memory":
                return cls(witness, name)
        return cls(witness, quantities.parse(name))

    def answer(self, data: Data) -> Value:
        """What the witness says; BookError if it does not know."""
        match self.witness, self.quantity:
            case "published", SourceQuantity() as quantity:
                return sources.published(quantity, data.sources)
            case "roof", Roof() as roof:
                if data.roof is None:
                    raise BookError(f"roof '{roof}': roofs are those of the published card alone")
                return data.roof(roof)
            case "in-flight", InFlight() as asked:
                if data.in_flight is None:
                    raise BookError(f"'{asked}': it is known of the published card alone")
                return data.in_flight(asked)
            case "memory", str() as name:
                if data.memory is None:
                    raise BookError(f"memory '{name}': nobody is there to simulate it")
                return data.memory(name)
            case "counted", Quantity() as quantity:
                return quantities.counted(quantity, data.counted or data.measured)
            case "predicted", Quantity() as quantity:
                return quantities.predicted(quantity, data.descriptions)
            case _, Quantity() as quantity:
                return quantities.measured(quantity, data.measured)
        raise AssertionError(self)


@dataclass(frozen=True)
class Claim:
    """A sentence and the expression that must hold for it; `place` is the file and line, if known."""

    sentence: str
    expression: Expression
    questions: tuple[Question, ...]
    place: str = ""

    @property
    def witnesses(self) -> set[str]:
        """Who is asked."""
        return {question.witness for question in self.questions}

    @property
    def parts(self) -> list[Claim]:
        """The same sentence with each expression that must be true for it."""
        return [
            replace(self, expression=one, questions=tuple(map(Question.parse, one.quantities)))
            for one in self.expression.operands
        ]


def parse_claim(text: str, place: str = "") -> Claim:
    """A claim from `sentence :: expression`; everything is checked that can be without results."""
    sentence, separator, expression = (" ".join(part.split()) for part in text.partition("::"))
    if not (separator and sentence and expression):
        raise BookError(f"{_at(place)}'{' '.join(text.split())}' is not 'sentence :: expression'")
    try:
        compiled = compile_expression(expression)
        return Claim(sentence, compiled, tuple(map(Question.parse, compiled.quantities)), place)
    except BookError as error:
        raise BookError(f"{_at(place)}{error}") from error


def evaluate_claim(claim: Claim, data: Data) -> Verdict:
    """Hold a claim against data; raises BookError, with the claim's place, if a quantity is unknown there."""
    try:
        return claim.expression.evaluate([one.answer(data) for one in claim.questions])
    except MissingResultsError:
        raise
    except BookError as error:
        raise BookError(f"{_at(claim.place)}{error}") from error


def work_out(text: str, data: Data) -> Value:
    """The value of `3 * 4 * 67108864 / [memcpy bandwidth 67108864] in s`: arithmetic, then its unit."""
    arithmetic, separator, unit = text.rpartition(" in ")
    if not separator:
        raise BookError(f"'{text}' does not end with its unit: 'ARITHMETIC in s'")
    compiled = compile_arithmetic(arithmetic)
    answers = [Question.parse(name).answer(data) for name in compiled.quantities]
    return Value.of(compiled.number(answers), unit.strip())


def directive_text(argument: str, content: str) -> str:
    """The text of a claim directive: `sentence :: expression`, or the sentence as its argument."""
    content = "\n".join(line for line in content.splitlines() if not re.match(r"\s*:[a-z-]+:(\s|$)", line))
    if "::" in argument or "::" in content:
        return f"{argument}\n{content}"
    return f"{argument} :: {content}"


def _at(place: str) -> str:
    return f"{place}: " if place else ""
