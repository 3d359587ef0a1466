"""Builds the pages: `python docs/build.py TREE`. Where nothing has changed, Sphinx is not started."""

import gc
import signal
import sys
from pathlib import Path
from types import FrameType

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from book.inputs import up_to_date  # noqa: E402

INTERRUPTED = 130


class Interrupts:
    """Whether Ctrl-C was pressed. Python forgets an interrupt that comes while it forks or frees memory."""

    came = False

    def __call__(self, _signal: int, _frame: FrameType | None) -> None:
        """Notes it, and interrupts as Python would."""
        self.came = True
        raise KeyboardInterrupt


def main() -> int:
    """Entry point; see the module's docstring."""
    tree = sys.argv[1]
    record = Path(tree, "doctrees", "inputs.json")
    if up_to_date(record):
        return 0
    interrupts = Interrupts()
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:  # a job in the background ignores it
        signal.signal(signal.SIGINT, interrupts)
    status = weave(tree)
    if not interrupts.came:
        return status
    record.unlink(missing_ok=True)
    return INTERRUPTED


def weave(tree: str) -> int:
    """Sphinx's own exit status."""
    gc.set_threshold(200_000)  # as it is, Python looks through all pages for garbage in a fifth of the time
    from sphinx.cmd.build import main as sphinx  # noqa: PLC0415  takes a second to load

    options = ["-q", "-b", "html", "-W", "--keep-going", "-n", "-c", "docs", "-D", f"weave_build={tree}"]
    options += ["-j", "6"]  # processes, which get three pages each: with two, one would get all chapters
    return sphinx([*options, "-d", f"{tree}/doctrees", ".", f"{tree}/html"])


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)
