"""What `log()` of 60 scalars costs, beside the bare floor and other recorders, in one run.

Each contender runs in a process of its own, several times, the contenders taking turns; the best
round counts, since noise only ever adds. In-loop is the wall time of the training loop's calls;
total is the CPU time of the process from when the first row is written until everything is closed.
What a run does once, whatever it logs (imports, the catalog, facts about the machine), is the start.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

SCALARS = 60
SETTLED = 60.0  # seconds until which all that is done once has to be over


class Contender(NamedTuple):
    """What a recorder is asked to do."""

    log: Callable[[int, dict[str, float]], None]
    close: Callable[[], None]
    settle: Callable[[], None] = lambda: time.sleep(0.3)  # until threads that it started are ready


def floor(_: Path) -> Contender:
    from array import array

    values = array("d")

    def log(_: int, row: dict[str, float]) -> None:
        values.extend(row.values())

    return Contender(log, lambda: None)


def orjson_lines(folder: Path) -> Contender:
    import orjson

    file = open(folder / "log.jsonl", "wb")  # noqa: SIM115

    def log(step: int, row: dict[str, float]) -> None:
        file.write(orjson.dumps({"step": step, **row}, option=orjson.OPT_APPEND_NEWLINE))

    return Contender(log, file.close)


def runvitals_store(folder: Path, **options: Any) -> Contender:
    import runvitals as rv

    quiet = {"console": False, "tensorboard": False, "system": False, "judge": False}
    run = rv.init("bench", dir=folder, **{**quiet, **options})

    def close() -> None:
        run.finish()
        assert not run.problems, run.problems

    def settle() -> None:
        run.flush()
        until = time.monotonic() + SETTLED
        while b'"packages"' not in (run.folder / "run.json").read_bytes():
            assert time.monotonic() < until, "facts about the machine are never written"
            time.sleep(0.05)

    return Contender(lambda step, row: run.log(row, step=step), close, settle)


def runvitals_all(folder: Path) -> Contender:
    return runvitals_store(folder, console=True, tensorboard=True, csv=True, system=True)


def tensorboardx(folder: Path) -> Contender:
    from tensorboardX import SummaryWriter

    return _summary_writer(SummaryWriter(str(folder)))


def torch_writer(folder: Path) -> Contender:
    from torch.utils.tensorboard import SummaryWriter

    return _summary_writer(SummaryWriter(str(folder)))


def _summary_writer(writer: Any) -> Contender:
    def log(step: int, row: dict[str, float]) -> None:
        for name, value in row.items():
            writer.add_scalar(name, value, step)

    return Contender(log, writer.close)


def trackio(folder: Path) -> Contender:
    os.environ["TRACKIO_DIR"] = str(folder)
    import trackio

    trackio.init(project="bench", embed=False)
    return Contender(lambda step, row: trackio.log(row, step=step), trackio.finish)


CONTENDERS: dict[str, tuple[Callable[..., Contender], str | None, int]] = {
    "floor (array.extend)": (floor, None, 20_000),
    "orjson lines": (orjson_lines, "orjson", 20_000),
    "runvitals, store": (runvitals_store, None, 20_000),
    "runvitals, all sinks": (runvitals_all, None, 20_000),
    "tensorboardX": (tensorboardx, "tensorboardX", 1_000),
    "torch SummaryWriter": (torch_writer, "torch", 1_000),
    "trackio": (trackio, "trackio", 2_000),
}


def measure(name: str, steps: int) -> dict[str, float]:
    """In this process: log, close, and say what it cost."""
    import numpy as np

    begin = CONTENDERS[name][0]
    walk = np.random.default_rng(0).normal(size=(steps, SCALARS)).cumsum(axis=0)
    names = [f"group_{i % 6}/metric_{i}" for i in range(SCALARS)]
    rows = [dict(zip(names, values, strict=True)) for values in walk.tolist()]
    with tempfile.TemporaryDirectory() as folder:
        before = _cpu()
        log, close, settle = begin(Path(folder))
        log(-1, rows[0])
        settle()
        cpu = _cpu()
        slowest: list[float] = []
        start = time.perf_counter()
        for step, row in enumerate(rows):
            log(step, row)
        wall = time.perf_counter() - start
        close()
        total = _cpu() - cpu
        size = sum(f.stat().st_size for f in Path(folder).rglob("*") if f.is_file())
        if name.startswith("runvitals"):
            slowest = _latencies(begin, rows)
    count = steps * SCALARS
    p999 = float(np.quantile(slowest, 0.999)) if slowest else float("nan")
    return {
        "in_loop_us": wall / count * 1e6,
        "total_us": total / count * 1e6,
        "bytes": size / count,
        "start_ms": (cpu - before) * 1e3,
        "p999_ms": p999 * 1e3,
    }


def _latencies(begin: Callable[..., Contender], rows: list[dict[str, float]]) -> list[float]:
    """Each call by itself, in a loop that works for a while between calls as training does."""
    found = []
    with tempfile.TemporaryDirectory() as folder:
        log, close, settle = begin(Path(folder))
        log(-1, rows[0])
        settle()
        for step, row in enumerate(rows[:10_000]):
            busy = time.perf_counter() + 0.0003
            while time.perf_counter() < busy:
                pass
            start = time.perf_counter()
            log(step, row)
            found.append(time.perf_counter() - start)
        close()
    return found


def _cpu() -> float:
    return sum(
        usage.ru_utime + usage.ru_stime
        for usage in (
            resource.getrusage(resource.RUSAGE_SELF),
            resource.getrusage(resource.RUSAGE_CHILDREN),
        )
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--measure", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.measure:
        print(json.dumps(measure(options.measure, CONTENDERS[options.measure][2])))
        return
    best: dict[str, dict[str, float]] = {}
    for _ in range(options.rounds):
        for name, (_, package, _) in CONTENDERS.items():
            if package is None or find_spec(package) is not None:
                found = _in_own_process(name)
                old = best.setdefault(name, found)
                best[name] = {key: min(old[key], found[key]) for key in found}
    _report(best)


def _in_own_process(name: str) -> dict[str, float]:
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.recording.recorder", "--measure", name],
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise SystemExit(f"{name} failed:\n{done.stderr}")
    found: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return found


def _report(best: dict[str, dict[str, float]]) -> None:
    from rich.console import Console
    from rich.table import Table

    table = Table(title=f"log() of {SCALARS} floats, per scalar")
    for title in (
        "",
        "in loop µs",
        "total CPU µs",
        "× floor",
        "bytes",
        "p99.9 of a call, ms",
        "start ms",
    ):
        table.add_column(title, justify="left" if not title else "right")
    base = best["floor (array.extend)"]["total_us"]
    for name, found in best.items():
        slow = "" if found["p999_ms"] != found["p999_ms"] else f"{found['p999_ms']:.3f}"
        table.add_row(
            name,
            f"{found['in_loop_us']:.3f}",
            f"{found['total_us']:.3f}",
            f"{found['total_us'] / base:.1f}",
            f"{found['bytes']:.1f}",
            slow,
            f"{found['start_ms']:.0f}",
        )
    console = Console(width=110)
    console.print(table)
    for ours in ("runvitals, store", "runvitals, all sinks"):
        for peer in ("tensorboardX", "torch SummaryWriter", "trackio"):
            if peer in best:
                ratio = best[peer]["total_us"] / best[ours]["total_us"]
                console.print(f"{ours}: {ratio:.0f} times cheaper than {peer} (total CPU)")
            elif ours == "runvitals, store":
                console.print(f"{peer}: not installed here, not measured")


if __name__ == "__main__":
    main()
