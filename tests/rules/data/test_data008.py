import numpy as np
import pytest
from tests.rules.policy.curves import ODD

from runvitals.model import PointTable, RowBlock, Run
from runvitals.testing import check, make_run


def run(count, points=40):
    names = tuple(f"debug/layer_{i}" for i in range(count))
    table, steps = PointTable(), np.arange(points)
    table.add(RowBlock(names, steps + 40, steps + 40.0, np.ones((points, count))))
    return Run(id="made-up", points=table, status="finished")


def test_fires_on_thousands_of_numbers_but_not_as_an_alarm_about_the_run():
    [finding] = check(run(3000), "DATA008")

    assert not finding.is_alarm
    assert "3,000 numbers" in finding.message
    assert finding.span.first == 40


def test_silent_on_some_hundred_and_on_a_single_dump():
    assert check(run(500), "DATA008") == []
    assert check(run(3000, points=2), "DATA008") == []


@pytest.mark.parametrize("values", ODD.values(), ids=ODD)
def test_survives_odd_series(values):
    assert check(make_run({"loss": values}), "DATA008") == []
