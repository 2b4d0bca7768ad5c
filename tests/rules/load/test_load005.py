"""A rank that stops while the others go on is named, live and after a crash."""

from __future__ import annotations

import time

import numpy as np
import pytest

from runvitals.model import Binding, PointTable, RowBlock, Run
from runvitals.testing import check


def run(last, status="crashed", ago=600.0):
    """Ranks that log until these steps, a step each second; the last row of all is so long ago."""
    table, end = PointTable(), max(last)
    for rank, steps in enumerate(last):
        at = np.arange(1, steps + 1)
        times = time.time() - ago - end + at.astype(float)
        table.add(RowBlock(("time/step_s",), at, times, np.ones((steps, 1)), rank=rank))
    made = Run(id="r", name="r", points=table, status=status)
    made.bind({"time/step_s": Binding("time/step_s")})
    return made


@pytest.mark.parametrize("status", ["crashed", "killed", "failed"])
def test_after_a_crash_the_last_step_of_each_rank_is_told(status):
    [finding] = check(run([90, 90, 62, 90], status), "LOAD005")

    assert finding.message.startswith("rank 2 stopped at step 62, the others reached 90")
    assert "2: 62, 0: 90, 1: 90, 3: 90" in finding.message
    assert finding.rank == 2


def test_a_live_rank_that_hangs_is_told_before_a_time_out():
    [finding] = check(run([90, 62, 90, 90], "running", ago=40.0), "LOAD005")

    assert finding.rank == 1


@pytest.mark.parametrize(
    "made",
    [
        lambda: run([90, 90, 90]),
        lambda: run([90]),
        lambda: run([90, 80, 90], "finished"),
        lambda: run([90, 89, 90], "running", ago=1.0),
    ],
    ids=["all at one step", "one rank", "finished", "a step behind a second ago"],
)
def test_ranks_in_step_are_not(made):
    assert check(made(), "LOAD005") == []
