#!/usr/bin/env python3
"""Stands in for a step where there is no GPU: its description is the real one, its times are invented."""

import json
import sys
from pathlib import Path

program = Path(sys.argv[0])
description = (program.parents[2] / "describe" / program.parent.name / f"{program.name}.json").read_text()
if "--describe" in sys.argv:
    print(description)
if "--measure" in sys.argv:
    skipped = int(sys.argv[sys.argv.index("--skip") + 1])
    variants = json.loads(description)["variants"]
    runs = [
        (variant, run)
        for variant in variants
        for run in variant["runs"]
        if run["shape"] in variant["measured"]
    ]
    for number, (variant, run) in enumerate(runs[skipped:], start=skipped):
        seconds = [1e-3 * (number + 1 + noise) for noise in (0, 0.01, 0.02)]
        said = {name: variant[name] for name in ("step", "kind", "parameters", "rated_by", "l2")}
        said |= {"shape": run["shape"], "amounts": run["amounts"], "fingerprint": run["fingerprint"]}
        said |= {
            "seconds": {"median": seconds[1], "low": seconds[0], "high": seconds[2]},
            "samples": len(seconds),
            "sample_seconds": seconds,
            "quantities": {
                quantity["name"]: {"unit": quantity["unit"], "median": 4320.0, "low": 4300.0, "high": 4400.0}
                for quantity in variant["quantities"]
            },
            "throttled": False,
            "date": "2000-01-01T00:00:00Z",
        }
        with Path(sys.argv[sys.argv.index("--output") + 1]).open("a") as file:
            file.write(json.dumps(said) + "\n")
