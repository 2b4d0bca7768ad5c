"""The rows by which a command may be stopped do not depend on how often somebody looks."""

import numpy as np
import pytest

from runvitals.model import PointTable, RowBlock
from runvitals.observe.sources import StepRows

STEPS = 40


def logged():
    """Points one by one: a loss at each step, an evaluation at each fourth, the machine in between."""
    for step in range(STEPS):
        yield "loss", step, 1.0 / (step + 1)
        yield "system/cpu", step, 50.0
        if step % 4 == 0:
            yield "eval/score", step, float(step)


def rows_when_looked_at(every, times):
    points, taker, rows = PointTable(), StepRows(), []
    for i, (name, step, value) in enumerate(logged()):
        at = times(i)
        points.add(RowBlock((name,), np.array([step]), np.array([at]), np.array([[value]])))
        if i % every == 0:
            rows += taker.take(points)
    rows += taker.take(points)
    return [(int(r.steps[0]), dict(zip(r.names, r.values[0].tolist(), strict=True))) for r in rows]


@pytest.mark.parametrize("every", [1, 2, 3, 7, 1000])
def test_they_are_the_same_however_often_one_looks(every):
    expected = [
        (step, {"loss": 1.0 / (step + 1)} | ({"eval/score": float(step)} if step % 4 == 0 else {}))
        for step in range(STEPS - 1)  # of the last step more may come
    ]

    assert rows_when_looked_at(every, float) == expected


@pytest.mark.parametrize("times", [lambda i: np.nan, lambda i: -float(i), lambda i: 5.0])
def test_clocks_make_no_difference(times):
    assert rows_when_looked_at(3, times) == rows_when_looked_at(5, float)
