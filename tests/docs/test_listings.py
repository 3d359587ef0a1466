"""Snippets and differences: what they show, and every way in which they can be wrong."""

from __future__ import annotations

import html
import re

import pytest

from tests.docs.conftest import Book

PAGE = "chapters/6-transpose/index.md"


def counted(html: str) -> str:
    """A page with the numbers that a browser counts in front of lines, as static/book.css tells it."""
    numbers: dict[str, int] = {}
    row = "line"

    def with_number(found: re.Match[str]) -> str:
        nonlocal row
        if found["set"]:
            numbers[found["set"]] = int(found["number"])
        elif found["row"]:
            row = "old-line" if found["row"] == "removed" else "line"
        else:
            counter = "line" if found["place"] == "linenos" else row
            numbers[counter] += 1
            return f"{found[0]}{numbers[counter]}"
        return found[0]

    return re.sub(
        'counter-set:(?P<set>[a-z-]+) (?P<number>[0-9]+)|class="(?P<row>removed|added|same)"'
        '|<span class="(?P<place>linenos|sign)">',
        with_number,
        html,
    )


def test_a_snippet_shows_its_lines_with_the_numbers_of_the_file(book: Book) -> None:
    built = book.build()
    assert built.warnings == ""
    text = re.sub("<[^>]+>", "", counted(built.html()))
    assert re.search(r"5__global__ void padded_kernel", text)
    assert "[kernel]" not in text
    assert "The idea of padded" not in text


def test_a_snippet_links_to_the_whole_file(book: Book) -> None:
    built = book.build()
    link = "../../source/chapters/6-transpose/06_padded.cu"
    assert f'href="{link}.html"' in built.html()
    assert "The idea of padded" in built.html("source/chapters/6-transpose/06_padded.cu")
    plain = built.output / "source/chapters/6-transpose/06_padded.cu"
    assert plain.read_bytes() == (book.chapter / "06_padded.cu").read_bytes()


def test_a_nested_tag_leaves_a_gap_in_the_numbers(book: Book) -> None:
    book.chapter.joinpath("06_padded.cu").write_text(
        "// Idea.\n// [kernel]\nint a;\n// [inner]\nint b;\n// [inner]\nint c;\n// [kernel]\n"
    )
    book.page("```{snippet} 06_padded.cu inner\n```")
    built = book.build()
    assert built.warnings == ""
    text = re.sub("<[^>]+>", "", counted(built.html()))
    assert all(line in text for line in ("3int a;", "5int b;", "7int c;"))


@pytest.mark.parametrize(
    ("source", "prose", "problem"),
    [
        (
            None,
            "06_padded.cu kernl",
            r"index\.md:12: .*06_padded\.cu: no tag \[kernl\]; did you mean kernel\?",
        ),
        (None, "07_none.cu kernel", r"index\.md:12: .*no file chapters/6-transpose/07_none\.cu"),
        (
            "// I.\n// [kernel]\nint a;\n",
            "06_padded.cu kernel",
            r"06_padded\.cu:2: tag \[kernel\] is opened and",
        ),
        (
            "// I.\n// [kernel]\nint a;\n// [kernel]\n// [kernel]\nint b;\n// [kernel]\n",
            "06_padded.cu kernel",
            r"06_padded\.cu:5: tag \[kernel\] is doubled: lines 2, 4, 5, 7",
        ),
        (
            "// I.\n// [kernel]\n\n// [kernel]\n",
            "06_padded.cu kernel",
            r"06_padded\.cu:3: tag \[kernel\] holds no",
        ),
    ],
    ids=["unknown tag", "unknown file", "never closed", "doubled", "empty"],
)
def test_a_wrong_snippet_fails_the_build(book: Book, source: str | None, prose: str, problem: str) -> None:
    if source:
        book.chapter.joinpath("06_padded.cu").write_text(source)
    book.page(f"```{{snippet}} {prose}\n```")
    assert re.search(problem, book.build().warnings)


def test_a_tag_that_no_page_weaves_fails_the_build(book: Book) -> None:
    path = book.chapter / "06_padded.cu"
    path.write_text(path.read_text() + "// [forgotten]\nint a;\n// [forgotten]\n")
    assert re.search(
        r"06_padded\.cu:9: WARNING: tag \[forgotten\] is woven into no page", book.build().warnings
    )


