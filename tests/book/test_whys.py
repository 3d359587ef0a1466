from __future__ import annotations

from book.claims import Data, evaluate_claim
from book.library import Library
from book.prose import collect_claims
from tests.book.invented import FRONT_MATTER

PAGE = """:::{why} padded
:changed: A column more.
:came-out: less

{claim}`It is so :: [padded time 8192x8192] < 1`

+ banks | faster | [padded time 8192x8192] < [tile time 8192x8192]
- latency | the same time | [padded time 8192x8192] > [tile time 8192x8192]
:::
"""


def test_what_a_why_says_came_out_is_claimed(book: Library) -> None:
    page = book.folder(6) / "index.md"
    page.write_text(FRONT_MATTER + PAGE)
    claims = list(collect_claims([page]))
    assert [claim.sentence for claim in claims] == [
        "banks: faster",
        "not 'latency: the same time'",
        "It is so",
    ]
    data = Data(book.require_published(6), book.descriptions(6))
    assert [evaluate_claim(claim, data).holds for claim in claims] == [True, True, True]
