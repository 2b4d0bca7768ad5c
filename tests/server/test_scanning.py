"""Runs that come and go while the dashboard is open, on machines that are slow or busy."""

from __future__ import annotations

import os
import shutil
import threading
from pathlib import Path

import pytest

from runvitals.fleet.cache import RunCache
from runvitals.readers.discovery.discover import discover
from runvitals.server.work import scanner
from runvitals.server.work.judges import Judges
from runvitals.server.work.library import Library
from runvitals.view.places import place_of

from .conftest import log_training, until


@pytest.fixture
def patient(monkeypatch):
    """Never look by the clock: only when something says so."""
    monkeypatch.setattr(scanner, "MIN_PAUSE", 3600.0)
    monkeypatch.setattr(scanner, "MAX_PAUSE", 3600.0)


def names(site):
    return {row["name"] for row in site.get("/api/runs").json()["runs"]}


def test_a_new_run_is_noticed_without_waiting_for_the_next_look(patient, site, trained):
    trained("first")
    page = site()
    until(lambda: names(page) == {"first"})

    trained("second")

    until(lambda: names(page) == {"first", "second"})


def test_a_link_that_is_opened_before_the_first_look_waits_for_its_run(site, trained, monkeypatch):
    folder = trained("first")
    id = place_of(next(discover(folder)), folder.parent).id
    scan, asked = Library.scan, threading.Event()

    def slow_scan(self):
        assert asked.wait(600)
        scan(self)

    monkeypatch.setattr(Library, "scan", slow_scan)
    page = site()
    threading.Timer(0.3, asked.set).start()

    assert page.get(f"/api/runs/{id}").json()["name"] == "first"
    assert page.get("/api/runs/000000000000").status_code == 404


def test_a_run_that_is_deleted_disappears(patient, site, trained):
    trained("kept")
    folder = trained("deleted")
    page = site()
    until(lambda: names(page) == {"kept", "deleted"})

    shutil.rmtree(folder)

    until(lambda: names(page) == {"kept"})


def test_a_refresh_finds_what_nothing_told_of(patient, site, trained, monkeypatch):
    monkeypatch.setattr(scanner, "_changes", lambda roots, stop: ())  # as on a network disk
    trained("first")
    page = site()
    until(lambda: names(page) == {"first"})
    trained("second")

    page.get("/api/runs", params={"refresh": True})

    until(lambda: names(page) == {"first", "second"})


def test_live_points_are_told_of_while_a_look_takes_long(site, start, monkeypatch):
    stuck, go_on = threading.Event(), threading.Event()
    scan = Library.scan

    def slow_scan(self):
        if self._scanned.is_set():
            stuck.set()
            assert go_on.wait(600)
        scan(self)

    monkeypatch.setattr(Library, "scan", slow_scan)
    run = start(name="live", algorithm="PPO")
    log_training(run)
    run.flush()
    page = site()
    heard = threading.Event()
    hub = page.app.state.dashboard.hub
    monkeypatch.setattr(type(hub), "listeners", property(lambda _: 1))
    publish = hub.publish
    monkeypatch.setattr(
        hub,
        "publish",
        lambda event: (event and event.type == "points" and heard.set(), publish(event)),
    )
    try:
        [row] = until(lambda: page.get("/api/runs").json()["runs"])
        page.get(f"/api/runs/{row['id']}")
        assert stuck.wait(600)
        heard.clear()

        run.log({"outcome/return_mean": 1.0}, step=100_000)
        run.flush()

        assert heard.wait(600)
    finally:
        go_on.set()
        run.finish()


def test_a_slow_look_does_not_hide_runs_for_long():
    assert scanner.pause_after(worked=0.01, taken=120.0) == scanner.MAX_PAUSE
    assert scanner.pause_after(worked=0.2, taken=0.9) == pytest.approx(4.0)


def test_a_folder_that_is_not_there_is_not_a_problem(site, tmp_path):
    page = site(tmp_path / "later")

    told = until(lambda: not (now := page.get("/api/runs").json())["scanning"] and now)

    assert told["problems"] == []
    assert told["missing"] == [f"{tmp_path / 'later'} does not exist yet"]


def test_a_folder_that_appears_later_is_listened_to(patient, site, trained, tmp_path, monkeypatch):
    monkeypatch.setattr(scanner, "MIN_PAUSE", 0.2)
    made = trained("hidden")
    page = site(tmp_path / "later")
    until(lambda: page.get("/api/runs").json()["missing"])

    shutil.copytree(made, tmp_path / "later" / "hidden")

    until(lambda: names(page) == {"hidden"})


def test_a_run_was_updated_when_it_was_logged_and_not_when_its_files_were_copied(site, trained):
    folder = trained("copied")
    logged = folder.stat().st_mtime
    for file in folder.rglob("*"):
        os.utime(file, (2e9, 2e9))

    [row] = site().runs()

    assert row["updated"] == pytest.approx(logged, abs=3600)


def test_the_newest_runs_are_judged_first(trained):
    old, new = (place_of(next(discover(trained(name))), Path("/")) for name in ("old", "new"))
    order, both = [], threading.Event()

    def done(place, made):
        order.append(place)
        if len(order) == 2:
            both.set()

    judges = Judges(done, RunCache(None), workers=0)
    judges.ask(old, changed=1.0)
    judges.ask(new, changed=2.0)
    judges.start()

    assert both.wait(600)
    judges.stop()
    assert order == [new, old]


def test_a_process_that_was_killed_costs_one_run_and_the_next_one_gets_another(trained):
    place = place_of(next(discover(trained("only"))), Path("/"))
    made = []
    judges = Judges(lambda _, judged: made.append(judged), RunCache(None), workers=1)
    judges.start()
    try:
        for number in range(3):
            if number == 1:
                [process] = judges._processes.values()
                process.kill()
                process.wait()
            until(lambda: not judges.busy)
            judges.ask(place)
            until(lambda number=number: len(made) > number)
    finally:
        judges.stop()

    before, lost, after = (one.runs[0].row for one in made)
    assert "crashed" in lost.problem
    assert before.verdict == after.verdict != lost.verdict
    assert process.poll() is not None
    assert judges._processes == {}
