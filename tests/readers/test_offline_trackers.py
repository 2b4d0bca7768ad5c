"""Runs that trackers keep on disk: SwanLab, ClearML, Comet, DVCLive, GoodSeed, Neptune, Trackio, Guild.

The files are built here byte by byte as the trackers' releases of autumn 2026 write them.
"""

from __future__ import annotations

import json
import sqlite3
import struct
import zipfile
import zlib

import numpy as np
import pytest

import runvitals as rv
from runvitals.model import ReadError
from runvitals.readers.open import open_runs

ROWS = 30
STEPS = [10 * i for i in range(ROWS)]
LOSS = [1 / (1 + i) for i in range(ROWS)]
REWARD = [10.0 * i for i in range(ROWS)]


def varint(number):
    out = b""
    while number > 127:
        out += bytes([number & 127 | 128])
        number >>= 7
    return out + bytes([number])


def field(number, value):
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    if isinstance(value, float):
        return varint(number << 3 | 1) + struct.pack("<d", value)
    value = value.encode() if isinstance(value, str) else value
    return varint(number << 3 | 2) + varint(len(value)) + value


def json_lines(values):
    return "".join(json.dumps(one) + "\n" for one in values)


def swanlab(folder):
    records = [field(10, field(1, "p") + field(4, "first") + field(12, field(1, 1_794_967_746)))]
    for step, loss, reward in zip(STEPS, LOSS, REWARD, strict=True):
        stamp = field(4, field(1, 1_794_967_746 + step))
        for name, value in (("train/loss", loss), ("episode_reward", reward)):
            held = field(5, field(1, value))
            records.append(field(13, field(1, name) + field(2, step) + stamp + held))
    records.append(field(11, field(1, 1) + field(3, field(1, 1_794_968_746))))
    swanlab_file(folder / "run-r01ets3n.swanlab", b"\x02", records)


def swanlab_of_json(folder):
    """As SwanLab 0.7 wrote it."""
    created = {"create_time": "2026-11-18T05:58:44.489521+00:00"}
    records = [("Header", created), ("Experiment", {"id": "qhv", "name": "first"})]
    for step, loss, reward in zip(STEPS, LOSS, REWARD, strict=True):
        for name, value in (("train/loss", loss), ("episode_reward", reward)):
            metric = {"index": step, "data": value, **created}
            records.append(("Scalar", {"metric": metric, "key": name, "step": step, "epoch": 1}))
    records.append(("Footer", {"success": True, **created}))
    lines = [json.dumps({"model_type": kind, "data": data}).encode() for kind, data in records]
    swanlab_file(folder / "backup.swanlab", b"\x01", [line + b"\n" for line in lines])


def swanlab_file(path, version, records):
    folder, out = path.parent, b":SWL\xd6\xe1" + version
    for record in records:
        checksum = zlib.crc32(b"\x01" + record)
        out += struct.pack("<IHB", checksum, len(record), 1) + record
    (folder / "files").mkdir()
    (folder / "files" / "config.yaml").write_text("lr:\n  desc: ''\n  sort: 0\n  value: 0.01\n")
    path.write_bytes(out)


def clearml_files():
    events = [
        {"timestamp": 1_794_967_758_735 + step, "type": "training_stats_scalar", "iter": step}
        | {"metric": metric, "variant": variant, "value": value}
        for step, loss, reward in zip(STEPS, LOSS, REWARD, strict=True)
        for metric, variant, value in (
            ("train", "loss", loss),
            ("episode_reward", "episode_reward", reward),
        )
    ]
    settings = {"lr": {"name": "lr", "section": "General", "type": "float", "value": "0.01"}}
    task = {"id": "offline-1", "name": "first", "hyperparams": {"General": settings}}
    return {"metrics.jsonl": json_lines([events[:20], events[20:]]), "task.json": json.dumps(task)}


def clearml(folder):
    for name, text in clearml_files().items():
        (folder / name).write_text(text)
    (folder / "log.jsonl").write_text(json_lines([[{"type": "log", "msg": "loss: 12"}]]))


def archive(path, files):
    with zipfile.ZipFile(path, "w") as packed:
        for name, text in files.items():
            packed.writestr(name, text)


def clearml_archive(folder):
    archive(folder / f"offline-{'0a' * 16}.zip", clearml_files())


