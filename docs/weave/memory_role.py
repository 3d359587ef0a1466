"""Numbers of memories with real times: the role {memory}, and {memory-times}, a table with their sources."""

from __future__ import annotations

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective, SphinxRole

from book import memories, model
from book.documents import BookError
from book.format import SPACE, digits
from weave.context import complain, library_of
from weave.folds import make_fold
from weave.tables import NOTHING, Cell, make_table
from weave.values import value_node

_MEANING = {
    "BL": "how long a burst keeps the bus",
    "CL": "from a read to its data",
    "CWL": "from a write to its data",
    "tRCDRD": "from opening a row to its first read",
    "tRCDWR": "from opening a row to its first write",
    "tRAS": "from opening a row to closing it",
    "tRP": "from closing a row to opening another of the bank",
    "tRC": "from opening a row to opening another of the bank",
    "tRTP": "from a read to closing its row",
    "tWR": "from the end of written data to closing their row",
    "tCCDS": "from read to read, from write to write, of different bank groups",
    "tCCDL": "the same in one bank group",
    "tCCDR": "from read to read, with different stack IDs",
    "tRRDS": "from opening to opening, in different bank groups",
    "tRRDL": "the same in one bank group",
    "tFAW": "the time in which at most four rows are opened",
    "tWTRS": "from the end of written data to a read of another bank group",
    "tWTRL": "the same in one bank group",
    "tRTW": "from a read to a write",
    "tPPD": "from closing to closing",
    "tRFCab": "a refresh of all banks",
    "tRFCpb": "a refresh of one bank",
    "tRFCsb": "a refresh of one bank",
    "tRREFD": "from the refresh of a bank to opening or refreshing another one",
    "tREFI": "the time in which every bank is refreshed once",
}
"""Each time in words: the least one between two commands, where nothing else is said."""


class MemoryRole(SphinxRole):
    """A time of a memory, or what it simulates: {memory}`h200 tRC`."""

    def run(self) -> tuple[list[nodes.Node], list[nodes.system_message]]:
        """Ask the program; the page is read again when it changes."""
        library = library_of(self.env)
        try:
            value = memories.number(library, self.text)
        except BookError as error:
            return [complain(self, error, self.text)], []
        self.env.note_dependency(str(model.program(library)))
        return [value_node(value.text, "predicted", f"computed by code/model/dram: {self.text}")], []


class MemoryTimes(SphinxDirective):
    """The times of a memory, folded, or of several that have the same ones: their sources are the first's."""

    required_arguments = 1
    optional_arguments = 3

    def run(self) -> list[nodes.Node]:
        """Build the table: a row for each time."""
        library = library_of(self.env)
        try:
            known = memories.memories(library)
            chosen = [known[name] for name in self.arguments]
        except KeyError as error:
            return [nodes.paragraph("", "", complain(self, BookError(f"no memory {error}"), "memory-times"))]
        except BookError as error:
            return [nodes.paragraph("", "", complain(self, error, "memory-times"))]
        self.env.note_dependency(str(model.program(library)))
        rows: list[list[Cell]] = [
            [
                times[0]["symbol"],
                _MEANING[times[0]["symbol"]],
                *map(_time, times),
                times[0]["source"],
                times[0]["elsewhere"] or NOTHING,
            ]
            for times in zip(*(memory["times"] for memory in chosen), strict=True)
        ]
        header = ["time", "what it is", *(memory["name"] for memory in chosen), "source", "elsewhere"]
        names = " and ".join(memory["name"] for memory in chosen)
        return [
            make_fold([nodes.Text(f"The times of {names}, and their sources")], [make_table(header, rows)])
        ]


def _time(time: dict[str, float]) -> str:
    return f"{time['clocks']:.0f} clocks, {digits(time['ns'])}{SPACE}ns"


def setup(app: Sphinx) -> None:
    """Register the role and the directive."""
    app.add_role("memory", MemoryRole())
    app.add_directive("memory-times", MemoryTimes)
