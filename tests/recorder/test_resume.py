"""What a run that goes on knows of its earlier lives, and what its exports show of them."""

from __future__ import annotations

import json
import shutil

import pytest
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

import runvitals as rv
from runvitals.model import Finding, FindingChange, Span
from runvitals.store.reader import open_folder


def killed(run):
    """What kill -9 leaves behind: all that was flushed, and the `run.json` of a while ago."""
    old = (run.folder / "run.json").read_text()
    run.flush()
    copy = run.folder.with_name("again")
    shutil.copytree(run.folder, copy)
    (copy / "run.json").write_text(json.dumps({**json.loads(old), "id": "again"}))
    for lock in (copy / "points").glob("*.lock"):
        lock.unlink()
    run.finish()


@pytest.fixture
def lost_process(start):
    """Of a process that logged 100 rows, 61 env steps each, and was killed."""
    run = start(id="first", csv=True, tensorboard=True, config={"a": 1})
    run.count(env_steps=5)
    run.log({"x": -1.0}, step=0)
    run.flush()
    for step in range(1, 100):
        run.count(env_steps=61, candies=1)
        run.log({"x": float(step)}, step=step)
    killed(run)


@pytest.mark.parametrize(
    ("goes_on", "known"),
    [(100, 5 + 61 * 99), (60, 5 + 61 * 59), (0, 0)],
    ids=["after", "overlap", "anew"],
)
@pytest.mark.usefixtures("lost_process")
def test_counters_go_on_from_the_row_before(start, goes_on, known):
    run = start(id="again", resume=True)
    run.count(env_steps=100)
    run.log({"x": 0.0}, step=goes_on)
    run.finish()

    view = open_folder(run.folder)
    series = view["progress/env_steps"]
    assert series.values[series.steps == goes_on].tolist() == [known + 100.0]
    content = json.loads((run.folder / "run.json").read_text())
    assert content["counters"]["env_steps"] == known + 100


@pytest.mark.usefixtures("lost_process")
def test_without_a_step_they_go_on_behind_the_last(start):
    run = start(id="again", resume=True)
    run.count(env_steps=1)
    run.log({"x": 0.0})
    run.finish()

    assert open_folder(run.folder)["progress/env_steps"].last == 5 + 61 * 99 + 1


@pytest.mark.usefixtures("lost_process")
def test_exports_have_each_step_once_after_an_overlap(start):
    run = start(id="again", resume=True, csv=True, tensorboard=True)
    for step in range(60, 130):
        run.log({"x": 1000.0 + step}, step=step)
    run.finish()

    rows = (run.folder / "metrics" / "metrics.csv").read_text().splitlines()[1:]
    assert [int(row.split(",")[0]) for row in rows] == list(range(130))
    events = EventAccumulator(str(run.folder / "tensorboard"), {"scalars": 0})
    events.Reload()
    scalars = [(event.step, event.value) for event in events.Scalars("x")]
    assert [step for step, _ in scalars] == list(range(130))
    assert scalars[59:61] == [(59, 59.0), (60, 1060.0)]


def alarm():
    finding = Finding("NUM001", "nan", "critical", "loss", Span(3, 3, 1), "loss is NaN")
    return FindingChange("opened", finding, 3, 0.0)


def test_a_run_that_heeds_should_stop_is_stopped_and_says_by_what(start, capfd, tmp_path):
    run = start(judge=True, stop_on="critical", console=True)
    run.log({"loss": 1.0}, step=1)
    assert not run.should_stop
    for listener in run._info.stop_listeners:
        listener(alarm())
    if run.should_stop:
        run.finish()

    said = "NUM001 critical: loss is NaN"
    assert run.status == "stopped"
    assert json.loads((run.folder / "run.json").read_text())["stopped_by"] == said
    assert f"stopped by  {said}" in capfd.readouterr().err
    view = rv.open_run(run.folder)
    assert (view.status, view.stopped_by) == ("stopped", said)

    from typer.testing import CliRunner

    from runvitals.cli.main import app

    for words in (["--once"], []):
        shown = CliRunner().invoke(app, ["watch", str(run.folder), *words]).stdout
        assert f"stopped by {said}" in shown


def test_a_run_that_does_not_ask_is_finished(start):
    run = start(judge=True, stop_on="critical")
    run.log({"loss": 1.0})
    for listener in run._info.listeners:
        listener(alarm())
    run.finish()

    assert run.status == "finished"


@pytest.mark.parametrize("kind", ["histogram", "sample"])
def test_events_that_are_logged_anew_are_there_once(start, kind):
    def log_all(run, steps):
        for step in steps:
            if kind == "histogram":
                run.log_histogram("h", [float(step)], step=step)
            else:
                run.log_samples({"prompt": str(step)}, step=step)
        run.finish()

    first = start(id="one")
    log_all(first, range(10))
    lives = [range(6, 12), range(4, 6), *[range(6, 8)] * 8]  # more than nine: names sort badly
    for steps in lives:
        log_all(start(id="one", resume=True), steps)

    assert [event.step for event in open_folder(first.folder).events()] == list(range(8))