def comet(folder):
    messages = [
        {
            "payload": {"param": {"paramName": "lr", "paramValue": 0.01, "source": "manual"}},
            "type": "parameter_msg",
        }
    ]
    for step, loss, reward in zip(STEPS, LOSS, REWARD, strict=True):
        for name, value in (("train/loss", loss), ("episode_reward", reward)):
            metric = {"metricName": name, "metricValue": value, "step": step, "epoch": 0}
            payload = {"local_timestamp": 1_794_967_774_075 + step, "metric": metric}
            messages.append({"payload": payload, "type": "metric_msg"})
    named = {"payload": {"key": "Name", "val": "first"}, "type": "log_other"}
    experiment = {
        "offline_id": "c5",
        "start_time": 1_794_967_773_713,
        "stop_time": 1_794_967_776_206,
    }
    files = {
        "experiment.json": json.dumps(experiment),
        "messages.json": json_lines([named, *messages]),
    }
    archive(folder / f"{'c5' * 16}-HnWFsh.zip", files)


def dvclive(folder):
    (folder / "metrics.json").write_text(
        json.dumps({"train": {"loss": LOSS[-1]}, "step": STEPS[-1]})
    )
    (folder / "params.yaml").write_text("lr: 0.01\n")
    for name, values in (("train/loss", LOSS), ("episode_reward", REWARD)):
        path = folder / "plots" / "metrics" / f"{name}.tsv"
        path.parent.mkdir(parents=True, exist_ok=True)
        lines = [f"{step}\t{value}\n" for step, value in zip(STEPS, values, strict=True)]
        path.write_text(f"step\t{path.stem}\n" + "".join(lines))


def goodseed(folder):
    with sqlite3.connect(folder / "first.sqlite") as connection:
        connection.executescript(
            """
            CREATE TABLE run_meta (key TEXT PRIMARY KEY, value TEXT);
            CREATE TABLE configs (path TEXT, type_tag TEXT, value TEXT, updated_at TEXT);
            CREATE TABLE metric_series (id INTEGER PRIMARY KEY, path TEXT);
            CREATE TABLE metric_points (series_id INTEGER, step REAL, y REAL, ts INTEGER);
            INSERT INTO run_meta VALUES ('run_id', 'first'), ('status', 'finished');
            INSERT INTO configs VALUES ('lr', 'float', '0.01', ''), ('sys/id', 'string', 'x', '');
            INSERT INTO metric_series VALUES (1, 'train/loss'), (2, 'episode_reward');
            """
        )
        for number, values in ((1, LOSS), (2, REWARD)):
            points = [(number, s, v, 1_794_967_774_075) for s, v in zip(STEPS, values, strict=True)]
            connection.executemany("INSERT INTO metric_points VALUES (?, ?, ?, ?)", points)
    connection.close()


def neptune(folder):
    operations = [{"type": "AssignFloat", "path": ["params", "lr"], "value": 0.01}]
    operations += [{"type": "AssignString", "path": ["sys", "name"], "value": "first"}]
    for name, values in ((["train", "loss"], LOSS), (["episode_reward"], REWARD)):
        for step, value in zip(STEPS, values, strict=True):
            point = {"value": value, "step": step, "ts": 1_794_968_071.7 + step}
            operations.append({"type": "LogFloats", "path": name, "values": [point]})
    lines = [{"obj": one, "version": at} for at, one in enumerate(operations)]
    run = folder / ".neptune" / "offline" / "run__c6"
    run.mkdir(parents=True)
    (run / "metadata.json").write_text(json.dumps({"mode": "offline", "structureVersion": 3}))
    (run / "data-1.log").write_text(json_lines(lines[:20]))
    (run / "data-20.log").write_text(json_lines(lines[20:]))


def neptune_scale(folder):
    def entry(name, value):
        return field(1, name) + field(2, field(1, value))

    snapshots = [field(4, entry("lr", 0.01))]
    for step, loss, reward in zip(STEPS, LOSS, REWARD, strict=True):
        values = field(8, entry("train/loss", loss)) + field(8, entry("episode_reward", reward))
        snapshots.append(field(1, field(1, step)) + field(2, field(1, 1_794_968_071)) + values)
    with sqlite3.connect(folder / "run_operations.sqlite3") as connection:
        connection.executescript(
            """
            CREATE TABLE metadata (id INTEGER, version TEXT, project TEXT, run_id TEXT);
            CREATE TABLE run_operations (
                sequence_id INTEGER PRIMARY KEY, operation_type INTEGER, operation BLOB);
            INSERT INTO metadata VALUES (1, 'v5', 'w/p', 'first');
            INSERT INTO run_operations (operation_type, operation) VALUES (1, x'2202');
            """
        )
        connection.executemany(
            "INSERT INTO run_operations (operation_type, operation) VALUES (0, ?)",
            [(one,) for one in snapshots],
        )
    connection.close()


