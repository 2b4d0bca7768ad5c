"""Runs in an index: each point once, whatever happens, and nothing that was not logged."""

from __future__ import annotations

import shutil

import numpy as np
import pytest
from tests.fleet.conftest import QUIET, record

import runvitals as rv
from runvitals.diagnosis.judge import Settings
from runvitals.index import segments
from runvitals.index.filling import Filler
from runvitals.index.mirror import sync
from runvitals.index.schema import ROLLUP_STEPS
from runvitals.index.segments import PointLoader
from runvitals.readers.open import open_runs


def fill(database, top, **options):
    return Filler(database, Settings(), workers=1, **options).fill(top)


def points(database, where="1"):
    [row] = database.rows(f"SELECT count(), sum(value) FROM {{db}}.points WHERE {where}")
    return row


def rolled_up(database):
    return database.rows("SELECT sum(points), sum(total) FROM {db}.rollup")[0]


@pytest.fixture
def live(tmp_path):
    """A run that is being written, flushed after each `log_rows`."""
    run = rv.init(folder=tmp_path / "runs" / "live", project="p", **QUIET)
    at = 0

    def log_rows(count):
        nonlocal at
        for step in range(at, at + count):
            run.log({"loss": float(step)}, step=step)
            if step % 3 == 0:
                run.log({"loss": step + 0.5, "eval/loss": float(step)}, step=step)
        at += count
        run.flush()

    yield tmp_path / "runs", run, log_rows
    run.finish()


def test_points_runs_settings_and_verdicts_are_there(database, tmp_path):
    record(tmp_path / "runs" / "a", sick=True, learning_rate=0.05)

    done = fill(database, tmp_path / "runs")

    assert (done.runs, done.changed, done.points, done.verdicts) == (1, 1, 180, 1)
    assert points(database)[0] == 180
    [(run, verdict, rule, rate)] = database.rows(
        "SELECT run, verdict, rule, learning_rate FROM {db}.fleet"
    )
    assert (run, verdict, rate) == ("cartpole/a", "collapsed", 0.05)
    found = database.rows("SELECT code FROM {db}.findings WHERE alarm AND part_of = ''")
    assert (rule,) in found
    assert database.rows("SELECT number FROM {db}.config WHERE name = 'learning_rate'") == [(0.05,)]
    [(metric,)] = database.rows("SELECT metric FROM {db}.metrics WHERE name = 'policy/entropy'")
    assert metric == "policy/entropy"


def test_a_second_time_sends_nothing(database, tmp_path):
    record(tmp_path / "runs" / "a")
    fill(database, tmp_path / "runs")

    again = fill(database, tmp_path / "runs")

    assert (again.runs, again.changed, again.points, again.verdicts) == (1, 0, 0, 0)


def test_a_replay_without_any_memory_adds_no_row(database, tmp_path):
    record(tmp_path / "runs" / "a")
    fill(database, tmp_path / "runs", verdicts=False)
    before, summed = points(database), rolled_up(database)
    database.command("TRUNCATE TABLE {db}.loaded")
    database.command("TRUNCATE TABLE {db}.runs")

    again = fill(database, tmp_path / "runs", verdicts=False)

    assert again.points == before[0]  # sent, and dropped by the engine
    assert points(database) == before
    assert rolled_up(database) == summed


def test_a_live_run_is_taken_in_part_by_part_and_completed_once(database, live):
    top, run, log_rows = live
    sent = []
    for rows in (30, 1, 60):
        log_rows(rows)
        sent.append(fill(database, top, verdicts=False).points)
    log_rows(9)
    run.finish()

    sent.append(fill(database, top, verdicts=False).points)

    assert all(sent)
    assert points(database, "metric = 'loss'")[0] == 100 + 34
    assert points(database, "metric = 'eval/loss'")[0] == 34
    assert rolled_up(database)[0] == 100 + 34 + 34


def test_a_live_run_reads_as_running_and_later_as_finished(database, live):
    top, run, log_rows = live

    def read():
        fill(database, top, verdicts=False)
        [found] = open_runs(sync(database.address))
        return found.status, found.points.count

    log_rows(30)
    during = read()
    run.finish()

    assert during == ("running", 30 + 10 + 10)
    assert read() == ("finished", 30 + 10 + 10)


@pytest.mark.parametrize("moment", ["before", "after"])
def test_a_loader_that_dies_loses_and_doubles_nothing(database, live, monkeypatch, moment):
    top, run, log_rows = live
    log_rows(30)
    fill(database, top, verdicts=False)
    log_rows(30)
    real = type(database).insert_once

    def dies(self, table, rows, token):
        if moment == "after":
            real(self, table, rows, token)
        raise KeyboardInterrupt

    with monkeypatch.context() as patched, pytest.raises(KeyboardInterrupt):
        patched.setattr(type(database), "insert_once", dies)
        fill(database, top, verdicts=False)
    log_rows(40)

    fill(database, top, verdicts=False)

    assert points(database, "metric = 'loss'")[0] == 100 + 34
    run.finish()
    fill(database, top, verdicts=False)
    assert points(database, "metric = 'loss'")[0] == 100 + 34


