"""Numbers as the book prints them: value, no-break space, unit."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal

MINUS = "\N{MINUS SIGN}"
NARROW = "\N{NARROW NO-BREAK SPACE}"
SPACE = "\N{NO-BREAK SPACE}"
_RAISED = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")

_SCALES: dict[str, list[tuple[float, str]]] = {
    "s": [(1, "s"), (1e-3, "ms"), (1e-6, "µs"), (1e-9, "ns")],
    "s each": [(1e-6, "µs each"), (1e-9, "ns each")],
    "B": [(1e9, "GB"), (1e6, "MB"), (1e3, "kB")],
    "flop": [(1e12, "TFLOP"), (1e9, "GFLOP"), (1e6, "MFLOP")],
    "KiB": [(1024, "KiB")],
    "B/s": [(1e12, "TB/s"), (1e9, "GB/s")],
    "flop/s": [(1e12, "TFLOP/s"), (1e9, "GFLOP/s")],
    "elements/s": [(1e12, "T elements/s"), (1e9, "G elements/s"), (1e6, "M elements/s")],
}


def format_value(number: float, unit: str) -> str:
    """A number in SI as text, rounded to what its measurement bears.

    Units: `s`, `s each`, `B/s`, `flop/s`, `elements/s` (three digits, scaled), `share` (a fraction, in per
    cent), `percent`, `ratio`, `count` (digits in groups of three), `average` (a count per something); any
    other stands after three digits.
    """
    match unit:
        case "share":
            percent = 100 * number
            decimals = 0 if 9.95 <= percent < 89.5 or percent >= 110 else 1
            return f"{_fixed(percent, decimals)}{SPACE}%"
        case "ratio":
            return _fixed(number, 2 if number < 1.195 else 1 if number < 9.95 else 0)
        case "count":
            return grouped(number)
        case "percent":
            return f"{digits(number)}{SPACE}%"
        case "average":
            return grouped(number) if number == round(number) else _fixed(number, 2)
        case "MHz":
            return f"{grouped(round(number))}{SPACE}MHz"
        case "" | "1" if number == round(number):
            return grouped(number)
    if unit not in _SCALES:  # a step's own: `cycles`, `J`; 1 is that of a pure number
        return f"{digits(number)}{SPACE}{unit}" if unit not in ("", "1") else digits(number)
    scale, name = scale_of(number, unit)
    return f"{digits(number / scale)}{SPACE}{name}"


def format_published(value: float, unit: str) -> str:
    """A source's number, rounded as the book's own are; counts keep all their digits."""
    match unit:
        case "s":
            return format_value(value, "s")
        case "GB/s" | "GFLOP/s":
            return format_value(value * 1e9, "B/s" if unit == "GB/s" else "flop/s")
        case "%":
            return format_value(value, "percent")
    return as_published(value, unit)


def as_published(value: float, unit: str) -> str:
    """A source's number with the digits that it published."""
    text = grouped_text(plain(Decimal(str(value))))
    return text if unit in ("", "per request", "not given") else f"{text}{SPACE}{unit}"


def times(shape: Sequence[int]) -> str:
    """A shape as the book prints it: 8192 × 8192; the length of a vector may be a power of two: 2²⁶.

    A product of square matrices has one extent alone: 4096³.
    """
    if len(shape) == 1 and shape[0] >= 1 << 16 and shape[0].bit_count() == 1:
        return "2" + str(shape[0].bit_length() - 1).translate(_RAISED)
    if len(shape) == 3 and len(set(shape)) == 1:
        return f"{shape[0]}³"
    if len(shape) == 1:
        return grouped(shape[0])
    return f"{SPACE}×{SPACE}".join(map(str, shape))


def digits(number: float, significant: int = 3) -> str:
    """A number with so many significant digits, never in powers of ten."""
    if number == 0:
        return "0"
    rounded = Decimal(f"{number:.{significant - 1}e}")
    return _signed(f"{rounded:f}")


def grouped(number: float) -> str:
    """A count with its digits in groups of three: 1 048 576; a fraction below 1000 keeps two decimals."""
    whole = number == round(number) or abs(number) >= 1000
    return grouped_text(str(round(number)) if whole else f"{number:.2f}")


def grouped_text(text: str) -> str:
    """Digits in groups of three; four digits stay together."""
    whole, _, fraction = text.lstrip(f"-{MINUS}").partition(".")
    if len(whole) > 4:
        whole = f"{int(whole):,}".replace(",", NARROW)
    sign = MINUS if text.startswith(("-", MINUS)) else ""
    return f"{sign}{whole}.{fraction}" if fraction else f"{sign}{whole}"


def plain(number: Decimal) -> str:
    """A decimal number without powers of ten and trailing zeros."""
    text = f"{number:f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def _fixed(number: float, decimals: int) -> str:
    return _signed(f"{number:.{decimals}f}")


def _signed(text: str) -> str:
    """A hyphen may part a number from its sign at the end of a line."""
    return text.replace("-", MINUS)


def scale_of(number: float, unit: str) -> tuple[float, str]:
    """By what numbers of about this size are divided, and the unit that they are then printed in."""
    scales = _SCALES.get(unit, [(1, unit)])
    return next((pair for pair in scales if abs(number) >= 0.9995 * pair[0]), scales[-1])
