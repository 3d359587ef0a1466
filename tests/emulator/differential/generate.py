"""Random programs that a compiler makes for both sides, host and GPU; a seed gives the same ones always."""

import argparse
import random
from dataclasses import dataclass, replace
from pathlib import Path

TYPES = {"i": "i32", "u": "u32", "l": "i64", "m": "u64", "f": "f32", "d": "f64"}
WIDE = {
    "i": "u",
    "u": "u",
    "l": "m",
    "m": "m",
}  # the unsigned type of the same width, in which nothing overflows
Operation = tuple[str, str, str]
"""The result's type, the operands' types, the C++."""


def wrapped(letter: str, operator: str) -> Operation:
    """An operation of integers that wraps around."""
    own, unsigned = TYPES[letter], TYPES[WIDE[letter]]
    return (
        letter,
        letter * 2,
        f"static_cast<{own}>(static_cast<{unsigned}>({{0}}) {operator} static_cast<{unsigned}>({{1}}))",
    )


def operations() -> list[Operation]:
    """All that a statement can compute."""
    found: list[Operation] = []
    for letter in "iulm":
        found += _of_integers(letter)
    found += [
        ("u", "uuu", "pick({0}, {1}, {2})"),
        ("u", "uuu", "funnel({0}, {1}, {2})"),
        ("i", "uui", "dot({0}, {1}, {2})"),
        ("u", "uuu", "apart({0}, {1}, {2})"),
        ("m", "uum", "(static_cast<u64>({0}) * {1} + {2})"),
        ("u", "uuu", "(({0} & {1}) ^ (~{0} & {2}))"),
        ("f", "u", "float_of({0})"),
        ("d", "m", "double_of({0})"),
        ("u", "f", "bits_of({0})"),
        ("m", "d", "bits_of({0})"),
        ("f", "d", "static_cast<f32>({0})"),
        ("d", "f", "static_cast<f64>({0})"),
        ("f", "f", "saturated({0})"),
        ("f", "f", "halved({0})"),
        ("f", "ff", "half_sum({0}, {1})"),
        ("f", "ff", "half_product({0}, {1})"),
    ]
    for letter, prefix in (("f", ""), ("d", "d")):
        found += _of_floats(letter, prefix)
    return found


def _of_integers(letter: str) -> list[Operation]:
    own = TYPES[letter]
    bits = 31 if letter in "iu" else 63
    found = [wrapped(letter, operator) for operator in "+-*&|^"]
    found += [
        (letter, letter * 2, "quotient_of({0}, {1})"),
        (letter, letter * 2, "remainder_of({0}, {1})"),
        (letter, letter + "u", f"static_cast<{own}>({{0}} >> ({{1}} & {bits}))"),
        (letter, letter + "u", f"static_cast<{own}>(bits_of({{0}}) << ({{1}} & {bits}))"),
        (letter, letter * 2, "high({0}, {1})"),
        (letter, letter * 3, "({0} < {1} ? {2} : {0})"),
        (letter, letter * 2, "({0} > {1} ? {0} : {1})"),
        (letter, letter, f"static_cast<{own}>(~bits_of({{0}}))"),
        ("i", letter, "zeros(bits_of({0}))"),
        ("i", letter, "ones(bits_of({0}))"),
        (letter, letter, f"static_cast<{own}>(mirrored(bits_of({{0}})))"),
        ("f", letter, "static_cast<f32>({0})"),
        ("d", letter, "static_cast<f64>({0})"),
        (letter, "f", f"to_{own}({{0}})"),
        (letter, "d", f"to_{own}({{0}})"),
    ]
    found += [(letter, other, f"static_cast<{own}>({{0}})") for other in "iulm" if other != letter]
    found += [
        (letter, "u", f"static_cast<{own}>(static_cast<std::{sign}int{width}_t>({{0}}))")
        for sign in ("", "u")
        for width in (8, 16)
    ]
    return found


def _of_floats(letter: str, prefix: str) -> list[Operation]:
    found = [(letter, letter * 2, f"({{0}} {operator} {{1}})") for operator in "+-*/"]
    found += [
        (
            letter,
            letter * count,
            f"{prefix}{name}({', '.join(f'{{{min(k, count - 1)}}}' for k in range(3))})",
        )
        for name, count in (
            ("add_rz", 2),
            ("add_rd", 2),
            ("add_ru", 2),
            ("mul_rz", 2),
            ("mul_rd", 2),
            ("mul_ru", 2),
            ("quotient_rz", 2),
            ("quotient_rd", 2),
            ("quotient_ru", 2),
            ("root_rz", 1),
            ("root_rd", 1),
            ("root_ru", 1),
            ("fused_rz", 3),
        )
    ]
    found += [
        (letter, letter * 3, "std::fma({0}, {1}, {2})"),
        (letter, letter, "std::sqrt({0})"),
        (letter, letter, "std::fabs({0})"),
        (letter, letter, "-{0}"),
        (letter, letter, "std::floor({0})"),
        (letter, letter, "std::ceil({0})"),
        (letter, letter, "std::trunc({0})"),
        (letter, letter, "std::rint({0})"),
        (letter, letter * 2, "std::copysign({0}, {1})"),
        (letter, letter * 2, "least({0}, {1})"),
        (letter, letter * 2, "most({0}, {1})"),
        (letter, letter * 3, "({0} < {1} ? {2} : {0})"),
        (letter, letter * 3, "({0} != {1} ? {2} : {1})"),
        ("i", letter * 2, "({0} <= {1} ? 1 : 0)"),
        ("u", letter * 2, "({0} >= {1} ? 7u : 0u)"),
    ]
    return found


