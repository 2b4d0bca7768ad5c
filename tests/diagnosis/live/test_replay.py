"""Live and afterwards, the same is said about the same run."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import runvitals as rv
from runvitals.diagnosis.engine import judge_by_rules
from runvitals.diagnosis.live.journal import read_changes, still_open
from runvitals.diagnosis.live.view import RunView
from runvitals.diagnosis.open_findings import flattened
from runvitals.lab.running import Case, run_case
from runvitals.model import Finding, PointTable, RowBlock, RunInfo

pytestmark = pytest.mark.usefixtures("_eager")
QUIET = {"console": False, "tensorboard": False}


def findings_afterwards(folder: Path) -> list[Finding]:
    found = judge_by_rules(rv.open_run(folder), since_when=False)
    return [finding for finding, _ in flattened(found.findings)]


@pytest.mark.parametrize(
    "case",
    [
        Case("simpo", "sorting"),
        Case("simpo", "sorting", fault="lr-x100"),
        Case("reward-model", "sorting", fault="labels-random"),
        Case("kto", "sorting", fault="lr-zero"),
        Case("sft", "sorting", variant="short-run"),
        Case("ppo", variant="short-run"),
        Case("ppo", variant="resumed", settings={"total_steps": 28_672}),
    ],
    ids=lambda case: case.name,
)
def test_what_is_open_at_the_end_is_what_check_finds(case: Case, tmp_path: Path) -> None:
    folder = run_case(case, tmp_path, **QUIET).folder

    live = {(c.finding.code, c.finding.series) for c in still_open(read_changes(folder))}

    assert live == {(f.code, f.series) for f in findings_afterwards(folder)}


def test_a_long_run_looks_the_same_live_and_afterwards(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    count = 20_000
    values = {
        "outcome/return_mean": np.linspace(0, 100, count) + rng.normal(size=count),
        "policy/approx_kl": np.where(np.arange(count) > 9_000, 0.4, 0.01),
        "policy/loss": np.where(np.arange(count) > 19_000, np.nan, rng.normal(size=count)),
        "value/loss": np.where(np.arange(count) > 19_001, np.nan, 1.0),
    }
    rows = np.stack(list(values.values()), axis=1)
    run = rv.init(
        "test", dir=tmp_path, algorithm="PPO", config={"target_kl": 0.01}, system=False, **QUIET
    )
    for step, row in enumerate(rows.tolist()):
        run.log(dict(zip(values, row, strict=True)), step=step)
    run.finish()

    live = [change.finding for change in still_open(read_changes(run.folder))]

    assert {"NUM001", "KL001"} <= {finding.code for finding in live}
    assert {(f.code, f.series) for f in live} == {
        (f.code, f.series) for f in findings_afterwards(run.folder)
    }


@pytest.mark.parametrize("size", [7, 500, 20_000])
def test_the_view_of_a_run_is_the_thinned_run(tmp_path: Path, size: int) -> None:
    info = RunInfo("r", "r", "p", tmp_path)
    view = RunView(info)
    steps = np.arange(20_000)
    values = np.stack([np.sin(steps / 9), np.where(steps % 3_001 == 5, np.inf, steps)], axis=1)
    block = RowBlock(("a", "b"), steps, steps / 10, values)
    table = PointTable()
    table.add(block)
    for begin in range(0, len(steps), size):
        now = slice(begin, begin + size)
        view.add([RowBlock(block.names, steps[now], block.times[now], values[now])])

    seen = view.run()

    for name in block.names:
        for mine, other in zip(seen.points.column(name), table.thinned().column(name), strict=True):
            np.testing.assert_array_equal(mine, other)
