"""Rooflines of a chapter's steps, each traffic on its own roof: wavefronts of the L1, bytes of the DRAM."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import ceil, floor, log2, log10

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from book import roofs
from book.documents import BookError
from book.keys import Key, Parameters, Shape
from book.library import Library
from book.metrics import METRICS
from book.results import Measurement, Results
from figures.style import BLUE, INK, MARK, MUTED, WIDTH, Drawing, panel

_DRAM = ("dram__bytes_read.sum", "dram__bytes_write.sum")
_CLOSE = 0.45
"""Factors of two in intensity and in rate within which points have one name."""
_NAME = 2.1
"""Factors of two in intensity that a step's name may take."""
_HIGH = 230
"""The height of a panel."""


@dataclass(frozen=True)
class Point:
    """A step: its operations for each unit of a traffic, and its rate."""

    step: str
    intensity: float
    rate: float


@dataclass(frozen=True)
class Roof:
    """A traffic, its unit, how much of it the card moves in a second, and the steps that cause it."""

    unit: str
    speed: float
    speed_words: str
    points: tuple[Point, ...]


def roofline(library: Library, chapter: int, left_out: frozenset[str]) -> Drawing:
    """Steps by their operations for each wavefront, and for each byte of the DRAM where that was counted.

    The rates are those at the page's shape; the roof of the wavefronts is one in each cycle of each
    multiprocessor, that of the DRAM the card's roof of a copy; the steps of `left_out` do not appear.
    """
    published, shape = library.require_published(chapter), library.measured(chapter)
    defaults = library.descriptions(chapter).defaults
    rates = _rates(published, shape, defaults)
    ceiling = _ceiling(published, shape)
    bandwidth = roofs.measured(roofs.Roof("dram-copy"), library).number
    cycles = ceiling.quantities["multiprocessors"].median * ceiling.meter["sm-mhz"].median * 1e6
    drawn = [
        Roof(
            "wavefront",
            cycles,
            "a wavefront in each cycle of each multiprocessor",
            _of_wavefronts(library, chapter, {step: rates[step] for step in rates.keys() - left_out}),
        ),
        Roof(
            "byte of the DRAM",
            bandwidth,
            f"{bandwidth / 1e12:.3g} TB/s, a copy",
            _of_dram(published, shape, {step: rates[step] for step in rates.keys() - left_out}, defaults),
        ),
    ]
    drawn = [roof for roof in drawn if roof.points]
    if not drawn:
        raise BookError(f"{published.path}: no timed step was counted to take a wavefront")
    figure = Figure(figsize=(WIDTH / 72, (_HIGH + 78) * len(drawn) / 72))
    for place, roof in enumerate(reversed(drawn)):
        axes = panel(figure, 34, place * (_HIGH + 78) + 46, WIDTH - 40, _HIGH)
        _draw(axes, roof, ceiling.performance)
        if other := library.one_beside(chapter):
            mine = _rates(other, shape, defaults)
            points = [(point.intensity, mine[point.step]) for point in roof.points if point.step in mine]
            axes.plot([x for x, _ in points], [y for _, y in points], marker="s", **MARK)
    return Drawing(
        figure,
        "The roofline of the steps",
        f"Rates against operations for each unit of a traffic, under the arithmetic ceiling of "
        f"{ceiling.performance / 1e12:.3g} TFLOP/s. {' '.join(map(_words, drawn))}",
    )


def _words(roof: Roof) -> str:
    steps = (f"{one.step}: {one.intensity:.3g}, {one.rate / 1e12:.3g} TFLOP/s" for one in roof.points)
    return f"For each {roof.unit}, whose roof is {roof.speed_words}: {'; '.join(steps)}."


def _draw(axes: Axes, roof: Roof, ceiling: float) -> None:
    xs, ys = [point.intensity for point in roof.points], [point.rate for point in roof.points]
    ridge = ceiling / roof.speed
    least, most = 2.0 ** floor(log2(min(*xs, ridge) / 2)), 2.0 ** (ceil(log2(max(*xs, ridge))) + 1)
    lowest = 10.0 ** floor(log10(min(ys)))
    axes.set_xscale("log", base=2)
    axes.set_yscale("log")
    axes.set_xlim(least, most)
    axes.set_ylim(lowest, 3 * ceiling)
    powers = [2.0**n for n in range(-16, 17, 2) if least < 2.0**n < most]
    axes.set_xticks(powers, [f"{x:g}" for x in powers])
    axes.set_xlabel(f"operations for each {roof.unit}")
    tens = [10.0**n for n in range(25) if lowest <= 10.0**n <= axes.get_ylim()[1]]
    axes.set_yticks(tens, [f"{rate / 1e12:g}" for rate in tens])
    axes.minorticks_off()
    axes.set_title("TFLOP/s", x=-0.06)
    axes.grid(axis="y")
    axes.plot([least, ridge, most], [roof.speed * least, ceiling, ceiling], color=INK)
    axes.plot(xs, ys, "o", color=BLUE)
    _label(axes, roof.points)


