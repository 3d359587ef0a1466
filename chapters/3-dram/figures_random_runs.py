"""What the model of the cards' memories predicts for random runs."""

from __future__ import annotations

from book.format import digits
from book.library import Library
from book.memories import memories, runs
from figures.style import MARKERS, MUTED, SERIES, Drawing, canvas

_WAYS = {"all-banks": ("-", "all banks at once"), "bank-by-bank": ("--", "bank by bank")}

_QUEUE = 64
"""Requests of a pseudo-channel from which its controller chooses."""


def random_runs(library: Library) -> Drawing:
    """GB/s over the length of a run, for both cards and both ways of refreshing."""
    known, simulated = memories(library), runs(library)
    figure, axes = canvas(270, left=60, right=12, top=6, bottom=84)
    words = []
    for card, colour, marker in zip(("h200", "h100"), SERIES, MARKERS, strict=False):
        name = known[card]["name"]
        axes.axhline(known[card]["peak"], color=MUTED, linewidth=1, linestyle=":")
        axes.annotate(
            f"the pins of an {card.upper()}",
            (16_384, known[card]["peak"]),
            (0, 3),
            textcoords="offset points",
            color=MUTED,
            ha="right",
        )
        for way, (line, label) in _WAYS.items():
            of_way = [
                run
                for run in simulated
                if (run["memory"], run["refresh"], run["queue"]) == (card, way, _QUEUE)
            ]
            sizes, rates = [run["bytes"] for run in of_way], [run["rate"] for run in of_way]
            axes.plot(
                sizes,
                rates,
                color=colour,
                linestyle=line,
                marker=marker,
                markersize=4,
                label=f"{card.upper()}, {label}",
            )
            words.append(f"{name}, refreshed {label}: {', '.join(digits(rate) for rate in rates[:4])}")
    axes.set_xscale("log", base=2)
    axes.set_xlim(28, 18_000)
    axes.set_ylim(0, 5400)
    axes.set_xticks([32, 128, 512, 2048, 8192], ["32", "128", "512", "2 Ki", "8 Ki"])
    axes.set_xlabel("bytes of a run")
    axes.set_ylabel("GB/s")
    figure.legend(loc="lower left", ncols=2, columnspacing=0.8, handlelength=2)
    return Drawing(
        figure,
        "Predicted: random runs of the cards' memories",
        "Lines that rise to 128 bytes and are level from 256 bytes on. GB/s at 32, 64, 128 and 256 bytes: "
        f"{'; '.join(words)}.",
    )


FIGURES = {"random-runs": random_runs}
