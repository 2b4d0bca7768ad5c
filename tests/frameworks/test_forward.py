"""Verdict and findings arrive in live runs of the real W&B, MLflow and Trackio."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import runvitals as rv
from runvitals.integrations.forward import forward
from runvitals.model import ConfigError

pytestmark = pytest.mark.frameworks
STEPS = 300


def train(to: object, folder: Path) -> rv.LiveRun:
    """A run that loses what it had, told to another tracker."""
    noise = np.random.default_rng(0).normal(size=STEPS)
    quiet = {"console": False, "tensorboard": False, "system": False}
    with rv.init("forwarded", dir=folder, algorithm="PPO", **quiet) as run:
        forward(run, to)
        for step in range(STEPS):
            level = step if step < STEPS // 2 else 5.0
            run.log({"outcome/return_mean": level + noise[step]}, step=step)
    assert run.problems == []
    return run


def test_wandb_gets_tags_alerts_and_a_summary(tmp_path):
    wandb = pytest.importorskip("wandb")
    run = wandb.init(mode="offline", dir=tmp_path, project="x", tags=["mine"])

    ours = train(run, tmp_path)

    found = rv.judge(ours.folder)
    codes = {one.code for one in found.alarms}
    assert codes
    assert set(run.tags) == {
        "mine",
        "runvitals:collapsed",
        *(f"runvitals:{code}" for code in codes),
    }
    assert run.summary["runvitals/verdict"] == found.verdict.word == "collapsed"
    run.finish()
    wandb.teardown()  # its process writes the rest
    [file] = tmp_path.rglob("*.wandb")
    assert all(f"runvitals: {code} ".encode() in file.read_bytes() for code in codes)


def test_mlflow_gets_tags(tmp_path, monkeypatch):
    mlflow = pytest.importorskip("mlflow")
    monkeypatch.setenv("MLFLOW_ALLOW_FILE_STORE", "true")
    mlflow.set_tracking_uri((tmp_path / "mlruns").as_uri())
    with mlflow.start_run() as run:
        ours = train(run, tmp_path)

    tags = mlflow.MlflowClient().get_run(run.info.run_id).data.tags
    codes = sorted({one.code for one in rv.judge(ours.folder).alarms})
    assert tags["runvitals.verdict"] == "collapsed"
    assert tags["runvitals.findings"] == ", ".join(codes)
    assert all("step" in tags[f"runvitals.finding.{code}"] for code in codes)


def test_trackio_gets_alerts(tmp_path, monkeypatch):
    pytest.importorskip("trackio")
    import trackio.utils
    from trackio.sqlite_storage import SQLiteStorage

    for module in (trackio.utils, trackio.sqlite_storage):
        monkeypatch.setattr(module, "TRACKIO_DIR", tmp_path)
    run = trackio.init(project="forwarded", embed=False)

    ours = train(run, tmp_path)

    trackio.finish()
    alerts = {one["title"]: one for one in SQLiteStorage.get_alerts("forwarded")}
    found = rv.judge(ours.folder)
    assert alerts["runvitals: collapsed"]["text"] == found.verdict.reason
    assert {f"runvitals: {one.code} {one.name}" for one in found.alarms} <= set(alerts)


def test_anything_else_is_refused_with_what_to_give():
    with pytest.raises(ConfigError, match=r"wandb\.run"):
        forward(None, object())  # type: ignore[arg-type]
