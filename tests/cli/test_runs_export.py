"""`runvitals runs`, `runvitals export`, and how errors look."""

from __future__ import annotations

import json
import subprocess
import sys

import pandas as pd
import pyarrow.parquet as pq
import pytest


@pytest.fixture
def recorded(start):
    run = start(id="one", config={"lr": 0.1})
    for step in range(20):
        run.log({"outcome/return_mean": float(step), "policy/approx_kl": 0.5}, step=step)
    run.log({"odd, name": float("nan")}, step=20)
    run.log_text("note", "text", step=3)
    run.finish()
    return run.folder


def test_runs_lists_what_was_recorded(runvitals, recorded):
    text = runvitals("runs", recorded.parent)
    data = json.loads(runvitals("runs", recorded.parent, "--format", "json").stdout)

    assert "test/one" in text.stdout
    assert "finished" in text.stdout
    assert data[0]["last_step"] == 20
    assert data[0]["outcome"] == {
        "metric": "outcome/return_mean",
        "name": "outcome/return_mean",
        "last": 19.0,
        "start": pytest.approx(0.0, abs=1.0),
        "best": pytest.approx(18.5, abs=1.0),
        "now": pytest.approx(18.5, abs=1.0),
        "best_step": 19,
        "fell_step": None,
    }


def test_runs_of_an_empty_folder(runvitals, tmp_path):
    assert "no runs found in" in runvitals("runs", tmp_path).stdout


def test_export_to_csv(runvitals, recorded, tmp_path):
    done = runvitals("export", recorded, "--to", "csv", "-o", tmp_path / "x.csv")

    frame = pd.read_csv(tmp_path / "x.csv", keep_default_na=False)
    assert "41 points in 3 series" in done.stdout
    assert frame["outcome/return_mean"].tolist()[:20] == [str(float(s)) for s in range(20)] or (
        frame["outcome/return_mean"].tolist()[:20] == [str(s) for s in range(20)]
    )
    assert frame["odd, name"].tolist()[-1] == "nan"


def test_export_to_parquet_and_jsonl(runvitals, recorded, tmp_path):
    runvitals("export", recorded, "--to", "parquet", "-o", tmp_path / "x.parquet")
    runvitals("export", recorded, "--to", "jsonl", "-o", tmp_path / "x.jsonl")

    assert pq.read_table(tmp_path / "x.parquet").num_rows == 41
    rows = [json.loads(line) for line in (tmp_path / "x.jsonl").read_text().splitlines()]
    assert rows[5]["outcome/return_mean"] == 5.0
    assert rows[-1]["odd, name"] == "NaN"


def test_export_to_tensorboard(runvitals, recorded, tmp_path):
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

    runvitals("export", recorded, "--to", "tensorboard", "-o", tmp_path / "tb")

    events = EventAccumulator(str(tmp_path / "tb"))
    events.Reload()
    assert len(events.Scalars("outcome/return_mean")) == 20


def test_export_does_not_overwrite(runvitals, recorded, tmp_path):
    (tmp_path / "x.csv").write_text("mine")

    refused = runvitals("export", recorded, "--to", "csv", "-o", tmp_path / "x.csv")
    forced = runvitals("export", recorded, "--to", "csv", "-o", tmp_path / "x.csv", "--force")

    assert refused.returncode == 2
    assert "already exists" in refused.stderr
    assert "Traceback" not in refused.stderr
    assert forced.returncode == 0


def test_an_error_has_no_traceback_and_exit_code_2(runvitals, tmp_path):
    done = runvitals("export", tmp_path / "nowhere", "--to", "csv")

    assert done.returncode == 2
    assert done.stderr.startswith("error: cannot read")
    assert "Traceback" not in done.stderr


def test_help_and_version_import_nothing_heavy(runvitals):
    done = subprocess.run(
        [sys.executable, "-X", "importtime", "-m", "runvitals.cli.main", "--help"],
        capture_output=True,
        text=True,
    )

    assert "Look at runs:" in done.stdout
    loaded = {line.split("|")[-1].strip() for line in done.stderr.splitlines() if "|" in line}
    assert not loaded & {"numpy", "pyarrow", "rich", "orjson", "psutil"}
    assert runvitals("--version").stdout.startswith("runvitals 0.")


def test_square_brackets_in_a_project_are_no_markup(runvitals, start, tmp_path):
    start(project="a[/b] [red]", id="one").finish()

    listed = runvitals("runs", tmp_path)

    assert listed.returncode == 0
    assert "a[/b] [red]/one" in listed.stdout


def test_export_by_force_replaces_the_event_files(runvitals, recorded, tmp_path):
    words = ("export", recorded, "--to", "tensorboard", "-o", tmp_path / "board")
    runvitals(*words)
    again = runvitals(*words, "--force")

    assert again.returncode == 0, again.stderr
    assert len(list((tmp_path / "board").glob("events.out.tfevents.*"))) == 1


def test_export_counts_only_what_it_writes(runvitals, start, tmp_path):
    for resume in (False, True):
        run = start(id="again", resume=resume)
        for step in range(10):
            run.log({"x": 1.0}, step=step)
        run.finish()

    done = runvitals("export", run.folder, "--to", "jsonl", "-o", tmp_path / "x.jsonl")

    assert ": 10 points in 1 series" in done.stdout
    assert len((tmp_path / "x.jsonl").read_text().splitlines()) == 10


def test_a_terminal_without_unicode_gets_question_marks(runvitals_process, start, tmp_path):
    start(project="naïve" * 20, id="one").finish()

    listed = runvitals_process("runs", tmp_path, env={"PYTHONIOENCODING": "ascii"})

    assert listed.returncode == 0, listed.stderr
    assert "na?ve" in listed.stdout


@pytest.mark.parametrize("to", ["tensorboard", "media"])
def test_export_without_text_leaves_out_what_was_written(runvitals, start, tmp_path, to):
    run = start(id="secret")
    for step in range(5):
        run.log({"reward": float(step)}, step=step)
        run.log_samples({"prompt": "MARKER", "completion": "MARKER too", "reward": 1.0}, step=step)
    run.finish()

    runvitals("export", run.folder, "--to", to, "-o", tmp_path / "all")
    runvitals("export", run.folder, "--to", to, "-o", tmp_path / "none", "--no-text")

    def marked(folder):
        return any(b"MARKER" in file.read_bytes() for file in folder.rglob("*") if file.is_file())

    assert marked(tmp_path / "all")
    assert not marked(tmp_path / "none")
