"""Folds, figures, mathematics and what makes a page reachable."""

from __future__ import annotations

import pytest

from tests.docs.conftest import Book
from tests.docs.test_values import text_of

SVG = (
    '<svg xmlns="http://www.w3.org/2000/svg" role="img" aria-labelledby="a-title a-desc">'
    '<title id="a-title">A</title><desc id="a-desc">{desc}</desc></svg>'
)


def draw(book: Book, svg: str) -> None:
    folder = book.root / "build/figures/6-transpose"
    folder.mkdir(parents=True, exist_ok=True)
    folder.joinpath("ladder.svg").write_text(svg)


def test_a_question_folds_its_answer(book: Book) -> None:
    book.page("````{predict} How many *sectors*?\nFour.\n```{snippet} 06_padded.cu kernel\n```\n````")
    built = book.build()
    assert built.warnings == ""
    html = built.html()
    fold = html[html.index("<details") : html.index("</details>")]
    assert "How many <em>sectors</em>?" in html[: html.index("<details")]
    assert "Four." in fold
    assert "padded_kernel" in fold


def test_a_question_may_be_fenced_by_colons(book: Book) -> None:
    book.page(":::{predict} How many?\nFour.\n\n```{snippet} 06_padded.cu kernel\n```\n:::")
    built = book.build()
    assert built.warnings == ""
    assert "Four." in built.html()


def test_an_exercise_folds_its_solution(book: Book) -> None:
    solutions = book.chapter / "solutions"
    solutions.mkdir()
    solutions.joinpath("two.cu").write_text("// Idea.\n// [kernel]\nint padding = 2;\n// [kernel]\n")
    book.page("```{exercise} Pad by two.\n:solution: solutions/two.cu kernel\nBecause.\n```")
    built = book.build()
    assert built.warnings == ""
    html = built.html()
    fold = text_of(html[html.index("<details") : html.index("</details>")])
    assert "Because." in fold
    assert "int padding = 2;" in fold


def test_a_figure_stands_in_the_page(book: Book) -> None:
    draw(book, SVG.format(desc="Bars."))
    book.page("```{plot} ladder\nThe *caption*.\n```")
    built = book.build()
    assert built.warnings == ""
    assert '<desc id="a-desc">Bars.</desc>' in built.html()
    assert "<img" not in built.html()
    assert "The <em>caption</em>." in built.html()


def test_a_figure_leads_to_the_cards_of_its_steps(book: Book) -> None:
    links = "".join(f'<a href="step:6/{step}"><path d="M0 0"/></a>\n' for step in ("padded", "tile"))
    draw(book, SVG.format(desc="Bars.").replace("</svg>", f"{links}</svg>"))
    book.page("```{plot} ladder\n```\n\n```{card} padded\n```")
    book.root.joinpath("index.md").write_text(
        "# Book\n\n```{plot} 6-transpose/ladder\n```\n\n```{toctree}\nchapters/6-transpose/index\n```\n"
    )
    built = book.build()
    assert built.warnings == ""
    drawn = '<path d="M0 0"/>'
    assert f'<a href="#card-padded"><title>padded</title>{drawn}</a>' in built.html()
    assert f'<a href="chapters/6-transpose/index.html#card-padded"><title>padded</title>{drawn}</a>' in (
        built.html("index")
    )
    assert "step:" not in built.html() + built.html("index"), "tile has no card, and nothing leads to it"


@pytest.mark.parametrize(
    ("svg", "problem"),
    [
        (None, "no figure ladder in"),
        (SVG.format(desc=""), "ladder.svg: the figure has no text for those who cannot see it"),
        (
            SVG.format(desc="Bars.").replace(' role="img"', ""),
            "the figure has no text for those who cannot see it",
        ),
        ("<svg", "ladder.svg: damaged"),
    ],
)
def test_a_wrong_figure_fails_the_build(book: Book, svg: str | None, problem: str) -> None:
    if svg:
        draw(book, svg)
    book.page("```{plot} ladder\n```")
    assert problem in book.build().warnings


def test_mathematics_is_mathml(book: Book) -> None:
    book.page("Inline $\\lceil n/32 \\rceil$ and\n\n$$\nt = \\frac{a}{b}\n$$")
    built = book.build()
    assert built.warnings == ""
    assert built.html().count("<math ") == 2
    assert "<mfrac>" in built.html()
    assert "<script" not in built.html()[built.html().index("Inline") :][:1500]


def test_wrong_mathematics_fails_the_build(book: Book) -> None:
    book.page("Inline $\\nonsense{a}$.")
    assert "index.md:12: WARNING: mathematics: " in book.build().warnings


def test_what_scrolls_takes_the_focus(book: Book) -> None:
    html = book.build().html()
    assert html.count("<pre") == html.count('<pre tabindex="0"') > 0


def test_listings_carry_no_markup_for_what_has_the_colour_of_text(book: Book) -> None:
    html = book.build().html()
    assert "in[" in text_of(html)
    assert '<span class="k' in html
    assert '<span class="n">' not in html
