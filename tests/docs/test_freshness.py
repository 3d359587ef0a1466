"""Incremental builds: what changed is read again, what did not is not, and no problem is forgotten."""

from __future__ import annotations

from tests.book.invented import invented_results, write
from tests.docs.conftest import Book
from tests.docs.test_values import text_of

CHAPTER = "chapters/6-transpose/index"
VALUE = "It is {measured}`padded bandwidth 8192x8192`."


def test_nothing_is_read_again_when_nothing_changed(book: Book) -> None:
    book.page(VALUE)
    assert set(book.build().read) == {"index", CHAPTER}
    assert book.build().read == []


def test_new_results_rebuild_the_pages_that_show_data_and_no_other(book: Book) -> None:
    book.page(VALUE)
    book.build()
    write(book.published, invented_results(factor=1.1))
    built = book.build()
    assert built.read == [CHAPTER]
    assert "It is 3.74 TB/s." in text_of(built.html())


def test_the_readers_first_results_rebuild_the_pages(book: Book) -> None:
    book.page(VALUE)
    book.build()
    write(book.own, invented_results(gpu="NVIDIA Other", factor=0.5))
    built = book.build()
    assert built.read == [CHAPTER]
    assert "(yours: 1.70 TB/s)" in text_of(built.html())


def test_a_changed_step_rebuilds_its_page_and_its_own(book: Book) -> None:
    book.build()
    path = book.chapter / "06_padded.cu"
    path.write_text(path.read_text().replace("in[6]", "in[66]"))
    built = book.build()
    assert built.read == [CHAPTER]
    assert "in[66]" in text_of(built.html())
    assert "in[66]" in text_of(built.html("source/chapters/6-transpose/06_padded.cu"))


def test_a_second_build_does_not_forget_what_the_first_found_wrong(book: Book) -> None:
    book.page("{measured}`paded bandwidth 8192x8192`")
    first, second = book.build(), book.build()
    assert "no step paded" in first.warnings
    assert first.warnings == second.warnings


def test_pages_of_files_that_no_page_names_any_more_are_removed(book: Book) -> None:
    page = "source/chapters/6-transpose/06_padded.cu.html"
    assert (book.build().output / page).is_file()
    (book.chapter / "06_padded.cu").unlink()
    book.page("")
    built = book.build()
    assert built.warnings == ""
    assert not (built.output / page).exists()
    assert (built.output / "source/chapters/6-transpose/05_tile.cu.html").is_file()
