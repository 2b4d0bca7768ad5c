"""Runs that released versions wrote stay readable. A folder in kept/ is never changed."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest

import runvitals as rv

KEPT = Path(__file__).parent / "kept"
RUNS = sorted(KEPT.glob("*/*"))
STEPS = 10 * np.arange(24)


@pytest.fixture(params=RUNS, ids=lambda folder: f"{folder.parent.name}-{folder.name}")
def folder(request, tmp_path):
    """A copy: a reader may leave notes beside the run."""
    copy = tmp_path / "kept" / request.param.name
    shutil.copytree(request.param, copy)
    return copy


def test_there_is_a_run_that_ended_and_one_that_was_killed():
    assert {folder.name for folder in RUNS} == {"ended", "killed"}


def test_every_point_is_read_as_it_was_logged(folder):
    run = rv.open_run(folder)

    returns, losses = run["outcome/return_mean"], run["loss"]
    assert returns.steps.tolist() == STEPS.tolist()
    assert returns.values.tolist() == [i * i / 8 for i in range(24)]
    assert run["policy/approx_kl"].values[-1] == 0.01 + 23 / 1000
    assert np.flatnonzero(np.isnan(losses.values)).tolist() == [5]
    assert not run.missing


def test_identity_settings_samples_and_histograms_are_read(folder):
    run = rv.open_run(folder)

    assert run.name == f"{folder.name} run of 0.1.0"
    assert run.status == {"ended": "finished", "killed": "crashed"}[folder.name]
    assert (run.framework, run.algorithm) == ("stable-baselines3", "ppo")
    assert run.config == {"lr": 3e-4, "algo": "PPO"}
    assert (run.tags, run.notes) == (("kept",), "written by 0.1.0")
    assert [sample.fields["completion"] for sample in run.samples()] == ["0", "12"]
    assert [one.step for one in run.histograms("advantage")] == [0, 120]


def test_a_run_can_be_judged_and_resumed(folder):
    assert rv.judge(rv.open_run(folder)).verdict.word == "learning"

    with rv.init(folder=folder, resume=True, console=False, judge=False) as run:
        run.log({"loss": 0.5}, step=240)

    assert rv.open_run(folder)["loss"].values.tolist()[-1] == 0.5
    assert rv.open_run(folder)["loss"].steps.tolist() == [*STEPS, 240]
