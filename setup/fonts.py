"""Cuts the book's typefaces down to the letters that it uses: `python setup/fonts.py SOURCES`.

SOURCES holds the unpacked packages font-source-serif-pro 0.0.1 (PyPI), fonts-inter-variable and
fonts-jetbrains-mono (Debian 12). Needs fonttools and brotli. What it makes, docs/static/fonts.css, is part of
the repository, so that building the book needs none of these. The faces stand in the style sheet itself: a
page has them as soon as it is drawn, so that nothing moves, and so have pages that are read as files.
"""

import base64
import io
import sys
from pathlib import Path

from fontTools import subset
from fontTools.ttLib import TTFont
from fontTools.varLib import instancer

SHEET = Path(__file__).resolve().parent.parent / "docs" / "static" / "fonts.css"
LETTERS = (
    "20-7E,A0,A7,A9,AB,B0-B3,B5,B7,B9,BB-BE,C4,D6,D7,DC,DF,E4,E8,E9,F6,F7,FC,3B1,3B2,3BC,2013,2014,2018,2019,"
    "201C,201D,2022,2026,2070,2074-2079,207B,2080-2089,2190-2193,2212,221A,221E,2248,2260,2264,2265,2308-230B,"
    "22C5,2713,2717"
)
SPACING = ["kern", "mark", "mkmk", "ccmp"]
FACES = {
    "SourceSerifPro-Regular.ttf": ("Weft Serif", "normal", "400", [*SPACING, "liga"]),
    "SourceSerifPro-It.ttf": ("Weft Serif", "italic", "400", [*SPACING, "liga"]),
    "SourceSerifPro-Semibold.ttf": ("Weft Serif", "normal", "600", [*SPACING, "liga"]),
    "Inter-roman.var.ttf": ("Weft Sans", "normal", "400 700", [*SPACING, "tnum"]),
    "JetBrainsMono-Regular.ttf": ("Weft Mono", "normal", "400", ["mark"]),
    "JetBrainsMono-Bold.ttf": ("Weft Mono", "normal", "700", ["mark"]),
}
"""Each file's family, style and weight, and what of its layout is kept: code has no ligatures."""
COPYRIGHT = 0


def main() -> None:
    """Entry point; see the module's docstring."""
    sources = Path(sys.argv[1])
    options = subset.Options(flavor="woff2", hinting=False, notdef_outline=True, name_IDs=[COPYRIGHT])
    options.drop_tables += ["DSIG", "STAT", "MVAR", "meta"]
    rules = ["/* Made by setup/fonts.py; licences in fonts/. */"]
    for name, (family, style, weight, features) in FACES.items():
        font = TTFont(next(sources.rglob(name)))
        if "fvar" in font:
            font = instancer.instantiateVariableFont(font, {"wght": (400, 700)})
        options.layout_features = features
        cut = subset.Subsetter(options)
        cut.populate(unicodes=subset.parse_unicodes(LETTERS))
        cut.subset(font)
        font.flavor = "woff2"
        font.save(face := io.BytesIO())
        data = base64.b64encode(face.getvalue()).decode("ascii")
        rules.append(
            f"@font-face {{ font-family: '{family}'; font-style: {style}; font-weight: {weight}; "
            f"src: url(data:font/woff2;base64,{data}) format('woff2'); }}"
        )
    SHEET.write_text("\n".join(rules) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
