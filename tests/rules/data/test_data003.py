import numpy as np
import pytest
from tests.rules.performance.plant import noisy
from tests.rules.policy.curves import ODD

from runvitals.model import Binding, PointTable, RowBlock, Run
from runvitals.testing import check, make_run


def run(*lives, names=("loss", "kl")):
    """Steps as they were logged, one list for each life of the process."""
    table, now = PointTable(), 0.0
    for segment, steps in enumerate(lives, 1):
        times = now + np.arange(len(steps), dtype=float)
        values = np.random.default_rng(segment).normal(size=(len(steps), len(names)))
        table.add(RowBlock(names, np.array(steps), times, values), segment=segment)
        now += len(steps)
    return Run(id="made-up", points=table, status="finished")


def test_fires_when_the_counter_starts_again():
    [finding] = check(run([*range(0, 400, 10), *range(0, 600, 10)]), "DATA003")

    assert finding.severity == "warning"
    assert "fall back once" in finding.message
    assert (finding.span.first, finding.span.last) == (0, 380)


def test_fires_on_two_writers():
    both = np.stack([np.arange(50), np.arange(50) + 20], axis=1).ravel()

    [finding] = check(run(both), "DATA003")

    assert "two processes log to the same run" in finding.causes


def test_a_resumed_run_is_in_order():
    assert check(run(range(0, 400, 10), range(300, 900, 10)), "DATA003") == []


def laps(count, counter, every=10):
    """As a reader tells a log whose steps begin again: each lap a life of its own."""
    table = PointTable()
    for lap in range(count):
        steps = every * np.arange(30)
        ahead = lap * 30 + np.arange(30.0) if counter == "runs on" else np.arange(30.0)
        values = np.stack([noisy(1.0, 30, lap), ahead], axis=1)
        table.add(RowBlock(("loss", "samples"), steps, lap * 30 + steps / every, values), lap + 1)
    made = Run(id="made-up", points=table, status="finished")
    made.bind({"samples": Binding("progress/samples")})
    return made


def test_fires_when_steps_begin_again_while_samples_run_on():
    [finding] = check(laps(3, "runs on"), "DATA003")

    assert finding.severity == "warning"
    assert "2 times, while samples continues: 60 points" in finding.message


def test_several_runs_in_one_log_are_a_notice():
    [finding] = check(laps(3, "begins again"), "DATA003")

    assert finding.severity == "notice"


def test_a_run_that_was_started_afresh_once_is_in_order():
    assert check(laps(2, "begins again"), "DATA003") == []


def test_a_little_disorder_is_none():
    steps = np.arange(200)
    steps[50], steps[51] = 51, 50

    assert check(run(steps), "DATA003") == []


def test_silent_on_a_plain_log_and_without_times():
    assert check(make_run({"loss": noisy(1.0)}), "DATA003") == []


@pytest.mark.parametrize("values", ODD.values(), ids=ODD)
def test_survives_odd_series(values):
    assert not any(f.is_alarm for f in check(make_run({"loss": values}), "DATA003"))
