"""`make tune7`: a search that goes on where it stopped, and ends in a table that the build reads."""

from __future__ import annotations

import importlib.util
import json
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
SHAPES = ["512x512x512", "64x64x4096"]

PROGRAM = """
import json, pathlib, sys
def k_is_large(shape):
    return int(shape.split("x")[2]) > 1000

words = sys.argv[1:]
shape = words[words.index("--shape") + 1]
tile = next(word for word in words if word.startswith("tile="))
here = pathlib.Path(__file__).parent
with (here / "calls").open("a") as calls:
    calls.write(shape + " " + tile + "\\n")
if (here / "broken").exists():
    sys.exit("step: too much shared memory is asked for")
small = tile == "tile=64x64x16"
median = 1 + (small if k_is_large(shape) else not small)
m, n, k = map(int, shape.split("x"))
entry = {"amounts": {"operations": 2 * m * n * k}, "seconds": {"median": median}}
pathlib.Path(words[words.index("--output") + 1]).write_text(json.dumps(entry) + "\\n")
"""


@pytest.fixture
def tuning(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    spec = importlib.util.spec_from_file_location("tune", ROOT / "chapters/7-sgemm/tune.py")
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    monkeypatch.setattr(module, "_card", lambda: "NVIDIA Invented")
    return module


def candidate(side: int, fingerprint: str = "f") -> dict[str, Any]:
    return {
        "step": "tile-shapes",
        "arguments": {"measure": ["--measure", "--with", f"tile={side}x{side}x16"]},
        "parameters": {
            "tile": [side, side, 16],
            "warp": [64, 32],
            "thread": [8, 8],
            "stages": [3],
            "turned": [1],
        },
        "measured": [[512, 512, 512]],
        "counted": [[512, 512, 512]],
        "runs": [{"shape": [512, 512, 512], "fingerprint": f"{fingerprint}{side}"}],
    }


def describe(build: Path, fingerprint: str = "f") -> None:
    path = build / "describe/7-sgemm/13_tile_shapes.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps({"variants": [candidate(128, fingerprint), candidate(64, fingerprint)]}))


@pytest.fixture
def build(tmp_path: Path) -> Path:
    tree = tmp_path / "a build"
    describe(tree)
    program = tree / "chapters/7-sgemm/13_tile_shapes"
    program.parent.mkdir(parents=True)
    code = program.with_suffix(".py")
    code.write_text(PROGRAM)
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" "{code}" "$@"\n')  # a path in #! has no spaces
    program.chmod(0o755)
    return tree


def calls(build: Path) -> int:
    path = build / "chapters/7-sgemm/calls"
    return len(path.read_text().splitlines()) if path.exists() else 0


def test_the_fastest_tile_of_each_product_is_written(
    tuning: ModuleType, build: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    results = build / "results"
    assert tuning.main([str(build), str(results), *SHAPES]) == 0
    rows = [line for line in (results / "tiles7.csv").read_text().splitlines() if not line.startswith("#")]
    assert rows == ["512,512,512,64,64,16,64,32,8,8,3,1", "64,64,4096,128,128,16,64,32,8,8,3,1"]
    assert "[4/4] 64x64x4096" in capsys.readouterr().out
    assert sorted(path.name for path in results.iterdir()) == ["tiles7.csv", "tune7.json"]


def test_what_was_timed_is_not_timed_again_unless_its_kernel_changed(tuning: ModuleType, build: Path) -> None:
    arguments = [str(build), str(build / "results"), *SHAPES]
    tuning.main(arguments)
    tuning.main(arguments)
    assert calls(build) == 4
    describe(build, "g")
    tuning.main(arguments)
    assert calls(build) == 8
    assert len(json.loads((build / "results/tune7.json").read_text())) == 4


def test_an_interrupt_keeps_what_was_timed(
    tuning: ModuleType, build: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    time = tuning._time

    def interrupted(program: Path, shape: str, chosen: dict[str, Any], log: Path) -> float:
        if shape == SHAPES[1]:
            raise KeyboardInterrupt
        return time(program, shape, chosen, log)

    monkeypatch.setattr(tuning, "_time", interrupted)
    assert tuning.main([str(build), str(build / "results"), *SHAPES]) == 130
    assert "run it again to go on" in capsys.readouterr().err
    assert len(json.loads((build / "results/tune7.json").read_text())) == 2
    monkeypatch.setattr(tuning, "_time", time)
    assert tuning.main([str(build), str(build / "results"), *SHAPES]) == 0
    assert calls(build) == 4


def test_a_damaged_file_is_named_and_left_alone(
    tuning: ModuleType, build: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    log = build / "results/tune7.json"
    log.parent.mkdir()
    log.write_text('[{"gpu": "NVIDIA')
    assert tuning.main([str(build), str(build / "results")]) == 1
    assert "tune7.json is damaged" in capsys.readouterr().err
    assert log.read_text() == '[{"gpu": "NVIDIA'


def test_candidates_that_cannot_run_are_said_and_no_table_is_written(
    tuning: ModuleType, build: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (build / "chapters/7-sgemm/broken").touch()
    assert tuning.main([str(build), str(build / "results"), SHAPES[0]]) == 1
    said = capsys.readouterr().err
    assert said.count("too much shared memory") == 2
    assert said.endswith("tune7: no candidate could be timed: see what it says above\n")
    assert not (build / "results/tiles7.csv").exists()


def test_without_a_gpu_there_is_one_line(build: Path) -> None:
    spec = importlib.util.spec_from_file_location("tune", ROOT / "chapters/7-sgemm/tune.py")
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    try:
        module._card()
    except module.TuneError as error:
        assert str(error).count("\n") == 0
    else:
        pytest.skip("there is a GPU")
