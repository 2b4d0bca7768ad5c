"""The tables of many ranks in one: the same run, at any moment of the merge."""

from __future__ import annotations

import numpy as np
import pytest

from runvitals.model import RowBlock
from runvitals.store import compact as compact_module
from runvitals.store import merged as merged_module
from runvitals.store import table as table_module
from runvitals.store.compact import TableWriter, compact
from runvitals.store.layout import MERGED_FILE, Segment, merged_of, segments
from runvitals.store.merged import complete_bytes, drop_replaced, merge_tables, read_complete
from runvitals.store.reader import last_step, open_folder
from runvitals.store.writer import PointWriter

NAMES = ("time/step_s", "loss", "step")
RANKS = 6


@pytest.fixture(params=["small", "large"])
def size(request, monkeypatch):
    """Small tables are read at once, of large ones the columns stay in the file."""
    monkeypatch.setattr(compact_module, "_GROUP_VALUES", 700)
    if request.param == "large":
        monkeypatch.setattr(table_module, "LARGE", 1)


def life(folder, segment, first=0, rows=120):
    (folder / "points").mkdir(exist_ok=True)
    rng = np.random.default_rng([segment.rank, segment.number])
    steps = np.arange(first, first + rows)
    values = rng.normal(size=(rows, len(NAMES)))
    values[7, 1] = np.nan
    writer = PointWriter(folder, segment)
    writer.write([RowBlock(NAMES, steps, 1e9 + steps, values, segment.rank)])
    rare = RowBlock((f"eval/{segment.rank}",), steps[-1:], 1e9 + steps[-1:], np.ones((1, 1)), 0)
    writer.write([rare])
    writer.close()
    compact(folder, segment)


@pytest.fixture
def folder(tmp_path, size):
    for rank in range(RANKS):
        life(tmp_path, Segment(rank))
    life(tmp_path, Segment(0, 2), first=80)  # a restart that logged 40 steps anew
    return tmp_path


def content(folder):
    run = open_folder(folder)
    points = run.points
    series = {(n, r): points.column(n, r) for n in points.names() for r in points.ranks(n)}
    again = {key: points.abandoned(*key) for key in series}
    return run.points.count, list(map(str, run.missing)), series, again


def assert_same(one, other):
    assert one[:2] == other[:2]
    for mine, theirs in zip(one[2:], other[2:], strict=True):
        assert mine.keys() == theirs.keys()
        for key, arrays in mine.items():
            for here, there in zip(arrays, theirs[key], strict=True):
                np.testing.assert_array_equal(here, there)


def test_a_merged_run_is_the_same_run_before_and_after_its_old_files_go(folder):
    before = content(folder)

    merge_tables(folder)

    assert_same(content(folder), before)
    drop_replaced(folder)
    assert_same(content(folder), before)
    assert len(list(folder.glob("points/*.parquet"))) == 2  # the table, and what was logged rarely
    assert [s.rank for s in segments(folder)] == [0, 0, 1, 2, 3, 4, 5]
    assert last_step(folder, 0) == 199


def test_merging_again_changes_nothing(folder):
    merge_tables(folder)
    drop_replaced(folder)
    files = {path: path.stat().st_mtime_ns for path in folder.glob("points/*")}

    assert merge_tables(folder) is None
    assert {path: path.stat().st_mtime_ns for path in folder.glob("points/*")} == files


def test_a_later_life_is_merged_into_what_was_merged_before(folder):
    merge_tables(folder)
    drop_replaced(folder)
    life(folder, Segment(3, 2), first=120)
    before = content(folder)

    merge_tables(folder)
    drop_replaced(folder)

    assert_same(content(folder), before)
    assert len(list(folder.glob("points/merged-*.parquet"))) == 2
    assert before[0] == (RANKS + 2) * (120 * 3 + 1)


@pytest.mark.parametrize("moment", ["the table is written", "it is about to count"])
def test_a_merge_killed_midway_leaves_the_run_as_it_was(folder, monkeypatch, moment):
    before = content(folder)

    def killed(*_, **__):
        raise KeyboardInterrupt

    if moment == "the table is written":
        monkeypatch.setattr(TableWriter, "_write_rest", killed)
    else:
        monkeypatch.setattr(merged_module, "write_json", killed)
    with pytest.raises(KeyboardInterrupt):
        merge_tables(folder)

    assert merged_of(folder) is None
    assert_same(content(folder), before)


def test_a_reader_that_is_open_goes_on_when_ranks_are_merged_under_it(folder):
    run = open_folder(folder)
    count, kept = run.points.count, run.points.column("loss", 4)[2].copy()

    merge_tables(folder)
    drop_replaced(folder)
    run.refresh()

    assert run.points.count == count
    np.testing.assert_array_equal(run.points.column("loss", 4)[2], kept)


def test_a_damaged_table_stays_beside_the_merged_one(folder):
    path = Segment(2).table(folder)
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 0xFF
    path.write_bytes(data)

    made = merge_tables(folder)
    drop_replaced(folder)

    assert Segment(2) not in made.sizes
    assert path.exists()
    assert open_folder(folder).missing


def test_a_damaged_list_of_merged_ranks_is_told(folder):
    merge_tables(folder)
    drop_replaced(folder)
    (folder / MERGED_FILE).write_bytes(b'{"table": ')

    run = open_folder(folder)

    assert any(MERGED_FILE in warning for warning in run.missing)


def test_a_segment_gives_the_same_blocks_before_and_after_it_was_merged(folder):
    def points(segment):
        blocks = read_complete(folder, segment, print)
        return sorted((n, s, repr(v)) for b in blocks for n, s, v in _points(b))

    found = segments(folder)
    before = [(complete_bytes(folder, segment), points(segment)) for segment in found]
    merge_tables(folder)
    drop_replaced(folder)

    assert [(complete_bytes(folder, segment), points(segment)) for segment in found] == before
    assert complete_bytes(folder, Segment(77)) is None


def _points(block):
    for i, name in enumerate(block.names):
        yield from (
            (name, int(s), float(v)) for s, v in zip(block.steps, block.values[:, i], strict=True)
        )
