"""Shippers are killed, refused and cut off: nothing is lost without a word, nothing comes twice."""

import json
import os
import shutil
import signal
import time

import psutil
import pytest
from tests.remote.test_ship_and_mirror import QUIET, record
from tests.server.conftest import Site
from typer.testing import CliRunner

import runvitals as rv
from runvitals.cli.main import app
from runvitals.fleet.cache import RunCache
from runvitals.remote import start as start_module
from runvitals.remote.mirror import mirror_of
from runvitals.remote.shipping_file import ShippingLock
from runvitals.server.app import app_over
from runvitals.server.work.dashboard import Dashboard
from runvitals.store.copied import age
from runvitals.store.lock import SILENT_SECONDS
from runvitals.store.objects.store import open_objects

DEADLINE = 600.0
pytestmark = pytest.mark.filterwarnings("ignore::runvitals.model.RunvitalsWarning")


def until(done, what):
    """Wait for something that another process does."""
    end = time.monotonic() + DEADLINE
    while time.monotonic() < end:
        found = done()
        if found:
            return found
        time.sleep(0.02)
    raise AssertionError(f"waited too long for {what}")


def shipping(run):
    try:
        return json.loads((run.folder / "shipping.json").read_text())
    except FileNotFoundError:
        return {}


def shipper_of(run):
    """The process that ships a run, once it holds the right to."""
    folder = str(run.folder)

    def look():
        for process in psutil.Process().children():
            try:
                words = process.cmdline()
            except psutil.Error:
                continue
            if "runvitals.remote.shipper" in words and folder in words:
                return process
        return None

    return until(look, "a shipper")


def kill(process):
    process.send_signal(signal.SIGKILL)
    # a process that its parent has not asked about yet is a zombie: as dead as it gets
    until(lambda: not process.is_running() or process.status() == psutil.STATUS_ZOMBIE, "its end")


def there(place):
    mirror = mirror_of(place)
    mirror.sync()
    return rv.open_run(mirror.folder)


def log(run, first, last):
    for step in range(first, last):
        run.log({"outcome/return_mean": float(step)}, step=step)


def silence(shared):
    """Let the last heartbeats and entries of a shared folder be as old as those of a dead shipper."""
    old = time.time() - 5 * SILENT_SECONDS
    for path in [*shared.rglob("alive/*.json"), *shared.glob("_runs/new/*.json")]:
        os.utime(path, (old, old))


@pytest.fixture
def shared(tmp_path):
    made = tmp_path / "shared"
    made.mkdir()
    return made


def test_a_killed_shipper_is_started_again_and_everything_gets_there(tmp_path, place):
    run = record(tmp_path / "runs", rows=0, remote=place)
    log(run, 0, 300)
    until(lambda: shipping(run).get("at"), "a first pass")
    kill(shipper_of(run))
    log(run, 300, 1500)

    run.finish(wait=DEADLINE)

    theirs = there(place)
    assert (theirs.status, theirs.points.count, theirs.missing) == ("finished", 1500, [])
    assert any("was killed by SIGKILL; it is started again" in one for one in run.problems)
    assert not any("not all of" in one for one in run.problems)


@pytest.mark.parametrize("moment", ["as it starts", "before its first pass", "in its back-off"])
def test_a_shipper_may_be_killed_at_any_moment(tmp_path, shared, moment, monkeypatch):
    monkeypatch.setattr(start_module, "MAX_PAUSE_SECONDS", 2.0)
    place = shared.as_uri()
    run = record(tmp_path / "runs", rows=0, remote=place)
    log(run, 0, 100)
    kills = 3 if moment == "in its back-off" else 1
    for _ in range(kills):  # the second and third die while the pauses between starts grow
        process = shipper_of(run)
        if moment == "before its first pass":
            until(lambda: not ShippingLock.is_free(run.folder, place), "its lock")
        kill(process)
        until(lambda gone=process: not gone.is_running(), "the trainer to notice")
    log(run, 100, 200)

    run.finish(wait=DEADLINE)

    theirs = there(place)
    assert (theirs.status, theirs.points.count, theirs.missing) == ("finished", 200, [])


def test_a_trainer_that_finishes_without_a_shipper_starts_one(tmp_path, shared):
    run = record(tmp_path / "runs", rows=0, remote=shared.as_uri())
    log(run, 0, 100)
    until(lambda: shipping(run).get("at"), "a first pass")
    kill(shipper_of(run))

    run.finish(wait=True)

    assert there(shared.as_uri()).points.count == 100


