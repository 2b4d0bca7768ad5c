"""What the live judge costs, and whether it says the same as a look at the finished run.

    python -m benchmarks.judging.live_judge            CPU and latency at 10 logs a second, 100 metrics
    python -m benchmarks.judging.live_judge --replay   stored lab runs, fed as if they were live
    python -m benchmarks.judging.live_judge --replay --runs 50 --looks 25 --labels healthy benign

Cost: two processes log the same rows at the same pace, one of them with `judge=False`; what they differ
by is the judge. Latency is that of single `log()` calls, and of a busy loop in pure Python that shares
the interpreter with the judge.

Replay: rows are fed in the order in which they were logged and judged on the way. Compared are
the findings of the last look with those of `judge_by_rules` on the finished run; counted are healthy
runs in which any warning was opened on the way, and how many of these were still open at the end.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import orjson

ROOT = Path(__file__).parents[2]
BY_THE_CLOCK = ("PERF006",)  # says how long ago the last row was: in a stored run, long ago
METRICS = (
    "outcome/return_mean",
    "outcome/success_rate",
    "policy/loss",
    "policy/entropy",
    "policy/approx_kl",
    "policy/clip_fraction",
    "value/loss",
    "value/explained_variance",
    "optim/grad_norm",
    "optim/learning_rate",
)


# cost


def log_for(
    seconds: float, per_second: float, metrics: int, before: int, settle: float, *, judge: bool
) -> None:
    """In a process of its own: log at a steady pace and print what it took."""
    import runvitals as rv

    rng = np.random.default_rng(0)
    names = [*METRICS, *(f"layer{i}/weight_norm" for i in range(metrics - len(METRICS)))]
    quiet = {"console": False, "tensorboard": False}
    with tempfile.TemporaryDirectory() as folder:
        run = rv.init("bench", dir=folder, algorithm="PPO", judge=judge, **quiet)
        for step in range(before):  # a run that has gone on for a while
            run.log(dict(zip(names, (rng.normal(size=metrics) + 1).tolist(), strict=True)), step)
        time.sleep(settle)  # imports and the first look
        spun, latency = [], []
        cpu, began = time.process_time(), time.perf_counter()
        for i in range(int(seconds * per_second)):
            row = dict(zip(names, (rng.normal(size=metrics) + 1).tolist(), strict=True))
            at = time.perf_counter()
            run.log(row, before + i)
            latency.append(time.perf_counter() - at)
            at = time.perf_counter()
            sum(range(20_000))
            spun.append(time.perf_counter() - at)
            time.sleep(max(0.0, began + (i + 1) / per_second - time.perf_counter()))
        used, took = time.process_time() - cpu, time.perf_counter() - began
        at = time.perf_counter()
        run.finish()
        ended = time.perf_counter() - at
        problems = run.problems
    print(
        json.dumps(
            {
                "cpu": used / took,
                "finish": ended,
                "log": np.quantile(latency, [0.5, 0.99, 0.999]).tolist(),
                "spin": np.quantile(spun, [0.5, 0.99, 0.999]).tolist(),
                "problems": problems,
            }
        )
    )


def measure_cost(
    seconds: float, per_second: float, metrics: int, before: int, settle: float
) -> None:
    words = [str(word) for word in (seconds, per_second, metrics, before, settle)]
    processes = {
        judge: subprocess.Popen(
            [sys.executable, "-m", "benchmarks.judging.live_judge", "--child", judge, *words],
            cwd=ROOT,
            stdout=subprocess.PIPE,
            env={**os.environ, "OPENBLAS_NUM_THREADS": "1"},
        )
        for judge in ("on", "off")
    }
    found = {judge: json.loads(p.communicate()[0]) for judge, p in processes.items()}
    print(
        f"{metrics} metrics, {per_second:g} logs a second for {seconds:g} s after {before:,} rows, "
        "side by side"
    )
    print(
        f"{'judge':<6} {'CPU':>8} {'finish':>9}   log() p50, p99, p99.9   busy loop p50, p99, p99.9"
    )
    for judge, one in found.items():
        log, spin = ("  ".join(f"{1e6 * q:6.0f} µs" for q in one[key]) for key in ("log", "spin"))
        print(f"{judge:<6} {one['cpu']:8.2%} {one['finish']:7.2f} s   {log}   {spin}")
        for problem in one["problems"]:
            print(f"       {problem}")
    print(f"the judge takes {found['on']['cpu'] - found['off']['cpu']:.2%} of one core")


# replay


def chunks(run: Any, looks: int) -> Iterator[tuple[int, list[Any]]]:
    """Segment and row blocks, in the order in which they were logged."""
    from runvitals.model import RowBlock

    lives: dict[int, list[tuple[str, Any]]] = {}
    for name in run.names():
        for segment, arrays in run.points.by_life(name, min(run.points.ranks(name))):
            lives.setdefault(segment, []).append((name, arrays))
    for segment, series in sorted(lives.items()):
        times = np.concatenate([arrays[1] for _, arrays in series])
        share = max(1, looks // len(lives))
        ends = [*np.quantile(times, np.arange(1, share) / share), np.inf]
        begin = -np.inf
        for end in ends:
            blocks = []
            for name, (steps, at, values) in series:
                now = (at > begin) & (at <= end)
                if now.any():
                    blocks.append(RowBlock((name,), steps[now], at[now], values[now, None]))
            begin = end
            yield segment, blocks


def replay(folder: Path, looks: int) -> dict[str, Any]:
    """Feed a stored run to the judge's own parts, and compare."""
    import runvitals as rv
    from runvitals.diagnosis.engine import Choice
    from runvitals.diagnosis.judge import Settings, judge
    from runvitals.diagnosis.live.view import RunView
    from runvitals.diagnosis.open_findings import Moment, OpenFindings, flattened
    from runvitals.model import RunInfo

    stored = rv.open_run(folder)
    info = RunInfo(stored.id, stored.name, stored.project, folder)
    info.config, info.progress = stored.config, stored.progress
    info.expectations = stored.expectations
    view, tracker = RunView(info), OpenFindings()
    opened: list[str] = []
    for segment, blocks in chunks(stored, looks):
        info.segment = segment
        view.add(blocks)
        run = view.run()
        settings = Settings(Choice(ignore=BY_THE_CLOCK))
        found = judge(run, settings, live=True, since_when=False)
        for change in tracker.update(found.findings, Moment(run.last_step or 0, view.rows, 0.0)):
            if change.event == "opened" and change.finding.is_alarm and change.part_of is None:
                opened.append(change.finding.code)
    last = judge(view.run(stored.status), Settings(), since_when=False)
    afterwards = judge(stored, Settings(), since_when=False)
    return {
        "opened": opened,
        "same": list(flattened(last.findings)) == list(flattened(afterwards.findings))
        and last.verdict == afterwards.verdict,
        "alarms": [f.code for f in afterwards.alarms],
    }


