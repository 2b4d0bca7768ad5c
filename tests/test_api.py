"""A run with everything switched on, read back by the tools that other people use."""

from __future__ import annotations

import json
import os

import pandas as pd
import pytest
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

import runvitals as rv
from runvitals import api
from runvitals.model import ReadError


@pytest.fixture
def finished(tmp_path, capfd, until):
    run = rv.init(
        "everything",
        config={"learning_rate": 3e-4, "nested": {"gamma": 0.99}},
        dir=tmp_path,
        csv=True,
        system=0.05,
    )
    run.progress(total_steps=50)
    for step in range(50):
        run.log({"policy/approx_kl": 0.01 * step, "outcome/return_mean": float(step)}, step=step)
    run.log_histogram("advantages", [1.0, 2.0, 3.0], step=49)
    run.log_actions([1, 3], step=49)
    run.log_text("note", "done", step=49)
    run.flush()
    until((run.folder / "metrics" / "system.csv").exists)  # the first reading of the machine
    run.finish()
    assert run.problems == []
    return run


def test_tensorboard_reads_the_run(finished):
    events = EventAccumulator(str(finished.folder / "tensorboard"), {"scalars": 0, "tensors": 0})
    events.Reload()

    scalars = events.Scalars("outcome/return_mean")

    assert [(e.step, e.value) for e in scalars] == [(s, float(s)) for s in range(50)]
    tags = events.Tags()
    assert "System/Memory_Percent" in tags["scalars"]
    assert {"action_replica_0", "action_replica_1"} <= set(tags["scalars"])
    assert {"Actions/replica_0", "advantages"} <= {*tags["histograms"], *tags["tensors"]}


def test_pandas_reads_the_csv(finished):
    frame = pd.read_csv(finished.folder / "metrics" / "metrics.csv", float_precision="round_trip")

    returns = frame.dropna(subset="outcome/return_mean")
    assert returns["step"].tolist() == list(range(50))
    assert returns["policy/approx_kl"].tolist() == [0.01 * s for s in range(50)]
    assert "action_replica_1" in frame
    assert "System/CPU_Percent" in pd.read_csv(finished.folder / "metrics" / "system.csv")


def test_the_log_file_says_what_the_console_said(finished):
    text = (finished.folder / "training.log").read_text()

    assert "outcome" in text
    assert "approx_kl" in text


def test_canonical_names_open_the_series_of_any_framework(tmp_path):
    run = rv.init("names", dir=tmp_path, console=False, tensorboard=False, system=False)
    run.log({"train/approx_kl": 0.02, "train/entropy_loss": -0.5, "rollout/ep_rew_mean": 7.0,
             "train/clip_fraction": 0.1, "time/fps": 100.0}, step=1)  # fmt: skip
    run.finish()

    view = rv.open_run(run.folder)

    assert view["policy/approx_kl"].name == "train/approx_kl"
    assert view["policy/entropy"].values.tolist() == [0.5]
    assert view["train/entropy_loss"].values.tolist() == [-0.5]
    assert view["outcome/return_mean"].last == 7.0


def test_open_run_says_what_is_wrong(tmp_path):
    with pytest.raises(ReadError, match="no such file"):
        rv.open_run(tmp_path / "nowhere")
    with pytest.raises(ReadError, match="no runs found in this folder"):
        rv.open_run(tmp_path)
    for name in ("a", "b"):
        rv.init("p", dir=tmp_path, id=name, console=False, tensorboard=False).finish()
    with pytest.raises(ReadError, match="found 2 runs"):
        rv.open_run(tmp_path)
    assert [run.id for run in rv.open_runs(tmp_path)] == ["a", "b"]


def test_the_module_level_log_goes_to_the_newest_run(tmp_path, capsys):
    api._tell_once.cache_clear()
    rv.log({"x": 1.0})
    assert "before init" in capsys.readouterr().err
    runs = [
        rv.init("p", dir=tmp_path, console=False, tensorboard=False, system=False) for _ in range(2)
    ]
    rv.log({"x": 2.0})
    rv.finish()

    assert len(rv.open_run(runs[0].folder)) == 0
    assert rv.open_run(runs[1].folder)["x"].last == 2.0


def test_environment_variables_set_the_defaults(tmp_path, monkeypatch):
    monkeypatch.setenv("RUNVITALS_DIR", str(tmp_path / "here"))
    monkeypatch.setenv("RUNVITALS_PROJECT", "env-project")
    monkeypatch.setenv("RUNVITALS_RUN_ID", "env-id")
    run = rv.init(console=False, tensorboard=False, system=False)
    run.finish()

    assert run.folder == tmp_path / "here" / "env-project" / "env-id"
    assert json.loads((run.folder / "run.json").read_text())["project"] == "env-project"


@pytest.mark.parametrize(
    ("said", "found"), [("vidur", "vidur-ppo-scheduler"), ("my-own-thing", "my-own-thing")]
)
def test_a_framework_may_be_told_in_any_spelling_or_be_unknown(tmp_path, said, found):
    with rv.init(dir=tmp_path, framework=said, console=False, system=False) as run:
        run.log({"approx_kl": 0.01, "clipfrac": 0.1}, step=1)

    assert rv.open_run(run.folder).framework == found


def test_the_console_shows_what_is_logged_and_how_to_open_the_dashboard(script):
    done = script(
        """
        import runvitals as rv
        from runvitals.recorder.values import DeferredNumbers

        run = rv.init("shown", dir="my runs", system=False)
        for step in range(100):
            if step % 50 == 0:  # as rv.watch does
                norms = {f"grad_norm/{i}": 0.1 * step + i for i in range(8)}
                run.attach(DeferredNumbers(norms.copy), step)
            run.log({"train/loss": 2 - step / 100}, step=step)
            if step % 10 == 9:
                run.log({"eval/accuracy": 0.2 + step / 200}, step=step)
            if step in (50, 99):
                run.flush()
        run.finish()
        """,
        env={**os.environ, "RUNVITALS_CONSOLE_INTERVAL": "0"},
    )

    first, *lines = done.stderr.splitlines()
    assert first.endswith("; dashboard: runvitals serve 'my runs'")
    last = [line for line in lines if line.startswith("step 99 ")][-1]
    assert last.startswith("step 99  evaluation accuracy 0.695")
    assert "health train/loss 1.01 " in last
    assert len(set(lines)) == len(lines)
