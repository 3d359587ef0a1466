"""Cards, ladders and comparisons."""

from __future__ import annotations

import json
import re

import pytest
from bs4 import BeautifulSoup

from book.format import SPACE, times
from tests.book.invented import LOAD, STEPS, invented_description, invented_results, write
from tests.docs.conftest import FRONT_MATTER, Book
from tests.docs.test_values import text_of


def card_of(book: Book, step: str = "padded") -> str:
    book.page(f"```{{card}} {step}\nHow many?\n```")
    built = book.build()
    assert built.warnings == ""
    html = built.html()
    start = html.index(f'id="card-{step}"')
    return html[start : html.index('<div class="', html.index('<div class="bars', start) + 4000)]


def change_counter(book: Book, step: str, metric: str, value: float) -> None:
    results = json.loads(book.published.read_text())
    for entry in results["counters"]:
        if entry["step"] == step:
            entry["metrics"][metric] = value
    write(book.published, results)


def test_a_card_holds_idea_question_time_and_links(book: Book) -> None:
    card = card_of(book)
    shown = text_of(card)
    for words in (
        "The idea of padded in a line.",
        "How many?",
        "3.40 TB/s",
        "158 µs",
        "85 % of memcpy (tile: 50 %)",
    ):
        assert words in shown
    for link in (
        "06_padded.cu.html",
        "05_tile-06_padded.html",
        "results/published/nvidia-invented/chapter6.json",
    ):
        assert link in card


def test_the_linked_results_and_difference_are_there(book: Book) -> None:
    card_of(book)
    output = book.root / "build/html"
    assert (
        output / "results/published/nvidia-invented/chapter6.json"
    ).read_bytes() == book.published.read_bytes()
    page = output / "difference/chapters/6-transpose/05_tile-06_padded.html"
    assert "The idea of tile" in text_of(page.read_text())


def test_what_to_predict_is_folded_until_asked_for(book: Book) -> None:
    card = card_of(book)
    assert re.search(r'<details class="fold">\s*<summary>Predict, then look</summary>', card)
    folded = text_of(card[card.index("<details") : card.index("</details>")])
    assert "131 072 in all" in folded
    assert "131 072" not in text_of(card[: card.index("<details")])


def test_a_count_is_marked_as_equal_only_if_it_is(book: Book) -> None:
    equal = card_of(book)
    assert equal.count("the prediction, exactly") == equal.count("the emulator's count, exactly") == 2
    counters = json.loads(book.counters("06_padded").read_text())
    counters[0]["metrics"][LOAD] = 131073
    write(book.counters("06_padded"), counters)
    built = book.build()
    unequal = built.html()
    assert unequal.count("the prediction, exactly") == unequal.count("the emulator's count, exactly") == 1
    assert unequal.count("not the prediction") == unequal.count("not the emulator's count") == 1


def test_a_count_that_nsight_compute_does_not_confirm_fails_the_build(book: Book) -> None:
    change_counter(book, "padded", LOAD, 131080)
    warnings = book.build().warnings
    disagreement = f"padded 1024x1024 block=32x8: {LOAD}: the emulator counts 131,072, Nsight Compute 131,080"
    assert disagreement in warnings
    assert warnings.count("Nsight Compute") == 1


def test_an_approximate_count_fails_the_build(book: Book) -> None:
    counters = json.loads(book.counters("06_padded").read_text())
    counters[0] |= {"exact": False, "because": ["accesses to local memory are not counted"]}
    write(book.counters("06_padded"), counters)
    warnings = book.build().warnings
    assert "padded 1024x1024 block=32x8: what the emulator counts is approximate: accesses to" in warnings


def test_a_count_may_depend_on_the_schedule(book: Book) -> None:
    counters = json.loads(book.counters("06_padded").read_text())
    for launch in counters:
        launch |= {"exact": False, "because": ["depends on the schedule"]}
    write(book.counters("06_padded"), counters)
    assert book.build().warnings == ""


def test_counts_of_a_step_that_has_changed_are_not_held_against_the_published_ones(book: Book) -> None:
    change_counter(book, "padded", LOAD, 131080)
    description = invented_description("padded", "step", fingerprint="cd34")
    write(book.root / "build/describe/6-transpose/06_padded.json", description)
    assert book.build().warnings == ""


