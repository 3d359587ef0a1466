"""An explanation has an experiment that tells it from its rivals, or it is listed as a conjecture."""

from __future__ import annotations

import json
import re

import pytest

from book.prose import collect_claims
from tests.book.invented import add_experiment, write
from tests.docs.conftest import Book
from tests.docs.test_values import text_of

LONGER = "[longer-rows time 8192x8192]"
SAME = f"{LONGER} < 1.1 * [padded time 8192x8192]"
SLOWER = f"{LONGER} > 1.5 * [padded time 8192x8192]"
CAUSE = f"+ the *banks* | slower | {SLOWER}\n"
RIVAL = f"- latency | the same time | {SAME}\n"


def why(rows: str = CAUSE + RIVAL, argument: str = "longer-rows") -> str:
    return (
        f":::{{why}} {argument}\n:changed: One `float` more.\n"
        ":came-out: {measured}`longer-rows time 8192x8192`\n\n"
        f"All words lie in one bank.\n\n{rows}:::"
    )


@pytest.fixture
def book(book: Book) -> Book:
    """The book with an experiment that takes twice as long as the step."""
    add_experiment(book.root)
    source = book.chapter / "experiments/longer_rows.cu"
    source.parent.mkdir()
    source.write_text("// One float more.\n")
    return book


def test_a_why_shows_what_was_told_apart(book: Book) -> None:
    book.page(why())
    built = book.build()
    assert built.warnings == ""
    page = built.html()
    shown = text_of(
        re.search(r'<div class="why docutils.*?</details>\s*<p class="why-run">.*?</p>', page, re.S)[0]
    )
    for words in (
        "All words lie in one bank.",
        "What is changed. One float more.",
        "What came out. 316 µs",
        "the banks slower ✓ is true: 316 µs &gt; 237 µs",
        "latency the same time ✗ is false: 316 µs &lt; 174 µs",
        "longer_rows.cu · build/emulate build/chapters/6-transpose/experiments/longer_rows · make chapter6",
    ):
        assert words in " ".join(shown.split())
    assert '<details class="fold">' in page


@pytest.mark.parametrize(
    ("prose", "problem"),
    [
        (
            why(CAUSE.replace("> 1.5", "> 3") + RIVAL),
            "false explanation 'the *banks*': published: 316 µs > 474 µs",
        ),
        (
            why(CAUSE + RIVAL.replace("< 1.1", "< 3")),
            "the experiment does not tell it from its rival 'latency'",
        ),
        (why(argument="longer-row"), "did you mean longer-rows"),
        (why(argument="longer-rows, tile"), "no expression asks anything of the experiment tile"),
        (why(argument="longer-rows block=8x8"), "no variant longer-rows block=8x8; did you mean block=32x8?"),
        (why(argument="tile"), "asks nothing of the experiment, tile"),
        (why(RIVAL), "a why has one line `+"),
        (why(CAUSE + CAUSE + RIVAL), "a why has one line `+"),
        (why(CAUSE), "a why has a rival"),
        (why(CAUSE + "- latency | the same\n"), "is not '- explanation"),
        (why(CAUSE + RIVAL + "Afterwards.\n"), "'Afterwards.' stands behind the explanations"),
        (
            why(CAUSE + "- b | c | [padded time 8192x8192] < 0\n"),
            "asks nothing of the experiment, longer-rows",
        ),
        (why(CAUSE + "- b | c | [predicted longer-rows load-sectors 1024x1024] < 0\n"), "asks nothing"),
        (why(CAUSE + "- b | c | [longer-rows time 8x8] < 0\n"), "no longer-rows at 8x8 measured"),
        (why(CAUSE + "- b | c | [longer-rows tim 8192x8192] < 0\n"), "tim is not a measured quantity"),
        (why().replace(":changed:", ":change:"), ""),
        (why().replace(":changed: One `float` more.\n", ""), "`:changed: …`"),
    ],
)
def test_a_why_that_tells_nothing_apart_fails_the_build(book: Book, prose: str, problem: str) -> None:
    book.page(prose)
    warnings = text_of(book.build().warnings)
    assert re.search(r"6-transpose/index\.md:\d+: WARNING: ", warnings)
    assert problem in warnings


def test_a_variant_of_a_step_is_an_experiment(book: Book) -> None:
    row = "[read-rows time 8192x8192 block=8x32] {} [read-rows time 8192x8192]"
    rows = f"+ a | b | {row.format('>')}\n- c | d\n  | {row.format('<')}\n"
    book.page(why(rows, "read-rows block=8x32"))
    assert book.build().warnings == ""
    book.page(why(rows, "read-rows block=8x31"))
    assert "no variant read-rows block=8x31" in book.build().warnings


