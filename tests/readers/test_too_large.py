"""Logs that are larger than a reader may hold: what fits is read, and the rest is missed aloud."""

import json
import sqlite3

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from runvitals import open_run
from runvitals.model import Gap, ReadError
from runvitals.readers.console import _lines
from runvitals.readers.raw import source
from runvitals.readers.rows import collector
from runvitals.readers.tabular import _json
from runvitals.readers.tabular import trainer_state as trainer_states
from runvitals.readers.trackers import mlflow_folder, mlflow_sqlite

ROWS = 20_000


@pytest.fixture
def little_memory(monkeypatch):
    monkeypatch.setattr(collector, "MAX_CELLS", 30_000)
    monkeypatch.setattr(source, "BLOCK", 64 * 2**10)
    monkeypatch.setattr(trainer_states, "MAX_AT_ONCE", 100_000)
    monkeypatch.setattr(trainer_states, "PIECE", 10_000)
    monkeypatch.setattr(_lines, "MAX_CELLS", 100_000)
    monkeypatch.setattr(mlflow_sqlite, "MAX_POINTS", 5_000)
    monkeypatch.setattr(mlflow_folder, "MAX_POINTS", 5_000)
    monkeypatch.setattr(mlflow_folder, "_PIECE", 10_000)


def csv(path):
    path.write_text("step,loss\n" + "".join(f"{i},{i % 7}.5\n" for i in range(ROWS)))


def json_lines(path):
    with path.open("w") as file:
        for i in range(ROWS):
            file.write(f'{{"step": {i}, "loss": {i % 7}.5}}\n')


def trainer_state(path):
    history = [{"step": i, "loss": i % 7 + 0.5} for i in range(ROWS)]
    path.write_text(json.dumps({"log_history": history, "global_step": ROWS}))


def console(path):
    path.write_text("".join(f"step {i} loss {i % 7}.5\n" for i in range(ROWS)))


def trainer_console(path):
    rows = (f"{{'loss': {i % 7}.5, 'learning_rate': 1e-5, 'epoch': {i}.0}}\n" for i in range(ROWS))
    path.write_text("".join(rows))


def parquet(path):
    steps = np.arange(10 * ROWS)
    pq.write_table(pa.table({"step": steps, "loss": steps % 7 + 0.5}), path)


def mlflow_database(path):
    with sqlite3.connect(path) as connection:
        connection.executescript(
            "create table runs(run_uuid text, name text, status text, start_time integer);"
            "create table metrics(key text, value real, timestamp integer, run_uuid text,"
            " step integer, is_nan integer);"
            "create table params(key text, value text, run_uuid text);"
            "insert into runs values('abc', 'n', 'FINISHED', 1700000000000);"
        )
        connection.executemany(
            "insert into metrics values('loss', ?, 1700000000000, 'abc', ?, 0)",
            ((i % 7 + 0.5, i) for i in range(ROWS)),
        )


def mlflow_run(path):
    (path.parent / "metrics").mkdir()
    path.write_text(
        "artifact_uri: x\nexperiment_id: '0'\nlifecycle_stage: active\nrun_id: abc\nstatus: 3\n"
    )
    lines = (f"1700000000000 {i % 7}.5 {i}\n" for i in range(ROWS))
    (path.parent / "metrics" / "loss").write_text("".join(lines))


@pytest.mark.parametrize(
    ("name", "write"),
    [
        ("progress.csv", csv),
        ("metrics.jsonl", json_lines),
        ("trainer_state.json", trainer_state),
        ("train.log", console),
        ("trainer.log", trainer_console),
        ("metrics.parquet", parquet),
        ("mlflow.db", mlflow_database),
        ("meta.yaml", mlflow_run),
    ],
)
def test_the_beginning_is_read_and_the_rest_told_to_be_missing(
    tmp_path, little_memory, name, write
):
    path = tmp_path / name
    write(path)

    run = open_run(path)

    assert 0 < len(run["loss"]) < 5 * ROWS
    assert run["loss"].steps[0] in (0, 1)
    assert len(run.missing) == 1
    assert isinstance(run.missing[0], Gap)


def test_a_table_that_just_fits_is_whole(tmp_path, monkeypatch):
    monkeypatch.setattr(collector, "MAX_CELLS", 30_000)  # one block fills it, and there is no other
    path = tmp_path / "progress.csv"
    csv(path)

    run = open_run(path)

    assert len(run["loss"]) == ROWS
    assert run.missing == []


def test_a_document_with_too_many_values_is_refused_before_it_is_parsed(tmp_path, monkeypatch):
    monkeypatch.setattr(_json, "MAX_PARSED", 1_000_000)
    path = tmp_path / "history.json"
    path.write_text(json.dumps({"loss": [0.5] * 50_000}))

    with pytest.raises(ReadError, match="too many values"):
        open_run(path)


def test_a_metric_is_read_in_pieces_as_if_at_once(tmp_path, monkeypatch):
    monkeypatch.setattr(mlflow_folder, "_PIECE", 1_000)
    mlflow_run(tmp_path / "meta.yaml")

    run = open_run(tmp_path)

    assert np.array_equal(run["loss"].steps, np.arange(ROWS))
    assert np.array_equal(run["loss"].values, np.arange(ROWS) % 7 + 0.5)
