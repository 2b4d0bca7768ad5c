"""Bytes a point at rest, seconds to read back, and memory over ten million points."""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
import time
from pathlib import Path

SERIES, STEPS = 60, 20_000
MANY = 10_000_000


def read_back() -> list[tuple[str, str]]:
    import numpy as np
    import pyarrow.parquet  # noqa: F401 - the import is not what is measured

    import runvitals as rv
    from runvitals.store.reader import open_folder

    walk = np.random.default_rng(0).normal(size=(STEPS, SERIES)).cumsum(axis=0)
    names = [f"group_{i % 6}/metric_{i}" for i in range(SERIES)]
    found = []
    with tempfile.TemporaryDirectory() as folder:
        quiet = {"console": False, "tensorboard": False, "system": False}
        run = rv.init("bench", dir=folder, **quiet)  # type: ignore[arg-type]
        for step, values in enumerate(walk.tolist()):
            run.log(dict(zip(names, values, strict=True)), step=step)
        run.flush()
        for state in ("live stream", "finished"):
            if state == "finished":
                run.finish()
            size = sum(f.stat().st_size for f in (run.folder / "points").iterdir())
            seconds = min(_seconds_to_read(run.folder, names, walk) for _ in range(5))
            found.append((f"{state}: bytes a point", f"{size / walk.size:.2f}"))
            found.append((f"{state}: {SERIES} × {STEPS:,} into NumPy", f"{seconds:.3f} s"))
        raw = Path(folder) / "raw.npy"
        np.save(raw, walk)
        start = time.perf_counter()
        np.load(raw)
        found.append(("np.load of the same numbers", f"{time.perf_counter() - start:.3f} s"))
        assert open_folder(run.folder).points.count >= walk.size
    return found


def _seconds_to_read(folder: Path, names: list[str], walk: object) -> float:
    import numpy as np

    from runvitals.store.reader import open_folder

    start = time.perf_counter()
    view = open_folder(folder)
    columns = [view[name].values for name in names]
    seconds = time.perf_counter() - start
    assert np.array_equal(np.stack(columns, axis=1), np.asarray(walk))
    return seconds


MEMORY = """
import os, sys, tempfile
import psutil
import runvitals as rv
from runvitals.store.reader import open_folder
process = psutil.Process()
row = {f"m{i}": float(i) for i in range(50)}
with tempfile.TemporaryDirectory() as folder:
    run = rv.init("bench", dir=folder, console=True, tensorboard=True, csv=True)
    sizes = []
    for step in range(MANY // 50):
        row["m0"] = step * 0.1
        run.log(row, step=step)
        if step % (MANY // 50 // 20) == 0:
            sizes.append(process.memory_info().rss / 2**20)
    run.finish()
    view = open_folder(run.folder)
    points = sum(len(view[name]) for name in row)
    print(f"{sizes[5]:.0f} {max(sizes[5:]):.0f} {sizes[-1]:.0f} {points} {run.dropped}")
"""


def memory(many: int) -> list[tuple[str, str]]:
    done = subprocess.run(
        [sys.executable, "-c", MEMORY.replace("MANY", str(many))],
        capture_output=True,
        text=True,
        check=True,
    )
    quarter, top, last, points, dropped = done.stdout.split()
    return [
        (f"memory while logging {int(points):,} points, all sinks", ""),
        ("  after a quarter, highest since, at the end", f"{quarter} / {top} / {last} MB"),
        ("  points dropped", dropped),
    ]


def main() -> None:
    from rich.console import Console
    from rich.table import Table

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--points", type=int, default=MANY, help="to log while memory is watched")
    options = parser.parse_args()

    table = Table(title="store", show_header=False)
    for name, value in [*read_back(), *memory(options.points)]:
        table.add_row(name, value)
    Console(width=110).print(table)


if __name__ == "__main__":
    main()
