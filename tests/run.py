"""Runs every test of a built tree: `tests/run.py build`. CTest has the C++ programs, pytest the rest.

Both always run; the last line is their sum, `N passed, N failed, N skipped`.
"""

import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

ROOT = Path(__file__).resolve().parent.parent


def counts(report: Path) -> tuple[int, int, int]:
    """Passed, failed and skipped tests of a JUnit report; a missing or cut-off report is one failure."""
    try:
        cases = list(ElementTree.parse(report).getroot().iter("testcase"))
    except (OSError, ElementTree.ParseError):
        return 0, 1, 0
    failed = sum(1 for case in cases if case.find("failure") is not None or case.find("error") is not None)
    skipped = sum(1 for case in cases if case.find("skipped") is not None)
    return len(cases) - failed - skipped, failed, skipped


def main() -> int:
    """Entry point; see the module's docstring."""
    tree = (ROOT / sys.argv[1]).resolve()
    reports = tree / "reports"
    reports.mkdir(exist_ok=True)
    tools = Path(sys.executable).parent
    commands = {
        "ctest": [
            *(tools / "ctest", "--test-dir", tree, "--parallel", "2", "--timeout", "300"),
            *("--output-on-failure", "--no-tests=error", "--output-junit", reports / "ctest.xml"),
        ],
        "pytest": [
            *(sys.executable, "-m", "pytest", "-q", "-ra", "--numprocesses", "2", "--dist", "worksteal"),
            f"--junitxml={reports / 'pytest.xml'}",
        ],
    }
    totals = [0, 0, 0]
    broken = False
    for name, command in commands.items():
        report = reports / f"{name}.xml"
        report.unlink(missing_ok=True)
        status = subprocess.run([str(word) for word in command], cwd=ROOT, check=False).returncode
        found = counts(report)
        totals = [total + count for total, count in zip(totals, found, strict=True)]
        if status and not found[1]:
            print(f"{name} ended with status {status}", file=sys.stderr)
            broken = True
    passed, failed, skipped = totals
    failed += broken
    print(f"{passed} passed, {failed} failed, {skipped} skipped")
    return int(failed > 0)


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit(130)
