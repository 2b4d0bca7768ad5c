"""A run that is shipped and mirrored is the same run."""

import io
import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import runvitals as rv
from runvitals.model import RemoteError
from runvitals.remote import mirror as mirror_module
from runvitals.remote.keys import without_origin
from runvitals.remote.mirror import listed_runs, mirror_of
from runvitals.remote.owner import claim, run_key
from runvitals.remote.push import push
from runvitals.remote.run_list import RemoteRunList
from runvitals.remote.ship import Shipper
from runvitals.store import table as table_module
from runvitals.store.objects.store import open_objects

DEADLINE = 600.0
QUIET = {"console": False, "tensorboard": False, "system": False, "judge": False}


def record(folder, rows=200, **options):
    run = rv.init(project="p", name="r", dir=folder, **QUIET, **options)
    for step in range(rows):
        run.log(
            {"policy/approx_kl": 0.01 + 1e-5 * step, "outcome/return_mean": float(step)}, step=step
        )
    return run


def columns(run):
    return {name: run.points.column(name) for name in run.names()}


def assert_same(ours, theirs):
    mine, other = columns(ours), columns(theirs)
    assert mine.keys() == other.keys()
    for name, arrays in mine.items():
        for here, there in zip(arrays, other[name], strict=True):
            np.testing.assert_array_equal(here, there)


def test_a_finished_run_reads_the_same_from_there(tmp_path, place):
    run = record(tmp_path / "runs", config={"learning_rate": 3e-4})
    run.log_samples({"prompt": "2 + 2 =", "completion": "4"}, step=3)
    run.log_image("frame", np.zeros((4, 4), np.uint8), step=3)
    run.finish()

    [pushed] = push(tmp_path / "runs", place)
    mirror = mirror_of(place)
    mirror.sync()

    theirs = rv.open_run(mirror.folder)
    assert_same(rv.open_run(run.folder), theirs)
    [frame] = [event for event in theirs.events() if isinstance(event, rv.model.Media)]
    assert frame.read().startswith(b"\x89PNG")
    assert (theirs.status, theirs.config["learning_rate"]) == ("finished", 3e-4)
    assert pushed.key == run_key(run.folder)
    assert list(theirs.events())
    assert mirror.problems == []


def test_a_live_run_grows_there_record_by_record(tmp_path, place):
    run = record(tmp_path / "runs", rows=50)
    run.flush()
    shipper = Shipper(run.folder, open_objects(place), run_key(run.folder))
    shipper.ship()
    mirror = mirror_of(place)
    mirror.sync()
    first = rv.open_run(mirror.folder)
    seen = first.points.count

    for step in range(50, 120):
        run.log(
            {"policy/approx_kl": 0.01 + 1e-5 * step, "outcome/return_mean": float(step)}, step=step
        )
    run.flush()
    shipper.ship()
    mirror.sync()
    first.refresh()

    assert (seen, first.points.count, first.status) == (100, 240, "running")
    run.finish()


def test_a_shipper_that_starts_anew_sends_only_what_is_missing(tmp_path, place):
    run = record(tmp_path / "runs", rows=50)
    run.flush()
    key = run_key(run.folder)
    Shipper(run.folder, open_objects(place), key).ship()
    for step in range(50, 60):
        run.log({"policy/approx_kl": 1.0}, step=step)
    run.flush()

    done = Shipper(run.folder, open_objects(place), key).ship()

    points = list(open_objects(place).listed(f"{key}/parts/points/"))
    assert done.bytes < run.folder.joinpath("run.json").stat().st_size + 4000
    assert sum(e.size for e in points) == next(run.folder.glob("points/*.arrows")).stat().st_size
    run.finish()


def test_parts_are_gone_once_the_table_is_there(tmp_path, place):
    run = record(tmp_path / "runs")
    run.flush()
    objects, key = open_objects(place), run_key(run.folder)
    shipper = Shipper(run.folder, objects, key)
    shipper.ship()
    run.finish()

    shipper.ship(final=True)

    names = [entry.key.removeprefix(f"{key}/") for entry in objects.listed(f"{key}/")]
    assert "points/rank0.parquet" in names
    assert not [name for name in names if name.startswith("parts/points")]


def test_many_small_parts_become_one(tmp_path, place):
    run = record(tmp_path / "runs", rows=1)
    objects, key = open_objects(place), run_key(run.folder)
    shipper = Shipper(run.folder, objects, key)
    for step in range(1, 60):
        run.log({"policy/approx_kl": float(step)}, step=step)
        run.flush()
        shipper.ship()
    mirror = mirror_of(place)
    mirror.sync()

    parts = list(objects.listed(f"{key}/parts/points/"))

    assert len(parts) < 20
    assert_same(rv.open_run(run.folder), rv.open_run(mirror.folder))
    run.finish()


def test_another_run_of_the_same_id_is_refused_and_nothing_overwritten(tmp_path, place):
    first = record(tmp_path / "a", id="same")
    first.finish()
    second = record(tmp_path / "b", rows=300, id="same")
    second.finish()
    list(push(tmp_path / "a", place))

    with pytest.raises(RemoteError, match="another run"):
        list(push(tmp_path / "b", place))

    mirror = mirror_of(place)
    mirror.sync()
    assert_same(rv.open_run(first.folder), rv.open_run(mirror.folder))


