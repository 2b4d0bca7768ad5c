"""Two different runs of one project and id: the second is refused, and never mixed with the first."""

import json
import os
import threading

import pytest
from tests.remote.test_ship_and_mirror import assert_same, record
from typer.testing import CliRunner

import runvitals as rv
from runvitals.cli.main import app
from runvitals.model import RunTakenError
from runvitals.remote.mirror import listed_runs, mirror_of
from runvitals.remote.owner import claim, run_key
from runvitals.remote.push import push
from runvitals.remote.run_list import RemoteRunList, entry_of
from runvitals.remote.ship import Shipper
from runvitals.store.objects.store import open_objects

DEADLINE = 600.0
pytestmark = pytest.mark.filterwarnings("ignore::runvitals.model.RunvitalsWarning")


def copies(place):
    mirror = mirror_of(place)
    mirror.sync()
    return rv.open_runs(mirror.folder)


def test_a_second_writer_is_refused_and_told(tmp_path, place):
    first = record(tmp_path / "a", rows=80, id="same", remote=place)
    first.finish(wait=DEADLINE)
    second = record(tmp_path / "b", rows=60, id="same", remote=place)

    second.finish(wait=True)

    [run] = copies(place)
    assert_same(rv.open_run(first.folder), run)
    [said] = [one for one in second.problems if one.startswith("not all of")]
    assert "60 rows" in said
    assert "p/same is another run there: it began" in said
    assert f"in {first.folder}, this one" in said
    assert "give this run another id" in said


@pytest.mark.parametrize("remote", [True, False], ids=["recorded to ship", "recorded to stay"])
def test_a_second_push_is_refused_and_other_runs_are_not(tmp_path, place, remote, monkeypatch):
    elsewhere = (tmp_path / "elsewhere").as_uri() if remote else None
    if remote:
        (tmp_path / "elsewhere").mkdir()
    for disk in ("a", "b"):  # tables of one size: only their content differs
        record(
            tmp_path / disk, rows=50, id="same", remote=elsewhere if disk == "a" else None
        ).finish()
    record(tmp_path / "b", rows=5, id="zz-other").finish()
    list(push(tmp_path / "a", place))

    with pytest.raises(RunTakenError, match="another run"):
        list(push(tmp_path / "b", place))

    found = {run.id: run for run in copies(place)}
    assert sorted(found) == ["same", "zz-other"]
    assert_same(rv.open_run(tmp_path / "a" / "p" / "same"), found["same"])


def test_of_two_that_begin_at_once_one_gets_the_id(tmp_path, place):
    runs = [record(tmp_path / disk, rows=5, id="same") for disk in "abcdef"]
    for run in runs:
        run.finish()
    ready = threading.Barrier(len(runs))
    won, refused = [], []

    def ship(run):
        objects = open_objects(place)
        ready.wait()
        try:
            won.append(claim(run.folder, objects).root)
        except RunTakenError:
            refused.append(run)

    threads = [threading.Thread(target=ship, args=[run]) for run in runs]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert (len(won), len(refused)) == (1, 5)


def test_a_lock_that_a_killed_process_left_is_not_in_the_way_for_ever(tmp_path):
    objects = open_objects(tmp_path.as_uri())
    objects.put("a", b"1")
    left = tmp_path / ".object-a.lock"
    left.touch()
    os.utime(left, (0, 0))

    tries = [objects.replace("a", b"2", objects.tagged("a")[1]) for _ in range(2)]

    assert tries == [False, True]
    assert objects.get("a") == b"2"


def test_twins_that_are_there_anyway_are_both_shown(tmp_path, place):
    """As when a store knows no conditional writes: each has shipped below its own origin."""
    objects, runs = open_objects(place), RemoteRunList(open_objects(place))
    ours = []
    for disk, rows in (("a", 80), ("b", 60)):
        run = record(tmp_path / disk, rows=rows, id="same")
        run.finish()
        birth = json.loads((run.folder / "run.json").read_text())["birth"]
        root = f"{run_key(run.folder)}/{birth}"
        Shipper(run.folder, objects, root).ship(final=True)
        runs.note(entry_of(run.folder, root, objects, ended=True), final=True)
        ours.append(rv.open_run(run.folder))

    theirs = copies(place)

    for mine, copy in zip(ours, sorted(theirs, key=lambda run: run.started), strict=True):
        assert_same(mine, copy)
        assert any("2 different runs have this project and id" in one for one in copy.warnings)
    assert len(listed_runs(place)) == 2
    listed = CliRunner().invoke(app, ["runs", place, "--format", "json"])
    assert [run["id"] for run in json.loads(listed.stdout)] == ["same", "same"]


def test_what_an_earlier_version_shipped_is_read_and_continued(tmp_path, place):
    run = record(tmp_path / "a", rows=50, id="same")
    run.flush()
    objects, key = open_objects(place), run_key(run.folder)
    Shipper(run.folder, objects, key).ship()  # straight below its id, and no owner
    run.finish()

    [pushed] = push(tmp_path / "a", place)

    [copy] = copies(place)
    assert_same(rv.open_run(run.folder), copy)
    assert not pushed.live
    assert claim(run.folder, objects).root == key
    other = record(tmp_path / "b", rows=5, id="same")
    other.finish()
    with pytest.raises(RunTakenError):
        list(push(tmp_path / "b", place))


def test_two_runs_that_an_earlier_version_mixed_are_told(tmp_path, place, shared_elsewhere):
    objects = open_objects(place)
    for disk, rows in (("a", 80), ("b", 60)):
        run = record(tmp_path / disk, rows=rows, id="same", remote=shared_elsewhere)
        run.finish(wait=False)
        Shipper(run.folder, objects, run_key(run.folder)).ship(final=True)

    [both] = copies(place)

    assert any("2 runs with this id were shipped into one" in one for one in both.warnings)


@pytest.fixture
def shared_elsewhere(tmp_path):
    (tmp_path / "elsewhere").mkdir()
    return (tmp_path / "elsewhere").as_uri()