def test_a_forgotten_tag_is_found_by_a_later_build_too(book: Book) -> None:
    assert book.build().warnings == ""
    solutions = book.chapter / "solutions"
    solutions.mkdir()
    solutions.joinpath("new.cu").write_text("// [new]\nint a;\n// [new]\n")
    assert "tag [new] is woven into no page" in book.build().warnings


def test_pages_read_in_parallel_remember_what_they_weave(book: Book) -> None:
    book.root.joinpath("docs").mkdir()
    for number in range(12):
        book.root.joinpath(f"docs/{number}.md").write_text(f"---\norphan: true\n---\n# Page {number}\n")
    assert book.build(parallel=2).warnings == ""


def test_a_difference_marks_lines_by_element_and_sign(book: Book) -> None:
    book.page("```{difference} 05_tile.cu 06_padded.cu kernel\n```")
    built = book.build()
    assert built.warnings == ""
    html = built.html()
    removed = re.sub("<[^>]+>", "", "".join(re.findall(r"<del.*?</del>", html, re.DOTALL)))
    added = re.sub("<[^>]+>", "", "".join(re.findall(r"<ins.*?</ins>", html, re.DOTALL)))
    assert "_kernel" not in removed + added, "a new name is no change"
    assert "in[5]" in removed
    assert "in[6]" in added
    assert re.search("<details.*The idea of padded.*</details>", html, re.DOTALL)


def test_the_lines_of_a_difference_have_the_numbers_of_their_files(book: Book) -> None:
    book.page("```{difference} 05_tile.cu 06_padded.cu kernel\n```")
    shown, _, _ = book.build().html().partition("</pre>")
    found = re.findall(r"^(\d+)([−+ ]) (.*)$", re.sub("<[^>]+>", "", counted(shown)), re.MULTILINE)
    assert {sign for _, sign, _ in found} == {"−", "+", " "}
    for sign, name in (("−", "05_tile.cu"), ("+", "06_padded.cu"), (" ", "06_padded.cu")):
        lines = book.chapter.joinpath(name).read_text().split("\n")
        numbered = {int(number): html.unescape(code) for number, of, code in found if of == sign}
        assert numbered == {number: lines[number - 1] for number in numbered}


def test_a_difference_shows_constants_and_folds_tests_and_declarations(book: Book) -> None:
    for name, block in (("05_tile", 256), ("06_padded", 32)):
        path = book.chapter / f"{name}.cu"
        text = path.read_text().replace(
            "// [kernel]\n__g", f"constexpr dim3 threadIdx{{{block}}};\n// [kernel]\n__g", 1
        )
        path.write_text(f'{text}\nTEST_CASE("a request of {block}") {{\n  CHECK({block});\n}}\n')
    book.page("```{difference} 05_tile.cu 06_padded.cu kernel\n```")
    built = book.build()
    assert built.warnings == ""
    shown, _, folded = re.sub("<(?!details)[^>]+>", "", built.html()).partition("<details")
    assert "− constexpr dim3 threadIdx{256};" in shown and "+ constexpr dim3 threadIdx{32};" in shown
    assert "a request of" not in shown
    assert "a request of 32" in folded


def test_a_whole_difference_weaves_all_tags_of_both_files(book: Book) -> None:
    others = "".join(
        f"```{{snippet}} {step.name} kernel\n```\n"
        for step in book.steps()
        if step.name[:2] not in ("05", "06")
    )
    text = f"```{{difference}} 05_tile.cu 06_padded.cu\n```\n\n{others}\n```{{comparison}}\n```"
    book.page(text, weaves_all=False)
    assert book.build().warnings == ""


@pytest.mark.parametrize(
    ("prose", "problem"),
    [
        ("06_padded.cu 06_padded.cu", "06_padded.cu and 06_padded.cu do not differ"),
        ("05_tile.cu 06_padded.cu launch", "no tag [launch]; there is kernel"),
        ("05_tile.cu 99_none.cu", "no file chapters/6-transpose/99_none.cu"),
    ],
)
def test_a_wrong_difference_fails_the_build(book: Book, prose: str, problem: str) -> None:
    book.page(f"```{{difference}} {prose}\n```")
    warnings = book.build().warnings
    assert f"{PAGE}:12: WARNING: " in warnings
    assert problem in warnings
