"""Timelines of a memory with real times, drawn from the commands that its controller gives."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from book.format import digits
from book.library import Library
from book.memories import trace
from figures.memory import cells
from figures.style import (
    GRID,
    INK,
    MOVED,
    MUTED,
    ORANGE,
    PAPER,
    PURPLE,
    VERMILLION,
    WIDTH,
    Drawing,
    bare,
    legend_height,
    panel,
)

_LEFT, _RIGHT, _TITLE, _BUS, _AXIS = 64, 16, 20, 14, 18
"""Where time begins, what is left free behind its end, and the heights of a caption, the bus and the axis."""

_THIN, _LETTERS = 8, 14
"""Rows of banks below these heights show no rows and reads, or not which row it is."""

_PARTED = 3
"""A line parts bursts that are wider than this."""

_CLOSING = {"facecolor": "none", "edgecolor": MUTED, "hatch": "/////", "hatchcolor": MUTED, "linewidth": 0.7}

Span = tuple[float, float]
"""From when to when."""

_GROUPS_FIRST = [16 * stack + 4 * group for stack in range(2) for group in range(4)]
"""A bank of each bank group of a pseudo-channel of HBM3: four groups of four banks for each stack ID."""

_HANDLES = {
    "opening": Patch(label="a row is opened", **MOVED),
    "closing": Patch(label="a row is closed", **_CLOSING),
    "read": Line2D([], [], color=INK, linewidth=1.2, label="a read"),
    "write": Line2D([], [], color=VERMILLION, linewidth=1.2, linestyle=(0, (2, 1)), label="a write"),
    "burst": Patch(color=PURPLE, label="its burst"),
    "refresh": Patch(color=ORANGE, label="a refresh"),
}


@dataclass(frozen=True)
class _Panel:
    """What one timeline shows: a question to the model, and the banks that are drawn."""

    title: str
    question: Mapping[str, Any]
    banks: Mapping[int, str]
    """Each bank's number, and what stands in front of its row."""
    pitch: float = 20

    @property
    def height(self) -> float:
        return _TITLE + self.pitch * len(self.banks) + 3 + _BUS + 8


class _Trace:
    """The commands that answer a question, in nanoseconds."""

    def __init__(self, library: Library, question: Mapping[str, Any]) -> None:
        answer = trace(library, question)
        memory = answer["memory"]
        self.lines = [{**line, "ns": line["tick"] * memory["tick_ns"]} for line in answer["trace"]]
        self.of = {time["symbol"]: time["ns"] for time in memory["times"]}

    def of_kind(self, command: str, banks: Iterable[int]) -> list[dict[str, Any]]:
        """The commands of one kind to some banks."""
        wanted = set(banks)
        return [line for line in self.lines if line["command"] == command and line["bank"] in wanted]

    def at(self, command: str, banks: Iterable[int]) -> list[float]:
        """When they come."""
        return [line["ns"] for line in self.of_kind(command, banks)]

    def spans(self, command: str, symbol: str, banks: Iterable[int]) -> list[Span]:
        """From each of them on, for as long as one of the memory's times."""
        return [(ns, ns + self.of[symbol]) for ns in self.at(command, banks)]

    def begins(self, banks: Iterable[int]) -> list[float]:
        """When the data of each read and write begin."""
        read = (ns + self.of["CL"] for ns in self.at("read", banks))
        return sorted((*read, *(ns + self.of["CWL"] for ns in self.at("write", banks))))

    def bursts(self, banks: Iterable[int]) -> list[Span]:
        """When the bus carries data; bursts that follow each other without a pause are one."""
        pieces: list[Span] = []
        for begin in self.begins(banks):
            joined = pieces and begin - pieces[-1][1] < 1e-6
            first = pieces.pop()[0] if joined else begin
            pieces.append((first, begin + self.of["BL"]))
        return pieces


@dataclass(frozen=True)
class _Time:
    """Where in a drawing a time lies: its plot, and the last nanosecond that is drawn."""

    axes: Axes
    end: float

    def x(self, ns: float) -> float:
        """A place from left to right; the end for all that comes later."""
        return _LEFT + min(ns, self.end) / self.end * (WIDTH - _LEFT - _RIGHT)

    def boxes(self, spans: Iterable[Span], top: float, height: float, **paint: object) -> None:
        """Draw what lasts from one time to another."""
        drawn = [(self.x(begin), top, self.x(until) - self.x(begin), height) for begin, until in spans]
        cells(self.axes, [box for box in drawn if box[2] > 0], **paint)

    def marks(self, times: Iterable[float], top: float, height: float, **paint: object) -> None:
        """Draw what happens at some times."""
        for ns in times:
            if ns < self.end:
                self.axes.plot([self.x(ns)] * 2, [top, top + height], clip_on=False, **paint)


