"""`runvitals report`: which file it writes, and which it leaves alone."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

import runvitals as rv
from runvitals.cli.main import app
from runvitals.model import ConfigError, ReadError, StoreError
from runvitals.model.sink import Loss
from runvitals.server.pages import STATIC
from runvitals.view.html_report.document import built_page


@pytest.fixture
def report(tmp_path, monkeypatch):
    """Call the command in the temporary folder; gives what it printed, or raises what went wrong."""
    if not (STATIC / "report.js").is_file():
        pytest.fail("not built: make web") if os.environ.get("CI") else pytest.skip("make web")
    monkeypatch.chdir(tmp_path)

    def call(*words):
        result = CliRunner().invoke(app, ["report", *map(str, words)])
        if result.exception is not None and not isinstance(result.exception, SystemExit):
            raise result.exception
        assert result.exit_code == 0, result.output
        return result.output

    return call


@pytest.fixture
def record(tmp_path):
    """Record a short run."""

    def make(name, **options):
        quiet = {"console": False, "tensorboard": False, "system": False, "judge": False}
        with rv.init("p", name, dir=tmp_path / "runs", **quiet, **options) as run:
            for step in range(30):
                run.log({"outcome/return_mean": float(step)}, step=step)
        return run.folder

    return make


def test_the_file_is_named_after_the_run_and_replaced_by_its_next_report(report, record):
    folder = record("ppo / lr=3e-4")

    told = report(folder), report(folder)

    first, again = (re.sub(r"\d+ kB", "", one) for one in told)  # times in it have their lengths
    assert first == again
    assert re.fullmatch(r"ppo-lr-3e-4\.html: [a-z ]+, no findings, \d+ kB\n", told[0])
    text = Path("ppo-lr-3e-4.html").read_text()
    assert text.startswith("<!doctype html>")
    assert "http://" not in re.sub(r"http://www\.w3\.org/\S+", "", text.partition("<style>")[0])
    assert [file.name for file in Path().glob(".*tmp")] == []


def test_a_run_that_lacks_points_is_said_to_be_judged_on_partial_data(report, record):
    folder = record("lossy")
    run_file = folder / "run.json"
    content = json.loads(run_file.read_text())
    lost = Loss("store", "disk full", rows=5, points=5, first_step=30, last_step=34)
    run_file.write_text(json.dumps({**content, "lost": [lost.as_dict()]}))

    assert " on partial data, no findings, " in report(folder)


def test_a_long_run_stays_below_two_megabytes(report, tmp_path):
    noise = np.random.default_rng(0).normal(size=(5_000, 60))
    names = [f"n{i}" for i in range(60)]
    lines = [
        ",".join(["step", *names]),
        *(f"{i}," + ",".join(map(str, row)) for i, row in enumerate(noise)),
    ]
    (tmp_path / "progress.csv").write_text("\n".join(lines))

    report("progress.csv", "-o", "long.html")

    assert 1_000_000 < Path("long.html").stat().st_size < 2_000_000


def test_what_is_no_report_of_this_run_is_left_alone(report, record):
    first, second = record("same"), record("same")
    Path("notes.html").write_text("mine")
    report(first)

    for folder, words in ((second, ()), (first, ("-o", "notes.html"))):
        with pytest.raises(StoreError, match="already exists"):
            report(folder, *words)

    assert Path("notes.html").read_text() == "mine"
    assert "notes.html: " in report(first, "-o", "notes.html", "--force")


def test_several_runs_go_into_a_folder(report, record, tmp_path):
    for name in ("a", "b", "a"):
        record(name)

    with pytest.raises(ConfigError, match="found 3 runs in"):
        report("runs")
    with pytest.raises(ConfigError, match="cannot write 3 runs to one file"):
        report("runs", "-o", "all.html")
    told = report("runs", "-o", "sent")

    assert told.count("\n") == 3
    assert sorted(file.name for file in Path("sent").iterdir()) == ["a-2.html", "a.html", "b.html"]


def test_of_several_runs_those_that_can_be_read_get_a_report(report, record):
    record("a")
    Path("runs/trainer_state.json").write_text('{"log_history": [')

    result = CliRunner().invoke(app, ["report", "runs", "-o", "sent"])

    assert result.exit_code == 2
    assert "error: cannot read runs/trainer_state.json" in result.stderr
    assert [file.name for file in Path("sent").iterdir()] == ["a.html"]


def test_bad_paths_are_named(report, record, tmp_path):
    folder = record("a")
    Path("file").write_text("")
    locked = tmp_path / "nowhere" / "report.html"

    with pytest.raises(ReadError, match="cannot read missing: no such file or folder"):
        report("missing")
    with pytest.raises(ReadError, match="the file is empty"):
        report("file")
    with pytest.raises(StoreError, match=r"cannot write .*nowhere.*No such file or directory"):
        report(folder, "-o", locked)


def test_a_page_that_is_not_built_says_how_to_build_it(tmp_path):
    with pytest.raises(StoreError, match="npm run build"):
        built_page(tmp_path)
