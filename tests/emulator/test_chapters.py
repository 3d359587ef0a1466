"""Every step of the book runs its checks on the emulator, and counts there what its model predicts."""

import json
import os
import subprocess
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
TREE = ROOT / os.environ.get("TREE", "build")
STEPS = sorted(path.relative_to(ROOT).with_suffix("") for path in ROOT.glob("chapters/*/[0-9][0-9]_*.cu"))
SKIPPED = 77


def emulate(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    """Runs a step's program on the emulator."""
    return subprocess.run(
        [TREE / "emulate", *arguments], capture_output=True, text=True, check=False, timeout=250
    )


def variants_of(step: Path) -> list[dict[str, Any]]:
    """What the build noted of a step, run under the recorder."""
    description = TREE / "describe" / step.relative_to("chapters").with_suffix(".json")
    return json.loads(description.read_text())["variants"]


@pytest.mark.parametrize("step", STEPS, ids=str)
def test_checks_pass(step: Path) -> None:
    if all(variant["kind"] == "peer" for variant in variants_of(step)):
        pytest.skip("a library's kernels, which are machine code alone")
    result = emulate(TREE / step, "--small")
    if result.returncode == SKIPPED:
        pytest.skip(result.stderr.strip())
    assert result.returncode == 0, result.stdout + result.stderr


@pytest.mark.parametrize("step", STEPS, ids=str)
def test_counts_are_the_predicted_ones(step: Path, tmp_path: Path) -> None:
    variants = variants_of(step)
    compared = 0
    for variant in variants:
        block = variant["parameters"].get("block")
        options = ["--block", "x".join(map(str, block))] if block and len(variants) > 1 else []
        for shape, predicted in variant.get("predicted", {}).items():
            counters = tmp_path / "counters.json"
            result = emulate("--counters", counters, TREE / step, "--once", shape, *options)
            assert result.returncode == 0, result.stderr
            counted = Counter[str]()
            for launch in json.loads(counters.read_text()):
                counted.update(launch["metrics"])
            assert dict(counted) == predicted
            compared += 1
    if not compared:
        pytest.skip("it predicts nothing")
