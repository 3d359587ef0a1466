"""Roles that fetch numbers: {measured}, {counted}, {predicted}, {published} and {worked}."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxRole

from book import quantities, sources
from book.claims import work_out
from book.documents import BookError, MissingResultsError
from book.metrics import METRICS, PER_REQUEST
from book.quantities import Quantity, Value, parse
from book.results import Results
from book.sources import SourceQuantity
from weave.context import Page, complain, page_of

Evaluate = Callable[[Quantity, Results], Value]


def value_node(value: str, witness: str, explanation: str) -> nodes.abbreviation:
    """A number in the text; its origin shows when asked for."""
    return nodes.abbreviation("", value, explanation=explanation, classes=["value", witness])


def of_first_card(page: Page, evaluate: Callable[[Results], Value]) -> tuple[Results, Value, str]:
    """The value on the book's card, or on the next published one that has it, whose name is the last part.

    Raises:
        MissingResultsError: no published card has it.

    """
    try:
        return page.run, evaluate(page.run), ""
    except MissingResultsError:
        for results in page.library.all_published(page.chapter)[1:]:
            try:
                return results, evaluate(results), f" ({results.short_name})"
            except MissingResultsError:
                continue
        raise


def values_beside(
    others: Sequence[Results], quantity: Quantity, evaluate: Evaluate
) -> Iterator[tuple[Results, Value]]:
    """The values of a quantity on other cards and on the reader's; cards that lack it are left out."""
    for results in others:
        try:
            yield results, evaluate(quantity, results)
        except BookError:
            continue


def shown_beside(
    others: Sequence[Results], text: str, witness: str, first: nodes.abbreviation, evaluate: Evaluate
) -> list[nodes.Node]:
    """A value with what the other cards say: the published ones in its hint, the reader's behind it."""
    found: list[nodes.Node] = [first]
    who = "by Nsight Compute on" if witness == "counted" else "on"  # the emulator counts on no card
    for results, value in values_beside(others, parse(text), evaluate):
        if results.is_own:
            found.append(yours(f" (yours: {value.text})", f"{witness} on {results.gpu_name}: {text}"))
        else:
            first["explanation"] += f"; {who} {results.label}: {value.text}"
    return found


class Measured(SphinxRole):
    """A value of a run, the published one and, where there is one, the reader's."""

    def run(self) -> tuple[list[nodes.Node], list[nodes.system_message]]:
        """Fetch the value."""
        try:
            page = page_of(self.env)
            quantity = parse(self.text)
            run, value, card = of_first_card(page, lambda results: quantities.measured(quantity, results))
        except BookError as error:
            return [complain(self, error, self.text)], []
        text = value.text.removesuffix(" each")  # the sentence says of what
        first = value_node(text + card, "measured", f"measured on {run.gpu_name}: {self.text}")
        others = [results for results in page.runs if results.path != run.path]
        return shown_beside(others, self.text, "measured", first, quantities.measured), []


class CountedRole(SphinxRole):
    """A count: the emulator's, or Nsight Compute's for what the emulator does not count."""

    def run(self) -> tuple[list[nodes.Node], list[nodes.system_message]]:
        """Fetch the value."""
        try:
            page = page_of(self.env)
            quantity = parse(self.text)
            value = quantities.counted(quantity, page.counted)
            who = _witness(page, quantity)
        except BookError as error:
            return [complain(self, error, self.text)], []
        first = value_node(value.text, "counted", f"{who}: {self.text}")
        return shown_beside(page.runs[1:], self.text, "counted", first, quantities.counted), []


def _witness(page: Page, quantity: Quantity) -> str:
    name = PER_REQUEST.get(quantity.name, (quantity.name,))[0]
    return page.counted.witness(quantity.key, METRICS.get(name, name))


class Predicted(SphinxRole):
    """A value that the step's program predicts."""

    def run(self) -> tuple[list[nodes.Node], list[nodes.system_message]]:
        """Fetch the value."""
        try:
            page = page_of(self.env)
            value = quantities.predicted(parse(self.text), page.library.descriptions(page.chapter))
        except BookError as error:
            return [complain(self, error, self.text)], []
        return [value_node(value.text, "predicted", f"predicted: {self.text}")], []


class Published(SphinxRole):
    """A figure that a source of the book published."""

    def run(self) -> tuple[list[nodes.Node], list[nodes.system_message]]:
        """Fetch the value, and remember that it was shown."""
        try:
            page = page_of(self.env)
            value = sources.published(SourceQuantity.parse(self.text), page.library.sources(page.chapter))
        except BookError as error:
            return [complain(self, error, self.text)], []
        return [value_node(value.text, "published", f"published by source {self.text}")], []


class Worked(SphinxRole):
    """Arithmetic over quantities, with a unit: ``{worked}`8192 / [add bandwidth 64] in s```."""

    def run(self) -> tuple[list[nodes.Node], list[nodes.system_message]]:
        """Work it out."""
        try:
            page = page_of(self.env)
            if page.run_if_any is None:
                card, value = "", work_out(self.text, page.data(None))
            else:
                _, value, card = of_first_card(page, lambda results: work_out(self.text, page.data(results)))
        except BookError as error:
            return [complain(self, error, self.text)], []
        return [value_node(value.text + card, "predicted", f"worked out: {self.text}")], []


def yours(text: str, explanation: str) -> nodes.abbreviation:
    """The reader's value beside a published one."""
    return nodes.abbreviation("", text, explanation=explanation, classes=["yours"])


def setup(app: Sphinx) -> None:
    """Register the roles."""
    app.add_role("measured", Measured())
    app.add_role("counted", CountedRole())
    app.add_role("predicted", Predicted())
    app.add_role("published", Published())
    app.add_role("worked", Worked())
