"""The textbook's DRAM, computed: `code/model/textbook.cpp` answers for it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from book import model
from book.documents import BookError
from book.library import Library
from book.quantities import Value

Question = Mapping[str, str | int]
"""What is asked, under `ask`, and what differs from source 003."""


def ask(library: Library, questions: Iterable[Question]) -> list[Any]:
    """What the model says to each question.

    Raises:
        BookError: the program is not built, or it refuses a question.

    """
    return model.ask(library, "textbook", list(questions))


def parse(text: str) -> Question:
    """A question as prose asks it: `share banks=2`; BookError if a word is no setting."""
    asked, *settings = text.split()
    question: dict[str, str | int] = {"ask": asked}
    for setting in settings:
        name, equals, said = setting.partition("=")
        if not equals or not said:
            raise BookError(f"{setting} is not of the form name=value")
        question[name.replace("-", "_")] = int(said) if said.isdigit() else said
    return question


def number(library: Library, text: str) -> Value:
    """The number that a question of the prose asks for; BookError if its answer is none."""
    (answer,) = ask(library, [parse(text)])
    if not isinstance(answer, dict) or "unit" not in answer:
        raise BookError(f"the answer to {text} is not a number")
    return Value.of(answer["value"], answer["unit"])
