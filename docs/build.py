"""Builds the pages: `python docs/build.py TREE`. Where nothing has changed, Sphinx is not started."""

import gc
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from book.inputs import up_to_date  # noqa: E402


def main() -> int:
    """Entry point; see the module's docstring."""
    tree = sys.argv[1]
    if up_to_date(Path(tree, "doctrees", "inputs.json")):
        return 0
    gc.set_threshold(200_000)  # as it is, Python looks through all pages for garbage in a fifth of the time
    from sphinx.cmd.build import main as sphinx  # noqa: PLC0415  takes a second to load

    options = ["-q", "-b", "html", "-W", "--keep-going", "-n", "-c", "docs", "-D", f"weave_build={tree}"]
    options += ["-j", "6"]  # processes, which get three pages each: with two, one would get all chapters
    return sphinx([*options, "-d", f"{tree}/doctrees", ".", f"{tree}/html"])


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit(130)
