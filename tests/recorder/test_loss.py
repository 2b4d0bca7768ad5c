"""What was lost is told: in run.json, and by everything that opens the run."""

from __future__ import annotations

import errno
import json
import os
import shutil
from pathlib import Path

import pytest
from typer.testing import CliRunner

import runvitals as rv
from runvitals.cli.main import app
from runvitals.recorder import record, sink_thread
from runvitals.store import files, writer
from runvitals.store.reader import open_folder


class FullDisk:
    """Refuses to write while `full`; the reserve makes room for one small file."""

    def __init__(self, monkeypatch):
        self.full = False
        self.pwrite, self.write = os.pwrite, os.write
        monkeypatch.setattr(os, "pwrite", self._refusing(os.pwrite))
        monkeypatch.setattr(os, "write", self._refusing(os.write))
        written = files.write_json

        def write_json(path, *words, **options):
            if self.full and (Path(path).parent / record.RESERVE_FILE).exists():
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
            written(path, *words, **options)

        monkeypatch.setattr(record, "write_json", write_json)

    def _refusing(self, real):
        def call(file, data, *place):
            if self.full and file > 2 and len(data) > 1:
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
            return real(file, data, *place)

        return call


@pytest.fixture
def disk(monkeypatch):
    return FullDisk(monkeypatch)


@pytest.fixture
def lossy(start, disk):
    """A run of 1,000 rows, of which the last 900 met a full disk; it is finished."""
    run = start(id="lossy")
    for step in range(1000):
        if step == 100:
            run.flush()
            disk.full = True
        run.log({"outcome/return_mean": float(step), "loss": 1.0}, step=step)
    run.finish()
    disk.full = False
    return run


def test_run_json_says_what_was_lost_though_the_disk_is_still_full(lossy):
    content = json.loads((lossy.folder / "run.json").read_text())

    assert content["status"] == "finished"
    assert content["lost"] == [
        {
            "where": "store",
            "why": "No space left on device",
            "rows": 900,
            "points": 1800,
            "first_step": 100,
            "last_step": 999,
        }
    ]
    assert not (lossy.folder / record.RESERVE_FILE).exists()


def test_a_reader_knows_that_points_are_missing(lossy):
    view = open_folder(lossy.folder)

    assert view.missing == [
        "recorder: 900 rows (1,800 points, steps 100 to 999) were lost: No space left on device"
    ]
    assert view.warnings[0] == view.missing[0]


def test_check_says_so_first_and_does_not_call_it_fine(lossy):
    done = CliRunner().invoke(app, ["check", str(lossy.folder)])

    assert done.stdout.splitlines()[1].startswith("warning: recorder: 900 rows")  # after its name
    assert "but parts of its data are missing" in done.stdout
    assert done.exit_code != 0


def test_the_json_of_check_says_so(lossy):
    done = CliRunner().invoke(app, ["check", str(lossy.folder), "--format", "json"])

    [run] = json.loads(done.stdout)["runs"]
    assert run["partial"]
    assert "900 rows" in run["warnings"][0]
    assert "parts of its data are missing" in run["verdict"]["reason"]


@pytest.mark.parametrize("format", ["concise", "github", "markdown", "sarif", "junit"])
def test_every_format_of_check_says_so(lossy, format):
    done = CliRunner().invoke(app, ["check", str(lossy.folder), "--format", format])

    assert "900 rows" in done.stdout


@pytest.mark.parametrize("words", [["watch", "--once"], ["runs"]])
def test_watch_and_runs_say_so_first(lossy, words):
    command, *options = words
    done = CliRunner().invoke(app, [command, str(lossy.folder), *options])

    assert "900 rows" in done.stdout
    last = done.stdout.index("return_mean")
    assert done.stdout.index("900 rows") < last


def test_a_disk_that_refuses_is_in_run_json_while_the_run_goes_on(start, disk):
    run = start()
    run.flush()
    disk.full = True
    run.log({"x": 1.0})
    run.flush()

    problems = json.loads((run.folder / "run.json").read_text())["problems"]

    disk.full = False
    assert any("could not write: No space left" in problem for problem in problems)


def test_what_was_lost_before_a_resume_stays_told(lossy, start):
    again = start(id="lossy", resume=True)
    again.log({"loss": 1.0}, step=1000)
    again.finish()

    assert len(open_folder(again.folder).missing) == 1


def test_a_rank_that_does_not_write_run_json_tells_in_a_file_of_its_own(start, disk, monkeypatch):
    first = start(id="r", rank=0)
    run = start(id="r", rank=1)
    run.log({"x": 1.0}, step=0)
    run.flush()
    disk.full = True
    run.log({"x": 1.0}, step=1)
    run.finish()
    disk.full = False
    first.finish()

    [gap] = open_folder(run.folder).missing
    assert gap.startswith("recorder: rank1: 1 row (1 point, step 1) was lost")


def test_of_a_backlog_what_fits_is_kept(start, disk, monkeypatch):
    monkeypatch.setattr(writer, "RECORD_BYTES", 4096)
    run = start(compact=False)
    run.flush()
    disk.full = True
    for step in range(1000):
        run.log({"x": float(step)}, step=step)
    run.flush()
    room = [20_000]

    def small(file, data, *place):
        if room[0] < len(data):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        room[0] -= len(data)
        return disk.pwrite(file, data, *place)

    monkeypatch.setattr(os, "pwrite", small)
    run.flush()
    stored = open_folder(run.folder)["x"].steps.tolist()

    assert stored == list(range(len(stored)))
    assert len(stored) > 100
    run.finish()
    assert run.losses[0].rows == 1000 - len(stored)


def test_tensorboard_and_csv_catch_up_when_the_disk_is_freed(start, disk, monkeypatch):
    monkeypatch.setattr(sink_thread, "MAX_PAUSE", 0.0)
    run = start(tensorboard=True, csv=True, config={"a": 1})
    for step in range(300):
        if step == 100:
            run.flush()
            disk.full = True
        if step == 200:
            run.flush()
            disk.full = False
        run.log({"x": float(step)}, step=step)
    run.finish()

    assert run.losses == []
    rows = (run.folder / "metrics" / "metrics.csv").read_text().splitlines()[1:]
    assert [int(row.split(",")[0]) for row in rows] == list(range(300))
    assert rv.open_run(run.folder / "tensorboard")["x"].steps.tolist() == list(range(300))


def test_tensorboard_and_csv_that_lack_rows_are_told(start, disk, monkeypatch, tmp_path):
    run = start(tensorboard=True, csv=True)
    run.log({"x": 1.0}, step=0)
    run.flush()
    disk.full = True
    run.log({"x": 1.0}, step=1)
    real = run._store.write
    monkeypatch.setattr(run._store, "write", lambda *words: _with(disk, False, real, *words))
    run.finish()
    disk.full = False

    told = open_folder(run.folder).warnings
    assert any("TensorBoardSink lacks 1 row" in warning for warning in told)
    assert any("CsvSink lacks 1 row" in warning for warning in told)
    assert open_folder(run.folder).missing == []
    shutil.rmtree(tmp_path / "test")


def _with(disk, full, call, *words):
    before, disk.full = disk.full, full
    try:
        return call(*words)
    finally:
        disk.full = before
