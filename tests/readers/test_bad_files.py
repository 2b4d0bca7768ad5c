"""A broken, hostile or unsupported file costs only itself, and is named."""

from __future__ import annotations

import gzip
import json
import sqlite3
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests.readers.logs import SB3, boxes, events, json_lines, numbers, state, table
from typer.testing import CliRunner

import runvitals as rv
from runvitals.cli.main import app
from runvitals.model import ReadError
from runvitals.readers import registry
from runvitals.readers.raw import memory
from runvitals.readers.tabular import csv_log

VALUES = numbers(30)


def break_reader(monkeypatch, id, **functions):
    """Let one of the readers do something else than it does."""
    broken = [replace(one, **functions) if one.id == id else one for one in registry.readers()]
    monkeypatch.setattr(registry, "readers", lambda: tuple(broken))
    for one in broken:
        if one.id == registry.tensorboard.ID:  # it is not looked up among the others
            monkeypatch.setattr(registry.tensorboard, "READER", one)
    registry._by_id.cache_clear()
    monkeypatch.setattr(memory, "_facts", {})


def parquet(path):
    columns = {"step": np.arange(30), **dict(zip(SB3, VALUES.T, strict=True))}
    pq.write_table(pa.table(columns), path)


def history(path):
    path.write_text(json.dumps(dict(zip(SB3, VALUES.T.tolist(), strict=True))))


def npz(path):
    steps = np.arange(1, 9) * 100
    np.savez(path, timesteps=steps, results=np.ones((8, 3)), ep_lengths=np.ones((8, 3)))


def database(path):
    metrics = [("r1", "loss", float(i), 1_700_000_000_000 + i, i, 0) for i in range(30)]
    with sqlite3.connect(path) as connection:
        connection.executescript(
            "create table experiments (experiment_id int, name text, lifecycle_stage text);"
            "create table runs (run_uuid text, name text, status text, start_time int, end_time int,"
            " lifecycle_stage text, experiment_id int);"
            "create table metrics (run_uuid text, key text, value real, timestamp int, step int,"
            " is_nan int);"
            "create table params (run_uuid text, key text, value text);"
            "create table tags (run_uuid text, key text, value text);"
            "insert into experiments values (1, 'e', 'active');"
            "insert into runs values ('r1', 'r', 'FINISHED', 1, 2, 'active', 1);"
        )
        connection.executemany("insert into metrics values (?, ?, ?, ?, ?, ?)", metrics)
    connection.close()


def one_event_file(path):
    events(path.parent / "made", VALUES)
    [made] = (path.parent / "made").iterdir()
    made.rename(path)
    (path.parent / "made").rmdir()


def compressed(path):
    table(path.with_suffix(""), VALUES)
    path.write_bytes(gzip.compress(path.with_suffix("").read_bytes()))
    path.with_suffix("").unlink()


FORMATS = {
    "progress.csv": lambda path: table(path, VALUES),
    "metrics.jsonl": lambda path: json_lines(path, VALUES),
    "progress.csv.gz": compressed,
    "trainer_state.json": lambda path: state(path, VALUES, SB3),
    "history.json": lambda path: path.write_text(
        json.dumps(dict(zip(SB3, VALUES.T.tolist(), strict=True)))
    ),
    "log.txt": lambda path: boxes(path, VALUES),
    "events.out.tfevents.1700000000.host.1.0": one_event_file,
    "completions.parquet": parquet,
    "evaluations.npz": npz,
    "mlflow.db": database,
}


def damaged(data, how, rng):
    """Some bytes, made worse."""
    if how == "cut":
        return data[: int(rng.integers(1, len(data)))]
    broken = bytearray(data)
    for _ in range(1 if how == "a bit" else 40):
        broken[rng.integers(0, len(broken))] ^= 1 << int(rng.integers(0, 8))
    return bytes(broken)


