"""Chapter 3's rows of a bank and what its lines cost: in published results, and in planted ones."""

from __future__ import annotations

from itertools import combinations

import numpy as np

from book import memories
from book.conflicts import LINE_BYTES, bias_of_each, halves_of_l2, independent
from book.library import Library
from book.results import Results
from book.rows_of_bank import WINDOW, Rows
from figures.reported import entry_of, kinds, series_of

PAGE = (2 << 20) // LINE_BYTES


def rows_of(results: Results) -> Rows:
    found = Rows.of(results)
    assert found is not None
    return found


def test_planted_rows_are_found_with_what_their_window_cuts() -> None:
    lines = np.array(
        [[9, 8, 500, 501, WINDOW - 3, -1], [WINDOW * 2 + 30_000, WINDOW * 2 + 31_000, *[-1] * 4]]
    )
    rows = np.array([[0, 0, 0, 0, 4, -1], [0, 0, *[-1] * 4]])
    found = Rows.in_banks(lines, rows)
    assert [list(row) for row in found.rows] == [
        [8, 9, 500, 501],
        [WINDOW - 3],
        [WINDOW * 2 + 30_000, WINDOW * 2 + 31_000],
    ]
    assert found.sizes(5) == [1, 1, 0, 1, 0]
    assert found.span(4) == 493
    assert found.cut(4) == (1, 2)


def test_a_row_has_eight_lines_or_is_cut_by_its_window(real_book: Library) -> None:
    for card, results in kinds(real_book, 3).items():
        found = rows_of(results)
        row_bytes = memories.number(real_book, f"{card.lower()} row-bytes").number
        assert row_bytes == 8 * LINE_BYTES
        assert np.argmax(found.sizes(12)) + 1 == 8, card
        assert len(found.of_size(8)) > 0.5 * len(found.rows), card
        assert sum(found.sizes(8)) > 0.99 * len(found.rows), card
        cut, shorter = found.cut(8)
        assert cut > 0.95 * shorter, card
        # As many are cut as rows of this span that begin anywhere.
        span = found.span(8)
        assert abs(len(found.of_size(8)) / len(found.rows) - (WINDOW - span) / (WINDOW + span)) < 0.06, card


def test_lines_of_a_row_are_four_pieces_far_apart(real_book: Library) -> None:
    for card, results in kinds(real_book, 3).items():
        found = rows_of(results)
        assert 0.8 * PAGE < found.span(8) < 1.3 * PAGE, card
        differences = []
        for row in found.of_size(8):
            held = set(row.tolist())
            assert all(line ^ 1 in held for line in held), card
            differences += [one ^ other for one, other in combinations(held, 2)]
        assert all(one == 1 for one in differences if one & one - 1 == 0), card
        assert not any(one * LINE_BYTES >> 16 & 1 for one in differences), card  # bit 16


