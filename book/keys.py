"""What numbers are looked up by: a step, a shape, and the parameters of one of the step's variants."""

from __future__ import annotations

import difflib
import functools
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import prod
from typing import Any, Generic, TypeVar

from book.documents import BookError, MissingResultsError

Shape = tuple[int, ...]


@dataclass(frozen=True)
class Parameters:
    """The values of a variant's parameters, by name; hashable, in the order of the names."""

    values: tuple[tuple[str, tuple[int, ...]], ...] = ()

    @classmethod
    def of(cls, values: Mapping[str, Iterable[int]]) -> Parameters:
        """Parameters from a mapping, such as JSON has."""
        return cls(tuple(sorted((name, tuple(numbers)) for name, numbers in values.items())))

    @classmethod
    def parse(cls, words: Iterable[str]) -> Parameters:
        """Parameters from `block=32x8` and the like; BookError if a word is none."""
        found = {}
        for word in words:
            name, _, numbers = word.partition("=")
            try:
                found[name] = parse_shape(numbers)
            except BookError:
                name = ""
            if not name:
                raise BookError(f"'{word}' is not a parameter such as block=32x8")
        return cls.of(found)

    def get(self, name: str) -> tuple[int, ...] | None:
        """The values of one parameter; None if there is no such."""
        return dict(self.values).get(name)

    def without(self, name: str) -> Parameters:
        """All but one."""
        return Parameters(tuple(pair for pair in self.values if pair[0] != name))

    def includes(self, others: Parameters) -> bool:
        """Whether all of these others are among them."""
        return set(others.values) <= set(self.values)

    @property
    def brief(self) -> str:
        """As figures and tables write them: the block by its extents alone, `32×8 offset=3`."""
        block = "×".join(map(str, self.get("block") or ()))
        return " ".join(filter(None, (block, str(self.without("block")))))

    def __bool__(self) -> bool:
        return bool(self.values)

    def __str__(self) -> str:
        return " ".join(f"{name}={shape_text(numbers)}" for name, numbers in self.values)


@dataclass(frozen=True)
class Key:
    """One variant of a step at one shape; in a question, parameters may be left out."""

    step: str
    shape: Shape
    parameters: Parameters = field(default_factory=Parameters)

    @classmethod
    def of(cls, raw: Mapping[str, Any]) -> Key:
        """The key of a JSON object that has all three."""
        return cls(raw["step"], tuple(raw["shape"]), Parameters.of(raw["parameters"]))

    def __str__(self) -> str:
        return " ".join(filter(None, (self.step, shape_text(self.shape), str(self.parameters))))


@dataclass(frozen=True)
class Keyed:
    """What has a key."""

    key: Key

    @property
    def step(self) -> str:
        """The step's name."""
        return self.key.step

    @property
    def shape(self) -> Shape:
        """The problem's extents."""
        return self.key.shape

    @property
    def parameters(self) -> Parameters:
        """The variant of the step."""
        return self.key.parameters


Entry = TypeVar("Entry", bound=Keyed)


def _nothing(_: Key) -> bool:
    return False


@dataclass(frozen=True)
class Entries(Generic[Entry]):
    """Entries in their order, and the one look-up among them."""

    all: tuple[Entry, ...] = ()
    where: str = ""
    """What they are, in a message: `measured in …`."""
    defaults: Mapping[str, Parameters] = field(default_factory=dict)
    """Of each step, the variant that is meant when no parameters are named, or several fit."""
    awaited: Callable[[Key], bool] = _nothing
    """Whether it is known that there will be such an entry: programs say what is to be measured of them."""

    def __iter__(self) -> Iterator[Entry]:
        return iter(self.all)

    def __len__(self) -> int:
        return len(self.all)

    def exactly(self, key: Key) -> Entry | None:
        """The entry with just this key; None if there is none."""
        return self._by_key.get(key)

    def get(self, key: Key) -> Entry | None:
        """The entry whose parameters include the key's, of several the default; None if there is not one."""
        fitting = self._fitting(key)
        return fitting[0] if len(fitting) == 1 else None

    def find(self, key: Key) -> Entry:
        """The same; MissingResultsError if it is awaited, BookError with near matches if it is unknown."""
        fitting = self._fitting(key)
        if len(fitting) == 1:
            return fitting[0]
        if self.is_awaited(key):
            raise MissingResultsError(f"{key} is not published yet")
        of_step = [entry for entry in self.all if entry.step == key.step]
        if not of_step:
            hint = near(key.step, (entry.step for entry in self.all))
            raise BookError(f"no step {key.step} {self.where}{hint}")
        at_shape = [entry for entry in of_step if entry.shape == key.shape]
        if not at_shape:
            known = ", ".join(dict.fromkeys(shape_text(entry.shape) for entry in of_step))
            raise BookError(f"no {key.step} at {shape_text(key.shape)} {self.where}; there is {known}")
        wanted = f"{key.step} at {shape_text(key.shape)}, {key.parameters or 'without parameters'},"
        known = ", ".join(str(entry.parameters) for entry in at_shape)
        problem = "ambiguous" if fitting else "unknown"
        raise BookError(f"{wanted} is {problem} {self.where}; there is {known}")

    def is_awaited(self, key: Key) -> bool:
        """Whether there is no such entry, and there will be."""
        return not self._fitting(key) and self.awaited(key)

    @functools.cached_property
    def _by_key(self) -> dict[Key, Entry]:
        return {entry.key: entry for entry in reversed(self.all)}  # of two the first

    @functools.cached_property
    def _at(self) -> dict[tuple[str, Shape], list[Entry]]:
        found: dict[tuple[str, Shape], list[Entry]] = {}
        for entry in self.all:
            found.setdefault((entry.step, entry.shape), []).append(entry)
        return found

    def _fitting(self, key: Key) -> list[Entry]:
        at_shape = self._at.get((key.step, key.shape), ())
        fitting = [entry for entry in at_shape if entry.parameters.includes(key.parameters)]
        default = self.defaults.get(key.step)
        chosen = [entry for entry in fitting if entry.parameters == default]
        means_default = default is not None and not key.parameters
        return chosen if chosen or means_default else fitting


def near(name: str, names: Iterable[str]) -> str:
    """A half sentence that offers names like this one, or all of them if few."""
    known = list(dict.fromkeys(names))
    close = difflib.get_close_matches(name, known, n=3, cutoff=0.5)
    if close:
        return f"; did you mean {' or '.join(close)}?"
    return f"; there is {', '.join(known)}" if known else "; there is none"


def shape_text(shape: Sequence[int]) -> str:
    """A shape as the grammar writes it: 8192x8192."""
    return "x".join(map(str, shape))


def by_size(shape: Shape) -> tuple[int, Shape]:
    """The order in which shapes are shown: small ones first."""
    return prod(shape), shape


def parse_shape(text: str) -> Shape:
    """A shape from its text; BookError if it is none."""
    words = text.split("x")
    if not all(word.isascii() and word.isdigit() for word in words):
        raise BookError(f"'{text}' is not a shape such as 8192x8192")
    return tuple(map(int, words))
