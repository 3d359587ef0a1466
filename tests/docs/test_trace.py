"""What warps noted, as a trace that Perfetto opens."""

from __future__ import annotations

import json

import pytest

from book.command_line import main
from tests.docs.conftest import Book

STAMPS = [[[5, 705, 1305], [1310, 2000, 2600]], [[7, 800, 1400], [1405, 2100, 2700]]]
"""Of two warps in two turns: it loads, has its data, has worked."""


def publish(book: Book) -> None:
    results = json.loads(book.published.read_text())
    values = [stamp for warp in STAMPS for turn in warp for stamp in turn]
    series = {"unit": "cycles", "axes": ["warp", "turn", "event"], "lengths": [2, 2, 3], "values": values}
    results["measurements"][0]["series"] = {"stamps": series}
    book.published.write_text(json.dumps(results))


def test_each_wait_and_each_piece_of_work_is_an_event(book: Book, capsys: pytest.CaptureFixture[str]) -> None:
    publish(book)
    assert main(["--root", str(book.root), "trace", "6"]) == 0
    events = json.loads(capsys.readouterr().out)["traceEvents"]
    names = [(event["name"], event["args"]["name"]) for event in events if event["ph"] == "M"]
    assert names == [
        ("process_name", "NVIDIA Invented: copy-rows 4096x4096 block=32x8"),
        ("thread_name", "warp 0"),
        ("thread_name", "warp 1"),
    ]
    drawn = [(e["tid"], e["args"]["turn"], e["name"], e["ts"], e["dur"]) for e in events if e["ph"] == "X"]
    assert drawn[:3] == [
        (0, 0, "waits for its load", 5, 700),
        (0, 0, "works", 705, 600),
        (0, 1, "waits for its load", 1310, 690),
    ]
    assert drawn[-1] == (1, 1, "works", 2100, 600)
    assert len(drawn) == 8


def test_the_page_links_to_the_trace_once_there_is_one(book: Book) -> None:
    book.page("Look at {trace}`the trace`.")
    built = book.build()
    assert built.warnings == ""
    assert 'the trace (<span class="not-yet">not measured yet</span>)' in built.html()
    publish(book)
    built = book.build()
    assert '<a href="../../traces/chapter6.json" download>the trace</a>' in built.html()
    assert json.loads((built.output / "traces/chapter6.json").read_text())["traceEvents"]


def test_without_a_trace_the_command_says_so(book: Book, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--root", str(book.root), "trace", "6"]) == 1
    assert capsys.readouterr().err == "book: no trace of warps is published yet\n"
