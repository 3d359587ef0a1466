"""Annotated listings: what stands beside a line, for the eye and for the ear, and where they refuse."""

from __future__ import annotations

import json

import pytest
from bs4 import BeautifulSoup, Tag

from tests.book.invented import LOAD, LOAD_REQUESTS, STORE, STORE_REQUESTS, write
from tests.docs.conftest import Book

PROGRAM = "06_padded"
SHARED_LOAD = "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ld.sum"
TAGS = "l1tex__t_output_wavefronts_pipe_lsu_mem_global_op_ld.sum"
STORE_TAGS = "l1tex__t_output_wavefronts_pipe_lsu_mem_global_op_st.sum"
DATA = "l1tex__data_pipe_lsu_wavefronts.sum"
SHARED_LOADS = "smsp__inst_executed_op_shared_ld.sum"


def annotated(book: Book, options: str = "") -> Tag:
    book.page(f"```{{annotated}} {PROGRAM}.cu kernel\n{options}```")
    built = book.build()
    assert built.warnings == ""
    return BeautifulSoup(built.html(), "html.parser").select_one(".listing:has(.annotated)")


def count(book: Book, **launch: list[dict[str, object]]) -> None:
    """Give the launch of the step other lines than the invented ones."""
    counters = json.loads(book.counters(PROGRAM).read_text())
    counters[0].update(launch)
    write(book.counters(PROGRAM), counters)


def line(number: int, metrics: dict[str, int], file: str = f"chapters/6-transpose/{PROGRAM}.cu") -> dict:
    return {"file": f"../{file}", "line": number, "metrics": metrics}


def gutter(listing: Tag) -> dict[int, list[str]]:
    """What stands beside each line, by the line's number."""
    rows = listing.select(".gutter:not(.heads)")
    return {
        int(row.select_one(".linenos").text): [cell.text.strip() for cell in row.select(".cell")]
        for row in rows
    }


def test_a_line_that_touches_memory_has_its_sectors_beside_it(book: Book) -> None:
    listing = annotated(book)
    assert gutter(listing) == {5: [""], 6: ["ld 4 st 4"], 7: [""]}
    assert [head.text.strip() for head in listing.select(".heads .cell")] == ["sectors"]
    title = listing.select_one(".cell[title]")["title"].replace("\u202f", " ")
    assert title == "load: 32 768 requests, 131 072 sectors; store: 32 768 requests, 131 072 sectors"


def test_loads_that_no_lane_executes_take_no_wavefront(book: Book) -> None:
    count(book, lines=[line(6, {SHARED_LOADS: 6})])
    listing = annotated(book)
    assert gutter(listing)[6] == ["ld 0"]
    assert listing.select_one(".cell[title]")["title"] == "load: 6 requests, 0 wavefronts"


def test_the_gutter_is_read_out_before_the_line(book: Book) -> None:
    listing = annotated(book)
    hidden = [element.text for element in listing.select("pre .visually-hidden")]
    assert hidden == ["load, 4 sectors per request; store, 4 sectors per request: "]
    assert all(cell.find_parent(attrs={"aria-hidden": "true"}) for cell in listing.select(".gutter .cell"))


def test_wavefronts_have_a_column_of_their_own(book: Book) -> None:
    count(book, lines=[line(6, {SHARED_LOADS: 10, SHARED_LOAD: 320}), line(5, {LOAD_REQUESTS: 2, LOAD: 9})])
    assert gutter(annotated(book)) == {5: ["ld 4.50", ""], 6: ["", "ld 32"], 7: ["", ""]}


def test_a_listing_that_asks_for_the_l1_has_its_tag_and_data_wavefronts(book: Book) -> None:
    load = {LOAD_REQUESTS: 10, LOAD: 320, TAGS: 80, DATA: 320}
    both = {LOAD_REQUESTS: 10, LOAD: 40, TAGS: 10, DATA: 20, STORE_REQUESTS: 10, STORE: 40, STORE_TAGS: 15}
    count(book, lines=[line(5, load), line(6, both)])
    listing = annotated(book, ":l1:\n")
    assert [head.text.strip() for head in listing.select(".heads .cell")] == ["sectors", "tags", "data"]
    assert gutter(listing) == {
        5: ["ld 32", "ld 8", "ld 32"],
        6: ["ld 4 st 4", "ld 1 st 1.50", ""],  # the store's data wavefronts are in the same counter
        7: ["", "", ""],
    }
    assert "as if it held all that is loaded" in listing.text
    assert [head.text.strip() for head in annotated(book).select(".heads .cell")] == ["sectors"]


