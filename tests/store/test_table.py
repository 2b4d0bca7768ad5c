"""Large tables: their columns stay in the file until they are asked for."""

from __future__ import annotations

import numpy as np
import pytest

from runvitals.model import RowBlock
from runvitals.model.points import table as points_module
from runvitals.store import compact as compact_module
from runvitals.store import table as table_module
from runvitals.store.compact import compact
from runvitals.store.layout import Segment
from runvitals.store.reader import last_step, open_folder
from runvitals.store.writer import PointWriter

ROWS = 1_000
NAMES = ("loss", "kl", "step")


@pytest.fixture
def large(monkeypatch):
    """Every table is large from now on, and no row group is."""
    monkeypatch.setattr(table_module, "LARGE", 1)
    monkeypatch.setattr(compact_module, "_GROUP_VALUES", 300)


def stored(folder, segments=1, steps=None):
    """A folder with what a few lives of a process logged; the second begins again at the middle."""
    (folder / "points").mkdir()
    for number in range(1, segments + 1):
        rng = np.random.default_rng(number)
        segment = Segment(number=number)
        at = np.arange(ROWS) + (number - 1) * ROWS // 2 if steps is None else steps
        values = rng.normal(size=(len(at), len(NAMES)))
        values[::97, 0] = np.nan
        values[5, 1] = np.inf
        writer = PointWriter(folder, segment)
        for begin in range(0, len(at), 50):
            rows = slice(begin, begin + 50)
            writer.write([RowBlock(NAMES, at[rows], 1e9 + at[rows], values[rows])])
        writer.write([RowBlock(("eval",), at[-1:], 1e9 + at[-1:], np.ones((1, 1)))])  # rare
        writer.close()
        compact(folder, segment)
    return folder


def same(one, other):
    return all(np.array_equal(a, b, equal_nan=True) for a, b in zip(one, other, strict=True))


@pytest.mark.parametrize("segments", [1, 2], ids=["one life", "a restart"])
def test_a_large_run_is_the_same_run(tmp_path, monkeypatch, segments):
    monkeypatch.setattr(compact_module, "_GROUP_VALUES", 300)
    whole = open_folder(stored(tmp_path, segments)).points
    monkeypatch.setattr(table_module, "LARGE", 1)

    late = open_folder(tmp_path).points

    assert (late.names(), late.count) == (whole.names(), whole.count)
    assert late.held == segments  # what was logged rarely
    for name in whole.names():
        assert late.size(name) == whole.size(name)
        assert same(late.clock(name), whole.column(name)[:2])
        assert late.facts(name) == whole.facts(name)
        assert same(late.column(name), whole.column(name))
        assert same(late.abandoned(name), whole.abandoned(name))
        assert late.lives(name) == whole.lives(name)
    assert last_step(tmp_path, 0) == int(whole.column("loss")[0][-1])


@pytest.mark.parametrize(("first", "stop"), [(0, 1_000), (0, 1), (99, 101), (450, 999), (7, 7)])
def test_any_part_of_a_column_can_be_read(tmp_path, large, first, stop):
    points = open_folder(stored(tmp_path)).points

    part = points.stored("step").values(first, stop)

    assert np.array_equal(part, points.column("step")[2][first:stop])


def test_what_was_read_is_forgotten_when_it_gets_too_much(tmp_path, large, monkeypatch):
    monkeypatch.setattr(points_module, "MAX_READ", 2 * ROWS)
    points = open_folder(stored(tmp_path)).points

    for name in NAMES:
        points.column(name)

    assert points.held == 2 * ROWS + 1
    again = points.column("loss")[2]
    assert points.column("loss")[2] is again


def test_a_large_run_is_thinned_one_series_at_a_time(tmp_path, large, monkeypatch):
    monkeypatch.setattr(points_module, "MAX_POINTS", 100)
    points = open_folder(stored(tmp_path)).points

    thin = points.thinned()

    assert points.held == 1
    assert thin.held == thin.count
    assert np.array_equal(thin.column("kl")[2], points.column("kl")[2], equal_nan=True)


def test_rows_that_go_back_in_steps_are_put_in_order(tmp_path, large):
    steps = np.r_[np.arange(500), np.arange(200, 700)]

    points = open_folder(stored(tmp_path, steps=steps)).points

    assert points.stored("loss") is None
    assert np.array_equal(points.column("loss")[0], np.sort(steps))


def test_a_column_that_is_damaged_is_told_of_and_costs_no_other(tmp_path, large):
    run = open_folder(stored(tmp_path))
    whole = run.points.column("kl")[2]
    parquet = Segment().table(tmp_path)
    place = run.points.stored("loss").rows._file.parquet.metadata.row_group(0).column(2)
    data = bytearray(parquet.read_bytes())
    start = place.data_page_offset
    data[start : start + place.total_compressed_size] = bytes(place.total_compressed_size)
    parquet.write_bytes(data)

    run = open_folder(tmp_path)

    assert np.isnan(run["loss"].values).all()
    assert np.array_equal(run["kl"].values, whole)
    assert [w for w in run.warnings if "loss is damaged" in w]
