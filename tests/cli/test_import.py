"""`runvitals import`: runs of other tools, kept as run folders with the same values."""

from __future__ import annotations

import gzip
import json
import tarfile
from pathlib import Path

import numpy as np
import pytest

import runvitals as rv
from runvitals.exporters import export_tensorboard
from runvitals.model import RowBlock, RunInfo

TRACKERS = Path(__file__).parents[1] / "readers" / "data" / "trackers"
ROWS = [(10 * i, 1.0 / (i + 1), float(i)) for i in range(30)]


def as_csv(folder: Path) -> None:
    lines = ["step,loss,reward", *(f"{step},{loss!r},{reward!r}" for step, loss, reward in ROWS)]
    (folder / "progress.csv").write_text("\n".join(lines))


def as_json_lines(folder: Path) -> None:
    rows = [{"step": step, "loss": loss, "reward": reward} for step, loss, reward in ROWS]
    (folder / "log.jsonl").write_text("\n".join(map(json.dumps, rows)))


def as_trainer_state(folder: Path) -> None:
    history = [{"step": step, "loss": loss, "reward": reward} for step, loss, reward in ROWS]
    state = {"global_step": 290, "max_steps": 290, "log_history": history}
    (folder / "trainer_state.json").write_text(json.dumps(state))


def as_console(folder: Path) -> None:
    lines = [f"step {step} | loss {loss:.6f} | reward {reward:.1f}" for step, loss, reward in ROWS]
    (folder / "train.log").write_text("\n".join(lines))


def as_event_file(folder: Path) -> None:
    blocks = [
        RowBlock(
            ("loss", "reward"),
            np.array([row[0] for row in ROWS]),
            np.arange(30.0) + 1.7e9,
            np.array([row[1:] for row in ROWS]),
        )
    ]
    info = RunInfo("run", "run", "elsewhere", folder)
    export_tensorboard(blocks, [], folder, info)


def as_wandb(folder: Path) -> None:
    (folder / "run-done.wandb").write_bytes((TRACKERS / "done.wandb").read_bytes())


def as_mlflow(folder: Path) -> None:
    with tarfile.open(TRACKERS / "mlruns.tar.gz") as archive:
        archive.extractall(folder, filter="data")


def as_trackio(folder: Path) -> None:
    (folder / "project.db").write_bytes(gzip.decompress((TRACKERS / "trackio.db.gz").read_bytes()))


@pytest.fixture(
    params=[
        as_csv,
        as_json_lines,
        as_trainer_state,
        as_console,
        as_event_file,
        as_wandb,
        as_mlflow,
        as_trackio,
    ],
    ids=lambda write: write.__name__.removeprefix("as_"),
)
def logs(request, tmp_path):
    folder = tmp_path / "elsewhere" / "run"
    folder.mkdir(parents=True)
    request.param(folder)
    return folder


def points_of(run):
    """Series by name: steps, times and values, NaN equal to NaN."""
    return {
        series.name: [np.nan_to_num(part, nan=-1.5).tolist() for part in series_parts(series)]
        for series in sorted(run, key=lambda series: series.name)
    }


def series_parts(series):
    return series.steps, series.times, series.values


def test_every_format_has_the_same_values_settings_and_times_afterwards(runvitals, logs, tmp_path):
    problems = []
    before = rv.open_runs(logs, problems=problems)

    done = runvitals("import", logs)

    after = rv.open_runs(tmp_path / "runs")
    assert done.returncode == (2 if problems else 0), done.stderr
    assert len(after) == len(before) > 0
    assert sorted(map(str, map(points_of, after))) == sorted(map(str, map(points_of, before)))
    assert all(points_of(run) for run in after)
    assert {run.format for run in after} == {"runvitals"}
    by_name = {run.name: run for run in after}
    for run in before:
        again = by_name[run.name or run.id]
        assert (again.config, again.framework) == (dict(run.config), run.framework)
        assert (again.started, again.ended, again.tags) == (run.started, run.ended, run.tags)
        assert len(again.texts()) == len(run.texts())
        assert len(again.samples()) == len(run.samples())


def test_what_was_imported_before_is_not_imported_twice(runvitals, tmp_path):
    as_csv(tmp_path)
    runvitals("import", "progress.csv")

    again = runvitals("import", "progress.csv")

    assert "imported before" in again.stdout
    assert len(rv.open_runs(tmp_path / "runs")) == 1


def test_runs_of_one_name_become_two_runs(runvitals, tmp_path):
    for seed in ("a/run", "b/run"):
        (tmp_path / "logs" / seed).mkdir(parents=True)
        as_csv(tmp_path / "logs" / seed)

    runvitals("import", "logs")

    assert len(rv.open_runs(tmp_path / "runs")) == 2


def test_a_run_of_ours_is_left_where_it_is(runvitals, start, tmp_path):
    with start(id="own") as run:
        run.log({"loss": 1.0}, step=1)

    done = runvitals("import", run.folder, "--dir", "copies")

    assert done.returncode == 0
    assert not (tmp_path / "copies").exists()


def test_an_import_that_was_interrupted_is_no_run_and_is_done_again(runvitals, tmp_path):
    as_csv(tmp_path)
    done = runvitals("import", "progress.csv")
    folder = Path(tmp_path, done.stdout.partition(":")[0])
    broken = folder.with_name(folder.name + ".importing")
    folder.rename(broken)
    (broken / "run.json").unlink()

    runvitals("import", "progress.csv")

    assert not broken.exists()
    assert len(rv.open_runs(tmp_path / "runs")) == 1
