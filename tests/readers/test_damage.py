"""Damaged stores beside good ones are named; cut ones say that something is missing."""

from __future__ import annotations

import sqlite3

import pytest
from typer.testing import CliRunner

import runvitals as rv
from runvitals.cli.main import app


@pytest.fixture
def good(tmp_path):
    folder = tmp_path / "good"
    folder.mkdir()
    lines = ["step,loss,reward"] + [f"{i},{1 / (i + 1)},{i}" for i in range(100)]
    (folder / "progress.csv").write_text("\n".join(lines) + "\n")
    return tmp_path


def mlflow(path, runs=40):
    with sqlite3.connect(path) as database:
        database.executescript(
            """
            CREATE TABLE runs (run_uuid TEXT, status TEXT, start_time INT, name TEXT);
            CREATE TABLE metrics (key TEXT, value REAL, timestamp INT, run_uuid TEXT, step INT);
            CREATE TABLE params (key TEXT, value TEXT, run_uuid TEXT);
            """
        )
        for run in range(runs):
            database.execute("INSERT INTO runs VALUES (?, 'FINISHED', 1, 'r')", (f"run{run}",))
            database.executemany(
                "INSERT INTO metrics VALUES ('loss', ?, ?, ?, ?)",
                [(1 / (i + 1), i, f"run{run}", i) for i in range(200)],
            )
    database.close()
    return path


def damaged(kind, folder):
    folder.mkdir()
    if kind == "sqlite":
        path = mlflow(folder / "mlflow.db")
        data = bytearray(path.read_bytes())
        data[100:4096] = bytes(3996)
        path.write_bytes(data)
    elif kind == "events":
        path = folder / "events.out.tfevents.1700000000.host.1.0"
        path.write_bytes(b"\xff" * 4000)
    elif kind == "wandb":
        path = folder / "run-abc.wandb"
        path.write_bytes(b"\xff" * 4000)
    else:
        path = folder / "data.parquet"
        path.write_bytes(b"PAR1" + bytes(4000))
    return path


@pytest.mark.parametrize("kind", ["sqlite", "events", "wandb", "parquet"])
def test_a_damaged_store_beside_a_good_log_is_named(good, kind):
    path = damaged(kind, good / "damaged")

    done = CliRunner().invoke(app, ["check", str(good)])

    assert path.name in done.stderr
    assert "good" in done.stdout or "learning" in done.stdout
    assert done.exit_code == 2


def test_somebody_elses_database_is_not_named(good):
    with sqlite3.connect(good / "good" / "recipes.db") as database:
        database.execute("CREATE TABLE cakes (name TEXT)")
    database.close()

    done = CliRunner().invoke(app, ["check", str(good)])

    assert "recipes" not in done.stderr


@pytest.mark.parametrize("share", [0.3, 0.6, 0.9])
def test_a_cut_database_says_that_something_is_missing(tmp_path, share):
    path = mlflow(tmp_path / "mlflow.db")
    data = path.read_bytes()
    path.write_bytes(data[: int(len(data) * share)])

    try:
        runs = rv.open_runs(path)
    except rv.RunvitalsError:
        return  # nothing of it can be read: that is said, too

    assert all(run.missing for run in runs)


@pytest.mark.parametrize(
    ("name", "text", "missing"),
    [
        ("m.csv", "step,loss\n1,2.0\n2\n3,1.5\n4,1.2\n", True),
        ("m.jsonl", '{"step": 1, "loss": 2.0}\n{"step": 2, "lo\n{"step": 3, "loss": 1.0}\n', True),
        ("m.jsonl", '{"step": 1, "loss": 2.0}\nsaved\n{"step": 3, "loss": 1.0}\n', False),
        ("m.csv", "step,loss\n1,2.0\n2,1.8\n3,1.5\n", False),
    ],
    ids=["torn row", "torn object", "a word between rows", "whole"],
)
def test_rows_that_were_lost_in_a_table_make_it_partial(tmp_path, name, text, missing):
    (tmp_path / name).write_text(text)

    [run] = rv.open_runs(tmp_path)

    assert bool(run.missing) == missing
    assert rv.judge(run).verdict.reason.endswith("parts of its data are missing") == missing