def test_a_card_shows_the_counts_that_it_asks_for(book: Book) -> None:
    book.page("```{card} padded\n:counts: load-requests-of store-sectors\nHow many?\n```")
    assert "no count load-requests-of" in book.build().warnings
    tags = "l1tex__t_output_wavefronts_pipe_lsu_mem_global_op_ld.sum"
    counters = json.loads(book.counters("06_padded").read_text())
    counters[0]["metrics"][tags] = 65536
    write(book.counters("06_padded"), counters)
    book.page("```{card} padded\n:counts: tag-wavefronts\nHow many?\n```")
    shown = text_of(book.build().html())
    assert "tag wavefronts per request, if all loads hit the L1" in shown
    assert "65 536 in all" in shown.replace("\u202f", " ")


def test_the_bars_are_as_long_as_the_shares(book: Book) -> None:
    write(book.own, invented_results(gpu="NVIDIA Other", factor=0.5))
    results = json.loads(book.own.read_text())
    for entry in results["measurements"]:
        if entry["step"] == "memcpy":
            entry["seconds"] = {name: value / 2 for name, value in entry["seconds"].items()}
    write(book.own, results)
    card = card_of(book)
    ceiling = float(re.search(r'class="ceiling" style="left:([\d.]+)%"', card)[1])
    fills = [float(width) for width in re.findall(r'class="fill" style="width:([\d.]+)%"', card)]
    ghosts = [float(width) for width in re.findall(r'class="ghost" style="width:([\d.]+)%"', card)]
    assert [fill / ceiling for fill in fills] == pytest.approx([0.85, 0.425, 0.947, 1.141], abs=0.002)
    assert [ghost / ceiling for ghost in ghosts] == pytest.approx([0.5, 0.25], abs=0.002)
    assert "yours: NVIDIA Other" in card


@pytest.mark.parametrize(
    ("prose", "problem"),
    [
        ("```{card} paded\n```", "no step paded in"),
        ("```{card} padded\n:before: til\n```", "no step til in"),
        ("```{card} padded\n:measured: 99x99\n```", "no padded at 99x99 measured in"),
        ("```{card} padded\n:counted: big\n```", "'big' is not a shape"),
        ("```{card} padded\n:parameters: block\n```", "'block' is not a parameter"),
        ("```{ladder}\n:steps: paded\n```", "no step paded in"),
        ("```{ladder}\n:measured: 99x99\n```", "99x99"),
        ("```{comparison}\n:source: 009\n```", "no row of the sources has source 009"),
        (
            "```{exercise} Do it.\n:solution: solutions/none.cu kernel\n```",
            "no file chapters/6-transpose/solutions",
        ),
    ],
)
def test_a_wrong_name_fails_the_build(book: Book, prose: str, problem: str) -> None:
    book.page(prose)
    warnings = book.build().warnings
    assert "6-transpose/index.md:12: WARNING: " in warnings
    assert problem in warnings


@pytest.mark.parametrize("list_name", ["measurements", "counters"])
def test_a_step_that_is_not_published_has_a_card_that_says_so(book: Book, list_name: str) -> None:
    results = json.loads(book.published.read_text())
    results[list_name] = [entry for entry in results[list_name] if entry["step"] != "padded"]
    write(book.published, results)
    book.page("```{card} padded\n```\n```{ladder}\n```")
    built = book.build()
    assert built.warnings == ""
    card = text_of(built.html()).partition("raw results")[2].partition("Every step of the chapter")[0]
    assert ("not measured yet" in card) == (list_name == "measurements")
    rows = {row[0]: row[1:] for row in _rows(built.html())}
    assert ("not measured yet" in rows["padded"]) == (list_name == "measurements")
    assert "not measured yet" not in rows["tile"]


def test_a_measurement_that_no_program_promises_fails_the_build(book: Book) -> None:
    book.page("```{card} padded\n:measured: 77x77\n```")
    assert "no padded at 77x77" in book.build().warnings


def test_a_card_without_its_prediction_fails_the_build(book: Book) -> None:
    (book.root / "build/describe/6-transpose/06_padded.json").unlink()
    book.page("```{card} padded\n```")
    assert "no step padded predicted in" in book.build().warnings


def test_a_step_without_an_idea_in_its_first_line_has_no_card(book: Book) -> None:
    path = book.chapter / "06_padded.cu"
    path.write_text("\n" + path.read_text())
    book.page("```{card} padded\n```")
    assert "06_padded.cu:1: a step's first line is a comment that says its idea" in book.build().warnings


