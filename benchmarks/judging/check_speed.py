"""What `runvitals check` costs from the start of its process to the end, reading included.

    python -m benchmarks.judging.check_speed
    python -m benchmarks.judging.check_speed --against ../old   beside a checkout of another commit

CPU seconds of the process and all that it starts, best of the rounds: on a busy machine they say more
than the clock does. Both checkouts judge the same files, and neither reuses earlier judgements.
"""

from __future__ import annotations

import argparse
import ctypes
import os
import resource
import subprocess
import sys
from contextlib import suppress
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from rich.console import Console
from rich.table import Table

import runvitals as rv
from runvitals import catalog

ROOT = Path(__file__).parents[2]
METRICS, STEPS = 100, 10_000
SMALL_RUNS, SMALL_METRICS, SMALL_STEPS = 300, 20, 60


def write_run(folder: Path, metrics: int, steps: int, seed: int) -> None:
    """A run of our own store whose metrics wander upwards, under names of the catalog."""
    rng = np.random.default_rng(seed)
    names = ["train/return_mean", *list(catalog.METRICS)[: metrics - 1]]
    course = np.linspace(0.1, 0.6, steps)[:, None] + 0.05 * rng.normal(size=(steps, len(names)))
    run = rv.init(
        folder=folder,
        algorithm="PPO",
        console=False,
        tensorboard=False,
        system=False,
        judge=False,
        handle_signals=False,
    )
    for step, row in enumerate(course.tolist()):
        run.log(dict(zip(names, row, strict=True)), step=step)
        if step % 1000 == 999:
            run.flush()
    run.finish()


def adopt_orphans() -> None:
    """Let `cpu_used` see processes, too, whose parent ends before them (Linux)."""
    subreaper = 36  # PR_SET_CHILD_SUBREAPER
    ctypes.CDLL(None).prctl(subreaper, 1, 0, 0, 0)


def cpu_used() -> float:
    """CPU seconds of all processes that were started here; waits until they have ended."""
    with suppress(ChildProcessError):
        while True:
            os.waitpid(-1, 0)
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def cpu_of(source: Path, logs: Path, compiled: Path) -> float:
    """CPU seconds of one `check`; Python finds its modules compiled, from the second time on."""
    environment = {**os.environ, "PYTHONPATH": str(source / "src"), "OPENBLAS_NUM_THREADS": "1"}
    environment |= {"PYTHONPYCACHEPREFIX": str(compiled), "PYTHONDONTWRITEBYTECODE": ""}
    before = cpu_used()
    command = [sys.executable, "-m", "runvitals.cli.main", "check", str(logs), "--format", "json"]
    if keeps_judgements(source):
        command.append("--no-cache")  # else all rounds but the first would read what that one found
    done = subprocess.run(command, env=environment, capture_output=True, text=True)
    if done.returncode not in (0, 1):
        raise RuntimeError(f"{' '.join(command)} ended with {done.returncode}: {done.stderr}")
    return cpu_used() - before


@cache
def keeps_judgements(source: Path) -> bool:
    """Whether `check` of that checkout keeps what it found, so that it has to be told not to."""
    environment = {**os.environ, "PYTHONPATH": str(source / "src"), "COLUMNS": "200"}
    command = [sys.executable, "-m", "runvitals.cli.main", "check", "--help"]
    told = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    return "--no-cache" in told.stdout


def main() -> None:
    """Print a table of both cases."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--against", type=Path, help="another checkout")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--runs", type=int, default=SMALL_RUNS, help="how many small ones")
    options = parser.parse_args()
    adopt_orphans()
    sources = {"this": ROOT} | ({"other": options.against} if options.against else {})
    table = Table(title="CPU seconds of `runvitals check`", title_justify="left")
    for head in ("what", *sources, *(["ratio"] if options.against else [])):
        table.add_column(head, justify="left" if head == "what" else "right")
    with TemporaryDirectory() as made:
        place = Path(made)
        write_run(place / "long" / "run", METRICS, STEPS, 0)
        for seed in range(options.runs):
            write_run(place / "many" / f"run{seed:03}", SMALL_METRICS, SMALL_STEPS, seed)
        cases = {
            f"{METRICS} metrics x {STEPS:,} steps": place / "long",
            f"{options.runs} runs of {SMALL_METRICS} x {SMALL_STEPS}": place / "many",
        }
        for what, logs in cases.items():
            best = dict.fromkeys(sources, float("inf"))
            for _ in range(options.rounds):
                for name, source in sources.items():
                    best[name] = min(best[name], cpu_of(source, logs, place / f"compiled-{name}"))
            ratio = [f"{best['this'] / best['other']:.2f}"] if options.against else []
            table.add_row(what, *(f"{seconds:.2f}" for seconds in best.values()), *ratio)
    Console(width=100).print(table)


if __name__ == "__main__":
    main()
