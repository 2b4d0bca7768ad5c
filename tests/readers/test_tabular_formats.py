"""Monitor files, evaluations.npz and Parquet."""

from __future__ import annotations

import io
import struct
import zipfile
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from runvitals.model import ReadError
from runvitals.readers.raw.source import head
from runvitals.readers.tabular import csv_log, parquet, sb3_evaluations, sb3_monitor

# monitor.csv


def monitor(path: Path, rows: str, start: float = 1.6e9, keys: str = "r,l,t") -> Path:
    path.write_text(f'#{{"t_start": {start}, "env_id": "Ant-v4"}}\n{keys}\n{rows}')
    return path


def test_episodes_over_environment_steps(tmp_path):
    path = monitor(tmp_path / "0.monitor.csv", "1.5,10,2.0\n2.5,30,4.0\n3.5,5,9.0\n")

    [log] = sb3_monitor.read(path)

    steps, times, values = log.points.column("r")
    assert sb3_monitor.sniff(path, head(path)) == 97
    assert csv_log.sniff(path, head(path)) == 0
    assert (steps.tolist(), values.tolist()) == ([10, 40, 45], [1.5, 2.5, 3.5])
    assert times.tolist() == [1.6e9 + 2, 1.6e9 + 4, 1.6e9 + 9]
    assert log.points.names() == ["r", "l", "t"]
    assert log.config == {"env_id": "Ant-v4"}


def test_info_keywords_are_series(tmp_path):
    path = monitor(tmp_path / "monitor.csv", "1,10,2,True\n2,10,3,False\n", keys="r,l,t,is_success")

    [log] = sb3_monitor.read(path)

    assert log.points.column("is_success")[2].tolist() == [1, 0]


def test_workers_are_joined_in_the_order_of_time(tmp_path):
    paths = [
        monitor(tmp_path / "0.monitor.csv", "1,10,2\n3,10,6\n", start=1.6e9),
        monitor(tmp_path / "1.monitor.csv", "2,7,3\n4,7,7\n", start=1.6e9 + 1),
        tmp_path / "2.monitor.csv",
    ]
    paths[2].write_text("")

    log = sb3_monitor.read_workers(paths)

    steps, times, values = log.points.column("r")
    assert (steps.tolist(), values.tolist()) == ([10, 17, 27, 34], [1, 2, 3, 4])
    assert times.tolist() == [1.6e9 + t for t in (2, 4, 6, 8)]
    assert any("2.monitor.csv" in warning for warning in log.warnings)


def test_two_monitors_on_one_path_are_noticed(tmp_path):
    path = monitor(tmp_path / "monitor.csv", "1,10,2\n3,10,9\n06\n5,10,4\n6,10,5\n")

    [log] = sb3_monitor.read(path)

    assert log.points.column("r")[2].tolist() == [1, 3, 5, 6]
    assert any("line 5 has 1 columns" in warning for warning in log.warnings)
    assert any("backwards" in warning for warning in log.warnings)


def test_a_monitor_grows(tmp_path):
    path = monitor(tmp_path / "monitor.csv", "1,10,2\n")
    [log] = sb3_monitor.read(path)
    assert log.read_new is not None

    with open(path, "a") as file:
        file.write("2,10,3\n3,5,4\n4,")
    log.add(log.read_new())
    with open(path, "a") as file:
        file.write("5,6\n")
    log.add(log.read_new())

    steps, times, values = log.points.column("r")
    assert (steps.tolist(), values.tolist()) == ([10, 20, 25, 30], [1, 2, 3, 4])
    assert times[-1] == 1.6e9 + 6


@pytest.mark.parametrize(
    "text", ["", "r,l,t\n1,2,3\n", '#{"t_start": 1}\n', '#{"t_start": 1}\nr,l,t\n']
)
def test_monitor_files_without_episodes_say_so(tmp_path, text):
    path = tmp_path / "monitor.csv"
    path.write_text(text)

    with pytest.raises(ReadError):
        sb3_monitor.read(path)


# evaluations.npz


