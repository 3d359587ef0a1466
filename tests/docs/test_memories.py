"""The role and the table of memories with real times: what they print, and what nobody can answer."""

from __future__ import annotations

import pytest

from tests.docs.conftest import Book


def test_times_parts_and_arithmetic_are_printed(book: Book) -> None:
    known = {
        "h200 tRC": "45.0 ns",
        "h200 tREFI": "3.90 µs",
        "h200 pseudo-channel-rate": "25.6 GB/s",
        "h200 peak": "4.81 TB/s",
        "h100 peak": "3.35 TB/s",
        "h100 pseudo-channels": "160",
        "hbm2 row-bytes": "1024",
        "[h200 tRCDRD] + [h200 CL] + [h200 BL] in s": "33.1 ns",
        "4 * [h200 burst-bytes] / [h200 tFAW] / [h200 pseudo-channel-rate] in share": "33 %",
    }
    book.page("\n\n".join(f"It is {{memory}}`{asked}`." for asked in known))
    built = book.build()
    assert built.warnings == ""
    html = built.html().replace("\N{NO-BREAK SPACE}", " ")
    for asked, shown in known.items():
        assert f"computed by code/model/dram: {asked}" in html
        assert f">{shown}<" in html


def test_the_table_of_times_names_sources_and_who_says_otherwise(book: Book) -> None:
    book.page("```{memory-times} h200 h100\n```")
    built = book.build()
    assert built.warnings == ""
    html = built.html().replace("\N{NO-BREAK SPACE}", " ")
    table = html[html.index("The times of HBM3e of an H200 and HBM3 of an H100") :]
    assert table[: table.index("</details>")].count("<tr") == 1 + 24
    for text in ("tFAW", "24 clocks, 15.0 ns", "20 clocks, 15.3 ns", "Ramulator 2.1", "gem5: 12 ns"):
        assert text in html


@pytest.mark.parametrize(
    ("page", "problem"),
    [
        ("{memory}`h300 tRC`", "no memory h300; did you mean h200"),
        ("{memory}`h200 tRCC`", "h200 has no tRCC; did you mean tRC"),
        ("{memory}`h200 runs bytes=33`", "no such runs are simulated"),
        ("{memory}`2 * [h200 tRC]`", "does not end with its unit"),
        ("```{memory-times} h201\n```", "no memory 'h201'"),
    ],
)
def test_what_nobody_knows_is_reported(book: Book, page: str, problem: str) -> None:
    book.page(page)
    assert problem in book.build().warnings


def test_without_the_program_the_build_says_so(book: Book) -> None:
    book.root.joinpath("build/model").unlink()
    book.page("{memory}`h200 tRC`")
    assert "model does not start: run `make steps`" in book.build().warnings


def test_without_the_noted_runs_the_build_says_so(book: Book) -> None:
    book.root.joinpath("build/random-runs.json").unlink()
    book.page("{memory}`h200 runs bytes=64`")
    assert "random-runs.json is not there: run `make counts`" in book.build().warnings
