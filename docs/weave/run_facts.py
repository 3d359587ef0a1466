"""What results say of their run, in the words and units of the page."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from book.format import SPACE, digits, format_value
from weave.tables import NOTHING

LABELS = {
    "gpu, name": "GPU",
    "gpu, compute capability": "compute capability",
    "gpu, multiprocessors": "multiprocessors",
    "gpu, memory bytes": "memory",
    "gpu, memory bus bits": "width of the memory bus",
    "gpu, l2 bytes": "L2",
    "gpu, cards": "number of the card",
    "driver": "driver",
    "driver cuda": "CUDA version of the driver",
    "runtime": "CUDA runtime",
    "nvbench": "NVBench",
    "cublas": "cuBLAS",
    "compiler": "compiler",
    "commit": "commit",
    "date": "date",
    "rounds": "rounds",
    "clocks, sm mhz, default": "clock of the multiprocessors, default",
    "clocks, sm mhz, maximum": "clock of the multiprocessors, maximum",
    "clocks, sm mhz, highest": "clock of the multiprocessors, highest that was read",
    "clocks, memory mhz, default": "clock of the memory, default",
    "clocks, memory mhz, maximum": "clock of the memory, maximum",
    "clocks, memory mhz, highest": "clock of the memory, highest that was read",
    "clocks, throttle reasons": "what held the clock back",
    "ecc": "error correction (ECC)",
    "power limit w": "limit of the power",
    "highest power w": "highest power that was read",
    "highest temperature c": "highest temperature that was read",
}
"""What the results' keys are called on the page; one that is not here stands as it is."""
_UNITS = {"bits": "bits", "mhz": "MHz", "w": "W", "c": "°C"}


def facts(values: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, str]]:
    """Nested facts as pairs of a label and a text."""
    for key, value in values.items():
        name = f"{prefix}{key.replace('_', ' ')}"
        if isinstance(value, Mapping):
            yield from facts(value, f"{name}, ")
        elif value is not None:
            yield LABELS.get(name, name), _text(name, value)


def _text(name: str, value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list):
        return ", ".join(map(str, value)) or NOTHING
    if not isinstance(value, int | float):
        return str(value)
    words = name.replace(",", "").split()
    if "bytes" in words:
        return format_value(value, "B")
    unit = next((_UNITS[word] for word in words if word in _UNITS), None)
    return f"{digits(value, 4)}{SPACE}{unit}" if unit else str(value)
