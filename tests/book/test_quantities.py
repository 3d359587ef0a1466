from __future__ import annotations

import pytest

from book import quantities
from book.documents import BookError
from book.format import as_published, format_published, format_value, grouped_text, times
from book.library import Library
from book.quantities import parse
from book.sources import SourceQuantity, published
from tests.book.invented import REPOSITORY

NARROW, SPACE = "\u202f", "\u00a0"


@pytest.mark.parametrize(
    ("number", "unit", "text"),
    [
        (130.2e-6, "s", f"130{SPACE}µs"),
        (4.002e-3, "s", f"4.00{SPACE}ms"),
        (0.9999e-3, "s", f"1.00{SPACE}ms"),
        (2.5, "s", f"2.50{SPACE}s"),
        (4.124e12, "B/s", f"4.12{SPACE}TB/s"),
        (0.9997e12, "B/s", f"1.00{SPACE}TB/s"),
        (83.365e9, "B/s", f"83.4{SPACE}GB/s"),
        (1.5e6, "B/s", f"0.00150{SPACE}GB/s"),
        (0.842, "share", f"84{SPACE}%"),
        (0.9804, "share", f"98.0{SPACE}%"),
        (1.004, "share", f"100.4{SPACE}%"),
        (0.0481, "share", f"4.8{SPACE}%"),
        (1.9, "ratio", "1.9"),
        (1.069, "ratio", "1.07"),
        (12.3, "ratio", "12"),
        (1048576, "count", f"1{NARROW}048{NARROW}576"),
        (8192, "count", "8192"),
        (32.0, "average", "32"),
        (4.125, "average", "4.12"),
        (3201.0, "MHz", f"3201{SPACE}MHz"),
        (5.0, "1", "5"),
        (0.25, "1", "0.250"),
        (-96.04e-9, "s", f"−96.0{SPACE}ns"),
        (-1234567, "count", f"−1{NARROW}234{NARROW}567"),
        (-0.0481, "share", f"−4.8{SPACE}%"),
        (-1.069, "ratio", "−1.07"),
        (-4.125, "average", "−4.12"),
        (-0.0468, "u", f"−0.0468{SPACE}u"),
        (-3.2, "percent", f"−3.20{SPACE}%"),
    ],
)
def test_numbers_are_rounded_to_what_they_bear(number: float, unit: str, text: str) -> None:
    assert format_value(number, unit) == text


@pytest.mark.parametrize(
    ("shape", "text"),
    [
        ((8192, 4096), f"8192{SPACE}×{SPACE}4096"),
        ((1 << 26,), "2²⁶"),
        ((10485760,), f"10{NARROW}485{NARROW}760"),
        ((16384, 64), f"16384{SPACE}×{SPACE}64"),
    ],
)
def test_a_size_is_grouped_like_a_count_and_extents_are_not(shape: tuple[int, ...], text: str) -> None:
    assert times(shape) == text


def test_published_numbers_are_rounded_like_the_book_s_and_counts_keep_their_digits() -> None:
    assert format_published(0.001692, "s") == f"1.69{SPACE}ms"
    assert format_published(83.365, "GB/s") == f"83.4{SPACE}GB/s"
    assert format_published(1185.15, "GB/s") == f"1.19{SPACE}TB/s"
    assert format_published(10496.1, "GFLOP/s") == f"10.5{SPACE}TFLOP/s"
    assert format_published(13.23, "%") == f"13.2{SPACE}%"
    assert format_published(268974, "") == f"268{NARROW}974"
    assert format_published(83886080, "B") == f"83{NARROW}886{NARROW}080{SPACE}B"
    assert as_published(83.365, "GB/s") == f"83.365{SPACE}GB/s"
    assert as_published(-83.365, "GB/s") == f"−83.365{SPACE}GB/s"
    assert grouped_text("-12345.5") == grouped_text("−12345.5") == f"−12{NARROW}345.5"


@pytest.mark.parametrize(
    ("text", "number", "printed"),
    [
        ("padded bandwidth 8192x8192", 3400e9, f"3.40{SPACE}TB/s"),
        ("read-rows time 4096x4096 block=32x32", 2 * 4 * 4096**2 / 500e9, f"268{SPACE}µs"),
        ("padded bandwidth 8192x8192 of memcpy", 0.85, f"85{SPACE}%"),
        ("padded bandwidth 8192x8192 over tile", 1.7, "1.7"),
        ("read-rows time 4096x4096 block=32x32 over read-rows block=32x16", 0.97, "0.97"),
    ],
)
def test_measured(book: Library, text: str, number: float, printed: str) -> None:
    value = quantities.measured(parse(text), book.require_published(6))
    assert value.number == pytest.approx(number)
    assert value.text == printed