def test_an_experiment_that_is_not_published_is_no_problem_and_is_named(
    book: Book, capsys: pytest.CaptureFixture[str]
) -> None:
    results = json.loads(book.published.read_text())
    results["measurements"] = [one for one in results["measurements"] if one["step"] != "longer-rows"]
    write(book.published, results)
    book.page(why())
    built = book.build()
    assert built.warnings == ""
    assert text_of(built.html()).count("not measured yet") == 3
    assert 'class="rival"' not in built.html() and 'class="cause"' not in built.html()
    assert "Expected" in built.html() and "<strong>Why</strong>" not in built.html()
    said = "chapters/6-transpose/index says 'not measured yet': longer-rows 8192x8192 is not published yet"
    assert said in capsys.readouterr().err


@pytest.mark.parametrize(
    ("slower", "said"),
    [
        (2.0, "The same came out on your GPU, NVIDIA Invented."),
        (1.0, "On your GPU, NVIDIA Invented, something else came out: the *banks*: 158 µs &gt; 237 µs"),
    ],
)
def test_the_readers_card_agrees_or_does_not(book: Book, slower: float, said: str) -> None:
    results = json.loads(book.published.read_text())
    for entry in results["measurements"]:
        if entry["step"] == "longer-rows":
            entry["seconds"] = {name: slower / 2 * value for name, value in entry["seconds"].items()}
    write(book.own, results)
    book.page(why())
    built = book.build()
    assert built.warnings == ""
    assert said in text_of(built.html())


def test_conjectures_are_listed(book: Book) -> None:
    (book.root / "docs").mkdir()
    (book.root / "docs/conjectures.md").write_text("# Conjectures\n\n```{conjectures}\n```\n")
    with (book.root / "index.md").open("a") as index:
        index.write("```{toctree}\ndocs/conjectures\n```\n")
    book.page("Nothing.")
    assert "There is none." in book.build().html("docs/conjectures")
    book.page(":::{conjecture} What the *halves* count\nWe do not know.\n:::")
    built = book.build()
    assert built.warnings == ""
    assert 'id="conjecture-what-the-halves-count"' in built.html()
    listed = built.html("docs/conjectures")
    assert (
        '../chapters/6-transpose/index.html#conjecture-what-the-halves-count">What the halves count</a>'
        in listed
    )
    book.page("Nothing.")
    assert "There is none." in book.build().html("docs/conjectures")


def test_what_rounds_do_not_bear_out_fails_the_build(book: Book) -> None:
    results = json.loads(book.published.read_text())
    for entry in results["measurements"]:
        entry["rounds"] = [factor * entry["seconds"]["median"] for factor in (0.98, 1, 1.02)]
    write(book.published, results)
    claim = "{claim}`It is so :: [longer-rows time 8192x8192] > 1.95 * [padded time 8192x8192]`"
    book.page(f"{claim}\n\n{why()}\n\n{why(CAUSE.replace('> 1.5', '> 1.95') + RIVAL)}")
    told = re.findall(r"inside of what rounds differ by: '(.*?)'", book.build().warnings)
    assert told == ["It is so", "the *banks*: slower"]


@pytest.mark.parametrize("words", ["**Why.** Because.", "**Why not?** Because.", "- **Why.** Because."])
def test_an_explanation_without_an_experiment_fails_the_build(book: Book, words: str) -> None:
    book.page(f"Before.\n\n{words}")
    problem = r"6-transpose/index\.md:14: WARNING: an explanation without an experiment"
    assert re.search(problem, book.build().warnings)


def test_a_why_inside_of_an_explanation_or_in_the_text_is_none(book: Book) -> None:
    conjecture = ":::{conjecture} What is it\n**Why not?** Nobody knows.\n:::"
    book.page(f"It is **Why** we ask.\n\n{why().replace('All words', '**Why.** All words')}\n\n{conjecture}")
    assert book.build().warnings == ""


def test_a_why_may_stand_on_the_page_of_another_chapter(book: Book) -> None:
    (book.root / "chapters/2-coalescing").mkdir()
    page = book.root / "chapters/2-coalescing/index.md"
    front = "---\norphan: true\nchapter: 2\nmeasured: 8192x8192\ncounted: 1024x1024\n---\n"
    explained = why().replace(":changed:", ":chapter: 6\n:changed:", 1)
    page.write_text(f"{front}\n# Coalescing\n\n{explained}\n")
    book.page("")
    built = book.build()
    assert built.warnings == ""
    shown = text_of(built.html("chapters/2-coalescing/index"))
    assert "✓ is true: 316 µs" in " ".join(shown.split())
    assert "make chapter6" in shown
    assert list(collect_claims([page])) == []
