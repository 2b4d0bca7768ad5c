"""Points of a run that grows while it is looked at."""

import numpy as np
import pytest

from runvitals.model import PointTable, RowBlock
from runvitals.model.points.table import MANY_PARTS

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


def test_a_live_series_is_held_once_however_often_it_is_looked_at():
    table = PointTable()
    for at in range(0, 1000, 10):
        steps = np.arange(at, at + 10)
        table.add(RowBlock(("loss",), steps, steps * 1.0, steps[:, None] * 2.0))
        table.column("loss")

    [part] = table._parts["loss", 0]
    assert part[3] is table.column("loss")[2]
    assert np.array_equal(part[3], np.arange(1000) * 2.0)


def test_a_series_that_grew_keeps_nothing_of_what_it_was():
    table = PointTable()
    for at in (0, 10):
        steps = np.arange(at, at + 10)
        table.add(RowBlock(("loss", "kl"), steps, steps * 1.0, np.ones((10, 2))))
        if at == 0:
            table.column("kl")

    assert not table._cache
    assert len(table.column("kl")[0]) == 20


def test_lives_that_overlap_are_kept_apart_while_they_are_looked_at():
    table = PointTable()
    for segment, steps in ((1, [0, 1, 2, 3]), (2, [2, 3]), (2, [4, 5])):
        values = np.full((len(steps), 1), float(segment))
        table.add(
            RowBlock(("loss",), np.array(steps), np.arange(len(steps)) * 1.0, values), segment
        )
        table.column("loss")

    assert table.column("loss")[2].tolist() == [1.0, 1.0, 2.0, 2.0, 2.0, 2.0]
    assert len(table.abandoned("loss")[0]) == 2
