"""Points of a run that grows while it is looked at."""

import numpy as np
import pytest

from runvitals.model import PointTable, RowBlock
from runvitals.model.points import MANY_PARTS

BLOCKS = 3 * MANY_PARTS + 5


def block(first, *, rows=3, late=0.0, names=("a", "b")):
    steps = np.arange(first, first + rows)
    values = np.stack([steps * (1.0 + index) for index in range(len(names))], axis=1)
    return RowBlock(names, steps, 1e9 + steps - late, values)


def grown(blocks, segment=1):
    table = PointTable()
    for one in blocks:
        table.add(one, segment)
    return table


def test_many_small_blocks_are_the_same_series_as_one_large_one():
    table = grown(block(3 * at) for at in range(BLOCKS))
    whole = grown([block(0, rows=3 * BLOCKS)])

    for name in ("a", "b"):
        for mine, theirs in zip(table.column(name), whole.column(name), strict=True):
            assert mine.tolist() == theirs.tolist()
        assert table.facts(name) == whole.facts(name)
    assert table.count == whole.count == table.held


def test_what_was_asked_for_in_between_is_current():
    table = PointTable()
    for at in range(BLOCKS):
        table.add(block(3 * at))
        assert table.facts("a").last_step == 3 * at + 2
        assert len(table.column("b")[2]) == table.size("b") == 3 * (at + 1)


def test_names_that_are_logged_together_share_their_clock():
    table = grown(block(3 * at) for at in range(BLOCKS))

    assert table.column("a")[0] is table.column("b")[0]
    assert table.column("a")[1] is table.column("b")[1]


def test_parts_stay_few():
    table = grown(block(3 * at) for at in range(BLOCKS))

    assert len(table._parts["a", 0]) < MANY_PARTS


@pytest.mark.parametrize("turn", [1, MANY_PARTS, MANY_PARTS + 1, BLOCKS - 1])
def test_a_later_life_counts_wherever_it_begins(turn):
    table, plain = PointTable(), PointTable()
    for at in range(BLOCKS):
        table.add(block(3 * at), 1 if at < turn else 2)
    table.add(block(0, rows=2), 3)
    for segment, rows, first in ((1, 3 * turn, 0), (2, 3 * (BLOCKS - turn), 3 * turn), (3, 2, 0)):
        plain.add(block(first, rows=rows), segment)

    assert table.column("a")[2].tolist() == plain.column("a")[2].tolist() == [0.0, 1.0]
    assert table.abandoned("a")[0].tolist() == plain.abandoned("a")[0].tolist()
    assert table.lives("a") == plain.lives("a")


def test_of_one_step_logged_twice_the_later_in_time_comes_last():
    repeated = [block(3 * at) for at in range(MANY_PARTS - 1)]
    table = grown([*repeated, block(0, late=-1e6), block(3 * MANY_PARTS)])

    steps, times, _ = table.column("a")

    assert steps.tolist() == sorted(steps.tolist())
    assert times[1] - times[0] == pytest.approx(1e6)
