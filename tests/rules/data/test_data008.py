import numpy as np
import pytest
from tests.rules.performance.plant import shifted
from tests.rules.policy.curves import ODD

from runvitals.model import Binding, PointTable, RowBlock, Run
from runvitals.testing import check, make_run


def run(count, log=None, points=40):
    names = tuple(f"debug/layer_{i}" for i in range(count))
    table, steps = PointTable(), np.arange(points)
    table.add(RowBlock(names, steps + 40, steps + 40.0, np.ones((points, count))))
    made = Run(id="made-up", points=table, status="finished")
    if log is not None:
        every = np.arange(len(log))
        both = np.stack([log, np.full(len(log), 0.1)], axis=1)
        table.add(RowBlock(("log", "update"), every, every.astype(float), both))
        made.bind(
            {"log": Binding("time/stage_s", {"stage": "log"}), "update": Binding("time/training_s")}
        )
    return made


def test_thousands_of_numbers_are_a_notice():
    [finding] = check(run(3000), "DATA008")

    assert finding.severity == "notice"
    assert "3,000 numbers" in finding.message
    assert finding.span.first == 40


def test_is_a_warning_if_logging_takes_its_time():
    [finding] = check(run(3000, shifted(0.001, 0.1, 80, at=0.5)), "DATA008")

    assert finding.severity == "warning"
    assert "% of the step" in finding.message


@pytest.mark.parametrize(("seconds", "severity"), [(0.5, "warning"), (0.95, "notice")])
def test_time_between_the_timed_steps_is_a_cost(seconds, severity):
    made = run(3000)
    every = np.arange(80)
    timed = np.full((80, 1), seconds)  # of the second that lies between two rows
    made.points.add(RowBlock(("step",), every, every.astype(float), timed))
    made.bind({"step": Binding("time/step_s")})

    [finding] = check(made, "DATA008")

    assert finding.severity == severity


def test_silent_on_some_hundred_and_on_a_single_dump():
    assert check(run(500), "DATA008") == []
    assert check(run(3000, points=2), "DATA008") == []


@pytest.mark.parametrize("values", ODD.values(), ids=ODD)
def test_survives_odd_series(values):
    assert check(make_run({"loss": values}), "DATA008") == []