OPERATIONS = operations()


@dataclass(frozen=True)
class Statement:
    """`target = C++ of operands`; done only under a condition, or so many times."""

    target: str
    text: str
    operands: tuple[str, ...]
    guard: str = ""  # "if (…)" or "for (…)"
    guard_operands: tuple[str, ...] = ()

    def cpp(self) -> str:
        """The statement in C++."""
        body = f"{self.target} = {self.text.format(*self.operands)};"
        return f"  {self.guard.format(*self.guard_operands)} {{ {body} }}" if self.guard else f"  {body}"


@dataclass(frozen=True)
class Program:
    """A function of an input, which gives 64 bits."""

    statements: tuple[Statement, ...]

    def without(self, index: int) -> "Program":
        """The program without one of its statements."""
        return Program(self.statements[:index] + self.statements[index + 1 :])

    def unguarded(self, index: int) -> "Program":
        """The program in which one statement is always done."""
        changed = replace(self.statements[index], guard="", guard_operands=())
        return Program((*self.statements[:index], changed, *self.statements[index + 1 :]))

    def cpp(self, number: int) -> str:
        """The function and its kernel."""
        used = {s.target for s in self.statements}
        used |= {name for s in self.statements for name in (*s.operands, *s.guard_operands)}
        lines = [f"__host__ __device__ u64 program_{number}(const Input& in) {{"]
        lines += [f"  {TYPES[name[0]]} {name} = in.{name[0]}[{name[1]}];" for name in sorted(used)]
        lines += [statement.cpp() for statement in self.statements]
        lines += ["  u64 result = 1;"]
        lines += [
            f"  result = (result ^ bits_of({name})) * 0x100000001b3u;"
            for name in sorted({s.target for s in self.statements})
        ]
        lines += ["  return result ^ result >> 29;", "}"]
        lines += [
            f"__global__ void kernel_{number}(const Input* in, u64* out, int count) {{",
            "  const int at = blockIdx.x * blockDim.x + threadIdx.x;",
            f"  if (at < count) out[at] = program_{number}(in[at]);",
            "}",
        ]
        return "\n".join(lines)


def make_program(seed: int) -> Program:
    """A random program: 6 to 24 statements on three variables of each type."""
    chance = random.Random(seed)

    def variable(letter: str) -> str:
        return letter + str(chance.randrange(3))

    statements = []
    for _ in range(chance.randint(6, 24)):
        result, operands, text = chance.choice(OPERATIONS)
        guard, guard_operands = "", ()
        if chance.random() < 0.3:
            letter = chance.choice("iulmfd")
            if chance.random() < 0.5:
                guard, guard_operands = (
                    f"if ({{0}} {chance.choice(['<', '>', '==', '!='])} {{1}})",
                    (variable(letter), variable(letter)),
                )
            else:
                guard, guard_operands = "for (u32 n = {0} & 3; n != 0; --n)", (variable("u"),)
        target = variable(result)
        names = tuple(variable(o) for o in operands)
        statements.append(Statement(target, text, names, guard, guard_operands))
    return Program(tuple(statements))


def source(programs: list[Program]) -> str:
    """A CUDA program that holds all of them."""
    parts = ['#include "harness.cuh"\n']
    parts += [program.cpp(number) for number, program in enumerate(programs)]
    parts.append("int main(int argc, char** argv) {")
    parts.append('  const bool record = argc > 1 && std::strcmp(argv[1], "record") == 0;')
    parts.append(
        "  const std::vector<Input> given = inputs(argc > 2 ? std::strtoull(argv[2], nullptr, 0) : 1, 1024);"
    )
    parts.append("  bool same = true;")
    parts += [
        f"  same = hold({n}, kernel_{n}, program_{n}, given, record) && same;" for n in range(len(programs))
    ]
    parts.append("  return same ? 0 : 1;\n}\n")
    return "\n".join(parts)


def main() -> None:
    """Writes the programs of a range of seeds."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("output", type=Path)
    parser.add_argument("--first", type=int, default=0, help="seed of the first program")
    parser.add_argument("--count", type=int, default=40)
    options = parser.parse_args()
    seeds = range(options.first, options.first + options.count)
    options.output.write_text(source([make_program(seed) for seed in seeds]))


if __name__ == "__main__":
    main()