def replay_all(index: Path, count: int, looks: int, labels_wanted: list[str]) -> None:
    runs = [r for r in orjson.loads(index.read_bytes())["runs"] if r["label"] in labels_wanted]
    random.Random(0).shuffle(runs)
    same, labels, early, ended = 0, Counter[str](), Counter[str](), Counter[str]()
    codes: Counter[str] = Counter()
    for run in (chosen := runs[:count]):
        one = replay(index.parent / run["folder"], looks)
        same += one["same"]
        if not one["same"]:
            print(f"differs: {run['folder']}")
        labels[run["label"]] += 1
        early[run["label"]] += bool(one["opened"])
        ended[run["label"]] += bool(one["alarms"])
        if run["label"] != "sick":
            if one["opened"]:
                print(f"alarmed live: {run['folder']}: {', '.join(one['opened'])}")
            codes.update(set(one["opened"]))
    print(f"{same} of {len(chosen)} runs: the last look says the same as `check` afterwards")
    for label, total in labels.items():
        print(
            f"{label:<8} {total:>4} runs; a warning or worse opened live in {early[label]}, "
            f"found afterwards in {ended[label]}"
        )
    print(
        "opened in runs that are not sick:", ", ".join(f"{c} {n}" for c, n in codes.most_common())
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--replay", action="store_true")
    parser.add_argument("--index", type=Path, default=ROOT / ".scoreboard" / "index.json")
    parser.add_argument("--runs", type=int, default=150)
    parser.add_argument("--looks", type=int, default=20)
    parser.add_argument("--labels", nargs="+", default=["healthy", "benign", "sick"])
    parser.add_argument("--seconds", type=float, default=120.0)
    parser.add_argument("--per-second", type=float, default=10.0)
    parser.add_argument("--metrics", type=int, default=100)
    parser.add_argument("--before", type=int, default=5_000)
    parser.add_argument("--settle", type=float, default=12.0)
    parser.add_argument("--child", nargs=6, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.child:
        judge, seconds, per_second, metrics, before, settle = given.child
        log_for(
            float(seconds),
            float(per_second),
            int(metrics),
            int(before),
            float(settle),
            judge=judge == "on",
        )
    elif given.replay:
        replay_all(given.index, given.runs, given.looks, given.labels)
    else:
        measure_cost(given.seconds, given.per_second, given.metrics, given.before, given.settle)


if __name__ == "__main__":
    main()
