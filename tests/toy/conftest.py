"""The toy's test takes longer than any other: begun last, it would leave one processor idle."""

import pytest


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """It comes first."""
    items.sort(key=lambda item: item.path.name != "test_toy.py")
