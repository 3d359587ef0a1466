"""An invented book for the tests: schema-true data whose numbers come from nowhere."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

from book.library import Library

REPOSITORY = Path(__file__).resolve().parents[2]
LOAD = "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"
LOAD_REQUESTS = "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum"
STORE = "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum"
STORE_REQUESTS = "l1tex__t_requests_pipe_lsu_mem_global_op_st.sum"
SHAPES = [[4096, 4096], [8192, 8192], [16384, 16384], [8191, 8209]]
BLOCKS = [[32, 32], [32, 16], [32, 8], [8, 32], [64, 16], [64, 8], [128, 8]]

# Step, kind, invented bandwidth in GB/s.
STEPS = [
    ("copy-rows", "step", 3000),
    ("memcpy", "ceiling", 4000),
    ("read-rows", "step", 500),
    ("read-columns", "step", 900),
    ("tile", "step", 2000),
    ("padded", "step", 3400),
    ("cublas-geam", "peer", 3700),
]


FRONT_MATTER = """---
chapter: 6
measured: 8192x8192
climb: tile padded
counted: 1024x1024
ceiling: memcpy
peer: cublas-geam
baseline: copy-rows
---
"""


def measurement(
    step: str, kind: str, shape: list[int], block: list[int] | None, rate: float
) -> dict[str, Any]:
    size = 8 * shape[0] * shape[1]
    seconds = size / (rate * 1e9)
    return {
        "step": step,
        "kind": kind,
        "shape": shape,
        "parameters": {"block": block} if block else {},
        "seconds": {"median": seconds, "low": seconds * 0.99, "high": seconds * 1.02},
        "samples": 40,
        "rated_by": "bytes",
        "amounts": {"bytes": size},
        "l2": "cold",
        "fingerprint": "ab12",
        "throttled": False,
        "date": "2000-01-01T00:00:00Z",
    }


def invented_results(chapter: int = 6, gpu: str = "NVIDIA Invented", factor: float = 1.0) -> dict[str, Any]:
    measurements, counters = [], []
    for step, kind, rate in STEPS:
        blocks = BLOCKS if step in ("read-rows", "read-columns") else [[32, 8]] if kind == "step" else [None]
        for number, block in enumerate(blocks):
            shapes = SHAPES if block in ([32, 8], None) else SHAPES[:2]
            measurements += [
                measurement(step, kind, shape, block, factor * rate * (1 - 0.03 * number)) for shape in shapes
            ]
            if kind == "step":
                stores = 1048576 if step == "read-rows" else 131072
                metrics = {LOAD_REQUESTS: 32768, LOAD: 131072, STORE_REQUESTS: 32768, STORE: stores}
                counters.append(
                    {
                        "step": step,
                        "shape": [1024, 1024],
                        "parameters": {"block": block},
                        "metrics": {**metrics, "launch__registers_per_thread": 16},
                        "fingerprint": "ab12",
                    }
                )
    return {
        "schema": 2,
        "chapter": chapter,
        "gpu": {"name": gpu},
        "provenance": {"driver": "1", "date": "2000-01-01", "commit": "invented"},
        "measurements": measurements,
        "counters": counters,
    }


def invented_description(step: str, kind: str, fingerprint: str = "ab12") -> dict[str, Any]:
    results = invented_results()
    entries = [entry for entry in results["counters"] if entry["step"] == step]
    variants = [
        {
            "step": step,
            "kind": kind,
            "default": entry["parameters"] == {"block": [32, 8]},
            "parameters": entry["parameters"],
            "axes": ["block"] if len(entries) > 1 else [],
            "rated_by": "bytes",
            "l2": "cold",
            "quantities": [],
            "arguments": {"check": [], "measure": ["--measure"]},
            "measured": SHAPES,
            "counted": [[1024, 1024]],
            "runs": [_run(shape, entry, fingerprint) for shape in (*SHAPES, [1024, 1024])],
        }
        for entry in entries
    ]
    return {"program": f"01_{step}", "variants": variants}


def _run(shape: list[int], counted: dict[str, Any], fingerprint: str) -> dict[str, Any]:
    name = "x".join(map(str, shape))
    amounts = {"bytes": 8 * shape[0] * shape[1]}
    run = {"shape": shape, "arguments": ["--once", name], "amounts": amounts, "fingerprint": fingerprint}
    if shape == counted["shape"]:
        metrics = counted["metrics"].items()
        run["predicted"] = {name: value for name, value in metrics if not name.startswith("launch")}
    return run


def invented_emulation(step: str, program: str) -> list[dict[str, Any]]:
    """What an emulator would have counted: the published counters, all of them in line 6 of the program."""
    launches = []
    for entry in invented_results()["counters"]:
        if entry["step"] == step:
            metrics = {name: value for name, value in entry["metrics"].items() if name.endswith(".sum")}
            place = {"file": f"../chapters/6-transpose/{program}.cu", "line": 6}
            known = {name: entry[name] for name in ("step", "shape", "parameters")}
            launch = {"label": json.dumps(known), "kernel": step, "metrics": metrics, "exact": True}
            launches.append({**launch, "lines": [{**place, "metrics": metrics}]})
    return launches


def write(path: Path, document: Any) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(document, indent=1), encoding="utf-8")
    return path


def make_book(root: Path) -> Library:
    """A repository with one chapter, published results of an invented GPU, and own ones of another."""
    (root / "chapters" / "6-transpose").mkdir(parents=True)
    (root / "chapters" / "6-transpose" / "index.md").write_text(FRONT_MATTER, encoding="utf-8")
    write(root / "figures/data/nvidia-invented/chapter6.json", invented_results())
    write(root / "build/results/nvidia-other/chapter6.json", invented_results(gpu="NVIDIA Other", factor=0.5))
    for number, (step, kind, _) in enumerate(STEPS):
        program = f"{number:02}_{step}"
        write(root / f"build/describe/6-transpose/{program}.json", invented_description(step, kind))
        write(root / f"build/counters/6-transpose/{program}.json", invented_emulation(step, program))
    write(
        root / "figures/data/sources.json", json.loads((REPOSITORY / "figures/data/sources.json").read_text())
    )
    (root / "build/model").symlink_to(REPOSITORY / os.environ.get("TREE", "build") / "model")
    return Library.of(root)


def add_experiment(root: Path, slower: float = 2) -> None:
    """Add an experiment, `longer-rows`: the step `padded`, and so many times as slow."""

    def renamed(text: str) -> Any:
        return json.loads(text.replace("padded", "longer-rows"))

    published = root / "figures/data/nvidia-invented/chapter6.json"
    results = json.loads(published.read_text())
    for entry in [entry for entry in results["measurements"] if entry["step"] == "padded"]:
        made = renamed(json.dumps(entry)) | {"kind": "experiment"}
        made["seconds"] = {name: slower * value for name, value in entry["seconds"].items()}
        results["measurements"].append(made)
    write(published, results)
    place = "6-transpose/experiments/longer_rows.json"
    write(root / "build/describe" / place, renamed(json.dumps(invented_description("padded", "experiment"))))
    write(root / "build/counters" / place, renamed(json.dumps(invented_emulation("padded", "padded"))))