def test_a_run_resumed_on_an_empty_disk_overwrites_nothing(tmp_path, place):
    for node, rows in (("a", 80), ("b", 60)):
        run = record(tmp_path / node, rows=rows, id="same", remote=place, resume=node == "b")
        (run.folder / "training.log").write_text(f"I am {node}\n")
        run.finish(wait=DEADLINE)
    mirror = mirror_of(place)
    mirror.sync()

    both = rv.open_run(mirror.folder)

    assert both.points.size("policy/approx_kl") == 140
    assert run.problems == both.missing == []
    logs = [path.read_text() for path in mirror.folder.glob("p/same/training*.log")]
    assert sorted(logs) == ["I am a\n", "I am b\n"]


def test_the_list_names_every_run_and_needs_few_requests(tmp_path, place):
    for number in range(5):
        record(tmp_path / "runs", rows=3, id=f"run-{number}").finish()
    list(push(tmp_path / "runs", place))
    objects = open_objects(place)

    listed = RemoteRunList(objects).entries()

    assert sorted(map(without_origin, listed)) == [f"p/run-{number}" for number in range(5)]
    assert {run["status"] for run in listed.values()} == {"finished"}
    assert sum(objects.requests.values()) == 2


def test_a_finished_run_is_asked_for_once(tmp_path, place):
    record(tmp_path / "runs").finish()
    list(push(tmp_path / "runs", place))
    mirror_of(place).sync()
    again = mirror_of(place)

    again.sync()

    assert sum(again.objects.requests.values()) == 2  # the list, and whether it has new entries


def test_a_poll_lists_once_and_once_for_each_active_run(tmp_path, place):
    for number in range(3):
        record(tmp_path / "runs", rows=3, id=f"done-{number}").finish()
    live = record(tmp_path / "runs", rows=3, id="live")
    live.flush()
    list(push(tmp_path / "runs", place))
    mirror = mirror_of(place)
    mirror.sync()
    mirror.objects.requests.clear()

    mirror.sync()

    assert dict(mirror.objects.requests) == {"list": 2}
    live.finish()


def test_a_project_and_a_single_run_are_found_in_the_list_above_them(tmp_path, place):
    record(tmp_path / "runs", rows=3, id="one").finish()
    record(tmp_path / "runs", rows=3, id="two").finish()
    list(push(tmp_path / "runs", place))

    one = mirror_of(f"{place}/p/one")

    assert sorted(listed_runs(f"{place}/p")) == ["one", "two"]
    assert [run["id"] for run in one.listed().values()] == ["one"]
    one.sync()
    one.objects.requests.clear()
    one.sync()  # it has ended and is here
    assert dict(one.objects.requests) == {"list": 1}


def test_a_clock_of_the_store_that_is_ahead_is_told(tmp_path, place):
    live = record(tmp_path / "runs", rows=3)
    live.flush()
    list(push(tmp_path / "runs", place))
    mirror = mirror_of(place)
    listed = mirror.objects.listed
    mirror.objects.listed = lambda prefix="": (
        replace(entry, modified=entry.modified + 3600) for entry in listed(prefix)
    )

    mirror.sync()

    assert any("clock is 3" in problem and "ahead" in problem for problem in mirror.problems)
    live.finish()


def test_of_a_large_finished_run_only_the_columns_that_are_wanted_are_read(
    tmp_path, place, monkeypatch
):
    metric = "train/m003"
    run = rv.init(project="p", id="large", dir=tmp_path / "runs", **QUIET)
    for step in range(2_000):
        run.log({f"train/m{i:03}": math.sin(step * (i + 1)) for i in range(40)}, step=step)
    run.finish()
    list(push(tmp_path / "runs", place))
    monkeypatch.setattr(mirror_module, "FETCHED_WHOLE_BYTES", 1)
    monkeypatch.setattr(table_module, "LARGE", 1)
    read = []
    monkeypatch.setattr(table_module, "parquet_source", _counted(table_module.parquet_source, read))
    mirror = mirror_of(place)
    mirror.sync()
    there = rv.open_run(mirror.folder)
    read.clear()

    values = there.points.column(metric)[2]

    [table] = (run.folder / "points").glob("rank0.parquet")
    assert np.array_equal(values, rv.open_run(run.folder).points.column(metric)[2])
    assert 0 < sum(read) < table.stat().st_size / 20


def _counted(source, read):
    """A source of Parquet files that notes how many bytes are taken from it."""

    class Counting(io.RawIOBase):
        def __init__(self, file):
            self._file = file

        def read(self, size=-1):
            data = bytes(self._file.read(size))
            read.append(len(data))
            return data

        def seek(self, offset, whence=0):
            return self._file.seek(offset, whence)

        def tell(self):
            return self._file.tell()

        def readable(self):
            return True

        def seekable(self):
            return True

    def wrapped(path):
        file = source(path)
        return file if isinstance(file, Path) else Counting(file)

    return wrapped


def test_foreign_and_half_objects_are_named_and_left_out(tmp_path, place):
    run = record(tmp_path / "runs")
    run.finish()
    list(push(tmp_path / "runs", place))
    objects = open_objects(place)
    key = claim(run.folder, objects).root
    objects.put(f"{key}/notes/readme.txt", b"hello")
    objects.put(f"{key}/parts/findings.jsonl/000000000000-000000000900", b"{")
    mirror = mirror_of(place)

    mirror.sync()

    assert any("readme.txt" in problem for problem in mirror.problems)
    assert any("has 1 bytes" in problem for problem in mirror.problems)
    assert_same(rv.open_run(run.folder), rv.open_run(mirror.folder))
