"""A real server, a run that another process writes meanwhile, and a page that listens."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import ExitStack

import httpx
import pytest
import uvicorn

from runvitals.server.app import create_app

from .conftest import until

TRAINING = """
import sys, time
import runvitals as rv

with rv.init(project="live", id="one", dir=sys.argv[1], console=False, tensorboard=False,
             system=False, algorithm="PPO") as run:
    for i in range(1, 2000):
        run.log({"outcome/return_mean": float(i), "policy/approx_kl": 0.01}, step=i)
        time.sleep(0.02)
"""


@pytest.fixture
def training(tmp_path) -> Iterator[subprocess.Popen[bytes]]:
    """A process that trains until it is killed."""
    (tmp_path / "train.py").write_text(TRAINING)
    runs = tmp_path / "runs"
    runs.mkdir()
    child = subprocess.Popen([sys.executable, str(tmp_path / "train.py"), str(runs)])
    yield child
    child.kill()
    child.wait()


@pytest.fixture
def served(tmp_path) -> Iterator[httpx.Client]:
    """A real uvicorn over the folder, with processes that judge."""
    listening = socket.create_server(("127.0.0.1", 0))
    app = create_app([tmp_path / "runs"], workers=1)
    config = uvicorn.Config(app, log_level="warning", timeout_graceful_shutdown=1)
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]})
    thread.start()
    url = f"http://127.0.0.1:{listening.getsockname()[1]}"
    with httpx.Client(base_url=url, timeout=600) as client:
        yield client
    server.should_exit = True
    thread.join(timeout=600)
    assert not thread.is_alive()


def only_run(client):
    return until(lambda: (client.get("/api/runs").json()["runs"] or [None])[0])


def events(lines):
    for line in lines:
        if line.startswith("data: "):
            yield json.loads(line.removeprefix("data: "))


def first(stream, kind):
    return next(event for event in stream if event["type"] == kind)


def test_new_points_and_verdicts_are_told_of(training, served):
    run = only_run(served)["id"]
    served.get(f"/api/runs/{run}")

    with served.stream("GET", "/api/events") as answer:
        assert answer.headers["content-type"].startswith("text/event-stream")
        told = events(answer.iter_lines())
        one, two = first(told, "points"), first(told, "points")
        judged = first(told, "findings")

    assert one["run"] == two["run"] == judged["run"] == run
    assert two["points"] > one["points"]
    assert two["last_step"] > one["last_step"]
    assert two["status"] == "running"
    assert served.get(f"/api/runs/{run}").json()["last_step"] >= two["last_step"]


def test_a_run_that_is_killed_is_shown_as_crashed(training, served):
    run = only_run(served)["id"]
    until(lambda: served.get(f"/api/runs/{run}").json()["points"] > 10)
    assert only_run(served)["status"] == "running"

    os.kill(training.pid, signal.SIGKILL)

    training.wait()
    until(lambda: only_run(served)["status"] == "crashed")
    until(lambda: served.get(f"/api/runs/{run}").json()["status"] == "crashed")


def test_series_grow_while_they_are_read(training, served):
    run = only_run(served)["id"]
    url = f"/api/runs/{run}/series"

    def length():
        got = served.get(url, params={"name": "policy/approx_kl"})
        return len(got.content) if got.status_code == 200 else 0

    before = until(length)

    assert until(lambda: length() > before)


def test_only_so_many_pages_may_listen(served, monkeypatch):
    monkeypatch.setattr("runvitals.server.routes.runs.MAX_PAGES", 2)

    with ExitStack() as open_pages:
        pages = [open_pages.enter_context(served.stream("GET", "/api/events")) for _ in range(2)]
        lines = [page.iter_lines() for page in pages]
        assert [next(line) for line in lines] == ["retry: 1000"] * 2
        third = served.get("/api/events")

    assert third.status_code == 503
    assert third.headers["retry-after"]


def test_an_open_stream_does_not_keep_the_server_from_ending(tmp_path):
    (tmp_path / "runs").mkdir()
    listening = socket.create_server(("127.0.0.1", 0))
    app = create_app([tmp_path / "runs"], workers=0)
    config = uvicorn.Config(app, log_level="critical", timeout_graceful_shutdown=1)
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]})
    thread.start()
    url = f"http://127.0.0.1:{listening.getsockname()[1]}/api/events"

    with httpx.stream("GET", url, timeout=600) as answer:
        next(answer.iter_lines())
        server.should_exit = True
        thread.join(timeout=600)

    assert not thread.is_alive()
