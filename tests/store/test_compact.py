from __future__ import annotations

import numpy as np
import pyarrow.parquet as pq
import pytest

from runvitals.model import RowBlock
from runvitals.store import compact as compact_module
from runvitals.store.compact import compact, read_table
from runvitals.store.layout import Segment
from runvitals.store.writer import PointWriter

SEGMENT = Segment()


def write(folder, blocks):
    (folder / "points").mkdir(exist_ok=True)
    writer = PointWriter(folder, SEGMENT)
    for block in blocks:
        writer.write([block])
    writer.close()


def block(names, steps, values):
    steps = np.array(list(steps), np.int64)
    values = np.broadcast_to(np.asarray(values, np.float64), (len(steps), len(names)))
    return RowBlock(tuple(names), steps, steps + 0.5, np.array(values))


def columns(blocks):
    found = {}
    for b in blocks:
        for i, name in enumerate(b.names):
            found.setdefault(name, []).append((b.steps, b.times, b.values[:, i]))
    return {
        name: tuple(np.concatenate([p[i] for p in parts]) for i in range(3))
        for name, parts in found.items()
    }


def assert_same_points(left, right):
    left, right = columns(left), columns(right)
    assert left.keys() == right.keys()
    for name in left:
        order_left, order_right = np.argsort(left[name][0]), np.argsort(right[name][0])
        for a, b in zip(left[name], right[name], strict=True):
            assert np.array_equal(a[order_left], b[order_right], equal_nan=True), name


def test_every_point_survives_with_odd_names_and_values(tmp_path):
    rng = np.random.default_rng(0)
    blocks = [
        block(["loss", "kl", "step", "time", "metric:step"], range(200), rng.normal(size=(200, 5))),
        block(['eval/é\n,"', "loss"], range(200, 260), [[np.nan, np.inf]] * 60),
        block(["rare"], [7], [[3.25]]),
        block(["rare", "rarer"], [8], [[1.0, -np.inf]]),
    ]
    write(tmp_path, blocks)

    assert compact(tmp_path, SEGMENT) == []

    assert_same_points(read_table(tmp_path, SEGMENT, print), blocks)
    assert not SEGMENT.stream(tmp_path).exists()
    assert SEGMENT.rest(tmp_path).exists()


def test_the_table_is_a_plain_wide_parquet(tmp_path):
    write(tmp_path, [block(["loss", "kl"], range(20), [[1.0, 2.0]])])
    compact(tmp_path, SEGMENT)

    table = pq.read_table(SEGMENT.table(tmp_path))

    assert table.column_names == ["step", "time", "loss", "kl"]
    assert table.column("kl").to_pylist() == [2.0] * 20


def test_many_combinations_of_names_fall_back_to_a_long_table(tmp_path):
    blocks = [block([f"m{i}", f"n{i}"], range(9), [[float(i), -float(i)]]) for i in range(300)]
    write(tmp_path, blocks)

    compact(tmp_path, SEGMENT)

    assert_same_points(read_table(tmp_path, SEGMENT, print), blocks)


def test_large_keysets_are_split_into_row_groups(tmp_path, monkeypatch):
    monkeypatch.setattr(compact_module, "_GROUP_VALUES", 1000)
    blocks = [block(["a", "b"], range(i * 100, i * 100 + 100), [[i, -i]]) for i in range(30)]
    write(tmp_path, blocks)

    compact(tmp_path, SEGMENT)

    assert pq.ParquetFile(SEGMENT.table(tmp_path)).num_row_groups > 3
    assert_same_points(read_table(tmp_path, SEGMENT, print), blocks)


def test_a_damaged_stream_is_kept_beside_the_table(tmp_path):
    write(tmp_path, [block(["a"], range(i * 10, i * 10 + 10), [[i]]) for i in range(8)])
    stream = SEGMENT.stream(tmp_path)
    data = bytearray(stream.read_bytes())
    data[len(data) // 2] ^= 1
    stream.write_bytes(data)

    [warning] = compact(tmp_path, SEGMENT)

    assert "damaged bytes" in warning
    assert stream.with_suffix(".arrows.damaged").exists()
    assert len(columns(read_table(tmp_path, SEGMENT, print))["a"][0]) == 70


def test_a_failure_midway_leaves_the_stream_alone(tmp_path, monkeypatch):
    write(tmp_path, [block(["a"], range(50), [[1.0]])])

    def fail(*args, **options):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(compact_module, "take_name", fail)
    with pytest.raises(OSError, match="No space"):
        compact(tmp_path, SEGMENT)

    assert SEGMENT.stream(tmp_path).exists()
    assert [p.name for p in (tmp_path / "points").iterdir()] == ["rank0.arrows"]


def test_a_stream_whose_rows_were_counted_is_read_once(tmp_path, monkeypatch):
    blocks = [
        block(["loss", "kl"], range(50), [[1.0, 2.0]]),
        block(["rare"], [7], [[3.25]]),
        block(["uncounted", "kl"], range(50, 70), [[5.0, 6.0]]),
    ]
    write(tmp_path, blocks)
    reads = []
    read_stream = compact_module.read_stream

    def counting(*given):
        reads.append(given)
        return read_stream(*given)

    monkeypatch.setattr(compact_module, "read_stream", counting)

    assert compact(tmp_path, SEGMENT, {("loss", "kl"): 50, ("rare",): 1}) == []

    assert len(reads) == 1
    assert_same_points(read_table(tmp_path, SEGMENT, print), blocks)


def test_damage_is_told_where_rows_were_counted(tmp_path):
    write(tmp_path, [block(["loss"], range(i, i + 50), [[1.0]]) for i in range(0, 150, 50)])
    stream = SEGMENT.stream(tmp_path)
    data = bytearray(stream.read_bytes())
    data[len(data) // 2] ^= 0xFF
    stream.write_bytes(data)

    warnings = compact(tmp_path, SEGMENT, {("loss",): 150})

    assert any("damaged bytes" in warning for warning in warnings)
    assert stream.with_suffix(".arrows.damaged").exists()


def test_the_writer_counts_what_is_on_disk(tmp_path):
    (tmp_path / "points").mkdir()
    writer = PointWriter(tmp_path, SEGMENT)

    writer.write([block(["a", "b"], range(20_000), [[1.0, 2.0]]), block(["c"], range(3), [[1.0]])])
    writer.close()

    assert writer.rows == {("a", "b"): 20_000, ("c",): 3}
    assert writer.points == 40_003