def test_counted_and_predicted(book: Library) -> None:
    results, descriptions = book.require_published(6), book.descriptions(6)
    for lookup in (
        lambda text: quantities.counted(parse(text), results),
        lambda text: quantities.predicted(parse(text), descriptions),
    ):
        assert lookup("read-rows store-sectors 1024x1024").text == f"1{NARROW}048{NARROW}576"
        assert lookup("read-rows store-sectors-per-request 1024x1024").text == "32"
        assert lookup("read-rows store-sectors 1024x1024 over padded").text == "8.0"
        full = "padded l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum 1024x1024"
        assert lookup(full).number == 131072
    assert quantities.counted(parse("padded registers 1024x1024"), results).text == "16"
    assert quantities.predicted(parse("padded shared-load-wavefronts 1024x1024"), descriptions).number == 0


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("padded bandwidth", "is not STEP QUANTITY SHAPE"),
        ("padded bandwidth 8192*8192", r"'8192\*8192' is not a shape"),
        ("padded bandwidth 8192x8192 block:32", "'block:32' is not a parameter"),
        ("padded bandwidth 8192x8192 of", "a step must follow 'of'"),
        ("padded bandwith 8192x8192", "bandwith is not a measured quantity; did you mean bandwidth"),
        ("padded rate 8192x8192", "rated by bytes, it does no operations"),
        ("padded access-cycles 8192x8192", "rated by bytes"),
        ("pad bandwidth 8192x8192", "no step pad .*did you mean padded"),
        ("padded bandwidth 8192x8192 of memcopy", "no step memcopy .*did you mean memcpy"),
        ("padded bandwidth 1x1", "no padded at 1x1 .*there is 4096x4096"),
    ],
)
def test_unknown_names_are_refused_with_a_hint(book: Library, text: str, message: str) -> None:
    with pytest.raises(BookError, match=message):
        quantities.measured(parse(text), book.require_published(6))


def test_unknown_counters_are_refused_with_a_hint(book: Library) -> None:
    results = book.require_published(6)
    with pytest.raises(BookError, match="store-sector is not counted for padded; did you mean store-sectors"):
        quantities.counted(parse("padded store-sector 1024x1024"), results)
    with pytest.raises(BookError, match="shared-load-wavefronts is not counted"):
        quantities.counted(parse("padded shared-load-wavefronts 1024x1024"), results)
    with pytest.raises(BookError, match="makes no such request"):
        quantities.predicted(
            parse("padded shared-load-wavefronts-per-request 1024x1024"), Library.descriptions(book, 6)
        )


@pytest.mark.parametrize(
    ("text", "printed"),
    [
        ("001 read-columns time 4096x4096 block=32x16", f"1.69{SPACE}ms"),
        ("001 read-columns time 4096x4096 block=32x32", f"2.12{SPACE}ms"),
        ("001 read-columns time 4096x4096 block=32x32 table=blocks", f"2.14{SPACE}ms"),
        ("001 copy-rows bandwidth 4096x4096", f"83.4{SPACE}GB/s"),
        ("004 padded bandwidth 4096x4096 card=V100", f"1.13{SPACE}TB/s"),
        ("004 padded bandwidth 4096x4096 card=3060", f"233{SPACE}GB/s"),
        ("004 padded bandwidth 4096x4096 card=3060 of copy-rows", f"94.7{SPACE}%"),
        ("000 read-rows store-wavefronts 1024x1024", f"268{NARROW}974"),
        ("000 read-rows store-sectors-per-request 1024x1024 block=8x32", "8"),
        ("000 register-tile throughput-of-peak 1024x1024", f"72.9{SPACE}%"),
    ],
)
def test_the_sources_figures(text: str, printed: str) -> None:
    rows = Library.of(REPOSITORY).sources(6)
    if text == "000 read-rows store-wavefronts 1024x1024":
        text += " block=32x8"
    assert published(SourceQuantity.parse(text), rows).text == printed


def test_a_sources_rate_is_one_of_operations() -> None:
    rows = Library.of(REPOSITORY).sources(7)
    value = published(SourceQuantity.parse("004 float4 rate 4096x4096x4096 card=3060"), rows)
    assert (value.number, value.unit, value.text) == (4629.21e9, "flop/s", f"4.63{SPACE}TFLOP/s")
    share = published(SourceQuantity.parse("004 float4 rate 4096x4096x4096 card=3060 of cublas-sgemm"), rows)
    assert share.text == f"98.1{SPACE}%"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("009 tile bandwidth 4096x4096", "no source 009"),
        ("004 tile bandwidth 4096x4096", "ambiguous.*3060.*V100"),
        ("004 tile bandwidth 4096x4096 card=H100", "no card H100; there is GeForce"),
        ("001 diagonal-rows time 4096x4096", "gives no number: only in a picture"),
        ("001 tile time 4096x4096", "source 001 has no such figure; did you mean"),
        ("001 read-columns time 4096x4096 table=other", "has no such figure"),
    ],
)
def test_unknown_figures_of_the_sources_are_refused(text: str, message: str) -> None:
    with pytest.raises(BookError, match=message):
        published(SourceQuantity.parse(text), Library.of(REPOSITORY).sources(6))
