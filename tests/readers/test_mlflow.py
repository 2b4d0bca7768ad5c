"""MLflow stores against what MLflow's client said of them (`data/trackers/expected.json`)."""

import contextlib
import gzip
import json
import math
import os
import sqlite3
import sys
import tarfile
from pathlib import Path

import numpy as np
import pytest
from tests.readers.logs import damaged

from runvitals.model import ReadError
from runvitals.readers.raw.source import head
from runvitals.readers.registry import reader_for
from runvitals.readers.trackers import mlflow_folder, mlflow_sqlite

DATA = Path(__file__).parent / "data" / "trackers"
EXPECTED = json.loads((DATA / "expected.json").read_text())
STATUS = {"FINISHED": "finished", "FAILED": "crashed", "KILLED": "killed"}
PARAMS = {
    "lr": 3e-4,
    "algo": "dqn",
    "use_target": True,
    "net/width": 64,
    "note": None,
    "list": "[1, 2]",
}


@pytest.fixture
def mlruns(tmp_path):
    with tarfile.open(DATA / "mlruns.tar.gz") as archive:
        archive.extractall(tmp_path / "mlruns", filter="data")
    return tmp_path / "mlruns"


@pytest.fixture
def database(tmp_path):
    path = tmp_path / "mlflow.db"
    path.write_bytes(gzip.decompress((DATA / "mlflow.db.gz").read_bytes()))
    return path


@pytest.fixture
def run_folder(tmp_path):
    folder = tmp_path / "mlruns" / "0" / "abc"
    folder.mkdir(parents=True)
    (folder / "meta.yaml").write_text(META)
    return folder


META = """artifact_uri: file:///home/user/mlruns/0/abc/artifacts
end_time: null
experiment_id: '0'
lifecycle_stage: active
run_id: abc
start_time: 1700000000000
status: 1
"""


def put(folder, name, lines):
    path = folder / "metrics" / name
    path.parent.mkdir(parents=True, exist_ok=True)
    with open(path, "a") as file:
        file.writelines(f"{line}\n" for line in lines)


def read(folder):
    [log] = mlflow_folder.read(folder / "meta.yaml")
    return log


def agrees(log, expected, *, counted=True):
    assert log.name == expected["name"]
    assert log.status == STATUS[expected["status"]]
    assert (log.started, log.ended) == (expected["start"] / 1e3, expected["end"] / 1e3)
    assert log.config == PARAMS
    assert set(log.points.names()) == set(expected["metrics"])
    for name, points in expected["metrics"].items():
        steps, times, values = log.points.column(name)
        largest = sys.float_info.max
        wanted = [
            {largest: math.inf, -largest: -math.inf}.get(float(v), float(v)) for _, v, _ in points
        ]
        np.testing.assert_array_equal(values, wanted)
        assert times.tolist() == [stamp / 1e3 for stamp, _, _ in points]
        assert steps.tolist() == (
            [s for _, _, s in points] if counted else list(range(len(points)))
        )


def test_folders_hold_what_mlflow_says(mlruns):
    seen = 0
    for path in sorted(mlruns.rglob("meta.yaml")):
        expected = EXPECTED["mlflow_folder"].get(path.parent.name)
        if expected is None:  # an experiment
            assert mlflow_folder.sniff(path, head(path)) == 0
            continue
        assert reader_for(path) is mlflow_folder.READER
        seen += 1
        if expected["metrics"]:
            [log] = mlflow_folder.read(path)
            agrees(log, expected, counted=expected["name"] != "nostep")
            assert bool(log.warnings) == (expected["name"] == "nostep")
        else:
            with pytest.raises(ReadError, match="no metrics: the run has 6 params only"):
                mlflow_folder.read(path)
    assert seen == 4


def test_the_database_holds_what_mlflow_says(database):
    assert reader_for(database) is mlflow_sqlite.READER
    logs = {log.name: log for log in mlflow_sqlite.read(database)}

    expected = {run["name"]: run for run in EXPECTED["mlflow_sqlite"].values() if run["metrics"]}
    assert list(logs) == ["good", "dead", "nostep"]
    for name, log in logs.items():
        agrees(log, expected[name], counted=name != "nostep")


def test_a_line_that_mlflow_3_appends_again_counts_once(run_folder):
    put(run_folder, "loss", ["1700000001000 0.5 1", "1700000002000 0.25 2", "1700000001000 0.5 1"])
    log = read(run_folder)
    put(run_folder, "loss", ["1700000002000 0.25 2", "1700000003000 0.125 3"])

    log.add(log.read_new())

    assert log.points.column("loss")[2].tolist() == [0.5, 0.25, 0.125]