def _draw(
    library: Library, words: tuple[str, str], panels: Sequence[_Panel], *, end: float, step: int, shown: str
) -> Drawing:
    """Timelines over each other, from 0 to `end` nanoseconds; `words` are a title and what the rows are."""
    handles = [_HANDLES[name] for name in shown.split()]
    total = sum(one.height for one in panels) + _AXIS + 6 + legend_height(handles)
    figure = Figure(figsize=(WIDTH / 72, total / 72))
    axes = bare(panel(figure, 0, 0, WIDTH, total))
    axes.set_xlim(0, WIDTH)
    axes.set_ylim(total, 0)
    time = _Time(axes, end)
    top, told = 0.0, []
    for one in panels:
        axes.text(0, top + 8, one.title, va="center")
        bursts = _timeline(time, _Trace(library, one.question), one, top + _TITLE)
        said = ", ".join(digits(begin) for begin, _ in bursts[:4])
        told.append(f"{one.title}: data on the bus from {said} ns" + (" and on" if bursts[4:] else ""))
        top += one.height
    for ns in range(0, int(end) + 1, step):
        axes.text(time.x(ns), top + 4, str(ns), ha="center", va="center", color=MUTED)
    axes.text(0, top + 4, "ns", va="center", color=MUTED)
    figure.legend(handles=handles, loc="lower left", ncols=2, handlelength=1, columnspacing=1.2)
    return Drawing(figure, words[0], f"Time from left to right. {words[1]} {'. '.join(told)}.")


def _timeline(time: _Time, given: _Trace, one: _Panel, top: float) -> list[Span]:
    """Draw a panel below its caption; returns when the bus carries data."""
    for index, (bank, label) in enumerate(one.banks.items()):
        _bank(time, given, bank, top + one.pitch * index, one.pitch)
        time.axes.text(0, top + one.pitch * (index + 0.5) - 1, label, va="center")
    height = one.pitch * len(one.banks)
    time.boxes(given.spans("refresh all", "tRFCab", one.banks), top, height, facecolor=ORANGE)
    bus, bursts = top + height + 3, given.bursts(one.banks)
    time.boxes(bursts, bus, _BUS, facecolor=PURPLE)
    if time.x(given.of["BL"]) - time.x(0) > _PARTED:  # bursts without a pause between them
        ends = (begin + given.of["BL"] for begin in given.begins(one.banks))
        time.marks(ends, bus, _BUS, color=PAPER, linewidth=1)
    time.boxes([(0, time.end)], bus, _BUS, facecolor="none", edgecolor=GRID, linewidth=1)
    time.axes.text(0, bus + _BUS / 2, "data bus", va="center")
    return bursts


def _bank(time: _Time, given: _Trace, bank: int, top: float, pitch: float) -> None:
    time.boxes(given.spans("refresh bank", "tRFCpb", [bank]), top, pitch, facecolor=ORANGE)
    if pitch < _THIN:
        return
    height = pitch - 3
    opened, closed = given.at("activate", [bank]), given.at("precharge", [bank])
    kept = list(zip(opened, [*closed, time.end], strict=False))
    time.boxes(kept, top, height, facecolor="none", edgecolor=MUTED, linewidth=0.7)
    time.boxes(given.spans("activate", "tRCDRD", [bank]), top, height, **MOVED)
    time.boxes(given.spans("precharge", "tRP", [bank]), top, height, **_CLOSING)
    time.marks(given.at("read", [bank]), top, height, color=INK, linewidth=1.2)
    time.marks(given.at("write", [bank]), top, height, color=VERMILLION, linewidth=1.2, linestyle=(0, (2, 1)))
    if pitch > _LETTERS:
        for line in given.of_kind("activate", [bank]):
            if line["ns"] < time.end:
                middle = time.x(line["ns"] + given.of["tRCDRD"] / 2)
                time.axes.text(middle, top + height / 2, f"{line['row']}", ha="center", va="center")