def test_a_comparison_shows_the_rows_of_another_chapter(book: Book) -> None:
    (book.root / "chapters/1-others").mkdir()
    (book.root / "chapters/1-others/index.md").write_text(
        "---\nchapter: 1\n---\n# Others\n\n```{comparison}\n:chapter: 6\n:source: 004\n```\n"
    )
    book.page("```{comparison}\n```", weaves_all=False)
    built = book.build()
    assert "no row of the sources" not in built.warnings
    told = text_of(built.html("chapters/1-others/index"))
    assert "padded" in told and "3.40 TB/s" in told


def test_a_comparison_can_show_shares_of_a_step(book: Book) -> None:
    write(book.own, invented_results(gpu="NVIDIA Other", factor=0.5))
    book.page("```{comparison}\n:of: copy-rows\n```", weaves_all=False)
    rows = _rows(book.build().html())
    head = next(row for row in rows if row[0] == "step")
    assert head[5:] == ["there, of copy-rows", "here, of copy-rows", "yours, of copy-rows"]
    padded = next(row for row in rows if row[0] == "padded" and "3060" in row[1])
    assert padded[5:] == ["94.7 %", "113 %", "113 %"]


def test_an_idea_may_take_two_lines(book: Book) -> None:
    path = book.chapter / "06_padded.cu"
    path.write_text(path.read_text().replace(" in a line.", " in two\n// lines.\n//\n// And no more."))
    shown = text_of(card_of(book))
    assert "The idea of padded in two lines." in shown
    assert "And no more" not in shown


def test_where_the_ceiling_does_operations_all_is_rated_by_them(book: Book) -> None:
    results = json.loads(book.published.read_text())
    for entry in results["measurements"]:
        entry["rated_by"] = "operations"
        entry["amounts"]["operations"] = 2 * entry["amounts"]["bytes"]
    write(book.published, results)
    shown = text_of(card_of(book))
    assert "6.80 TFLOP/s" in shown
    book.page("```{ladder}\n```")
    html = book.build().html()
    table = html[html.index("Every step of the chapter") :]
    rows = {row[0]: row[1:] for row in _rows(table[: table.index("</table>")])}
    assert rows["step"][4] == "rate"
    assert rows["padded"][4:] == ["6.80 TFLOP/s", "85 %", "0.92"]


def test_bars_can_be_shares_of_another_step_than_the_ceiling(book: Book) -> None:
    front_matter = FRONT_MATTER.removesuffix("---\n") + "bars: cublas-geam\n---\n"
    book.page("```{card} padded\n```", front_matter=front_matter)
    assert "91.9 % of cublas-geam (tile: 54 %), 85 % of memcpy" in text_of(book.build().html())


def test_one_card_can_have_a_whole_of_its_own(book: Book) -> None:
    book.page("```{card} padded\n:bars: tile\n```\n\n```{card} tile\n```")
    shown = text_of(book.build().html())
    assert "170 % of tile, 85 % of memcpy" in shown
    assert "50 % of memcpy" in shown


def test_a_card_can_leave_out_the_share_of_the_step_before(book: Book) -> None:
    book.page("```{card} padded\n:leave-out: before\n```")
    shown = text_of(book.build().html())
    assert "85 % of memcpy" in shown
    assert "(tile:" not in shown


def test_where_the_ceiling_was_not_measured_a_card_has_no_share_of_it(book: Book) -> None:
    results = json.loads(book.published.read_text())
    results["measurements"] = [entry for entry in results["measurements"] if entry["step"] != "memcpy"]
    write(book.published, results)
    book.page("```{card} padded\n```\n\n```{card} tile\n:bars: padded\n```")
    built = book.build()
    assert built.warnings == ""
    shown = text_of(built.html())
    assert "of memcpy" not in shown
    assert "59 % of padded" in shown


def test_bars_of_a_step_that_there_is_not_are_an_error(book: Book) -> None:
    book.page("```{card} padded\n:bars: til\n```")
    assert "no step til in" in book.build().warnings


@pytest.mark.parametrize(
    ("shape", "printed"),
    [
        ((8192, 8192), "8192 × 8192"),
        ((1 << 26,), "2²⁶"),
        ((4096, 4096, 4096), "4096³"),
        ((8191, 4099, 2053), "8191 × 4099 × 2053"),
    ],
)
def test_shapes_are_printed_shortly(shape: tuple[int, ...], printed: str) -> None:
    assert times(shape).replace(SPACE, " ") == printed


