"""For tests of rules, ours and those of plugins: make a run of a few lists, and check it.

>>> run = make_run({"policy/approx_kl": [0.01] * 20}, every=2048)
>>> run["policy/approx_kl"].steps[:2].tolist()
[2048, 4096]
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from runvitals.api import LiveRun
from runvitals.api import judge as judge_any
from runvitals.catalog import resolve_config
from runvitals.diagnosis.engine import Choice
from runvitals.diagnosis.judge import Settings, judge
from runvitals.model import (
    Binding,
    Diagnosis,
    Finding,
    Histogram,
    PointTable,
    RowBlock,
    Run,
    Sample,
    split_labels,
)

HISTOGRAM_BINS = 30
LEARNS = ("learning", "learned")


def make_run(
    series: Mapping[str, Any],
    *,
    every: int = 1,
    algorithm: str | None = None,
    config: Mapping[str, Any] | None = None,
    status: str = "finished",
    total_steps: int | None = None,
    seconds: float = 1.0,
    histograms: Mapping[str, Any] | None = None,
    samples: Sequence[Sample] = (),
) -> Run:
    """A run with these series under canonical ids; a list has a value per step, a mapping its steps.

    `histograms`: names with the values that were seen at each step, a row per step.
    """
    table = PointTable()
    for name, values in series.items():
        steps, times, numbers = _columns(values, every, seconds)
        table.add(RowBlock((name,), steps, times, numbers[:, None]))
    config = dict(config or {})
    run = Run(
        id="made-up",
        name="made-up",
        points=table,
        status=status,
        algorithm=algorithm,
        config=config,
        settings={key: value for key, (_, value) in resolve_config(config, algorithm).items()},
        progress={} if total_steps is None else {"total_steps": total_steps},
    )
    run.bind({name: Binding(*split_labels(name)) for name in series})
    events = tuple(_histograms(histograms or {}, every, seconds))
    run.read_events = lambda: events
    run.read_samples = lambda: samples
    return run


def check(run: Run, code: str, **options: Any) -> list[Finding]:
    """What one rule says about a run."""
    choice = Choice(select=(code,), options={code: options})
    found = judge(run, Settings(choice), since_when=False)
    if found.problems:
        raise AssertionError("; ".join(found.problems))
    return list(found.findings)


def assert_learns(
    run: Run | LiveRun | str | os.PathLike[str], *, allow: Iterable[str] = ()
) -> Diagnosis:
    """Fail unless the run learns and nothing is wrong with it: for tests that train for a minute.

    Takes an open run, one that is being recorded, or a path. `allow`: codes of rules whose findings
    are known and fine here. Gives the diagnosis for further asserts.
    """
    fine = tuple(code.upper() for code in allow)
    found = judge_any(run, ignore=fine)
    wrong = [f"  {one.code} {one.severity}: {one.message}" for one in found.alarms]
    if found.verdict.word in LEARNS and not wrong:
        return found
    told = [f"{found.verdict.word}: {found.verdict.reason}", *wrong]
    raise AssertionError("the run does not learn as it should\n" + "\n".join(told))


def _columns(values: Any, every: int, seconds: float) -> tuple[Any, Any, Any]:
    if isinstance(values, Mapping):
        steps = np.array(list(values), np.int64)
        numbers = np.array(list(values.values()), np.float64)
    else:
        numbers = np.asarray(values, np.float64)
        steps = every * np.arange(1, len(numbers) + 1, dtype=np.int64)
    return steps, 1.7e9 + seconds * steps / every, numbers


def _histograms(rows: Mapping[str, Any], every: int, seconds: float) -> Iterator[Histogram]:
    for name, samples in rows.items():
        for at, values in enumerate(samples, 1):
            counts, edges = np.histogram(np.asarray(values, np.float64), bins=HISTOGRAM_BINS)
            time = 1.7e9 + seconds * at
            yield Histogram(name, every * at, time, edges, counts.astype(np.float64))
