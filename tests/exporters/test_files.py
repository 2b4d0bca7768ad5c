"""JSON Lines and Parquet exports."""

import json
from math import inf, nan

import numpy as np
import pyarrow.parquet as pq
import pytest

from runvitals.exporters import files
from runvitals.exporters.files import export_jsonl, export_parquet


def test_jsonl_has_one_object_per_row(make_block, tmp_path):
    blocks = [
        make_block(["a", "step"], [1, 2], [[0.1, 5], [nan, 6]], times=[1.5, nan]),
        make_block(["b"], [3, 4], [inf, -inf], times=[2, 3], rank=1),
    ]

    path = export_jsonl(iter(blocks), tmp_path / "out.jsonl")

    assert [json.loads(line) for line in path.read_text().splitlines()] == [
        {"step": 1, "time": 1.5, "rank": 0, "a": 0.1, "step_": 5},
        {"step": 2, "time": None, "rank": 0, "a": "NaN", "step_": 6},
        {"step": 3, "time": 2, "rank": 1, "b": "Infinity"},
        {"step": 4, "time": 3, "rank": 1, "b": "-Infinity"},
    ]


@pytest.mark.parametrize("row_group", [10, 1_000_000])
def test_parquet_has_one_line_per_value(make_block, tmp_path, monkeypatch, row_group):
    monkeypatch.setattr(files, "ROW_GROUP", row_group)
    blocks = [
        make_block(["a", "b"], range(8)),
        make_block(["c"], [3], [nan], rank=1),
        make_block(["odd,\n\ud800"], [4], [inf]),
        make_block([], [5]),
    ]

    table = pq.read_table(export_parquet(iter(blocks), tmp_path / "out.parquet")).to_pandas()

    assert list(table.columns) == ["metric", "step", "time", "value", "rank"]
    assert len(table) == 18
    assert table[table.metric == "b"]["value"].tolist() == blocks[0].values[:, 1].tolist()
    assert table[table.metric == "b"]["time"].tolist() == blocks[0].times.tolist()
    assert table[table.metric == "c"]["rank"].tolist() == [1]
    assert np.isnan(table[table.metric == "c"]["value"].item())
    assert table["metric"].iloc[-1] == "odd,\n?"


def test_exports_of_nothing_are_empty_files(tmp_path):
    assert export_jsonl([], tmp_path / "a").read_bytes() == b""
    assert pq.read_table(export_parquet([], tmp_path / "b")).num_rows == 0


def test_a_failed_export_leaves_no_file(make_block, tmp_path):
    def broken():
        yield make_block(["a"], [1])
        raise RuntimeError("torn")

    for export in (export_jsonl, export_parquet):
        with pytest.raises(RuntimeError, match="torn"):
            export(broken(), tmp_path / "out")

    assert list(tmp_path.iterdir()) == []