def test_a_loader_that_dies_before_the_run_is_compacted_starts_anew(database, live, monkeypatch):
    top, run, log_rows = live
    log_rows(60)
    with monkeypatch.context() as patched, pytest.raises(KeyboardInterrupt):
        patched.setattr(
            type(database), "insert_once", lambda *_: (_ for _ in ()).throw(KeyboardInterrupt)
        )
        fill(database, top, verdicts=False)
    run.finish()

    done = fill(database, top, verdicts=False)

    assert "taken in again" in done.problems[0]
    assert points(database, "metric = 'loss'")[0] == 60 + 20
    assert rolled_up(database)[0] == 60 + 20 + 20


def test_a_clock_that_was_set_back_is_seen_by_its_counts(database, live):
    top, run, log_rows = live
    log_rows(30)
    fill(database, top, verdicts=False)
    run.finish()
    loader = PointLoader(database, "p/live", [])
    [known] = loader._known().values()
    loader._note(segments.replace(known, sealed=False, done=True, horizon=0.0, stop=9,
                                  counts={"loss": 3}))  # fmt: skip

    sent = loader.load(top / "live")

    assert loader.problems
    assert sent == points(database)[0] == 30 + 10 + 10


def rank_of_a_job(top, rank):
    with rv.init(dir=top, project="p", id="job", rank=rank, resume=True, **QUIET) as run:
        for step in range(50):
            run.log({"loss": float(rank + step)}, step=step)


@pytest.mark.parametrize("moment", ["before", "after"])
def test_ranks_that_end_while_a_loader_is_dead_change_nothing(
    database, tmp_path, monkeypatch, moment
):
    top = tmp_path / "runs"
    for rank in (0, 1):
        rank_of_a_job(top, rank)
    real = type(database).insert_once

    def dies(self, table, rows, token):
        if moment == "after":
            real(self, table, rows, token)
        raise KeyboardInterrupt

    with monkeypatch.context() as patched, pytest.raises(KeyboardInterrupt):
        patched.setattr(type(database), "insert_once", dies)
        fill(database, top, verdicts=False)
    rank_of_a_job(top, 2)

    fill(database, top, verdicts=False)

    assert database.rows("SELECT rank, count() FROM {db}.points GROUP BY rank ORDER BY rank") == [
        (0, 50),
        (1, 50),
        (2, 50),
    ]


def test_logs_of_other_tools_are_replaced_when_they_grow(database, tmp_path):
    log = tmp_path / "logs" / "sb3" / "progress.csv"
    log.parent.mkdir(parents=True)

    def write(rows):
        lines = [f"{1000 * i},{10.0 + i}" for i in range(rows)]
        log.write_text("\n".join(["time/total_timesteps,rollout/ep_rew_mean", *lines]) + "\n")

    write(40)
    fill(database, tmp_path / "logs", verdicts=False)
    first = points(database, "metric = 'rollout/ep_rew_mean'")[0]
    write(50)

    fill(database, tmp_path / "logs", verdicts=False)

    assert first == 40
    assert points(database, "metric = 'rollout/ep_rew_mean'")[0] == 50
    [(total,)] = database.rows("SELECT sum(points) FROM {db}.rollup WHERE metric LIKE '%rew_mean'")
    assert total == 50


def test_two_runs_of_one_name_are_told(database, tmp_path):
    record(tmp_path / "here" / "a", seed=1)
    shutil.copytree(tmp_path / "here" / "a", tmp_path / "there" / "a")
    fill(database, tmp_path / "here", verdicts=False)

    done = fill(database, tmp_path / "there", verdicts=False)

    [problem] = done.problems
    assert "under the same name, cartpole/a" in problem
    assert points(database)[0] == 180


def test_the_spread_over_ranks_names_the_extreme_ones(database, tmp_path):
    for rank in (0, 1, 2):
        with rv.init(dir=tmp_path / "runs", project="p", id="job", rank=rank, resume=True,
                     **QUIET) as run:  # fmt: skip
            for step in range(100):
                slow = 3.0 if rank == 1 and step > 63 else 1.0
                run.log({"perf/step_seconds": slow + 0.1 * rank}, step=step)

    fill(database, tmp_path / "runs", verdicts=False)

    rows = database.rows(
        "SELECT step, low, high, mean, low_rank, high_rank, points FROM {db}.spread "
        "WHERE run = 'p/job' AND metric = 'perf/step_seconds' ORDER BY step"
    )
    assert [row[0] for row in rows] == list(range(0, 100, ROLLUP_STEPS))
    assert rows[10][4:] == (0, 1, 3 * ROLLUP_STEPS)
    np.testing.assert_allclose(rows[10][1:4], (1.0, 3.1, (1.0 + 3.1 + 1.2) / 3))


def test_numbers_that_are_not_finite_are_kept_and_counted(database, tmp_path):
    with rv.init(folder=tmp_path / "runs" / "a", project="p", **QUIET) as run:
        for step, value in enumerate([1.0, float("nan"), float("inf"), 2.0]):
            run.log({"loss": value}, step=step)

    fill(database, tmp_path / "runs", verdicts=False)

    assert points(database)[0] == 4
    [row] = database.rows("SELECT low, high, mean, points, not_finite FROM {db}.spread")
    assert row == (1.0, 2.0, 1.5, 2, 2)
