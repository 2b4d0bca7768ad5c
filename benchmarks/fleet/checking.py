"""Judging many small runs, judging them again, and listing their verdicts.

    python -m benchmarks.fleet.checking                1,000 runs
    python -m benchmarks.fleet.checking --runs 10000   ten thousand

Each run has 20 metrics of 60 points. Seconds of time and of CPU, of `runvitals` processes from start to
end with everything they start; the list is of 10,000 verdicts in any case.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.judging.check_speed import (
    SMALL_METRICS,
    SMALL_STEPS,
    adopt_orphans,
    cpu_used,
    write_run,
)
from runvitals.fleet.table import read_list, write_list

LISTED = 10_000
ROOT = Path(__file__).parents[2]


def command(*words: object) -> tuple[float, float, str]:
    """Seconds of time and of CPU of one command, and what it printed."""
    before, began = cpu_used(), time.perf_counter()
    done = subprocess.run(
        [sys.executable, "-m", "runvitals.cli.main", *map(str, words)],
        env={**os.environ, "PYTHONPATH": str(ROOT / "src"), "OPENBLAS_NUM_THREADS": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    taken = time.perf_counter() - began
    if done.returncode not in (0, 1):
        raise RuntimeError(f"runvitals {words} ended with {done.returncode}: {done.stderr[-2000:]}")
    return taken, cpu_used() - before, done.stdout


def main() -> None:
    """Print what was measured."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--runs", type=int, default=1000)
    given = parser.parse_args()
    adopt_orphans()
    with TemporaryDirectory() as folder:
        top = Path(folder) / "runs"
        for seed in range(given.runs):
            write_run(top / f"project{seed % 20}" / f"run{seed}", SMALL_METRICS, SMALL_STEPS, seed)
        print(f"{given.runs:,} runs of {SMALL_METRICS} metrics, {SMALL_STEPS} points each")
        for title, words in {
            "check, the first time": ("check", top),
            "check again": ("check", top),
            "fleet": ("fleet", top),
        }.items():
            taken, used, _ = command(*words)
            print(f"{title:<34} {taken:8.2f} s   {used:8.2f} s of CPU", flush=True)
        runs, _ = read_list(top)
        many = [replace(runs[i % len(runs)], id=f"run{i}") for i in range(LISTED)]
        write_list(top, many)
        for title, words in {
            f"list {LISTED:,} verdicts (csv)": ("fleet", top, "--as-is", "--format", "csv"),
            "of these, one question": ("fleet", top, "--as-is", "--verdict", "collapsed"),
        }.items():
            taken, used, shown = command(*words)
            print(
                f"{title:<34} {taken:8.2f} s   {used:8.2f} s of CPU   {shown.count(chr(10)):,} lines"
            )


if __name__ == "__main__":
    main()
