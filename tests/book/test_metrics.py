"""The book's short names stand for metrics that the library names."""

import re
from pathlib import Path

from book.metrics import COUNTED, L1, METRICS

CODE = Path(__file__).resolve().parents[2] / "code"


def names_in(source: str) -> set[str]:
    """The metrics that a source names."""
    return set(re.findall(r'"(\w+__[\w.]+)"', (CODE / source).read_text()))


def test_the_metrics_that_are_counted_everywhere_are_those_of_the_model_and_the_emulator() -> None:
    with_matrices = {f"l1tex__data_pipe_lsu_wavefronts_mem_shared_op_{way}.sum" for way in ("ld", "st")}
    assert set(COUNTED) == names_in("model/metric_names.hpp") - with_matrices - set(L1)


def test_every_other_metric_is_asked_of_nsight_compute() -> None:
    others = set(METRICS.values()) - set(COUNTED)
    assert others <= names_in("benchmark/card/nsight_compute.cpp")
