"""The account of a launch's cycles: its parts are all there, and add up to what the clock gives."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from book.account import HAS_NO_WARP, ISSUES, PARTS, account
from book.documents import MissingResultsError
from book.keys import Key
from book.metrics import METRICS, OF_WARPS, REASONS
from book.results import Results, load_results

KEY = Key("waits", (512,))
MULTIPROCESSORS = 3
SCHEDULERS = 4 * MULTIPROCESSORS

# Of each scheduler: 100 cycles, 80 of them with warps, 20 with an instruction. Two warps for 60 cycles, one
# for 20: 140 cycles of warps, 20 selected, 10 not selected, 110 in which they wait.
CYCLES = {
    "elapsed": 100,
    "active": 80,
    "issue": 20,
    "warp": 140,
    "selected": 20,
    "not-selected": 10,
    "long-scoreboard": 44,
    "barrier": 22,
    "mio-throttle": 11,
    "wait": 33,
}


def results(folder: Path, cycles: dict[str, int]) -> Results:
    raw = {
        "schema": 2,
        "chapter": 4,
        "gpu": {"name": "NVIDIA Invented", "multiprocessors": MULTIPROCESSORS},
        "provenance": {},
        "measurements": [
            {
                "step": KEY.step,
                "kind": "step",
                "shape": [512],
                "parameters": {},
                "seconds": {"median": 50e-9, "low": 50e-9, "high": 50e-9},
                "samples": 9,
                "rated_by": "bytes",
                "amounts": {"bytes": 1},
                "l2": "cold",
                "meter": {"sm_mhz": {"median": 2000, "low": 2000, "high": 2000}},
                "fingerprint": "ab12",
            }
        ],
        "counters": [
            {
                "step": KEY.step,
                "shape": [512],
                "parameters": {},
                "metrics": {METRICS[f"{name}-cycles"]: SCHEDULERS * count for name, count in cycles.items()},
            }
        ],
    }
    path = folder / "chapter4.json"
    path.write_text(json.dumps(raw))
    return load_results(path)


def test_each_reason_of_a_warp_stands_in_one_part() -> None:
    waiting = [reason for reasons in PARTS.values() for reason in reasons]
    assert sorted([*waiting, "selected", "not-selected"]) == sorted(REASONS)
    assert {METRICS[f"{reason}-cycles"] for reason in REASONS} < set(OF_WARPS)


def test_the_parts_of_a_scheduler_add_up_to_the_clock_s_cycles(tmp_path: Path) -> None:
    found = account(results(tmp_path, CYCLES), KEY)
    assert found.timed == pytest.approx(100)
    assert found.sum == pytest.approx(1)
    # 80 - 20 = 60 cycles without an instruction, for 110 cycles in which a warp waits.
    assert found.parts == pytest.approx(
        {
            ISSUES: 20,
            "waits for global memory": 24,
            "waits for shared memory": 6,
            "waits at a barrier": 12,
            "waits for arithmetic": 18,
            "waits for something else": 0,
            HAS_NO_WARP: 20,
        }
    )


def test_a_reason_that_is_not_counted_is_missing_in_the_sum(tmp_path: Path) -> None:
    without = {name: count for name, count in CYCLES.items() if name != "long-scoreboard"}
    assert account(results(tmp_path, without), KEY).sum == pytest.approx(0.76)


def test_results_of_before_have_no_account_yet(tmp_path: Path) -> None:
    with pytest.raises(MissingResultsError, match="waits 512 wait for is not counted yet"):
        account(results(tmp_path, {"issue": 20}), KEY)
