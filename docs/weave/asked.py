"""What a closed card asks: counts, the part of the GPU that holds the step, the time, from what is given."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from docutils import nodes

from book.documents import BookError
from book.format import format_value, times
from book.keys import Key, Parameters
from book.quantities import Quantity, Value, rated_text
from book.results import Measurement
from weave.guesses import make_guess
from weave.holders import Holder
from weave.shares import like_it
from weave.values import value_node
from weave.witnesses import Witnesses

_UNITS = {"bytes": ("B", "to move"), "operations": ("flop", "to do")}
"""What a step is rated by, as the closed card gives it; of other ratings it gives the number alone."""


@dataclass(frozen=True)
class Told:
    """What a card gives, says of a step's accesses, and leaves out."""

    needs: list[list[nodes.Node]]
    """What else the prediction takes, as its author says it."""
    access: str
    """What one access is: `load`, `wavefront`."""
    left_out: tuple[str, ...] = ()
    """Of LEFT_OUT."""


LEFT_OUT = ("amount", "before", "rating")
"""How much there is to do, where that answers the question; what the step before took, where its work is
another; the mean of an access, where the launch does other work as well."""


def counts_field(step: str) -> str:
    """The name of the field for the predicted counts."""
    return f"predicted-counts-{step}"


def time_field(step: str) -> str:
    """The name of the field for the predicted time."""
    return f"predicted-time-{step}"


def asked(
    question: list[nodes.Node],
    witnesses: Witnesses,
    before: str | None,
    holder: Holder | None,
    told: Told,
) -> list[nodes.Node]:
    """The questions, each with its field, and what is needed; nothing where nothing is asked."""
    step, needs = witnesses.step, told.needs
    found = _items(question)
    if found:
        found[-1] += make_guess(counts_field(step), "Your answer")
    if holder:
        found.append(holder.asked(step))
    entry = _timed(witnesses)
    if entry and step != witnesses.page.optional("ceiling"):
        words = f"How long does it take at {times(witnesses.measured)}{_variant(entry.key.parameters)}?"
        found.append(
            nodes.container("", nodes.paragraph("", words), make_guess(time_field(step), "Your time"))
        )
        needs = [*needs, *_given(witnesses, entry, before, told)]
    if not found:
        return []
    items = nodes.enumerated_list("", *(nodes.list_item("", *one.children) for one in found))
    helped = [_helped(needs)] if needs else []
    return [nodes.container("", items, *helped, classes=["card-question"])]


def _variant(parameters: Parameters) -> str:
    """Which variant is timed: `, in blocks of 256, stride=2`."""
    block = parameters.get("block")
    told = [f"in blocks of {times(block)}" if block else "", str(parameters.without("block"))]
    return "".join(f", {words}" for words in told if words)


def _items(question: list[nodes.Node]) -> list[nodes.Element]:
    """The question's parts: all of it, or the items of its numbered list, which nothing may follow."""
    items: list[nodes.Element] = []
    rest = nodes.container("")
    for node in question:
        if items:
            raise BookError(
                "the items of a card's numbered list are its questions, and nothing may follow them: "
                "any other list has points"
            )
        if isinstance(node, nodes.enumerated_list):
            items += [nodes.container("", *item.children) for item in node.children]
        else:
            rest += node
    if not items:
        return [rest] if rest.children else []
    items[0][:0] = rest.children
    return items


def _helped(needs: list[list[nodes.Node]]) -> nodes.paragraph:
    paragraph = nodes.paragraph("", "", nodes.strong(text="What you know: "), classes=["card-needs"])
    for index, need in enumerate(needs):
        paragraph += [*([nodes.Text(" · ")] if index else []), *need]
    return paragraph


def _timed(witnesses: Witnesses) -> Measurement | None:
    try:
        return witnesses.measurement(witnesses.page.run)
    except BookError:
        return None  # the opened card says why


def _given(
    witnesses: Witnesses, entry: Measurement, before: str | None, told: Told
) -> Iterator[list[nodes.Node]]:
    """How much there is to do, how fast the ceiling does it, and what the step before took."""
    results, ceiling = witnesses.page.run, witnesses.page.optional("ceiling")
    kinds = f"{told.access}s" if entry.rated_by == "accesses" else entry.rated_by
    unit, words = _UNITS.get(entry.rated_by, ("count", f"{kinds} to make"))
    if "amount" not in told.left_out:
        yield [nodes.Text(f"{format_value(entry.amounts[entry.rated_by], unit)} {words}")]
    whole = results.measurements.get(Key(ceiling, entry.shape)) if ceiling else None
    if whole and whole.rated_by == entry.rated_by:
        yield _measured(whole, whole.rating.name, rated_text(whole), "reaches", results.gpu_name)
    asks_before = before and before != ceiling and "before" not in told.left_out
    earlier = like_it(results, entry, before) if before and asks_before else None
    if earlier:
        found = results.measurements.find(earlier)
        yield _measured(found, "time", Value.of(found.median, "s").text, "took", results.gpu_name)


def _measured(entry: Measurement, quantity: str, text: str, verb: str, gpu: str) -> list[nodes.Node]:
    origin = f"measured on {gpu}: {Quantity(entry.key, quantity)}"
    return [nodes.literal(text=entry.step), nodes.Text(f" {verb} "), value_node(text, "measured", origin)]
