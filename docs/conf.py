"""Sphinx's configuration; its source folder is the repository: `sphinx-build -c docs . build/html`."""

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "docs")]

project = "Warp & Weft"
author = "the authors of Warp & Weft"
project_copyright = "the authors of Warp & Weft. Code: MIT licence; text and figures: CC BY 4.0."
language = "en"

extensions = ["myst_parser", "weave", "weave.doxygen", "breathe"]
include_patterns = ["index.md", "chapters/*/index.md", "docs/*.md"]
exclude_patterns = ["build*", ".venv", ".git", "**/.*_cache", "setup", "tests", "book", "figures", "code"]
root_doc = "index"
nitpicky = True
# Names of CUDA, NVBench, the C++ libraries and code/binary have no page here.
nitpick_ignore_regex = [
    ("cpp:identifier", r"((CLI|cuda|nvml|nvbench|std|nlohmann|doctest)\w*|State|Json|dim3|Launched)(::.*)?"),
    ("cpp:identifier", r"(weft::)?Function<.*"),  # Sphinx does not find a template by a signature
]
# Each header opens the namespace anew, and Breathe declares it as often.
suppress_warnings = ["config.cache", "duplicate_declaration.cpp"]

myst_enable_extensions = ["dollarmath", "amsmath", "colon_fence", "deflist", "smartquotes", "attrs_inline"]
myst_heading_anchors = 3
myst_links_external_new_tab = False

breathe_default_project = "weft"
breathe_default_members = ("members",)
breathe_show_include = False

html_theme = "furo"
html_title = "Warp & Weft"
html_short_title = html_title
html_math_renderer = "mathml"
html_static_path = ["static"]
html_css_files = ["fonts.css", "colours.css", "book.css", "front.css"]
html_js_files = [(name, {"defer": "defer"}) for name in ("book.js", "hints.js", "copy.js", "outline.js")]
html_favicon = "static/mark.svg"
html_search_scorer = str(ROOT / "docs" / "static" / "scorer.js")
html_sidebars = {
    "**": [f"sidebar/{part}.html" for part in ("brand", "search", "scroll-start", "navigation", "scroll-end")]
}
html_show_search_summary = False
html_show_sourcelink = False
html_copy_source = False
html_show_sphinx = False
toc_object_entries = False
html_use_index = False
html_domain_indices = False
html_codeblock_linenos_style = "inline"
templates_path = ["templates"]
pygments_style = "weave.code_style.Light"
pygments_dark_style = "weave.code_style.Dark"
html_theme_options = {
    "sidebar_hide_name": False,
    "top_of_page_buttons": [],
    "footer_icons": [],
    "light_css_variables": {},
    "dark_css_variables": {},
}
