"""CSV and JSON lines against the raw parse of the same file by pyarrow and orjson.

    python -m benchmarks.reading.tables [ROWS]

The raw parse only makes values out of text: no step, no segments, no series. The target is twice its
time. Each figure is the best of several rounds, taken in turns.
"""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import orjson
import pyarrow.csv as pacsv

from runvitals.readers.tabular import csv_log, json_lines

ROUNDS = 7
METRICS = 24


def main(rows: int = 100_000) -> None:
    with tempfile.TemporaryDirectory() as folder:
        files = write(Path(folder), rows)
        print(f"{rows:,} rows of {METRICS} metrics; best of {ROUNDS} rounds\n")
        print(f"{'file':22} {'MB':>7} {'raw s':>8} {'read s':>8} {'ratio':>6}   raw parse by")
        for path, raw, read, by in files:
            first, second = race(lambda f=raw, p=path: f(p), lambda f=read, p=path: f(p))
            size = path.stat().st_size / 1e6
            print(
                f"{path.name:22} {size:7.1f} {first:8.3f} {second:8.3f} {second / first:6.2f}   {by}"
            )


def race(*calls: Callable[[], object]) -> list[float]:
    best = [float("inf")] * len(calls)
    for _ in range(ROUNDS):
        for index, call in enumerate(calls):
            start = time.perf_counter()
            call()
            best[index] = min(best[index], time.perf_counter() - start)
    return best


def raw_csv(path: Path) -> object:
    return pacsv.read_csv(path)


def raw_lines(path: Path) -> object:
    with open(path, "rb") as file:
        return [orjson.loads(line) for line in file]


def write(folder: Path, rows: int) -> list[tuple[Path, Any, Any, str]]:
    rng = np.random.default_rng(0)
    values = rng.normal(size=(rows, METRICS))
    names = [f"train/metric_{i}" for i in range(METRICS)]
    dense, sparse = folder / "dense.csv", folder / "with_gaps.csv"
    with open(dense, "w") as full, open(sparse, "w") as gaps:
        header = ",".join(["step", *names]) + "\n"
        full.write(header)
        gaps.write(header)
        for i, row in enumerate(values.tolist()):
            full.write(f"{i}," + ",".join(map(repr, row)) + "\n")
            kept = row[: METRICS // 2] + [""] * (METRICS - METRICS // 2) if i % 4 else row
            gaps.write(f"{i}," + ",".join("" if v == "" else repr(v) for v in kept) + "\n")
    flat, nested, mixed = (
        folder / "flat.jsonl",
        folder / "verl_nested.jsonl",
        folder / "mixed.jsonl",
    )
    with open(flat, "wb") as one, open(nested, "wb") as two, open(mixed, "wb") as three:
        for i, row in enumerate(values.tolist()):
            data = dict(zip(names, row, strict=True))
            one.write(orjson.dumps({"step": i, **data}) + b"\n")
            two.write(orjson.dumps({"step": i, "data": data}) + b"\n")
            some = dict(list(data.items())[: METRICS // 2]) if i % 3 else data
            three.write(orjson.dumps({"step": i, "phase": "train", "kl": None, **some}) + b"\n")
    csv, lines = (raw_csv, csv_log.read, "pyarrow"), (raw_lines, json_lines.read, "orjson")
    return [(dense, *csv), (sparse, *csv), (flat, *lines), (nested, *lines), (mixed, *lines)]


if __name__ == "__main__":
    main(*(int(argument) for argument in sys.argv[1:2]))
