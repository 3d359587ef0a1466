"""What the L2 keeps of an array that is read again."""

from __future__ import annotations

from book.descriptions import Variant
from book.documents import MissingResultsError
from book.library import Library
from book.results import Results
from figures.style import GRID, MARKERS, MUTED, SERIES, Drawing, canvas

_MIB = 1 << 20


def survival(library: Library) -> Drawing:
    """What of a working set the L2 still has at the next reading, by the bytes that the DRAM gives."""
    results = library.require_published(1)
    variants = library.descriptions(1).of("read-again")
    figure, axes = canvas(214, left=46, right=12, top=58, bottom=40)
    try:
        curves = [_survivors(results, variant) for variant in variants]
    except MissingResultsError:
        axes.text(0.5, 0.5, "not measured yet", transform=axes.transAxes, ha="center", color=MUTED)
        axes.set_xticks([])
        axes.set_yticks([])
        return Drawing(
            figure,
            "What survives in the L2",
            "Not measured yet: no GPU's results are published for what this figure shows.",
        )
    names = ("each line has one reader", "another reader in each turn")
    for curve, name, color, marker in zip(curves, names, SERIES, MARKERS, strict=False):
        axes.plot(*zip(*curve, strict=True), color=color, marker=marker, label=name)
    size = results.gpu["l2_bytes"] / _MIB
    for part, name in ((size / 2, "half of the L2"), (size, "the L2")):
        axes.axvline(part, color=MUTED, linestyle=":")
        axes.annotate(name, (part, 18), (3, 0), textcoords="offset points", color=MUTED)
    axes.set_ylim(0, 104)
    axes.set_xlabel("working set, MiB")
    axes.set_title("survivors, %")
    axes.grid(color=GRID)
    figure.legend(loc="upper left")
    words = "; ".join(
        f"{name}: {', '.join(f'{share:.0f} % at {mib:.0f} MiB' for mib, share in curve)}"
        for curve, name in zip(curves, names, strict=True)
    )
    return Drawing(figure, "What survives in the L2", f"Two curves over the working set. {words}.")


def _survivors(results: Results, variant: Variant) -> list[tuple[float, float]]:
    """Of each working set its size in MiB and what survives of it in per cent."""
    curve = []
    for run in variant.runs:
        if run.shape not in variant.measured:
            continue
        size = 4 * run.shape[0]
        turns = run.amounts["bytes"] // size
        missed = results.counters.find(run.key).metrics["dram__bytes_read.sum"] - size
        curve.append((size / _MIB, max(0.0, 100 * (1 - missed / (size * (turns - 1))))))
    return curve


FIGURES = {"survival": survival}
