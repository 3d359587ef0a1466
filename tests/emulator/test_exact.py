"""What is counted of the book's steps is what their machine code does: nothing in it is approximate."""

import json
import os
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
TREE = ROOT / os.environ.get("TREE", "build")
STEPS = sorted(path.relative_to(ROOT).with_suffix("") for path in ROOT.glob("chapters/*/[0-9][0-9]_*.cu"))


@pytest.mark.parametrize("step", STEPS, ids=str)
def test_every_count_is_exact(step: Path, tmp_path: Path) -> None:
    counters = tmp_path / "counters.json"
    result = subprocess.run(
        [TREE / "emulate", "--counters", counters, TREE / step, "--small"],
        capture_output=True,
        text=True,
        check=False,
        timeout=250,
    )
    assert "approximate" not in result.stderr
    launches = json.loads(counters.read_text())
    if not launches:
        pytest.skip("it launches no kernel of its own")
    assert {launch["kernel"] for launch in launches if not launch["exact"]} == set()
    assert [line for launch in launches for line in launch["lines"] if not line["exact"]] == []
