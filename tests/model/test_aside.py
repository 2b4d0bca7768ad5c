"""Points that were put aside in a file are the same points."""

from __future__ import annotations

import numpy as np
import pytest

from runvitals.model import PointTable, RowBlock
from runvitals.model.points import table as points
from runvitals.model.points.aside import Scratch

NAMES = ("a", "b", "c", "d", "e")


@pytest.fixture(autouse=True)
def _soon(monkeypatch):
    """A few dozen rows are many."""
    monkeypatch.setattr(points, "MAX_RECENT", 2_000)
    monkeypatch.setattr(points, "MIN_ASIDE", 5)


def logged(kind: str, seed: int) -> list[tuple[int, RowBlock]]:
    """Blocks of a run as they come, each with the life that wrote it."""
    rng = np.random.default_rng(seed)
    found, time, step = [], 0.0, 0
    for life in (1, 2) if kind == "restarted" else (1,):
        step = max(0, step - 40)
        for number in range(60):
            names = NAMES
            if kind == "some names now and then":
                names = NAMES if number % 5 == 0 else NAMES[:3]
            elif kind == "any names":
                names = tuple(n for n in NAMES if rng.random() < 0.5) or NAMES[:1]
            count = int(rng.integers(1, 9))
            steps = step + np.cumsum(rng.integers(0, 3, count))
            times = time + np.cumsum(rng.random(count))
            step, time = int(steps[-1]), float(times[-1])
            if kind == "clocks that go back" and rng.random() < 0.05:
                step, time = max(0, step - 5), time - 20
            if kind == "no times":
                times = np.full(count, np.nan)
            rank = int(rng.integers(2)) if kind == "two ranks" else 0
            values = rng.normal(size=(count, len(names)))
            values[rng.random(values.shape) < 0.05] = np.nan
            found.append((life, RowBlock(names, steps, times, values, rank)))
    return found


KINDS = (
    "simple",
    "some names now and then",
    "any names",
    "two ranks",
    "restarted",
    "clocks that go back",
    "no times",
)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("kind", KINDS)
def test_a_table_says_the_same_wherever_its_points_lie(kind, seed):
    inside, aside = PointTable(), PointTable()
    for number, (life, block) in enumerate(logged(kind, seed)):
        inside.add(block, life)
        aside.add(block, life)
        aside.put_aside()
        if number % 7 == 0:  # somebody looks while it grows
            for table in (inside, aside):
                table.column(block.names[0])
            aside.let_go()

    assert aside.is_aside
    assert (aside.names(), aside.count) == (inside.names(), inside.count)
    for name in inside.names():
        assert aside.ranks(name) == inside.ranks(name)
        same(np.sort(aside.glimpse(name)), np.sort(inside.glimpse(name)))
        for rank in inside.ranks(name):
            for ask in ("column", "abandoned", "clock"):
                same(*getattr(aside, ask)(name, rank), *getattr(inside, ask)(name, rank))
            same(aside.values(name, rank), inside.values(name, rank))
            assert repr(aside.facts(name, rank)) == repr(inside.facts(name, rank))
            assert aside.lives(name, rank) == inside.lives(name, rank)
            lives = zip(aside.by_life(name, rank), inside.by_life(name, rank), strict=True)
            for (one, mine), (other, theirs) in lives:
                assert one == other
                same(*mine, *theirs)


def test_long_series_are_thinned_alike(monkeypatch):
    monkeypatch.setattr(points, "MAX_POINTS", 64)
    inside, aside = PointTable(), PointTable()
    for life, block in logged("some names now and then", 0):
        inside.add(block, life)
        aside.add(block, life)
        aside.put_aside()

    thin = aside.thinned()

    assert not thin.is_aside
    for name in NAMES:
        same(*thin.column(name), *inside.thinned().column(name))


def test_only_the_newest_points_stay_in_memory():
    table = PointTable()
    held = []
    for life, block in logged("simple", 0) * 10:
        table.add(block, life)
        table.put_aside()
        held.append(table.held)

    assert table.count > 5_000
    assert max(held) < 300
    table.column("a")
    assert table.held > 1_000
    table.let_go()
    assert table.held < 300


def test_names_that_were_logged_together_share_one_clock():
    table = PointTable()
    for life, block in logged("simple", 0):
        table.add(block, life)
        table.put_aside()

    assert table.clock("a")[0] is table.clock("e")[0]
    assert table.column("a")[0] is table.column("e")[0]


def test_where_nothing_can_be_put_aside_all_stays_in_memory(monkeypatch):
    def full(self, *columns):
        raise OSError(28, "No space left on device")

    table, inside = PointTable(), PointTable()
    for number, (life, block) in enumerate(logged("simple", 0)):
        if number == 30:
            monkeypatch.setattr(Scratch, "put", full)
        for one in (table, inside):
            one.add(block, life)
        table.put_aside()

    assert table.is_aside
    for name in NAMES:
        same(*table.column(name), *inside.column(name))


def same(*arrays: np.ndarray) -> None:
    half = len(arrays) // 2
    for one, other in zip(arrays[:half], arrays[half:], strict=True):
        np.testing.assert_array_equal(one, other)
