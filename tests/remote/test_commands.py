"""Every command that takes logs takes the address of a bucket."""

import json
import os
import signal
import subprocess
import sys
import time

import pytest
from tests.remote.test_ship_and_mirror import record
from typer.testing import CliRunner

import runvitals as rv
from runvitals.cli.main import app
from runvitals.model import RemoteError
from runvitals.remote.mirror import mirror_of
from runvitals.remote.push import push

QUIET = {"console": False, "tensorboard": False, "system": False, "judge": False}
TRAINER = """
import sys, time
import runvitals as rv
run = rv.init(project="p", id="far", dir=sys.argv[1], remote=sys.argv[2], console=False,
              tensorboard=False, system=False, judge=False)
for step in range(10_000_000):
    run.log({"outcome/return_mean": float(step)}, step=step)
    time.sleep(0.002)
"""


def runvitals(*words, expect=0):
    done = subprocess.run(
        [sys.executable, "-m", "runvitals.cli.main", *map(str, words)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == expect, done.stdout + done.stderr
    return done


def compared(*sides):
    done = CliRunner().invoke(app, ["compare", *map(str, sides), "--format", "json"])
    if done.exception:
        raise done.exception
    return json.loads(done.stdout)["sides"]


@pytest.fixture
def pushed(tmp_path, bucket):
    run = record(tmp_path / "runs")
    run.finish()
    runvitals("push", tmp_path / "runs", bucket)
    return bucket, run


def test_push_says_what_it_did_and_a_second_one_sends_nothing(pushed, tmp_path):
    place, _ = pushed

    again = runvitals("push", tmp_path / "runs", place)

    assert again.stdout.strip().endswith("up to date")


def test_check_and_runs_say_the_same_from_there(pushed):
    place, run = pushed

    here = json.loads(runvitals("check", run.folder, "--format", "json").stdout)["runs"][0]
    there = json.loads(runvitals("check", place, "--format", "json").stdout)["runs"][0]
    listed = json.loads(runvitals("runs", place, "--format", "json").stdout)

    assert there["verdict"] == here["verdict"]
    assert there["findings"] == here["findings"]
    assert [(one["id"], one["points"]) for one in listed] == [(run.id, 400)]


def test_runs_are_listed_without_fetching_them(pushed, cache, tmp_path):
    place, run = pushed

    listed = runvitals("runs", f"{place}/p", "--format", "json").stdout
    table = runvitals("runs", place).stdout
    fetched = list(cache.glob("**/*")) if cache.exists() else []
    read = json.loads(runvitals("runs", place, "--read", "--format", "json").stdout)

    assert [(one["id"], one["status"], one["last_step"]) for one in json.loads(listed)] == [
        (run.id, "finished", 199)
    ]
    assert f"p/{run.id}" in table
    assert fetched == []
    assert read[0]["outcome"]["metric"] == "outcome/return_mean"


def test_watch_once_and_report_take_an_address(pushed, tmp_path):
    place, _ = pushed

    shown = runvitals("watch", place, "--once").stdout
    runvitals("report", place, "-o", tmp_path / "report.html")

    assert "p / r" in shown
    assert "outcome/return_mean" in (tmp_path / "report.html").read_text()


def test_compare_takes_addresses_and_patterns_of_them(tmp_path, bucket):
    for side, level in (("old", 1.0), ("new", 2.0)):
        for seed in range(2):
            run = rv.init(project="p", id=f"{side}-{seed}", dir=tmp_path / "runs", **QUIET)
            for step in range(60):
                run.log({"outcome/return_mean": level * step + seed}, step=step)
            run.finish()
    list(push(tmp_path / "runs", bucket))

    here = tmp_path / "runs" / "p"
    local = compared(here / "old-*", here / "new-*")
    remote = compared(f"{bucket}/p/old-*", f"{bucket}/p/new-*")
    mixed = compared(here / "old-0", f"{bucket}/p/new-1")
    with pytest.raises(RemoteError, match=r"no runs at .*/p match lost-\*"):
        compared(here / "old-0", f"{bucket}/p/lost-*")

    assert [side["outcome"] for side in remote] == [side["outcome"] for side in local]
    assert [len(side["runs"]) for side in remote] == [2, 2]
    assert [side["given"] for side in mixed] == [str(here / "old-0"), f"{bucket}/p/new-1"]


@pytest.mark.parametrize(
    ("address", "said"),
    [
        ("s3://no-such-bucket-here/runs", "there is no such bucket"),
        ("ftp://host/runs", "cannot keep runs at ftp://"),
        ("s3:///runs", "names no bucket"),
        ("s3://user:secret@bucket/runs", "holds credentials"),
    ],
)
def test_a_wrong_address_is_explained(bucket, tmp_path, address, said):
    record(tmp_path / "runs", rows=3).finish()

    done = runvitals("push", tmp_path / "runs", address, expect=2)

    assert said in done.stderr
    assert "secret" not in done.stderr
    assert "Traceback" not in done.stderr


def test_an_empty_prefix_is_said_to_be_empty(bucket):
    done = runvitals("check", bucket, expect=2)

    assert "no runs found at" in done.stderr


def test_a_killed_trainer_leaves_everything_there_and_reads_crashed(tmp_path, bucket):
    trainer = subprocess.Popen(
        [sys.executable, "-c", TRAINER, str(tmp_path / "runs"), bucket],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    folder = tmp_path / "runs" / "p" / "far"
    _wait(lambda: (folder / "shipping.json").exists())
    _wait(lambda: rv.open_run(folder).points.count > 500)
    os.kill(trainer.pid, signal.SIGKILL)
    trainer.wait()
    _wait(lambda: json.loads((folder / "shipping.json").read_text()).get("complete"))

    mirror = mirror_of(bucket)
    mirror.sync()

    theirs, ours = rv.open_run(mirror.folder), rv.open_run(folder)
    assert theirs.points.count == ours.points.count > 500
    assert (theirs.status, ours.status) == ("crashed", "crashed")


def test_a_killed_shipper_is_followed_by_a_push_that_doubles_nothing(tmp_path, bucket):
    trainer = subprocess.Popen(
        [sys.executable, "-c", TRAINER, str(tmp_path / "runs"), bucket],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    folder = tmp_path / "runs" / "p" / "far"
    _wait(lambda: (folder / "shipping.json").exists())
    os.kill(json.loads((folder / "shipping.json").read_text())["pid"], signal.SIGKILL)
    _wait(lambda: rv.open_run(folder).points.count > 500)
    trainer.kill()
    trainer.wait()

    _wait(lambda: not any(one.live for one in push(folder, bucket)))

    mirror = mirror_of(bucket)
    mirror.sync()
    assert rv.open_run(mirror.folder).points.count == rv.open_run(folder).points.count


def _wait(done, seconds=600.0):
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        try:
            if done():
                return
        except (rv.RunvitalsError, json.JSONDecodeError):
            pass
        time.sleep(0.1)
    raise AssertionError("waited too long")
