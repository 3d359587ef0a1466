"""Safe expressions over quantities, such as `[padded time 8192x8192] < 2 * [tile time 8192x8192]`."""

from __future__ import annotations

import ast
import itertools
import operator
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

from book.documents import BookError
from book.format import digits, grouped_text
from book.quantities import Ends, Value

_QUANTITY = re.compile(r"\[([^\[\]]+)\]")
_PERCENT = re.compile(r"(\d+(?:\.\d+)?)\s*%")
_NAME = re.compile(r"q(\d+)")
_FUNCTIONS: dict[str, Callable[..., float]] = {"min": min, "max": max, "abs": abs}
_ARITHMETIC: dict[type[ast.AST], Callable[..., float]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.USub: operator.neg,
    ast.UAdd: operator.pos,
}
_COMPARISONS: dict[type[ast.AST], tuple[str, Callable[[float, float], bool]]] = {
    ast.Lt: ("<", operator.lt),
    ast.LtE: ("≤", operator.le),
    ast.Gt: (">", operator.gt),
    ast.GtE: ("≥", operator.ge),
    ast.Eq: ("=", operator.eq),
    ast.NotEq: ("≠", operator.ne),
}
_ALLOWED = (
    *(*_ARITHMETIC, *_COMPARISONS),
    *(ast.Expression, ast.BinOp, ast.UnaryOp, ast.BoolOp, ast.Compare, ast.And, ast.Or, ast.Not, ast.Load),
)


@dataclass(frozen=True)
class Comparison:
    """One comparison, with both sides' values as text."""

    left: str
    sign: str
    right: str
    holds: bool

    def __str__(self) -> str:
        return f"{self.left} {self.sign} {self.right}"


@dataclass(frozen=True)
class Verdict:
    """Whether an expression is true, and what stood on both sides of each of its comparisons."""

    holds: bool
    is_sure: bool
    """Whether it is the same wherever its quantities lay between the rounds of their measurements."""
    comparisons: tuple[Comparison, ...]

    def __str__(self) -> str:
        return "; ".join(map(str, self.comparisons))


@dataclass(frozen=True)
class Expression:
    """An expression that passed the white list; `quantities` are the texts that stood in brackets."""

    text: str
    tree: ast.Expression
    quantities: tuple[str, ...]

    def evaluate(self, values: list[Value]) -> Verdict:
        """Whether the expression is true for these values of its quantities, and what was compared."""
        evaluator = _Evaluator(values)
        try:
            truth = evaluator.visit(self.tree.body)
        except ZeroDivisionError as error:
            raise BookError(f"'{self.text}' divides by zero") from error
        same_at_the_ends = truth.ends == (truth.number, truth.number)
        return Verdict(bool(truth.number), same_at_the_ends, tuple(evaluator.comparisons))

    @property
    def operands(self) -> list[Expression]:
        """What it joins by `and`, each an expression of its own; itself alone if it joins nothing so."""
        match self.tree.body:
            case ast.BoolOp(op=ast.And(), values=joined):
                return [compile_expression(self._written(one)) for one in joined]
        return [self]

    def _written(self, node: ast.AST) -> str:
        return _NAME.sub(lambda name: f"[{self.quantities[int(name[1])]}]", ast.unparse(node))

    def number(self, values: list[Value]) -> float:
        """What the arithmetic gives for these values of its quantities."""
        try:
            return float(_Evaluator(values).visit(self.tree.body).number)
        except ZeroDivisionError as error:
            raise BookError(f"'{self.text}' divides by zero") from error


def compile_expression(text: str) -> Expression:
    """Parse an expression and let only what is allowed through.

    Raises:
        BookError: it holds more than quantities, numbers, arithmetic, comparisons, and/or/not, min, max, abs;
            or it compares nothing or names no quantity, so that it could not turn out false.

    """
    expression = compile_arithmetic(text)
    if not any(isinstance(node, ast.Compare) for node in ast.walk(expression.tree)):
        raise BookError(f"'{text}' compares nothing, so it could not be false")
    return expression


def compile_arithmetic(text: str) -> Expression:
    """Parse an expression that need not compare anything, and let only what is allowed through.

    Raises:
        BookError: it holds more than `compile_expression` allows, or names no quantity.

    """
    quantities = tuple(match.strip() for match in _QUANTITY.findall(text))
    if _NAME.search(_QUANTITY.sub("", text)):
        raise BookError(f"'{text}': {_not_allowed(_NAME.search(_QUANTITY.sub('', text))[0])}")
    numbers = iter(range(len(quantities)))
    source = _PERCENT.sub(r"(\1/100)", _QUANTITY.sub(lambda _: f" q{next(numbers)} ", text)).strip()
    try:
        tree = ast.parse(source, mode="eval")
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise BookError(f"'{text}' is no expression: {error}") from error
    for node in ast.walk(tree):
        if not _is_allowed(node):
            raise BookError(f"'{text}': {_not_allowed(ast.unparse(node))}")
    if not quantities:
        raise BookError(f"'{text}' names no quantity in [brackets], so no result could make it false")
    return Expression(text, tree, quantities)