def test_a_step_that_changed_since_it_was_measured_is_named_on_the_page(book: Book) -> None:
    write(
        book.root / "build/describe/6-transpose/06_padded.json",
        invented_description("padded", "step", "cd34"),
    )
    book.page("```{card} padded\n```\n\n```{card} tile\n```\n\n```{ladder}\n```")
    built = book.build()
    assert built.warnings == ""
    shown = text_of(built.html())
    assert shown.count("The published results of padded are those of commit invented; what it runs at") >= 2
    assert "results of tile are those" not in shown


def test_the_ladder_has_a_row_for_each_step(book: Book) -> None:
    book.page("```{ladder}\n```")
    built = book.build()
    assert built.warnings == ""
    table = built.html()[built.html().index("Every step of the chapter") :]
    rows = {row[0]: row[1:] for row in _rows(table[: table.index("</table>")])}
    assert set(rows) - {"step"} == {step for step, _, _ in STEPS}
    assert rows["padded"] == ["262 144", "262 144 =", "0", "158 µs", "3.40 TB/s", "85 %", "0.92"]
    assert rows["memcpy"][:3] == ["–", "–", "–"]


def test_a_comparison_shows_theirs_ours_and_the_readers(book: Book) -> None:
    write(book.own, invented_results(gpu="NVIDIA Other", factor=0.5))
    book.page("```{comparison}\n```", weaves_all=False)
    html = book.build().html()
    rows = _rows(html)
    padded = next(row for row in rows if row[0] == "padded" and "V100" in row[1])
    assert padded[2:] == ["1.13 TB/s", "3.40 TB/s", "1.70 TB/s"]
    copy = next(row for row in rows if row[0] == "copy-rows, block 32 × 32")
    assert copy[3] == "3.00 TB/s (block 32 × 8)"


def test_a_comparison_names_all_parameters_of_a_row(book: Book) -> None:
    path = book.root / "figures/data/sources.json"
    rows = json.loads(path.read_text())
    row = next(row for row in rows if row["step"] == "copy-rows" and row["source"] == "001")
    write(path, [*rows, {**row, "parameters": {**row["parameters"], "ahead": [2]}}])
    book.page("```{comparison}\n```", weaves_all=False)
    first = [cells[0] for cells in _rows(book.build().html())]
    assert "copy-rows, block 32 × 32" in first and "copy-rows, block 32 × 32, ahead=2" in first


def test_a_row_of_the_sources_that_no_table_shows_fails_the_build(book: Book) -> None:
    text = "".join(f"```{{snippet}} {step.name} kernel\n```\n" for step in book.steps())
    book.page(f"```{{comparison}}\n:source: 004\n```\n{text}", weaves_all=False)
    missing = re.findall(r"no comparison shows (\S+ \S+ \S+)", book.build().warnings)
    assert missing == ["001 copy-rows bandwidth"]


def _rows(html: str) -> list[list[str]]:
    rows = re.findall(r"<tr[^>]*>(.*?)</tr>", html, re.DOTALL)
    return [
        [text_of(cell).strip() for cell in re.findall(r"<t[dh][^>]*>(.*?)</t[dh]>", row, re.DOTALL)]
        for row in rows
    ]


CARD = """:::::{card} padded
%s
The rows get one word longer. How many?
+++
All of them. See the {source}`06_padded.cu`.
:::::
"""


def closed(html: str) -> str:
    """What a page shows before anything is opened."""
    return text_of(re.sub(r"<details.*?</details>", "", html, flags=re.DOTALL))


def test_a_closed_card_asks_for_counts_and_time_and_gives_what_they_take(book: Book) -> None:
    book.page(CARD % "")
    built = book.build()
    assert built.warnings == ""
    shown = closed(built.html())
    for words in (
        "The rows get one word longer.",
        "How long does it take at 8192",
        "to move",
        "memcpy reaches",
    ):
        assert words in shown
    for words in ("The idea of padded", "All of them", "158", "131 072", "make steps"):
        assert words not in shown
    assert "All of them" in text_of(built.html())
    names = re.findall(r'<input id="([^"]*)"', built.html())
    assert names == ["predicted-counts-padded", "predicted-time-padded"]
    assert all(f'data-said="{name}"' in built.html() for name in names)