@pytest.mark.parametrize("how", ["a bit", "many bits", "cut"])
@pytest.mark.parametrize("name", FORMATS)
def test_a_damaged_file_costs_only_itself_and_is_named(tmp_path, name, how):
    table(tmp_path / "top" / "good" / "metrics.csv", VALUES)
    bad = tmp_path / "top" / "bad" / name
    bad.parent.mkdir()
    FORMATS[name](bad)
    whole = bad.read_bytes()
    assert len(rv.open_runs(tmp_path / "top")) == 2
    rng = np.random.default_rng(len(name))
    for _ in range(12):
        bad.write_bytes(damaged(whole, how, rng))
        problems: list[ReadError] = []

        runs = rv.open_runs(tmp_path / "top", problems=problems)

        assert len([run for run in runs if run.name == "good"]) == 1
        read = [run for run in runs if run.name != "good"]
        named = [problem for problem in problems if name in str(problem)]
        assert read or named, f"{name} is neither read nor named"


def test_whatever_a_reader_raises_is_about_its_file(tmp_path, monkeypatch):
    table(tmp_path / "good" / "progress.csv", VALUES)
    events(tmp_path / "worse", VALUES)

    def explode(*_args, **_kwargs):
        raise RuntimeError("segment 7 is on fire\nand burns")

    break_reader(monkeypatch, "tensorboard", read=explode)
    problems: list[ReadError] = []

    runs = rv.open_runs(tmp_path, problems=problems)

    assert [run.name for run in runs] == ["good"]
    [problem] = problems
    assert "RuntimeError: segment 7 is on fire and burns" in problem.problem
    assert "tfevents" in problem.path


def test_a_reader_that_fails_to_recognise_a_file_leaves_it_to_the_others(tmp_path, monkeypatch):
    table(tmp_path / "progress.csv", VALUES)

    def explode(*_args):
        raise RecursionError

    break_reader(monkeypatch, "jsonl", sniff=explode)

    assert registry.reader_for(tmp_path / "progress.csv") is csv_log.READER
    break_reader(monkeypatch, "csv", sniff=explode)
    with pytest.raises(ReadError, match=r"progress.csv.*RecursionError"):
        registry.reader_for(tmp_path / "progress.csv")


def test_one_bad_file_among_those_of_a_run_is_a_warning_of_the_run(tmp_path):
    table(tmp_path / "ppo" / "progress.csv", VALUES)
    (tmp_path / "ppo" / "trainer_state.json").write_text('{"log_history": [{"step": 1, "loss"')

    [run] = rv.open_runs(tmp_path)

    assert len(run["train/loss"]) == 30
    assert any("trainer_state.json" in warning for warning in run.warnings)


def test_check_names_what_it_could_not_read_in_text_and_json(tmp_path):
    table(tmp_path / "good" / "progress.csv", VALUES)
    (tmp_path / "bad").mkdir()
    parquet(tmp_path / "bad" / "metrics.parquet")
    whole = (tmp_path / "bad" / "metrics.parquet").read_bytes()
    (tmp_path / "bad" / "metrics.parquet").write_bytes(whole[: len(whole) // 2])

    text = CliRunner().invoke(app, ["check", str(tmp_path)])
    told = CliRunner().invoke(app, ["check", str(tmp_path), "--format", "json"])

    assert "metrics.parquet" in text.stderr
    assert (text.exit_code, told.exit_code) == (2, 2)
    document = json.loads(told.stdout)
    assert [run["name"] for run in document["runs"]] == ["good"]
    [problem] = document["problems"]
    assert "metrics.parquet" in problem


def test_check_names_a_bad_file_of_a_run_in_text_and_json(tmp_path):
    table(tmp_path / "ppo" / "progress.csv", VALUES)
    (tmp_path / "ppo" / "trainer_state.json").write_text('{"log_history": [{"step": 1, "loss"')

    text = CliRunner().invoke(app, ["check", str(tmp_path)])
    told = CliRunner().invoke(app, ["check", str(tmp_path), "--format", "json"])

    assert "warning: cannot read" in text.stdout
    assert "trainer_state.json" in text.stdout
    [run] = json.loads(told.stdout)["runs"]
    assert any("trainer_state.json" in warning for warning in run["warnings"])
