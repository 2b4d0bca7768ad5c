from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any

import psutil
import pytest

import runvitals as rv
from runvitals.lab.contract import Sickness
from runvitals.lab.instruments import FAULTS, Instruments

Start = Callable[..., rv.LiveRun]


def record(start: Start, sick: Sickness, rows: list[dict[str, float]], **options: Any) -> rv.Run:
    with start() as run:
        instruments = Instruments(run, sick, **options)
        for i, row in enumerate(rows):
            sick.at(i / len(rows))
            instruments.log(row, step=100 * (i + 1))
    return rv.open_run(run.folder)


ROWS = [{"policy/entropy": 1.0 - 0.1 * i, "reward": float(i)} for i in range(10)]


def test_without_a_fault_everything_gets_through(start: Start) -> None:
    run = record(start, Sickness(FAULTS), ROWS)

    assert run["reward"].steps.tolist() == [100 * (i + 1) for i in range(10)]
    assert run["reward"].values.tolist() == [row["reward"] for row in ROWS]


def test_names_are_translated_and_hidden_ones_left_out(start: Start) -> None:
    run = record(start, Sickness(), ROWS, names={"reward": "avg_reward"}, hide=["policy/*"])

    assert run.names() == ["avg_reward"]


def test_a_frozen_metric_keeps_its_value_while_the_others_move(start: Start) -> None:
    run = record(start, Sickness(FAULTS, "frozen-metric", onset=0.4), ROWS)

    assert run["policy/entropy"].values.tolist() == pytest.approx(
        [1.0, 0.9, 0.8, 0.7, 0.6, 0.6, 0.6, 0.6, 0.6, 0.6]
    )
    assert run["reward"].values[-1] == 9.0


def test_the_step_counter_begins_again(start: Start) -> None:
    with start() as run:
        sick = Sickness(FAULTS, "step-restarts", onset=0.4)
        instruments = Instruments(run, sick)
        for i, row in enumerate(ROWS):
            sick.at(i / len(ROWS))
            instruments.log(row, step=100 * (i + 1))
        assert run.step < 1000

    assert instruments.first_sick_step == 500


def test_entropy_is_logged_with_the_wrong_sign(start: Start) -> None:
    run = record(start, Sickness(FAULTS, "entropy-sign"), ROWS)

    assert run["policy/entropy"].values.tolist() == pytest.approx([0.1 * i - 1 for i in range(10)])


def test_too_many_scalars_are_logged(start: Start) -> None:
    run = record(start, Sickness(FAULTS, "too-many-scalars", "mild"), ROWS[:2])

    assert len(run.names()) == 1_002


def test_a_leak_keeps_what_it_took(start: Start) -> None:
    sick = Sickness(FAULTS, "memory-leak")
    with start() as run:
        instruments = Instruments(run, sick)
        for i in range(10):
            instruments.log({"reward": 0.0}, step=i)

    assert sum(taken.nbytes for taken in instruments._leaked) == 60e6


def test_slow_steps_sleep_in_proportion_to_the_step(
    start: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    slept: list[float] = []
    with start() as run:
        instruments = Instruments(run, Sickness(FAULTS, "slow-steps"))
        time.sleep(0.05)
        monkeypatch.setattr("runvitals.lab.instruments.time.sleep", slept.append)
        instruments.log({"reward": 0.0}, step=1)

    assert slept[0] >= 2.0 * 0.05


def test_a_process_that_hangs_stops_and_its_record_stays_readable(tmp_path) -> None:
    source = f"""if True:
        import runvitals as rv
        from runvitals.lab.contract import Sickness
        from runvitals.lab.instruments import FAULTS, Instruments
        sick = Sickness(FAULTS, "hangs", onset=0.5)
        with rv.init(dir={str(tmp_path)!r}, project="p", id="r", console=False, system=False) as run:
            instruments = Instruments(run, sick)
            for i in range(10):
                sick.at(i / 10)
                instruments.log({{"reward": float(i)}}, step=i)
                run.flush()
    """
    process = subprocess.Popen([sys.executable, "-c", source])
    watched = psutil.Process(process.pid)
    while process.poll() is None and watched.status() != psutil.STATUS_STOPPED:
        time.sleep(0.05)
    stopped = process.returncode is None
    process.kill()
    process.wait()

    run = rv.open_run(tmp_path / "p" / "r")

    assert stopped
    assert run["reward"].values.tolist() == [0.0, 1.0, 2.0, 3.0, 4.0]
