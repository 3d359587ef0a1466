"""The rule of chapter 5: which factor a thread should have, held against what was measured."""

from __future__ import annotations

import importlib.util
import os
import sys
from types import ModuleType

import pytest

from book.library import Library
from tests.book.invented import REPOSITORY

TREE = REPOSITORY / os.environ.get("TREE", "build")
LEAST_SHARE, MOST_LOSS = 0.8, 0.05


@pytest.fixture(scope="module")
def rule() -> ModuleType:
    """The figure of the rule."""
    if not (TREE / "model").is_file():
        pytest.skip("NOT TESTED: THE MODEL IS NOT BUILT (make test)")
    path = REPOSITORY / "chapters/5-coarsening/figures_rule.py"
    spec = importlib.util.spec_from_file_location("figures_rule_of_chapter_5", path)
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def test_more_work_for_a_thread_where_there_is_more_work(rule: ModuleType) -> None:
    library = Library.of(REPOSITORY, TREE)
    of_size: dict[str, dict[int, int]] = {}
    for case in rule.CASES:
        options = rule.options(library, case)
        name, _, _ = case.name.rpartition(",")
        of_size.setdefault(name, {})[case.shape[0]] = rule.chosen(options).factor
        assert all(option.least > 0 for option in options)
    for name, factors in of_size.items():
        assert factors[max(factors)] >= factors[min(factors)], name
    assert of_size["both sides, 16 × 16"] == {4096: 8, 1024: 4}


def test_what_spills_is_no_option(rule: ModuleType) -> None:
    library = Library.of(REPOSITORY, TREE)
    most = {
        case.fixed: max(option.factor for option in rule.options(library, case))
        for case in rule.CASES
        if case.step == "both-sides"
    }
    assert most == {("side=16",): 8, ("side=32",): 4}


def test_of_equal_times_the_smallest_factor_is_chosen(rule: ModuleType) -> None:
    option = rule.Option(2, None, 1.0, 1.5)
    others = [rule.Option(1, None, 2.0, 1.0), option, rule.Option(4, None, 1.0, 1.2)]
    assert rule.chosen(others) is option
    assert rule.loss(others) == pytest.approx(0.5)
    assert rule.loss([option, rule.Option(4, None, 1.0, None)]) is None


def test_the_rule_finds_what_the_search_finds(rule: ModuleType) -> None:
    library = Library.of(REPOSITORY, TREE)
    if library.published(5) is None:
        return  # the page says that it is not measured yet
    losses = [rule.loss(rule.options(library, case)) for case in rule.CASES]
    known = [loss for loss in losses if loss is not None]
    assert sum(loss <= MOST_LOSS for loss in known) >= LEAST_SHARE * len(known)