def test_what_was_inlined_counts_where_it_was_called(book: Book) -> None:
    helper = line(3, {STORE_REQUESTS: 4, STORE: 64}, "code/helper.hpp")
    count(book, lines=[helper], inlined=[line(6, helper["metrics"])])
    assert gutter(annotated(book))[6] == ["st 16"]


def test_the_lines_of_another_copy_of_the_repository_are_recognized(book: Book) -> None:
    place = {"file": f"/elsewhere/chapters/6-transpose/{PROGRAM}.cu", "line": 6}
    count(book, lines=[{**place, "metrics": {LOAD_REQUESTS: 1, LOAD: 32}}])
    assert gutter(annotated(book))[6] == ["ld 32"]


def test_the_sums_say_whether_nsight_compute_has_the_same(book: Book) -> None:
    sums = annotated(book).select_one(".listing-sums").text.replace("\u202f", " ")
    assert sums == (
        "The whole launch: 131 072 load sectors, 131 072 store sectors; "
        "= exactly what Nsight Compute counted on NVIDIA Invented."
    )
    results = json.loads(book.published.read_text())
    for entry in results["counters"]:
        if entry["step"] == "padded":
            entry["metrics"][LOAD] = 131080
    write(book.published, results)
    html = BeautifulSoup(book.build().html(), "html.parser")
    sums = html.select_one(".listing-sums").text.replace("\u202f", " ")
    assert "131 072 load sectors ≠ 131 080" in sums
    assert "≠ not what Nsight Compute counted" in sums


def test_the_sums_say_nothing_of_nsight_compute_unless_it_counted_all_of_them(book: Book) -> None:
    results = json.loads(book.published.read_text())
    for entry in results["counters"]:
        del entry["metrics"][STORE]
    write(book.published, results)
    sums = annotated(book).select_one(".listing-sums").text.replace("\u202f", " ")
    assert sums == "The whole launch: 131 072 load sectors, 131 072 store sectors."


def test_before_the_first_publication_the_counts_stand_alone(book: Book) -> None:
    book.published.unlink()
    book.page(f"```{{annotated}} {PROGRAM}.cu kernel\n```")
    html = BeautifulSoup(book.build().html(), "html.parser")
    assert gutter(html.select_one(".listing:has(.annotated)"))[6] == ["ld 4 st 4"]
    assert "Nsight" not in html.select_one(".listing-sums").text


@pytest.mark.parametrize(
    ("listing", "problem"),
    [
        (f"{PROGRAM}.cu kernl\n", "no tag [kernl]; did you mean kernel?"),
        ("02_memcpy.cu kernel\n", "no step memcpy counted in"),
        (f"{PROGRAM}.cu kernel\n:counted: 99x99\n", "no padded at 99x99 counted in"),
        ("helper.hpp kernel\n", "helper.hpp is no step: say which one counts, `:step: …`"),
        ("helper.hpp kernel\n:step: padded\n", "helper.hpp: no line of kernel touches memory in padded"),
    ],
)
def test_a_wrong_listing_fails_the_build(book: Book, listing: str, problem: str) -> None:
    book.chapter.joinpath("helper.hpp").write_text("// Helps.\n// [kernel]\nint a;\n// [kernel]\n")
    book.page(f"```{{snippet}} helper.hpp kernel\n```\n\n```{{annotated}} {listing}```")
    warnings = book.build().warnings
    assert "index.md:15: WARNING: " in warnings
    assert problem in warnings


def test_a_damaged_counters_file_is_named(book: Book) -> None:
    book.counters(PROGRAM).write_text("[\n7]")
    with pytest.raises(SystemExit) as end:
        book.build()
    assert f"{PROGRAM}.json:2: damaged: [0]" in str(end.value)
