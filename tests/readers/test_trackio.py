"""Trackio projects against what Trackio's own storage said of them (`data/trackers/expected.json`)."""

import contextlib
import gzip
import json
import shutil
import sqlite3
from pathlib import Path

import numpy as np
import pytest
from tests.readers.logs import damaged

from runvitals.model import Gap, ReadError
from runvitals.readers.registry import reader_for
from runvitals.readers.trackers import trackio

DATA = Path(__file__).parent / "data" / "trackers"
EXPECTED = json.loads((DATA / "expected.json").read_text())["trackio"]


@pytest.fixture
def database(tmp_path):
    path = tmp_path / "toy-grpo.db"
    path.write_bytes(gzip.decompress((DATA / "trackio.db.gz").read_bytes()))
    return path


@pytest.fixture
def parquet(tmp_path):
    for kind in ("", "_system", "_configs"):
        shutil.copy(DATA / f"trackio{kind}.parquet", tmp_path)
    return tmp_path / "trackio.parquet"


@pytest.mark.parametrize("kind", ["database", "parquet"])
def test_values_are_those_of_trackio(kind, request):
    path = request.getfixturevalue(kind)
    assert reader_for(path) is trackio.READER
    logs = {log.name: log for log in trackio.read(path)}

    assert list(logs) == ["first", "second"] == list(EXPECTED)
    for name, rows in EXPECTED.items():
        log = logs[name]
        steps = [row["step"] for row in rows]
        series = {
            "loss": [row["loss"] for row in rows],
            "reward/mean": [row["reward"]["mean"] for row in rows],
            "reward/std": [row["reward"]["std"] for row in rows],
            "kl": [row["kl"] for row in rows],
            "flag": [float(row["flag"]) for row in rows],
            "step_like": [row["step_like"] for row in rows],
        }
        assert set(log.points.names()) - {"system/gpu/util"} == set(series)
        for metric, values in series.items():
            np.testing.assert_array_equal(log.points.column(metric)[0], steps)
            np.testing.assert_array_equal(log.points.column(metric)[2], np.array(values, float))
        assert log.config == {"learning_rate": 1e-5, "beta": {"kl": 0.04}, "model": "tiny"}
        assert log.started > 1.7e9
    assert logs["first"].points.column("system/gpu/util")[2].tolist() == [55.0]


def test_histograms_are_events(database):
    log = trackio.read(database)[0]

    assert [(h.name, h.step, h.counts.sum()) for h in log.events()] == [
        ("hist", 10 * i, 10.0) for i in range(4)
    ]


def test_follows_its_own_run(database):
    first, second = trackio.read(database)
    with sqlite3.connect(database) as connection:
        key = connection.execute("SELECT run_id FROM metrics WHERE run_name='second'").fetchone()[0]
        connection.execute(
            "INSERT INTO metrics (run_id, timestamp, run_name, step, metrics) VALUES (?,?,?,?,?)",
            (key, "2030-01-01T00:00:00+00:00", "second", 14, b'{"loss": 0.125, "kl": "-Infinity"}'),
        )

    assert first.read_new() == []
    second.add(second.read_new())

    steps, _, values = second.points.column("loss")
    assert (steps[-1], values[-1]) == (14, 0.125)
    assert second.points.column("kl")[2][-1] == -np.inf
    assert second.read_new() == []


def test_first_versions_know_runs_by_name_only(tmp_path):
    path = tmp_path / "old.db"
    with sqlite3.connect(path) as connection:
        connection.execute(
            "CREATE TABLE metrics "
            "(id INTEGER PRIMARY KEY, timestamp TEXT, run_name TEXT, step INTEGER, metrics TEXT)"
        )
        for i, blob in enumerate(
            ['{"a": 1}', "{", "[1]", "[" * 9000, '{"a": {"b": {"c": "NaN"}}}']
        ):
            connection.execute("INSERT INTO metrics VALUES (?, 'x', 'r', ?, ?)", (i, i, blob))

    [log] = trackio.read(path)

    assert log.name == "r"
    assert log.points.names() == ["a", "a/b/c"]
    assert log.config == {}


def test_a_project_without_numbers_is_an_error(tmp_path):
    path = tmp_path / "empty.db"
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE metrics (id, timestamp, run_name, step, metrics)")

    with pytest.raises(ReadError, match="no metrics"):
        trackio.read(path)


def test_damaged_files_are_errors_or_partial(database, parquet):
    for path in (database, parquet):
        for data in damaged(path.read_bytes()):
            path.write_bytes(data)
            trackio.sniff(path, data[:65536])
            with contextlib.suppress(ReadError):
                trackio.read(path)


def test_other_databases_are_not_claimed(tmp_path):
    path = tmp_path / "other.db"
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE metrics (a, b)")

    assert trackio.sniff(path, path.read_bytes()) == 0


def test_what_the_installed_trackio_writes_is_read(tmp_path, monkeypatch):
    storage = pytest.importorskip("trackio.sqlite_storage")
    monkeypatch.setattr(storage, "TRACKIO_DIR", tmp_path)
    storage.SQLiteStorage.init_db("live")
    storage.SQLiteStorage.bulk_log(
        project="live", run="r1", metrics_list=[{"loss": 0.5}, {"loss": float("nan")}], steps=[3, 6]
    )
    [path] = tmp_path.glob("*.db")

    [log] = trackio.read(path)

    assert log.name == "r1"
    np.testing.assert_array_equal(log.points.column("loss")[0], [3, 6])
    np.testing.assert_array_equal(log.points.column("loss")[2], [0.5, np.nan])


def test_rows_that_are_damaged_are_told_to_be_missing(tmp_path):
    path = tmp_path / "trackio.db"
    path.write_bytes(gzip.decompress((DATA / "trackio.db.gz").read_bytes()))
    with sqlite3.connect(path) as connection:
        connection.execute(
            "update metrics set metrics = '{\"reward/m' where id = (select max(id) from metrics)"
        )

    logs = trackio.read(path)

    [gap] = [w for log in logs for w in log.warnings if isinstance(w, Gap)]
    assert gap == "1 row is damaged and left out"