def _is_allowed(node: ast.AST) -> bool:
    match node:
        case ast.Constant(value=value):
            return type(value) in (int, float)
        case ast.Name(id=name):
            return name in _FUNCTIONS or _NAME.fullmatch(name) is not None
        case ast.Call(func=ast.Name(id=name), args=args, keywords=[]):
            return name in _FUNCTIONS and len(args) >= (1 if name == "abs" else 2)
    return isinstance(node, _ALLOWED)


def _not_allowed(what: str) -> str:
    allowed = "[quantities], numbers, + - * /, comparisons, and, or, not, min, max, abs"
    return f"'{what}' is not allowed; only {allowed} are"


@dataclass(frozen=True)
class _Term:
    """A number on its way through an expression; unit "" is a pure number, "?" a mixture that has no name.

    A truth is 1 or 0. The ends are the least and the greatest that it can be between the rounds.
    """

    number: float
    ends: Ends
    unit: str = ""
    text: str = ""

    def print(self, unit: str) -> str:
        """The number as text; a pure number takes the unit of what it is compared with."""
        if self.text:
            return self.text
        own = unit if self.unit in ("", "?") else self.unit
        return grouped_text(digits(self.number)) if own in ("", "?") else Value.of(self.number, own).text


class _Evaluator(ast.NodeVisitor):
    """Evaluates an allowed tree, carrying units along so that both sides of a comparison can be printed."""

    def __init__(self, values: list[Value]) -> None:
        self.values = values
        self.comparisons: list[Comparison] = []

    def visit_Constant(self, node: ast.Constant) -> _Term:
        return _Term(node.value, (node.value, node.value))

    def visit_Name(self, node: ast.Name) -> _Term:
        value = self.values[int(node.id[1:])]
        return _Term(value.number, value.ends, value.unit, value.text)

    def visit_UnaryOp(self, node: ast.UnaryOp) -> _Term:
        term = self.visit(node.operand)
        if isinstance(node.op, ast.Not):
            return _Term(not term.number, (not term.ends[1], not term.ends[0]))
        return _apply(_ARITHMETIC[type(node.op)], [term], term.unit)

    def visit_BinOp(self, node: ast.BinOp) -> _Term:
        left, right = self.visit(node.left), self.visit(node.right)
        unit = _unit_of(node.op, left.unit, right.unit)
        return _apply(_ARITHMETIC[type(node.op)], [left, right], unit)

    def visit_BoolOp(self, node: ast.BoolOp) -> _Term:
        return _joined(all if isinstance(node.op, ast.And) else any, list(map(self.visit, node.values)))

    def visit_Call(self, node: ast.Call) -> _Term:
        terms = [self.visit(part) for part in node.args]
        units = {term.unit for term in terms}
        function = _FUNCTIONS[node.func.id]
        term = _apply(function, terms, units.pop() if len(units) == 1 else "?")
        crosses = function is abs and terms[0].ends[0] < 0 < terms[0].ends[1]
        return replace(term, ends=(0, term.ends[1])) if crosses else term

    def visit_Compare(self, node: ast.Compare) -> _Term:
        terms = [self.visit(side) for side in (node.left, *node.comparators)]
        unit = next((term.unit for term in terms if term.unit not in ("", "?")), "")
        truths = []
        for left, op, right in zip(terms, node.ops, terms[1:], strict=False):
            sign, compare = _COMPARISONS[type(op)]
            truths.append(_apply(compare, [left, right], ""))
            holds = bool(truths[-1].number)
            self.comparisons.append(Comparison(left.print(unit), sign, right.print(unit), holds))
        return _joined(all, truths)


def _apply(function: Callable[..., float], terms: list[_Term], unit: str) -> _Term:
    """A function of terms; it is least and greatest where they are."""
    corners = [function(*corner) for corner in itertools.product(*(term.ends for term in terms))]
    number = function(*(term.number for term in terms))
    return _Term(number, (min(corners), max(corners)), unit)


def _joined(join: Callable[[Iterable[object]], bool], truths: list[_Term]) -> _Term:
    ends = (join(truth.ends[0] for truth in truths), join(truth.ends[1] for truth in truths))
    return _Term(join(truth.number for truth in truths), ends)


def _unit_of(op: ast.operator, left: str, right: str) -> str:
    if isinstance(op, ast.Div) and left == right != "":
        return "ratio"
    if isinstance(op, ast.Mult | ast.Div):
        return left if not right else right if not left and isinstance(op, ast.Mult) else "?"
    return left if left == right else left or right if not (left and right) else "?"
