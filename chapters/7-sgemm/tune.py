"""Times every candidate of tile-shapes on this machine's GPU and writes which is fastest for which product.

`make tune7` runs it: `python tune.py BUILD RESULTS [SHAPE …]`. What was timed is kept, one by one, so that an
interrupted search goes on where it stopped; a candidate whose kernel has changed is timed again.
"""

from __future__ import annotations

import ctypes
import json
import subprocess
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

_STEP = "tile-shapes"
_PROGRAM = "chapters/7-sgemm/13_tile_shapes"
_DESCRIPTION = "describe/7-sgemm/13_tile_shapes.json"
_NAMES = ("tile", "warp", "thread", "stages", "turned")
Json = dict[str, Any]


class TuneError(Exception):
    """The search cannot be done; the text is one line that says why."""


def tune(build: Path, results: Path, shapes: list[str]) -> None:
    """Time what has not been timed yet, and write the table.

    Raises:
        TuneError: there is no GPU, nothing is built, a file is damaged, or no candidate could be timed.

    """
    candidates = _candidates(build / _DESCRIPTION)
    shapes = shapes or ["x".join(map(str, shape)) for shape in candidates[0]["measured"]]
    card = _card()
    log, table = results / "tune7.json", results / "tiles7.csv"
    timings = _load(log)
    results.mkdir(parents=True, exist_ok=True)
    wanted = [(shape, candidate) for shape in shapes for candidate in candidates]
    print(f"{card}: {len(candidates)} shapes of tiles for {len(shapes)} products")
    for number, (shape, candidate) in enumerate(wanted, 1):
        key = {
            "gpu": card,
            "shape": shape,
            "parameters": candidate["parameters"],
            "kernel": _kernel(candidate),
        }
        known = _find(timings, key)
        rate = known["rate"] if known else _time(build / _PROGRAM, shape, candidate, log)
        if rate and not known:
            timings = [one for one in timings if not _is_older(one, key)] + [{**key, "rate": rate}]
            _write(log, json.dumps(timings, indent=1) + "\n")
        said = f"{rate / 1e12:7.2f} TFLOP/s" if rate else "   could not be timed"
        print(
            f"[{number:{len(str(len(wanted)))}}/{len(wanted)}] {shape:18} {_text(candidate):68} {said}",
            flush=True,
        )
    best = _best(timings, card, {_kernel(candidate) for candidate in candidates})
    if not best:
        raise TuneError("no candidate could be timed: see what it says above")
    _write(table, _table(card, best))
    for one in best:
        print(f"{one['shape']:18} fastest with {_text(one)}: {one['rate'] / 1e12:.2f} TFLOP/s")
    print(f"written to {table}: from now on the build makes the step tuned-here of it")


def _candidates(description: Path) -> list[Json]:
    try:
        return [one for one in json.loads(description.read_text())["variants"] if one["step"] == _STEP]
    except FileNotFoundError:
        raise TuneError(f"{description} is missing: `make steps` builds it") from None
    except (ValueError, KeyError) as error:
        raise TuneError(f"{description} is damaged: {error}") from error


def _kernel(candidate: Json) -> str:
    """What changes when the kernel does: its fingerprint where it is counted."""
    (shape,) = candidate["counted"]
    return next(run["fingerprint"] for run in candidate["runs"] if run["shape"] == shape)


def _card() -> str:
    """The name of the first GPU."""
    try:
        driver = ctypes.CDLL("libcuda.so.1")
    except OSError:
        raise TuneError("no NVIDIA driver is installed here") from None
    device, name = ctypes.c_int(), ctypes.create_string_buffer(256)
    if status := driver.cuInit(0) or driver.cuDeviceGet(ctypes.byref(device), 0):
        raise TuneError(f"the NVIDIA driver finds no GPU to use (it returned {status})")
    driver.cuDeviceGetName(name, len(name), device)
    return name.value.decode()


def _load(log: Path) -> list[Json]:
    try:
        timings = json.loads(log.read_text())
        for one in timings:
            _text(one), one["gpu"], one["shape"], one["kernel"], one["rate"]
    except FileNotFoundError:
        return []
    except (ValueError, KeyError, TypeError) as error:
        raise TuneError(f"{log} is damaged ({error}): remove it to start anew") from error
    return timings


def _find(timings: Iterable[Json], key: Mapping[str, Any]) -> Json | None:
    return next((one for one in timings if all(one[name] == key[name] for name in key)), None)


def _is_older(one: Json, key: Mapping[str, Any]) -> bool:
    return all(one[name] == key[name] for name in ("gpu", "shape", "parameters"))


def _time(program: Path, shape: str, candidate: Json, log: Path) -> float:
    """Operations per second; 0 if it could not be timed, after saying why."""
    output = log.with_suffix(".one.json")
    command = [program, *candidate["arguments"]["measure"], "--shape", shape, "--output", output]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    said = (done.stderr.strip() or done.stdout.strip() or "it says nothing").splitlines()[-1]
    if done.returncode:
        print(f"{_text(candidate)}: {said}", file=sys.stderr)
        return 0
    try:
        measured = json.loads(output.read_text().splitlines()[-1])
        return measured["amounts"]["operations"] / measured["seconds"]["median"]
    finally:
        output.unlink(missing_ok=True)


def _best(timings: Iterable[Json], card: str, kernels: set[str]) -> list[Json]:
    """The fastest candidate of each product, of the kernels that there are now."""
    best: dict[str, Json] = {}
    for one in timings:
        shape = one["shape"]
        if one["gpu"] == card and one["kernel"] in kernels:
            best[shape] = max(best.get(shape, one), one, key=lambda timing: timing["rate"])
    return list(best.values())


def _table(card: str, best: Iterable[Json]) -> str:
    rows = [
        ",".join([*one["shape"].split("x"), *(str(n) for name in _NAMES for n in one["parameters"][name])])
        for one in best
    ]
    head = [
        f"# Which shape of tiles is fastest near which product, as `make tune7` found on {card}.",
        "# m,n,k, rows,columns,depth of a block's tile, rows,columns of a warp's, "
        "of a thread's, stages, whether A is turned",
    ]
    return "\n".join([*head, *rows]) + "\n"


def _text(one: Json) -> str:
    return " ".join(f"{name}={'x'.join(map(str, one['parameters'][name]))}" for name in _NAMES)


def _write(path: Path, text: str) -> None:
    """Write beside and rename, so that a file is whole whatever happens."""
    beside = path.with_name(path.name + ".part")
    beside.write_text(text)
    beside.replace(path)


def main(arguments: list[str]) -> int:
    """Run the search; 0 if the table was written, 130 if it was interrupted, else 1."""
    build, results, *shapes = arguments
    try:
        tune(Path(build), Path(results), shapes)
    except KeyboardInterrupt:
        print(
            f"\ntune7: interrupted: {results}/tune7.json keeps what was timed; run it again to go on",
            file=sys.stderr,
        )
        return 130
    except (TuneError, OSError) as error:
        print(f"tune7: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