def test_slashes_spaces_and_old_lines(run_folder):
    put(
        run_folder,
        "rollout/exploration rate",
        ["1700000001000 0.5 1 data digest", "1 nan 2", "x", "1 2 z"],
    )
    put(run_folder, "old", ["1700000001000 1", "1700000002000 2"])

    log = read(run_folder)

    assert log.points.names() == ["old", "rollout/exploration rate"]
    assert log.points.column("rollout/exploration rate")[0].tolist() == [1, 2]
    assert log.points.column("old")[0].tolist() == [0, 1]
    assert "2 lines of metric files make no sense" in log.warnings
    assert log.status == "running"


def test_a_resumed_run_abandons_the_tail(run_folder):
    put(run_folder, "loss", [f"{1_700_000_000_000 + i} {i} {i}" for i in range(20)])
    put(run_folder, "loss", [f"{1_700_000_001_000 + i} {-i} {i}" for i in range(15, 30)])

    log = read(run_folder)

    steps, _, values = log.points.column("loss")
    assert steps.tolist() == list(range(30))
    assert values[15] == -15
    assert "the run was resumed 1 times" in log.warnings


def test_follows_files_that_grow_and_new_ones(run_folder):
    log = read(run_folder)
    assert log.points.count == 0
    put(run_folder, "a", ["1700000001000 1 1"])
    with open(run_folder / "metrics" / "a", "a") as file:
        file.write("1700000002000 2")
    log.add(log.read_new())
    assert log.points.column("a")[2].tolist() == [1]
    with open(run_folder / "metrics" / "a", "a") as file:
        file.write(".5 2\n")
    put(run_folder, "b/c", ["1700000002000 7 2"])

    log.add(log.read_new())

    assert log.points.column("a")[2].tolist() == [1, 2.5]
    assert log.points.column("b/c")[2].tolist() == [7]
    assert log.read_new() == []


def test_links_are_not_followed(run_folder):
    put(run_folder, "loss", ["1700000001000 1 1"])
    os.symlink("/dev/zero", run_folder / "metrics" / "zero")
    os.symlink("/", run_folder / "metrics" / "root")

    assert read(run_folder).points.names() == ["loss"]


def test_a_missing_or_hostile_meta_file_is_an_error(tmp_path, run_folder):
    with pytest.raises(ReadError):
        mlflow_folder.read(tmp_path / "meta.yaml")
    (run_folder / "meta.yaml").write_text("a:\n  " + "[" * 10_000)
    with pytest.raises(ReadError, match="too deeply"):
        mlflow_folder.read(run_folder / "meta.yaml")


def test_the_meta_file_of_a_model_is_no_run(tmp_path):
    path = tmp_path / "meta.yaml"
    path.write_text("artifact_uri: x\nlifecycle_stage: active\nmodel_id: m\nsource_run_id: abc\n")

    assert mlflow_folder.sniff(path, head(path)) == 0


def test_follows_the_database(database):
    log = mlflow_sqlite.read(database)[0]
    with sqlite3.connect(database) as connection:
        run = connection.execute("SELECT run_uuid FROM runs WHERE name = 'good'").fetchone()[0]
        other = connection.execute("SELECT run_uuid FROM runs WHERE name = 'dead'").fetchone()[0]
        columns = "key, value, timestamp, run_uuid, step, is_nan"
        query = f"INSERT INTO metrics ({columns}) VALUES (?,?,?,?,?,?)"
        connection.execute(query, ("fps", 500.0, 1_800_000_000_000, run, 1200, 0))
        connection.execute(query, ("fps", 1.0, 1_800_000_000_000, other, 1200, 0))

    log.add(log.read_new())

    assert log.points.column("fps")[2].tolist()[-2:] == [111.0, 500.0]
    assert log.read_new() == []


def test_the_database_is_not_touched(database):
    before = database.read_bytes()
    database.chmod(0o444)

    mlflow_sqlite.read(database)

    assert database.read_bytes() == before
    assert [path.name for path in database.parent.iterdir()] == ["mlflow.db"]


def test_damaged_databases_are_errors_or_partial(database):
    for data in damaged(database.read_bytes()):
        database.write_bytes(data)
        mlflow_sqlite.sniff(database, data[:65536])
        with contextlib.suppress(ReadError):
            mlflow_sqlite.read(database)


def test_views_that_never_end_are_not_run(tmp_path):
    path = tmp_path / "bomb.db"
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE runs (run_uuid, status, start_time)")
        connection.execute("CREATE TABLE params (key, value, run_uuid)")
        connection.execute(
            "CREATE VIEW metrics AS WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) "
            "SELECT x AS key, x AS value, x AS timestamp, x AS run_uuid FROM n"
        )

    assert mlflow_sqlite.sniff(path, head(path)) == 0
    with pytest.raises(ReadError):
        mlflow_sqlite.read(path)