def trackio_inbox(folder):
    records = [
        {"v": 1, "kind": "metric", "project": "p", "run": "first", "run_id": "75fc"}
        | {"metrics": {"train/loss": loss, "episode_reward": reward}, "step": step}
        | {"timestamp": "2026-11-18T02:14:39+00:00", "config": None if step else {"lr": 0.01}}
        for step, loss, reward in zip(STEPS, LOSS, REWARD, strict=True)
    ]
    writer = folder / "inbox" / "20e29d99fd7d4804"
    writer.mkdir(parents=True)
    for number, part in enumerate((records[:12], records[12:])):
        lines = (json.dumps(one, separators=(",", ":")) + "\n" for one in part)
        (writer / f"{number:08}.jsonl").write_text("".join(lines))


STORES = [
    swanlab, swanlab_of_json, clearml, clearml_archive, comet, dvclive, goodseed, neptune,
    neptune_scale, trackio_inbox,
]  # fmt: skip


@pytest.mark.parametrize("write", STORES, ids=[one.__name__ for one in STORES])
def test_a_store_is_one_run_with_its_numbers_and_settings(write, tmp_path):
    write(tmp_path)

    problems = []
    [run] = open_runs(tmp_path, problems=problems)

    assert problems == []
    assert set(run.names()) == {"train/loss", "episode_reward"}
    for name, values in (("train/loss", LOSS), ("episode_reward", REWARD)):
        assert run[name].steps.tolist() == STEPS
        np.testing.assert_array_equal(run[name].values, values)
    assert run.config == {"lr": 0.01}
    assert run.bindings["episode_reward"].metric == "outcome/return_mean"
    assert run.warnings == []


SAYING_SO = [swanlab, swanlab_of_json, comet, goodseed]


@pytest.mark.parametrize("write", SAYING_SO, ids=[one.__name__ for one in SAYING_SO])
def test_a_run_that_says_so_is_finished(write, tmp_path):
    write(tmp_path)

    [run] = open_runs(tmp_path)

    assert (run.name, run.status) == ("first", "finished")


def test_an_archive_beside_its_folder_is_not_read_twice(tmp_path):
    clearml_archive(tmp_path)
    folder = tmp_path / f"offline-{'0a' * 16}"
    folder.mkdir()
    clearml(folder)

    assert len(open_runs(tmp_path)) == 1


def test_a_swanlab_file_that_was_cut_gives_what_is_whole(tmp_path):
    swanlab(tmp_path)
    path = tmp_path / "run-r01ets3n.swanlab"
    path.write_bytes(path.read_bytes()[:2000])

    [run] = open_runs(tmp_path)

    assert 5 < len(run["train/loss"]) < ROWS
    assert run.warnings == ["the file has no end: the run was killed or is still running"]


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("run-1.swanlab", b""),
        ("run-1.swanlab", b":SWL\xd6\xe1\x02"),
        ("run-1.swanlab", b":SWL\xd6\xe1\x02" + b"\xff" * 500),
        ("metrics.jsonl", b'[{"type": "training_stats_scalar"}]\n'),
        ("data-1.log", b'{"obj": {"type": "Nonsense"}}\n'),
    ],
)
def test_a_store_without_numbers_is_told_and_not_passed_over(name, content, tmp_path):
    (tmp_path / name).write_bytes(content or b"\x00")

    problems = []
    with pytest.raises(ReadError):
        rv.open_run(tmp_path)
    assert open_runs(tmp_path, problems=problems) == []
    assert [name in str(problem) for problem in problems] == [True]


def test_a_hidden_aim_repository_is_named_with_the_command_that_exports_it(tmp_path):
    (tmp_path / ".aim" / "meta" / "chunks").mkdir(parents=True)
    with sqlite3.connect(tmp_path / ".aim" / "run_metadata.sqlite") as connection:
        connection.execute("CREATE TABLE run (id, hash, name)")
    connection.close()

    problems = []
    assert open_runs(tmp_path, problems=problems) == []

    [problem] = problems
    assert "query_metrics().dataframe().to_csv" in problem.hint


def test_a_guild_run_is_called_by_its_folder_and_has_its_flags(tmp_path):
    inside = tmp_path / "runs" / "0a1b2c3d" / ".guild"
    (inside / "attrs").mkdir(parents=True)
    (inside / "attrs" / "flags").write_text("lr: 0.01\n")
    (inside / "opref").write_text("script:train.py train 1\n")
    told = zip(STEPS, LOSS, REWARD, strict=True)
    (inside / "output").write_text(
        "".join(f"step: {s}\nloss: {a:.4f}\nepisode_reward: {b}\n" for s, a, b in told)
    )

    [run] = open_runs(tmp_path)

    assert (run.name, run.config) == ("0a1b2c3d", {"lr": 0.01})
    assert run["episode_reward"].values.tolist() == REWARD
