"""A step along one of its axes."""

from __future__ import annotations

from dataclasses import dataclass

from book.descriptions import Variant
from book.documents import BookError
from book.format import times
from book.library import Library


@dataclass(frozen=True)
class Sweep:
    """The variants of a step that differ in one parameter alone.

    They stand in the step's order, in which the default one is first: where others ascend, it is put among
    them.
    """

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
    along = [variant for variant in variants if variant.parameters.without(axis) == others]

    def value(variant: Variant) -> tuple[int, ...]:
        return variant.parameters.get(axis) or ()

    if along[1:] == sorted(along[1:], key=value):
        along.sort(key=value)
    return Sweep(chapter, step, axis, tuple(along))
