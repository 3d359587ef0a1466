"""Chapter 5's figure of the rule: which factor the model finds best, and which one is."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from book.coarsening import Launch, ask, kernel_of, latency
from book.descriptions import Run, Variant
from book.documents import BookError
from book.keys import Parameters, Shape
from book.library import Library
from book.machine_code import Kernel
from figures.style import (
    BLUE,
    GRID,
    INK,
    MUTED,
    PURPLE,
    VERMILLION,
    WIDTH,
    Drawing,
    bare,
    legend_height,
    panel,
)

_CHAPTER, _WARP = 5, 32
_SCHEDULERS = 4
"""Of a multiprocessor; each issues a warp's instruction in a cycle."""
_LEAST_OF_REQUEST = 2
"""Cycles of the L1 that a request of loads takes at least: the law of the L1."""
_FACTORS = (1, 2, 4, 8, 16)
_MOST_LOSS = 0.05
"""A row with more is one in which the rule fails."""
_LEFT, _WIDE = 164, 31
"""Where the figure's columns begin, and how wide each is."""
_WAVEFRONTS = tuple(
    f"smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_{kind}.sum" for kind in ("ld", "st")
)


@dataclass(frozen=True)
class Case:
    """A step with a factor, at one of its sizes."""

    name: str
    step: str
    fixed: tuple[str, ...]
    """The parameters that stay."""
    axis: str
    shape: Shape


def _products() -> list[Case]:
    ways = (
        ("tile by tile", "tile-by-tile", ()),
        ("one side", "one-side", ()),
        ("both sides, 16 × 16", "both-sides", ("side=16",)),
        ("both sides, 32 × 32", "both-sides", ("side=32",)),
    )
    sizes = (4096, 1024)
    return [
        Case(f"{name}, {size}", step, fixed, "factor", (size, size, size))
        for name, step, fixed in ways
        for size in sizes
    ]


def _sums() -> list[Case]:
    ways = (("add, a block apart", 0), ("add, side by side", 1), ("add, vectors", 2))
    return [
        Case(f"{name}, 2{sup}", "several-elements", (f"lie={lie}", "ahead=1"), "elements", (count,))
        for name, lie in ways
        for count, sup in ((1 << 26, "²⁶"), (1 << 20, "²⁰"))
    ]


CASES = (*_products(), *_sums())


@dataclass(frozen=True)
class Option:
    """A factor of a case."""

    factor: int
    launch: Launch
    least: float
    """The least seconds, as the model has them."""
    measured: float | None
    """Seconds; None before they are published."""


def options(library: Library, case: Case) -> list[Option]:
    """The factors of a case that spill no register, in order.

    Raises:
        BookError: the step has none.

    """
    chosen = Parameters.parse(case.fixed)
    results = library.published(_CHAPTER)
    found: list[tuple[int, Launch, float | None]] = []
    for variant in library.descriptions(_CHAPTER).of(case.step):
        if not variant.parameters.includes(chosen):
            continue
        run = next(one for one in variant.runs if one.shape == case.shape)
        kernel = kernel_of(library, _CHAPTER, variant, run)
        if kernel.spills:
            continue
        measured = None
        if results is not None and not results.measurements.is_awaited(run.key):
            measured = results.measurements.find(run.key).median
        (factor,) = variant.parameters.get(case.axis) or (1,)
        launch = (_sum if len(case.shape) == 1 else _product)(library, variant, run, kernel)
        found.append((factor, launch, measured))
    if not found:
        raise BookError(f"chapter {_CHAPTER} has no {case.step} {' '.join(case.fixed)}")
    found.sort(key=lambda one: one[0])
    answers = ask(library, [launch for _, launch, _ in found])
    return [
        Option(factor, launch, answer.seconds, measured)
        for (factor, launch, measured), answer in zip(found, answers, strict=True)
    ]


def chosen(of_case: Sequence[Option]) -> Option:
    """What the rule says: the least time; of equal ones the smallest factor."""
    return min(of_case, key=lambda option: option.least)


def loss(of_case: Sequence[Option]) -> float | None:
    """How much longer the rule's choice takes than the best, as a share; None before it is measured."""
    times = [option.measured for option in of_case if option.measured is not None]
    mine = chosen(of_case).measured
    return mine / min(times) - 1 if mine is not None and len(times) == len(of_case) else None