def test_finish_says_exactly_what_is_not_there(tmp_path, shared):
    run = record(tmp_path / "runs", rows=0, remote=shared.as_uri())
    log(run, 0, 238)
    run.flush()
    until(lambda: _rows_there(run) == 238, "a first pass")
    shared.rename(tmp_path / "away")  # the file system is no longer mounted
    log(run, 238, 1500)
    until(lambda: shipping(run).get("problem"), "a pass that fails")

    run.finish(wait=1.0)

    [said] = [one for one in run.problems if one.startswith("not all of")]
    tables = [path.stat().st_size for path in (run.folder / "points").glob("rank0*")]
    size = (run.folder / "run.json").stat().st_size + sum(tables)
    assert f": 1,262 rows ({size:,} bytes of 3 files: points/rank0" in said
    assert "the shipper continues in the background" in said
    assert "shared folder" in said  # what stands in the way
    assert f"runvitals push {run.folder} {shared.as_uri()}" in said
    (tmp_path / "away").rename(shared)
    until(lambda: shipping(run).get("complete"), "the place to be back")
    assert there(shared.as_uri()).points.count == 1500


def _rows_there(run):
    return sum(n for f, (_, n) in shipping(run).get("there", {}).items() if f.endswith(".arrows"))


def test_a_bucket_that_comes_back_gets_everything(tmp_path, shared):
    run = record(tmp_path / "runs", rows=0, remote=shared.as_uri())
    until(lambda: shipping(run).get("at"), "a first pass")
    shared.rename(tmp_path / "away")
    log(run, 0, 100)
    until(lambda: shipping(run).get("problem"), "a pass that fails")
    kill(shipper_of(run))  # and what knew of it is gone as well
    (tmp_path / "away").rename(shared)

    run.finish(wait=DEADLINE)

    theirs = there(shared.as_uri())
    assert (theirs.status, theirs.points.count) == ("finished", 100)


def test_a_shipper_ends_when_its_run_is_deleted(tmp_path, shared):
    run = record(tmp_path / "runs", rows=0, remote=shared.as_uri())
    until(lambda: shipping(run).get("at"), "a first pass")
    shared.rename(tmp_path / "away")
    until(lambda: shipping(run).get("problem"), "a pass that fails")
    process = shipper_of(run)
    run.finish(wait=False)

    shutil.rmtree(run.folder)

    until(
        lambda: not process.is_running() or process.status() == psutil.STATUS_ZOMBIE,
        "the end of the shipper",
    )


def test_a_finished_life_does_not_speak_for_the_next(tmp_path, shared):
    first = record(tmp_path / "runs", rows=10, id="r", remote=shared.as_uri())
    first.finish(wait=DEADLINE)
    second = rv.init(
        "p", id="r", dir=tmp_path / "runs", remote=shared.as_uri(), resume=True, **QUIET
    )
    log(second, 10, 20)

    second.finish(wait=DEADLINE)

    assert second.problems == []
    assert there(shared.as_uri()).points.size("outcome/return_mean") == 20


def test_who_reads_the_bucket_sees_that_a_shipper_died(tmp_path, shared, monkeypatch):
    monkeypatch.setattr(start_module, "FIRST_PAUSE_SECONDS", 1e6)  # this one stays dead
    run = record(tmp_path / "runs", rows=0, remote=shared.as_uri())
    log(run, 0, 238)
    run.flush()
    until(lambda: _rows_there(run) == 238, "a first pass")
    kill(shipper_of(run))
    log(run, 238, 1500)
    beat = next(shared.rglob("alive/rank0.json"))
    said = json.loads(beat.read_text())
    beat.write_text(json.dumps({**said, "rows": dict.fromkeys(said["rows"], 300)}))
    silence(shared)

    theirs = there(shared.as_uri())
    listed = CliRunner().invoke(app, ["runs", shared.as_uri(), "--format", "json"])
    checked = CliRunner().invoke(app, ["check", shared.as_uri(), "--format", "json"])

    assert theirs.status == "crashed"
    [gap] = theirs.missing
    assert f"{age(5 * SILENT_SECONDS)} ago" in gap
    assert "238 of the 300 rows recorded by then are here, and none of those recorded since" in gap
    [entry] = json.loads(listed.stdout)
    assert (entry["status"], entry["partial"]) == ("crashed", True)
    assert "the last heartbeat was 10 min ago" in entry["warnings"][0]
    [judged] = json.loads(checked.stdout)["runs"]
    assert judged["partial"]
    dashboard = Dashboard([theirs.path], RunCache(None), workers=0)
    with Site(app_over(dashboard), base_url="http://localhost") as site:
        [row] = until(lambda: [one for one in site.runs() if one["points"]], "the page's list")
    assert (row["status"], row["partial"]) == ("crashed", True)
    run.finish(wait=False)
    assert any("1,262 rows" in one and "no shipper is running" in one for one in run.problems)


def test_a_heartbeat_left_by_a_run_that_is_all_there_is_no_loss(tmp_path, shared):
    run = record(tmp_path / "runs", rows=50, remote=shared.as_uri())
    until(lambda: list(shared.rglob("alive/rank0.json")), "a heartbeat")
    beat = next(shared.rglob("alive/rank0.json"))
    said = beat.read_bytes()
    run.finish(wait=DEADLINE)
    open_objects(shared.as_uri()).put(str(beat.relative_to(shared)), said)
    silence(shared)

    assert there(shared.as_uri()).missing == []
