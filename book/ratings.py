"""What steps are rated by, and how a rating is called and counted."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Rating:
    """A kind of rating: its name in the grammar, its unit, and whether it is the time of one."""

    name: str
    unit: str
    of_one: bool = False
    """Seconds for each, the less the better; else so many a second."""


RATINGS = {
    "bytes": Rating("bandwidth", "B/s"),
    "operations": Rating("rate", "flop/s"),
    "accesses": Rating("access-time", "s each", of_one=True),
    "elements": Rating("element-rate", "elements/s"),
}
"""By what a step says that it is rated by."""

CYCLES = "access-cycles"
"""An access's time in cycles of the multiprocessors' clock."""

TIMED = ("time", *(rating.name for rating in RATINGS.values()), CYCLES)
"""What a clock gives of every step that does such things."""