def _product(library: Library, variant: Variant, run: Run, kernel: Kernel) -> Launch:
    """Step by step, a block waits for the L2 and then works through its machine code's loop."""
    (launch,) = run.launches
    m, n, k = run.shape
    warps = math.prod(launch.block) // _WARP
    depth = launch.block[0]
    counted = next(one for one in variant.runs if one.metrics is not None)
    (of_counted,) = counted.launches
    turns = math.prod(of_counted.grid) * warps * (counted.shape[2] // depth)
    wavefronts = sum((counted.metrics or {})[name] for name in _WAVEFRONTS) / turns
    loop = kernel.loop("FFMA").instructions
    loads = sum(one.opcode == "LDG" for one in loop)
    busiest = max(len(loop) / _SCHEDULERS, wavefronts + _LEAST_OF_REQUEST * loads)
    steps = k // depth
    return Launch(
        threads=math.prod(launch.block),
        registers=kernel.registers,
        shared=kernel.shared + launch.dynamic_shared,
        blocks=math.prod(launch.grid),
        works=steps * warps * busiest,
        waits=steps * latency(library, "l2-latency"),
        bytes=4.0 * (m * k + k * n + m * n),
        thread_bytes=4.0 * loads,
    )


def _sum(library: Library, variant: Variant, run: Run, kernel: Kernel) -> Launch:
    """A block waits for the DRAM once; what it moves is in flight at a time."""
    (launch,) = run.launches
    (count,) = run.shape
    (elements,) = variant.parameters.get("elements") or (1,)
    (threads,) = {math.prod(launch.block)}
    requests = sum(one.opcode in ("LDG", "STG") for one in kernel.instructions)
    (lie,) = variant.parameters.get("lie") or (0,)
    wavefronts = requests * (max(_LEAST_OF_REQUEST, elements) if lie == 1 else _LEAST_OF_REQUEST)
    warps = threads // _WARP
    return Launch(
        threads=threads,
        registers=kernel.registers,
        shared=0,
        blocks=math.prod(launch.grid),
        works=warps * max(len(kernel.instructions) / _SCHEDULERS, wavefronts),
        waits=latency(library, "dram-latency"),
        bytes=12.0 * count,
        thread_bytes=12.0 * elements,
    )


def rule(library: Library) -> Drawing:
    """A row for each case: the model's least time of each factor, its choice, and the best if measured."""
    rows = [(case, options(library, case)) for case in CASES]
    ring = {"marker": "s", "markersize": 11, "color": PURPLE, "fillstyle": "none"}
    handles = [
        Line2D([], [], linestyle="none", label="the rule", **ring),
        Line2D([], [], linestyle="none", marker="o", markersize=5, color=BLUE, label="the search"),
    ]
    high, top = 19, 40
    total = top + high * len(rows) + 12 + legend_height(handles)
    figure = Figure(figsize=(WIDTH / 72, total / 72))
    axes = bare(panel(figure, 0, 0, WIDTH, total))
    axes.set_xlim(0, WIDTH)
    axes.set_ylim(total, 0)
    axes.text(0, 10, "least time, divided by the smallest of its row", va="center", fontweight="bold")
    for place, factor in enumerate(_FACTORS):
        axes.text(_LEFT + _WIDE * (place + 0.5), 28, str(factor), ha="center", va="center", color=MUTED)
    axes.text(_LEFT + _WIDE * len(_FACTORS) + 4, 28, "loss", va="center", color=MUTED)
    words = []
    for number, (case, of_case) in enumerate(rows):
        words.append(_draw_case(axes, case, of_case, top + high * number + high / 2))
    figure.legend(handles=handles, loc="lower left", ncols=2, handletextpad=0.5, columnspacing=1.2)
    return Drawing(
        figure,
        "The rule's factor and the best one",
        "A table with a row for each step and size. " + " ".join(words),
    )


def _draw_case(axes: Axes, case: Case, of_case: Sequence[Option], y: float) -> str:
    mine = chosen(of_case)
    lost = loss(of_case)
    best = min(of_case, key=lambda option: option.measured or math.inf) if lost is not None else None
    axes.text(0, y, case.name, va="center", color=INK)
    for option in of_case:
        x = _LEFT + _WIDE * (_FACTORS.index(option.factor) + 0.5)
        axes.text(x, y, f"{option.least / mine.least:.2f}", ha="center", va="center", color=MUTED)
        if option is mine:
            axes.plot(
                [x - 15, x + 15, x + 15, x - 15, x - 15], [y - 8, y - 8, y + 8, y + 8, y - 8], color=PURPLE
            )
        if option is best:
            axes.plot([x + 15], [y - 8], "o", color=BLUE, markersize=5)
    axes.plot([_LEFT, _LEFT + _WIDE * len(_FACTORS)], [y + 9.5, y + 9.5], color=GRID, linewidth=0.6)
    said = "not measured yet" if lost is None else f"{100 * lost:.1f} %"
    fails = lost is not None and lost > _MOST_LOSS
    axes.text(
        _LEFT + _WIDE * len(_FACTORS) + 4,
        y,
        "–" if lost is None else said,
        va="center",
        color=VERMILLION if fails else BLUE,
    )
    return f"{case.name}: the rule says {mine.factor}; loss: {said}{', so the rule fails' if fails else ''}."


FIGURES = {"rule": rule}
