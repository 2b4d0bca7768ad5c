"""Clocks that are set while a run goes on."""

from __future__ import annotations

import time

import numpy as np
import pytest

import runvitals as rv
from runvitals.recorder import live_methods
from runvitals.recorder.live_methods import RunClock
from runvitals.testing import check, make_run


def set_clock(monkeypatch, seconds):
    real = time.time
    monkeypatch.setattr(time, "time", lambda: real() + seconds)


def test_a_clock_that_is_set_back_does_not_turn_the_times_of_rows(start, monkeypatch):
    run = start()
    for step in range(60):
        if step == 30:
            set_clock(monkeypatch, -3600.0)
        run.log({"x": float(step)}, step=step)
        run.flush() if step % 20 == 0 else None
    run.finish()

    view = rv.open_run(run.folder)
    assert (np.diff(view["x"].times) >= 0).all()
    assert not any(f.code == "DATA003" for f in rv.judge(view).findings)


def test_a_clock_that_jumps_ahead_is_followed(monkeypatch):
    ours = RunClock()
    before = ours.now()
    set_clock(monkeypatch, 3600.0)

    ours.follow()

    assert ours.now() - before >= 3600.0 - live_methods.AHEAD_SECONDS


def test_small_corrections_are_not(monkeypatch):
    ours = RunClock()
    offset = ours.offset
    set_clock(monkeypatch, 0.5)
    ours.follow()

    assert ours.offset == offset


@pytest.mark.parametrize("back", [10.0, 3600.0, 1e6])
def test_a_log_whose_clock_was_set_back_has_no_broken_time_axis(back):
    run = make_run({"loss": np.linspace(1.0, 0.1, 200)})
    steps, times, values = (a.copy() for a in run.points.column("loss"))
    times[:] = 1e9 + np.arange(200.0)
    times[120:] -= back
    from runvitals.model import PointTable, RowBlock

    run.points = PointTable()
    run.points.add(RowBlock(("loss",), steps, times, values[:, None]))

    assert check(run, "DATA003") == []
