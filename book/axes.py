"""A step along one of its axes."""

from __future__ import annotations

from dataclasses import dataclass

from book.descriptions import Variant
from book.documents import BookError
from book.format import times
from book.library import Library


@dataclass(frozen=True)
class Sweep:
    """The variants of a step that differ in one parameter alone, in their order."""

    chapter: int
    step: str
    axis: str
    variants: tuple[Variant, ...]

    @property
    def values(self) -> list[str]:
        """What the parameter is in each."""
        return [times(variant.parameters.get(self.axis) or ()) for variant in self.variants]


def find_sweep(library: Library, chapter: int, step: str, axis: str) -> Sweep:
    """The variants along an axis, all else as in the default one; BookError if there is no such axis."""
    variants = library.descriptions(chapter).of(step)
    default = next((variant for variant in variants if variant.is_default), None)
    if default is None or axis not in default.axes:
        raise BookError(f"{step} has no axis {axis}")
    others = default.parameters.without(axis)
    along = tuple(variant for variant in variants if variant.parameters.without(axis) == others)
    return Sweep(chapter, step, axis, along)
