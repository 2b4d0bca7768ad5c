"""Does a fault do harm? Its runs against those of its healthy twin, which has the same seeds.

- outcome: the score on the healthy task is lower (Mann-Whitney, one-sided, p < 0.05); with fewer seeds
  than that test needs, every sick run missed the task's target and every twin reached it;
- speed: at least 20% fewer steps a second in the median, against a twin that was run just before;
- memory: the process grew by at least 20% more than the twin's, and by 20 MB;
- telemetry: training went as in the twin, to the last bit, but what was recorded differs.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
from scipy.stats import mannwhitneyu

import runvitals as rv
from runvitals.model import Run

SIGNIFICANT = 0.05
MIN_SEEDS = 5  # of a program and of its twin: with fewer, the test says yes only if all are apart
LARGE = 0.2
MIN_GROWTH_MB = 20.0
TIMED = (
    "timing",
    "time/",
    "throughput/",
    "perf/",
    "System/",
    "Performance/",
    "system/",
    "progress/",
)


@dataclass(frozen=True)
class Killed:
    """The result of a kill test: what was compared, and the two medians."""

    killed: bool
    measure: str
    healthy: float
    sick: float
    p: float | None = None


def kill_test(sick: list[dict[str, Any]], healthy: list[dict[str, Any]], folder: Path) -> Killed:
    """Compare the runs of a program with those of its twin."""
    harm = sick[0]["harm"]
    if harm == "telemetry":
        return _telemetry(sick, healthy, folder)
    if harm == "speed":
        before = median(run["twin_steps"] / run["twin_seconds"] for run in sick)
        now = median(run["steps"] / run["seconds"] for run in sick)
        return Killed(now <= (1 - LARGE) * before, "steps per second", before, now)
    if harm == "memory":
        before, now = (median(r["memory_mb"] for r in runs) for runs in (healthy, sick))
        grown = now >= (1 + LARGE) * before and now - before >= MIN_GROWTH_MB
        return Killed(grown, "memory growth (MB)", before, now)
    scores = [[_score(run) for run in runs] for runs in (sick, healthy)]
    if min(len(sick), len(healthy)) < MIN_SEEDS:
        missed = not any(r["learned"] for r in sick) and all(r["learned"] for r in healthy)
        return Killed(missed, "target missed", median(scores[1]), median(scores[0]))
    p = float(mannwhitneyu(*scores, alternative="less").pvalue)
    return Killed(p < SIGNIFICANT, "score", median(scores[1]), median(scores[0]), p)


def _score(run: dict[str, Any]) -> float:
    """A score that is not a number is worse than any other."""
    score = run["score"]
    return -math.inf if score is None or math.isnan(score) else float(score)


def _telemetry(sick: list[dict[str, Any]], healthy: list[dict[str, Any]], folder: Path) -> Killed:
    """The share of records that differ from what the twin of the same seed recorded."""
    twins = {run["seed"]: run for run in healthy}
    differ = []
    for run in sick:
        twin = twins[run["seed"]]
        same = _same_record(
            rv.open_run(folder / run["folder"]), rv.open_run(folder / twin["folder"])
        )
        differ.append(not same)
    return Killed(all(differ), "share of records that differ", 0.0, float(np.mean(differ)))


def _same_record(one: Run, other: Run) -> bool:
    """Whether two runs recorded the same numbers, those of clocks left out."""
    names = [{name for name in run.names() if not name.startswith(TIMED)} for run in (one, other)]
    if names[0] != names[1]:
        return False
    return all(_same_series(one, other, name) for name in names[0])


def _same_series(one: Run, other: Run, name: str) -> bool:
    a, b = one[name], other[name]
    return np.array_equal(a.steps, b.steps) and np.array_equal(a.values, b.values, equal_nan=True)