def test_evaluations(tmp_path):
    path = tmp_path / "evaluations.npz"
    results = np.arange(12.0).reshape(4, 3)
    np.savez(path, timesteps=np.arange(1, 5) * 100, results=results, ep_lengths=results.astype(int),
             successes=results > 5)  # fmt: skip

    [log] = sb3_evaluations.read(path)

    assert sb3_evaluations.sniff(path, head(path)) == 97
    assert log.points.names()[-3:] == [
        "eval/mean_reward",
        "eval/mean_ep_length",
        "eval/success_rate",
    ]
    steps, _, values = log.points.column("eval/mean_reward")
    assert (steps.tolist(), values.tolist()) == ([100, 200, 300, 400], [1, 4, 7, 10])
    assert log.points.column("eval/success_rate")[2].tolist() == [0, 0, 1, 1]


def npy(header: str, data: bytes = b"") -> bytes:
    text = header.encode() + b" " * (-(len(header) + 11) % 64) + b"\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(text)) + text + data


@pytest.mark.parametrize(
    "results",
    [
        npy("{'descr': '|O', 'fortran_order': False, 'shape': (2,)}", b"cos\nsystem\n"),
        npy("{'descr': '<f8', 'fortran_order': False, 'shape': (1000000000000,)}"),
        npy("{'descr': '<f8', 'fortran_order': False, 'shape': (2, 2)}", b"short"),
        npy("{'descr': '<U3', 'fortran_order': False, 'shape': (2,)}", b"\0" * 24),
        npy("__import__('os').system('false')"),
        npy("{'descr': '<f8'}"),
        b"",
        b"\x93NUMPY",
    ],
    ids=["objects", "absurd shape", "cut", "text", "code", "half a header", "empty", "magic alone"],
)
def test_arrays_of_doubtful_origin_are_refused(tmp_path, results):
    path = tmp_path / "evaluations.npz"
    steps = io.BytesIO()
    np.save(steps, np.array([100, 200]))
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("timesteps.npy", steps.getvalue())
        archive.writestr("results.npy", results)

    with pytest.raises(ReadError):
        sb3_evaluations.read(path)


def test_a_zip_bomb_is_refused(tmp_path):
    path = tmp_path / "evaluations.npz"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        with archive.open("timesteps.npy", "w", force_zip64=True) as file:
            for _ in range(300):
                file.write(bytes(2**20))
        archive.writestr("results.npy", b"")

    with pytest.raises(ReadError, match="claims"):
        sb3_evaluations.read(path)


@pytest.mark.parametrize("data", [b"", b"PK\x03\x04", b"PK\x03\x04" + b"x" * 500])
def test_files_that_are_no_archives_are_refused(tmp_path, data):
    path = tmp_path / "evaluations.npz"
    path.write_bytes(data)

    with pytest.raises(ReadError):
        sb3_evaluations.read(path)


# Parquet


def test_parquet(tmp_path):
    path = tmp_path / "metrics.parquet"
    table = pa.table(
        {
            "step": [1, 2, 3],
            "loss": [0.5, None, float("nan")],
            "n": [{"a": 1, "b": {"c": 2.5}}] * 3,
            "env": ["Ant"] * 3,
            "list": [[1]] * 3,
            "timestamp": pa.array([1.7e15, 1.7e15 + 1e6, 1.7e15 + 2e6], pa.float64())
            .cast(pa.int64())
            .cast(pa.timestamp("us")),
        }
    )
    pq.write_table(table, path)

    [log] = parquet.read(path)

    steps, times, values = log.points.column("loss")
    assert parquet.sniff(path, head(path)) == 55
    assert (steps.tolist(), times.tolist()) == ([1, 3], [1.7e9, 1.7e9 + 2])
    assert values[0] == 0.5
    assert np.isnan(values[1])
    assert log.points.column("n/b/c")[2].tolist() == [2.5] * 3
    assert set(log.points.names()) == {"loss", "n/a", "n/b/c"}
    assert log.config == {"env": "Ant"}


def test_samples_of_one_step_are_no_log(tmp_path):
    path = tmp_path / "completions.parquet"
    pq.write_table(pa.table({"step": [4] * 8, "prompt": ["x"] * 8, "reward": [1.0] * 8}), path)

    assert parquet.sniff(path, head(path)) == 0


@pytest.mark.parametrize("cut", [4, 100, -8, -1])
def test_cut_parquet_files_say_so(tmp_path, cut):
    path = tmp_path / "m.parquet"
    pq.write_table(pa.table({"step": list(range(100)), "loss": [0.5] * 100}), path)
    path.write_bytes(path.read_bytes()[:cut])

    assert parquet.sniff(path, head(path)) == 0
    with pytest.raises(ReadError, match="not a complete Parquet file"):
        parquet.read(path)