def test_lines_of_a_row_in_one_page_agree_in_all_parities_that_conflicts_share(real_book: Library) -> None:
    tried = 0
    for card, results in kinds(real_book, 3).items():
        differences = [
            int(one ^ other)
            for row in rows_of(results).of_size(8)
            for one, other in combinations(row, 2)
            if (one ^ other) < PAGE
        ]
        assert len(differences) > 3000, card
        conflicts = series_of(results, "bank-pairs", (1 << 18,), "differences", window=2)
        assert conflicts is not None
        biases = bias_of_each(conflicts.values)
        for mask in [*independent(biases), halves_of_l2(real_book, results) // LINE_BYTES]:
            assert {(one & mask).bit_count() % 2 for one in differences} == {0}, (card, mask)
            tried += 1
        odd = [mask for mask in independent(biases) if biases[mask] == -1]
        if card == "H100":
            assert len(odd) > 1 and 1 << 16 - 7 in odd
    assert tried > 6


def test_neighbouring_lines_of_a_bank_lie_in_one_row(real_book: Library) -> None:
    for card, results in kinds(real_book, 3).items():
        row_of = {int(line): place for place, row in enumerate(rows_of(results).rows) for line in row}
        pairs = [(line, line + 1) for line in row_of if line % 2 == 0 and line + 1 in row_of]
        assert len(pairs) > 1000
        assert sum(row_of[first] == row_of[second] for first, second in pairs) > 0.99 * len(pairs), card
        assert 2 * len(pairs) > 0.98 * len(row_of), card


def test_most_pairs_that_contradict_the_rows_lie_in_two_of_them(real_book: Library) -> None:
    for card, results in kinds(real_book, 3).items():
        entry = entry_of(results, "rows-of-bank", (1 << 20, 8 << 10))
        assert entry is not None
        alike, disagreeing = (entry.quantities[name].median for name in ("not-in-conflict", "disagreeing"))
        in_one_row = sum(len(row) * (len(row) - 1) // 2 for row in rows_of(results).rows)
        # Not in conflict are the pairs of one row without those that contradict it, and those of two rows.
        in_two_rows = (disagreeing + alike - in_one_row) / 2
        assert 0.6 * disagreeing < in_two_rows < disagreeing, card


def test_more_mates_are_not_in_conflict_than_rows_of_eight_lines_explain(real_book: Library) -> None:
    for card, results in kinds(real_book, 3).items():
        entry = entry_of(results, "bank-mates", (1 << 20,))
        assert entry is not None
        pairs, conflicts = (entry.quantities[f"{name}-of-mates"].median for name in ("pairs", "conflicts"))
        banks = 16 * memories.number(real_book, f"{card.lower()} pseudo-channels").number
        in_one_row = pairs * 7 / ((1 << 23) / banks - 1)
        assert pairs - conflicts > 5 * in_one_row, card


def test_the_rate_of_conflicts_does_not_depend_on_the_distance(real_book: Library) -> None:
    pairs = 1 << 19
    for card, results in kinds(real_book, 3).items():
        entries = [entry_of(results, "far-pairs", (1 << 17, gib * 1024)) for gib in (1, 16, 32, 48, 64)]
        counts = np.array([entry.quantities["conflicts"].median for entry in entries if entry])
        assert len(counts) == 5
        mean = counts.mean()
        assert np.sum((counts - mean) ** 2) / mean < 9.49, card  # chi squared of 4: 95 % lie below
        lows, highs = (
            [entry.quantities[f"share-{end}"].median for entry in entries if entry] for end in ("low", "high")
        )
        assert max(lows) < min(highs), card
        banks = 16 * memories.number(real_book, f"{card.lower()} pseudo-channels").number
        deviations = (counts.sum() - 5 * pairs / banks) / np.sqrt(5 * pairs / banks)
        outside = [gib for gib, high in zip((1, 16, 32, 48, 64), highs, strict=True) if high < 1 / banks]
        if card == "H100":
            assert -2.5 < deviations < -1.8 and outside == [1, 16]
        else:
            assert abs(deviations) < 1.2 and not outside


def test_each_further_line_of_a_bank_costs_as_much_up_to_a_thousand(real_book: Library) -> None:
    for card, results in kinds(real_book, 3).items():
        series = series_of(results, "one-bank", (1 << 16,), "cycles")
        assert series is not None
        cycles = np.array(series.rows, dtype=float)
        added = np.diff(cycles, axis=0) / (32 << np.arange(5))[:, None]
        assert added[:, (0, 2)].min() > 100 and added[:, (0, 2)].max() < 125, card
        # Blocks with other banks hardly slow one: as with all of them, to within a tenth.
        assert np.all(np.abs(cycles[:, 2] / cycles[:, 0] - 1) < 0.1), card
        assert np.all(added[:, (1, 3)] < 6), card
        assert cycles[-1, 3] > 1.4 * cycles[-1, 1], card  # lines from anywhere get slower


def test_refreshes_explain_what_further_lines_of_a_bank_cost(real_book: Library) -> None:
    """As much as between two refreshes, when a refresh leaves only a share of the time."""
    for card, results in kinds(real_book, 3).items():
        series = series_of(results, "one-bank", (1 << 16,), "cycles")
        sixteen = entry_of(results, "camping", (1 << 20,), same=1)
        refresh = entry_of(results, "refresh", (1 << 14,), line=0)
        assert series is not None and sixteen is not None and refresh is not None
        cycles = np.array(series.rows, dtype=float)[:, 0]
        of_line = (cycles[-1] - cycles[0]) / (1024 - 32)
        without = sixteen.quantities["cycles-of-line"].median
        blocked = refresh.quantities["longest"].median / refresh.quantities["period"].median
        assert 0.95 < of_line / (without / (1 - blocked)) < 1.05, card
        assert of_line > 1.1 * without, card