def _label(axes: Axes, points: Sequence[Point]) -> None:
    """Name the groups: one point to its right or above it, several downwards, or upwards past others."""
    groups = _groups(points)
    for group in groups:
        x, y = group[0].intensity, min(point.rate for point in group)
        names = [point.step for point in sorted(group, key=lambda point: point.rate)]
        first, last = names[0], names[-1]
        lower = [other[0] for other in groups if other[0].rate < y and _apart(other[0], group[0]) < _CLOSE]
        if lower and len(names) > 1:
            text = f"{first}{',' if len(names) == 2 else ' …'} {last}"
            x, y = group[-1].intensity, max(point.rate for point in group)
            at, how = (8, 16), {"ha": "right", "va": "bottom"}
        elif len(names) == 1 and any(_ends_at(other, group[0]) for other in groups):
            text, at, how = first, (0, 5), {"ha": "center", "va": "bottom"}
        elif len(names) == 1:
            text, at, how = first, (5, -4), {"ha": "left", "va": "top"}
        else:
            text = f"{first}{',' if len(names) == 2 else ' …'}\n{last}"
            at, how = (8, -10), {"rotation": 90, "ha": "center", "va": "top"}
        axes.annotate(text, (x, y), at, textcoords="offset points", color=MUTED, **how)


def _ends_at(names: Sequence[Point], point: Point) -> bool:
    """Whether the names of a group, which go downwards, would meet a name to the right of a point."""
    return len(names) > 1 and 0 < log2(names[0].intensity / point.intensity) < _NAME


def _apart(one: Point, other: Point) -> float:
    """How far two points stand apart in intensity, in factors of two."""
    return abs(log2(one.intensity / other.intensity))


def _groups(points: Sequence[Point]) -> list[list[Point]]:
    """Points that one name serves: each is close to another one of its group. From left to right."""
    groups: list[list[Point]] = []
    for point in points:
        near = [
            group
            for group in groups
            if any(_apart(point, one) < _CLOSE and abs(log2(point.rate / one.rate)) < _CLOSE for one in group)
        ]
        rest = [group for group in groups if group not in near]
        joined = [one for group in near for one in group] + [point]
        groups = [*rest, sorted(joined, key=lambda one: one.intensity)]
    return groups


def _of_wavefronts(library: Library, chapter: int, rates: dict[str, float]) -> tuple[Point, ...]:
    """Default variants by the data wavefronts that the emulator counted."""
    descriptions = library.descriptions(chapter)
    runs, defaults = descriptions.runs, descriptions.defaults
    found = []
    for entry in library.emulation(chapter).entries:
        wavefronts = entry.metrics.get(METRICS["data-wavefronts"], 0)
        if entry.step in rates and entry.parameters == defaults.get(entry.step) and wavefronts:
            operations = runs.find(entry.key).amounts.get("operations", 0)
            found.append(Point(entry.step, operations / wavefronts, rates[entry.step]))
    return tuple(sorted(found, key=lambda point: point.intensity))


def _of_dram(
    published: Results, shape: Shape, rates: Mapping[str, float], defaults: Mapping[str, Parameters]
) -> tuple[Point, ...]:
    """Default variants whose DRAM traffic was counted at the timed size."""
    found = []
    for entry in published.measurements:
        meant = entry.step in rates and entry.parameters == defaults.get(entry.step)
        counted = published.counters.exactly(entry.key) if meant and entry.shape == shape else None
        moved = sum(counted.metrics.get(name, 0) for name in _DRAM) if counted else 0
        if moved:
            found.append(Point(entry.step, entry.amounts["operations"] / moved, rates[entry.step]))
    return tuple(sorted(found, key=lambda point: point.intensity))


def _ceiling(results: Results, shape: Shape) -> Measurement:
    return results.measurements.find(Key(results.ceiling, shape))


def _rates(results: Results, shape: Shape, defaults: Mapping[str, Parameters]) -> dict[str, float]:
    """The default variants' rates, as cards and the ladder give them."""
    return {
        entry.step: entry.performance
        for entry in results.measurements
        if (entry.shape, entry.kind) == (shape, "step") and entry.parameters == defaults.get(entry.step)
    }
