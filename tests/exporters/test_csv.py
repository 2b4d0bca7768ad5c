"""What pandas and the csv module read back from our tables."""

import csv
import os
from math import inf, isnan, nan

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from runvitals.exporters import csv as ours
from runvitals.exporters.csv import CsvSink, export_csv
from runvitals.model import RowBlock, RunInfo


def record(info, *writes):
    sink = CsvSink()
    sink.open(info)
    for blocks in writes:
        sink.write(blocks, [])
    sink.close("finished")
    return info.folder / "metrics" / "metrics.csv"


def lines(path):
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.reader(file))


def test_pandas_reads_the_numbers(info, make_block):
    block = make_block(["a", "b"], range(500))

    table = pd.read_csv(record(info, [block]))

    assert list(table.columns) == ["step", "time", "a", "b"]
    assert table["step"].tolist() == block.steps.tolist()
    np.testing.assert_allclose(table["time"], block.times, rtol=1e-15)
    np.testing.assert_allclose(table[["a", "b"]].to_numpy(), block.values, rtol=1e-14)


def test_what_was_not_logged_is_empty_and_nan_is_not(info, make_block):
    path = record(
        info,
        [make_block(["a"], [1, 2, 3], [nan, inf, -inf]), make_block(["b"], [9], [1], times=[2e9])],
    )

    assert [row[2:] for row in lines(path)] == [
        ["a", "b"], ["nan", ""], ["inf", ""], ["-inf", ""], ["", "1"],
    ]  # fmt: skip


def test_one_step_logged_in_two_calls_is_one_row(info, make_block):
    losses = make_block(["loss"], [1, 2, 3], [1, 2, 3], times=[10, 20, 30])
    evals = make_block(["eval"], [1, 3], [5, 6], times=[11, 31])

    path = record(info, [losses, evals])

    assert lines(path)[1:] == [
        ["1", "11", "1", "5"], ["2", "20", "2", ""], ["3", "31", "3", "6"],
    ]  # fmt: skip


def test_the_same_name_twice_at_one_step_is_two_rows(info, make_block):
    first = make_block(["a", "b"], [1, 1], [[1, 2], [3, 4]], times=[1, 3])
    overlapping = make_block(["b", "c"], [1], [[5, 6]], times=[2])

    path = record(info, [first, overlapping])

    assert [row[2:] for row in lines(path)[1:]] == [["1", "2", ""], ["", "5", "6"], ["3", "4", ""]]


def test_rows_of_several_blocks_lie_in_order_of_time(info, make_block):
    path = record(
        info, [make_block(["a"], [1, 3], times=[1, 3]), make_block(["b"], [2, 4], times=[2, 4])]
    )

    assert [row[0] for row in lines(path)[1:]] == ["1", "2", "3", "4"]


def test_system_metrics_have_their_own_file(info, make_block):
    path = record(info, [make_block(["loss", "System/CPU_Percent", "system/gpu"], [1, 2])])

    assert lines(path)[0] == ["step", "time", "loss"]
    system = lines(path.with_name("system.csv"))
    assert system[0] == ["step", "time", "System/CPU_Percent", "system/gpu"]
    assert len(system) == 3


def test_a_new_metric_adds_a_column(info, make_block):
    path = record(
        info, [make_block(["a"], [1], [1])], [make_block(["a", "b\nc"], [2], [[2, 3]])],
        [make_block(["a"], [3], [4])],
    )  # fmt: skip

    assert [row[:1] + row[2:] for row in lines(path)] == [
        ["step", "a", "b\nc"], ["1", "1", ""], ["2", "2", "3"], ["3", "4", ""],
    ]  # fmt: skip
    assert [p.name for p in path.parent.iterdir()] == ["metrics.csv"]


def test_a_new_metric_in_a_large_file_starts_a_new_part(info, make_block, monkeypatch):
    monkeypatch.setattr(ours, "REWRITE_BYTES", 1000)

    path = record(
        info,
        [make_block(["a"], range(100))],
        [make_block(["b"], [100], [7])],
        [make_block(["a", "b"], [101])],
    )

    assert lines(path)[0] == ["step", "time", "a"]
    second = lines(path.with_name("metrics.2.csv"))
    assert second[0] == ["step", "time", "a", "b"]
    assert second[1][0] == "100"
    assert second[1][2:] == ["", "7"]
    assert len(second) == 3


def test_a_resumed_run_goes_on_in_the_same_file(info, make_block):
    record(info, [make_block(["a", "b,c"], [1])])
    info.segment = 2

    path = record(info, [make_block(["b,c", "d"], [2], [[5, 6]])])

    rows = lines(path)
    assert rows[0] == ["step", "time", "a", "b,c", "d"]
    assert rows[2][0] == "2"
    assert rows[2][2:] == ["", "5", "6"]


def test_a_resumed_run_goes_on_in_the_last_part(info, make_block, monkeypatch):
    monkeypatch.setattr(ours, "REWRITE_BYTES", 100)
    record(info, [make_block(["a"], range(10))], [make_block(["b"], [10])])

    path = record(info, [make_block(["a", "b"], [11])])

    assert sorted(p.name for p in path.parent.iterdir()) == ["metrics.2.csv", "metrics.csv"]
    assert lines(path.with_name("metrics.2.csv"))[-1][0] == "11"


@pytest.mark.parametrize("torn", ["3,17000", "3,1.0,2.0", "3", ","], ids=repr)
def test_a_torn_last_line_is_cut_on_resuming(info, make_block, torn):
    path = record(info, [make_block(["a"], [1, 2])])
    with path.open("a") as file:
        file.write(torn)

    record(info, [make_block(["a"], [9])])

    assert [row[0] for row in lines(path)] == ["step", "1", "2", "9"]


