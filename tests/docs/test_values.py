"""Numbers in the text: published, counted, predicted, the sources', the reader's."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest

from tests.book.invented import invented_results, write
from tests.docs.conftest import Book


def text_of(html: str) -> str:
    return (
        re.sub("<[^>]+>", "", html)
        .replace("\N{NO-BREAK SPACE}", " ")
        .replace("\N{NARROW NO-BREAK SPACE}", " ")
    )


@pytest.mark.parametrize(
    ("prose", "shown"),
    [
        ("{measured}`padded bandwidth 8192x8192`", "3.40 TB/s"),
        ("{measured}`padded bandwidth 8192x8192 of memcpy`", "85 %"),
        ("{measured}`padded bandwidth 8192x8192 over tile`", "1.7"),
        ("{counted}`read-rows store-sectors 1024x1024 block=32x8`", "1 048 576"),
        ("{predicted}`read-rows store-sectors-per-request 1024x1024`", "32"),
        ("{published}`004 padded bandwidth 4096x4096 card=V100`", "1.13 TB/s"),
        ("{worked}`2 * 4 * 8192 * 8192 / [padded bandwidth 8192x8192] in s`", "158 µs"),
        ("{worked}`16 * 1024 * 132 / [padded bandwidth 8192x8192] in s`", "636 ns"),
        ("{worked}`[padded bandwidth 8192x8192] * 1e-6 / 132 in KiB`", "25.2 KiB"),
    ],
)
def test_a_role_shows_its_value_and_where_it_is_from(book: Book, prose: str, shown: str) -> None:
    book.page(f"It is >{prose}<.")
    built = book.build()
    assert built.warnings == ""
    paragraph = re.search(r"It is &gt;.*?&lt;", built.html(), re.DOTALL)[0]
    assert text_of(paragraph) == f"It is &gt;{shown}&lt;"
    assert re.search(r'<abbr[^>]* title="(measured|counted|predicted|published|worked out)', paragraph)


@pytest.mark.parametrize(
    ("prose", "problem"),
    [
        ("{measured}`paded bandwidth 8192x8192`", "no step paded measured in"),
        ("{measured}`padded bandwidth 512x512`", "no padded at 512x512 measured in"),
        ("{measured}`padded sectors 8192x8192`", "sectors is not a measured quantity"),
        ("{counted}`padded load-sectors 8192x8192`", "no padded at 8192x8192 counted in"),
        ("{counted}`memcpy load-sectors 1024x1024`", "no step memcpy counted in"),
        ("{predicted}`memcpy load-sectors 1024x1024`", "no step memcpy predicted in"),
        ("{published}`009 padded bandwidth 4096x4096`", "no source 009"),
        ("{measured}`padded bandwidth`", "is not STEP QUANTITY SHAPE"),
        ("{worked}`8 / [padded bandwidth 8192x8192]`", "does not end with its unit"),
        ("{worked}`8 * 4 in s`", "names no quantity"),
        ("{source}`99_none.cu`", "no file chapters/6-transpose/99_none.cu"),
    ],
)
def test_a_missing_value_fails_the_build_with_its_place(book: Book, prose: str, problem: str) -> None:
    book.page(f"First line.\n\nIt is {prose}.")
    warnings = book.build().warnings
    assert re.search(r"6-transpose/index\.md:14: WARNING: .*" + re.escape(problem), warnings)


def test_the_readers_value_stands_beside_the_published_one(book: Book) -> None:
    write(book.own, invented_results(gpu="NVIDIA Other", factor=0.5))
    book.page("It is {measured}`padded bandwidth 8192x8192`.")
    built = book.build()
    assert built.warnings == ""
    assert "It is 3.40 TB/s (yours: 1.70 TB/s)." in text_of(built.html())


def test_a_page_without_a_chapter_has_no_numbers(book: Book) -> None:
    book.root.joinpath("index.md").write_text("# Book\n\n{measured}`padded bandwidth 8192x8192`\n")
    assert "index.md:3: WARNING: this page belongs to no chapter" in book.build().warnings


@pytest.mark.parametrize(
    ("damage", "problem"),
    [
        (lambda text: text[:200], r"chapter6\.json:\d+: damaged"),
        (
            lambda text: text.replace('"schema": 2', '"schema": 3'),
            r"chapter6\.json:2: written by a newer book",
        ),
        (lambda _: "{}", r"chapter6\.json:1: foreign"),
        (
            lambda text: text.replace('"samples": 40', '"samples": "many"', 1),
            r"chapter6\.json:\d+: damaged: .*samples",
        ),
    ],
    ids=["cut off", "newer", "foreign", "wrong type"],
)
@pytest.mark.parametrize("whose", ["published", "own"])
def test_a_damaged_result_file_fails_the_build_by_name(
    book: Book, damage: Callable[[str], str], problem: str, whose: str
) -> None:
    if whose == "own":
        write(book.own, invented_results())
    path = getattr(book, whose)
    path.write_text(damage(path.read_text()))
    book.page("It is {measured}`padded bandwidth 8192x8192`.")
    with pytest.raises(SystemExit, match=problem):
        book.build()


def test_before_the_first_publication_the_pages_say_so(book: Book, capfd: pytest.CaptureFixture[str]) -> None:
    book.published.unlink()
    book.page(
        "It is {measured}`padded bandwidth 8192x8192`, "
        "{claim}`it holds :: [padded bandwidth 8192x8192] > [tile bandwidth 8192x8192]`\n\n"
        "```{card} padded\n```\n\n```{ladder}\n```\n\n```{plot} ladder\n```\n"
    )
    built = book.build()
    assert built.warnings == ""
    assert "It is not measured yet, it holds (not measured yet)" in text_of(built.html())
    assert (
        "chapters/6-transpose/index says 'not measured yet': chapter 6 has no published results yet"
        in capfd.readouterr().err
    )