def one_bank(library: Library) -> Drawing:
    """Two bursts of a row, then one of another row of the same bank."""
    requests = [{"bank": 0, "column": 0}, {"bank": 0, "column": 1}, {"bank": 0, "row": 1}]
    return _draw(
        library,
        ("Two bursts of a row, then one of another row", "A row for the bank, one for the bus."),
        [_Panel("One bank: two bursts of row 0, then one of row 1", {"requests": requests}, {0: "bank 0"})],
        end=82,
        step=20,
        shown="opening closing read burst",
    )


def two_banks(library: Library) -> Drawing:
    """Reads of two open rows, in one bank group and in two."""

    def reads(other: int) -> dict[str, Any]:
        return {"requests": [{"bank": bank, "bursts": 6} for bank in (0, other)]}

    return _draw(
        library,
        ("Two banks of one group, and of two groups", "A row for each bank, one for the bus."),
        [
            _Panel("Two banks of one bank group", reads(1), {0: "bank 0", 1: "bank 1"}),
            _Panel("Two banks of different bank groups", reads(4), {0: "bank 0", 4: "bank 4"}),
        ],
        end=66,
        step=10,
        shown="opening read burst",
    )


def window(library: Library) -> Drawing:
    """One burst from each of many rows."""
    banks = [*_GROUPS_FIRST[:8], *(bank + 1 for bank in _GROUPS_FIRST[:2])]
    labels = {bank: f"bank {bank}" if bank in (banks[0], banks[-1]) else "" for bank in banks}
    requests = [{"bank": bank} for bank in banks]
    return _draw(
        library,
        ("Four rows in each window", "A row for each of ten banks; they are opened one after the other."),
        [_Panel("One burst from each of ten rows", {"requests": requests}, labels, pitch=11)],
        end=72,
        step=15,
        shown="opening read burst",
    )


def schedulers(library: Library) -> Drawing:
    """The same requests, to two rows by turns, served in two orders."""
    requests = [{"bank": 0, "row": n % 2, "column": n // 2} for n in range(6)]

    def served(scheduler: str) -> dict[str, Any]:
        return {"scheduler": scheduler, "requests": requests}

    return _draw(
        library,
        ("First-come and first-ready", "A row for the bank, one for the bus."),
        [
            _Panel("In the order of arrival", served("first-come"), {0: "bank 0"}),
            _Panel("What is ready first", served("first-ready"), {0: "bank 0"}),
        ],
        end=270,
        step=45,
        shown="opening closing read burst",
    )


def turn(library: Library) -> Drawing:
    """Bursts that are read, then some that are written, then read again, of two open rows."""
    requests = [
        {"bank": 4 * (number % 4), "column": number // 4, "write": number // 8 == 1} for number in range(24)
    ]
    return _draw(
        library,
        ("Reading, writing, reading", "A row for each bank, one for the bus."),
        [
            _Panel(
                "Eight bursts are read, eight written, eight read",
                {"scheduler": "first-come", "requests": requests},
                {bank: f"bank {bank}" for bank in range(0, 16, 4)},
            )
        ],
        end=92,
        step=20,
        shown="opening read write burst",
    )


def refresh(library: Library) -> Drawing:
    """A stream of rows, and how a refresh interrupts it."""
    requests = [{"bank": _GROUPS_FIRST[n % 8] + n // 8 % 4, "row": n // 32, "bursts": 32} for n in range(150)]
    labels = {bank: "32 banks" if bank == 15 else "" for bank in range(32)}

    def refreshed(way: str) -> dict[str, Any]:
        return {"refresh": way, "queue": 32, "requests": requests}

    return _draw(
        library,
        (
            "A refresh of all banks, and bank by bank",
            "A thin row for each of the 32 banks of a pseudo-channel, one row for the bus.",
        ),
        [
            _Panel("All banks at once", refreshed("all-banks"), labels, pitch=2),
            _Panel("Bank by bank", refreshed("bank-by-bank"), labels, pitch=2),
        ],
        end=5000,
        step=1000,
        shown="refresh burst",
    )


FIGURES = {
    "one-bank": one_bank,
    "two-banks": two_banks,
    "window": window,
    "schedulers": schedulers,
    "turn": turn,
    "refresh": refresh,
}