def test_a_foreign_file_is_left_alone(info, make_block):
    path = info.folder / "metrics" / "metrics.csv"
    path.parent.mkdir(parents=True)
    path.write_text("hello\nworld\n")

    record(info, [make_block(["a"], [1])])

    assert path.read_text() == "hello\nworld\n"
    assert len(lines(path.with_name("metrics.2.csv"))) == 2


def test_higher_ranks_have_their_own_files(info, make_block):
    info.rank = 2

    path = record(info, [make_block(["a", "System/x"], [1], rank=2)])

    names = sorted(p.name for p in path.parent.iterdir())
    assert names == ["metrics.rank2.csv", "system.rank2.csv"]


def test_metrics_called_step_or_time_keep_their_values(info, make_block):
    path = record(info, [make_block(["step", "time", "x"], [1], [[5, 6, 7]])])

    assert lines(path)[0] == ["step", "time", "step_", "time_", "x"]
    assert lines(path)[1][2:] == ["5", "6", "7"]


def test_an_unknown_time_is_empty(info, make_block):
    path = record(info, [make_block(["a"], [1], times=[nan])])

    assert lines(path)[1][1] == ""


def test_very_wide_and_long_writes_are_cut_into_pieces(info, make_block, monkeypatch):
    monkeypatch.setattr("runvitals.exporters._table.MAX_CELLS", 50)
    one = make_block(["a", "b"], range(100), times=np.arange(100) * 2)
    two = make_block(["c"], range(100), times=np.arange(100) * 2 + 1)

    table = pd.read_csv(record(info, [one, two]))

    np.testing.assert_allclose(table[["a", "b"]].to_numpy(), one.values, rtol=1e-14)
    np.testing.assert_allclose(table[["c"]].to_numpy(), two.values, rtol=1e-14)


def test_a_full_disk_while_widening_leaves_the_old_file_whole(info, make_block, monkeypatch):
    sink = CsvSink()
    sink.open(info)
    sink.write([make_block(["a"], [1], [1])], [])
    path = info.folder / "metrics" / "metrics.csv"
    real = os.replace
    monkeypatch.setattr(os, "replace", lambda *a: (_ for _ in ()).throw(OSError(28, "full")))
    with pytest.raises(OSError, match="full"):
        sink.write([make_block(["a", "b"], [2])], [])
    monkeypatch.setattr(os, "replace", real)
    sink.write([make_block(["a"], [3], [3])], [])
    sink.write([make_block(["b"], [4], [4])], [])
    sink.close("finished")

    assert [p.name for p in path.parent.iterdir()] == ["metrics.csv"]
    assert [row[:1] + row[2:] for row in lines(path)] == [
        ["step", "a", "b"], ["1", "1", ""], ["3", "3", ""], ["4", "", "4"],
    ]  # fmt: skip


def test_nothing_to_write_makes_no_file(info, make_block):
    sink = CsvSink()
    sink.write([make_block(["a"], [1])], [])  # before open
    sink.open(info)
    sink.write([], [])
    sink.write([make_block([], [1, 2]), make_block(["a"], [])], [])
    sink.close("finished")
    sink.close("finished")

    assert not info.folder.exists()


def test_export_merges_steps_and_names_ranks(make_block, tmp_path):
    blocks = [
        make_block(["a"], [1, 2], [1, 2], times=[1, 3]),
        make_block(["b", "rank"], [1, 2], [[3, 9], [4, 9]], times=[2, 4]),
        make_block(["a"], [1], [7], times=[1], rank=1),
    ]

    path = export_csv(iter(blocks), tmp_path / "deep" / "out.csv")

    assert lines(path) == [
        ["step", "time", "rank", "a", "b", "rank_"],
        ["1", "2", "0", "1", "3", "9"],
        ["2", "4", "0", "2", "4", "9"],
        ["1", "1", "1", "7", "", ""],
    ]
    assert list(path.parent.iterdir()) == [path]


NAMES = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)


@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_whatever_is_logged_comes_back(data, tmp_path_factory):
    writes = []
    for at in range(data.draw(st.integers(1, 4))):
        names = data.draw(st.lists(NAMES, min_size=1, max_size=4, unique=True))
        names = [name for name in names if not name.startswith(("System/", "system/"))] or ["x"]
        n = data.draw(st.integers(1, 3))
        row = st.lists(st.floats(), min_size=len(names), max_size=len(names))
        values = np.array(data.draw(st.lists(row, min_size=n, max_size=n)))
        steps = np.array(
            data.draw(st.lists(st.integers(-(2**63), 2**63 - 1), min_size=n, max_size=n))
        )
        writes.append(RowBlock(tuple(names), steps, at * 10.0 + np.arange(n), values))
    info = RunInfo(id="r", name="r", project="p", folder=tmp_path_factory.mktemp("run"))

    header, *rows = lines(record(info, *([block] for block in writes)))

    expected = [row for block in writes for row in block.rows()]
    assert len(rows) == len(expected)
    for cells, row in zip(rows, expected, strict=True):
        assert int(cells[0]) == row.step
        got = {name: float(c) for name, c in zip(header[2:], cells[2:], strict=True) if c}
        renamed = {f"{k}_" if k in ("step", "time") else k: v for k, v in row.values.items()}
        assert got.keys() == renamed.keys()
        for name, value in renamed.items():
            assert got[name] == value or (isnan(got[name]) and isnan(value))
