"""One damaged run among others: it is told, the others are shown, and the exit code says so."""

from __future__ import annotations

import json

import pytest
from typer.testing import CliRunner

import runvitals as rv
from runvitals.cli.main import app

QUIET = {"console": False, "tensorboard": False, "system": False, "judge": False}
TOLD = "it is damaged"


@pytest.fixture
def runs(tmp_path):
    """Three runs; the second says that its points are in an index, and its address is cut."""
    for name in ("first", "second", "third"):
        run = rv.init("p", id=name, dir=tmp_path, **QUIET)
        for i in range(60):
            run.log({"train/loss": 1.0 / (i + 1), "rollout/ep_rew_mean": float(i)}, step=i)
        run.finish()
    (tmp_path / "p" / "second" / "points" / "index.json").write_text('{"format": "runvitals-in')
    return tmp_path / "p"


def call(*words):
    return CliRunner().invoke(app, [str(word) for word in words])


@pytest.mark.parametrize("command", ["check", "runs", "vitals", "names", "fleet"])
def test_the_others_are_shown(runs, command):
    done = call(command, runs)

    assert done.exit_code == 2, done.output
    assert TOLD in done.stderr
    assert "second" in done.stderr
    assert "first" in done.stdout
    assert "third" in done.stdout


def test_the_others_are_compared(runs, tmp_path):
    run = rv.init("q", id="other", dir=tmp_path, **QUIET)
    for i in range(60):
        run.log({"rollout/ep_rew_mean": float(i)}, step=i)
    run.finish()

    done = call("compare", runs, tmp_path / "q", "--format", "json")

    assert done.exit_code == 2, done.output
    assert TOLD in done.stderr
    assert len(json.loads(done.stdout)["sides"][0]["runs"]) == 2


def test_a_side_of_which_nothing_can_be_read_is_an_error(runs):
    done = call("compare", runs / "first", runs / "second")

    assert isinstance(done.exception, rv.RunvitalsError | SystemExit)
    assert TOLD in done.stderr


def test_the_others_are_shipped(runs, tmp_path):
    (tmp_path / "bucket").mkdir()
    (runs / "second" / "points" / "merged.json").write_text('{"table": "merg')

    done = call("push", runs, tmp_path / "bucket")

    assert done.exit_code == 2, done.output
    assert "second" in done.stderr
    assert "p/first: shipped" in done.stdout
    assert "p/third: shipped" in done.stdout


def test_the_newest_run_that_can_be_read_is_watched(runs):
    path = runs / "second" / "training.log"
    path.write_text("it is the newest\n")

    done = call("watch", runs, "--once")

    assert "third" in done.stdout
    assert "a newer run was passed over" in " ".join(done.stdout.split())


def test_a_run_in_an_index_that_does_not_answer_hides_no_other(runs):
    pointer = {
        "format": "runvitals-indexed/1",
        "url": "clickhouse://127.0.0.1:1/db",
        "run": "p/second",
        "version": 1,
    }
    (runs / "second" / "points" / "index.json").write_text(json.dumps(pointer))

    done = call("runs", runs)

    assert done.exit_code == 2, done.output
    assert "second" in done.stderr
    assert "first" in done.stdout
    assert "third" in done.stdout
