"""The program that answers figures and pages, asked about memories: what it refuses, and how it says so."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest

PROGRAM = Path(__file__).resolve().parents[2] / os.environ.get("TREE", "build") / "model"
SUBJECTS = "lanes, textbook, in-flight, coarsening, memories, random-runs or trace is asked for"


def ask(what: str, question: str = "") -> subprocess.CompletedProcess[str]:
    """Run the program."""
    return subprocess.run([PROGRAM, what], input=question, capture_output=True, text=True, check=False)


def test_a_trace_has_every_command_of_a_read() -> None:
    answer = json.loads(
        ask("trace", '{"memory": "hbm2", "page": "closed", "requests": [{"bank": 3}]}').stdout
    )
    lines = [(line["tick"], line["command"], line["bank"]) for line in answer["trace"]]
    assert lines == [(0, "activate", 3), (14, "read", 3)]
    assert answer["memory"]["name"] == "HBM2"


@pytest.mark.parametrize(
    ("what", "question", "problem"),
    [
        ("", "", SUBJECTS),
        ("dram", "null", SUBJECTS),
        ("trace", '{"memory": "hbm7", "requests": []}', "unknown memory: hbm7"),
        ("trace", '{"scheduler": "best", "requests": []}', "unknown scheduler: best"),
        ("trace", '{"requests": [{"bank": 64}]}', "a request lies outside of its memory"),
        ("trace", '{"requests": [{"bank": 0, "bursts": 33}]}', "a request lies outside of its memory"),
        ("trace", '{"queue": 0, "requests": []}', "a queue has 1 to 256 places"),
        (
            "trace",
            '{"requests": [{"bank": 0, "arrival": 2}, {"bank": 0, "arrival": 1}]}',
            "requests stand in the order of their arrival",
        ),
    ],
)
def test_bad_questions_get_one_clear_line(what: str, question: str, problem: str) -> None:
    done = ask(what, question)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == f"model: {problem}\n"


def test_nothing_is_as_good_a_question_as_null() -> None:
    assert ask("memories").stdout == ask("memories", "null").stdout != ""