def test_the_time_of_the_ceiling_is_given_and_not_asked(book: Book) -> None:
    book.page("```{card} padded\n```", front_matter=FRONT_MATTER.replace("memcpy", "padded"))
    built = book.build()
    assert built.warnings == ""
    assert "How long" not in built.html()
    assert "<summary>Look</summary>" in built.html()


WHY = """
::::{conjecture} Banks
Perhaps.
::::
"""


def test_a_card_asks_for_the_part_that_holds_a_step_where_the_page_explains_it(book: Book) -> None:
    book.page(CARD % ":held-by: shared memory\n:because: Banks" + WHY)
    built = book.build()
    assert built.warnings == ""
    html = built.html()
    assert "Which part of the GPU holds it back?" in closed(html)
    assert "<option>shared memory</option>" in html
    assert '<a class="reference internal" href="#conjecture-banks">conjecture</a>' in html
    assert "Held by" not in closed(html)


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        (":held-by: shared memory", "`:held-by: PART` and `:because: WHY` belong together"),
        (
            ":held-by: shared memry\n:because: Banks",
            "no part shared memry of a GPU; did you mean shared memory?",
        ),
        (":held-by: shared memory\n:because: Bank", "no why and no conjecture of this page is 'Bank'"),
    ],
)
def test_a_part_that_the_page_does_not_explain_fails_the_build(
    book: Book, options: str, problem: str
) -> None:
    book.page(CARD % options + WHY)
    assert problem in book.build().warnings


def test_a_card_says_how_to_run_its_step(book: Book) -> None:
    book.page(CARD % "")
    shown = text_of(book.build().html())
    assert "build/chapters/6-transpose/06_padded --measure" in shown
    assert "build/emulate build/chapters/6-transpose/06_padded" in shown


def test_where_all_times_are_printed_alike_one_is(book: Book) -> None:
    results = json.loads(book.published.read_text())
    for entry in results["measurements"]:
        entry["seconds"] |= {"low": entry["seconds"]["median"], "high": entry["seconds"]["median"]}
    write(book.published, results)
    book.page("```{card} padded\n```")
    assert re.search(r"nine tenths of them took 158\s+µs(?! to)", text_of(book.build().html()))


def test_a_single_run_has_no_median(book: Book) -> None:
    results = json.loads(book.published.read_text())
    for entry in results["measurements"]:
        entry["samples"] = 1
    write(book.published, results)
    book.page("```{card} padded\n```")
    shown = text_of(book.build().html())
    assert re.search("one run(?: with a (?:cold|warm) L2)?", shown)
    assert "median of" not in shown and "nine tenths" not in shown


def test_the_items_of_a_numbered_question_are_the_card_s_first_questions(book: Book) -> None:
    book.page("```{card} padded\n1. How many sectors?\n2. How many wavefronts?\n```")
    html = book.build().html()
    items = [
        text_of(item)
        for item in re.findall(r"<li>(.*?)</li>", html[html.index('id="card-padded"') :], re.DOTALL)
    ]
    assert [item.split("?")[0].strip() for item in items[:2]] == ["How many sectors", "How many wavefronts"]
    assert "Your answer" not in items[0] and "Your answer" in items[1]
    assert "How long" in items[2]


def test_a_numbered_list_that_does_not_end_the_question_fails_the_build(book: Book) -> None:
    book.page("```{card} padded\nThe tile is read twice:\n\n1. By rows.\n2. By columns.\n\nHow often?\n```")
    assert "items of a card's numbered list are its questions" in book.build().warnings


def test_a_list_with_points_stays_whole_in_its_question(book: Book) -> None:
    book.page("```{card} padded\nThe tile is read twice:\n\n- by rows\n- by columns\n\nHow often?\n```")
    built = book.build()
    assert built.warnings == ""
    html = built.html()
    card = BeautifulSoup(html[html.index('id="card-padded"') :], "html.parser")
    first, second = card.select(".card-question > ol > li")
    assert [point.get_text().strip() for point in first.select("ul > li")] == ["by rows", "by columns"]
    said = first.get_text(" ")
    assert (
        said.index("read twice") < said.index("by rows") < said.index("by columns") < said.index("How often?")
    )
    assert "Your answer" in said and "How long" in second.get_text()
