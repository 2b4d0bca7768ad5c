"""No route tells a reader of one project anything about another, whatever links and names there are.

The routes are those that the app has: a new one is asked too, or fails the test until it is described.
"""

from __future__ import annotations

import asyncio
import json
import os
import socket
from concurrent.futures import ThreadPoolExecutor

import pytest

import runvitals as rv
from runvitals.server.app import create_app
from runvitals.server.scopes import TokenHolder, reading
from runvitals.view.schemas.knowledge import LiveEvent

ALICE, ROOT = "alice-secret-1", "root-secret-22"
READERS = (TokenHolder("alice", ALICE, ("alpha",)), TokenHolder("root", ROOT, ("*",)))
HIDDEN = "hidden-from-alice"
STREAM = "/api/events"  # never ends: asked by itself below
# what a route needs besides the id of a run in its path
NEEDS = {
    "/api/runs/{id}/series": {"name": HIDDEN},
    "/api/runs/{id}/histograms": {"name": HIDDEN},
    "/api/runs/{id}/samples": {"search": "hidden"},
    "/api/compare": {"run": "{id}"},
    "/api/compare/series": {"run": "{id}", "metric": HIDDEN},
}
FILLED = {"id:path": "policy/approx_kl", "code": "KL001", "path:path": "index.html"}
FILLED["file"] = f"{0:020}.png"


def paths_of(routes):
    for route in routes:
        if hasattr(route, "path"):
            yield route.path
        else:
            yield from paths_of(route.original_router.routes)


def routes():
    app = create_app([], workers=0, metrics=True)
    return sorted(set(paths_of(app.routes)) - {STREAM})


def record(folder, name):
    quiet = {"console": False, "tensorboard": False, "system": False, "judge": False}
    with rv.init(folder=folder, name=name, config={"note": name}, **quiet) as run:
        for step in range(50):
            run.log({name: float(step)}, step=step)
            run.log_histogram(f"{name}-histogram", [1.0, 2.0, 3.0], step=step)
        run.log_samples([{"prompt": name, "reward": 1.0}], step=1)


def linked(folder, part, target):
    """A run whose part is a link into a run of another project."""
    record(folder, "mine")
    own = folder / part
    if own.is_dir():
        own.rename(folder / f"{part}-before")
    else:
        own.unlink(missing_ok=True)
    own.symlink_to(target / part)


@pytest.fixture
def index_of_others():
    """Where a server with the points of all projects would listen."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.setblocking(False)
        yield server


def referring(folder, name, **said):
    """A run that says its points are elsewhere: where its reader may not look."""
    record(folder, "mine")
    (folder / name).write_text(json.dumps(said, separators=(",", ":")))


@pytest.fixture
def served(site, tmp_path, index_of_others):
    record(tmp_path / "alpha" / "own", "mine")
    record(tmp_path / "gamma" / "run1", HIDDEN)
    record(tmp_path / "gamma" / "alpha" / "run9", HIDDEN)
    record(tmp_path / "in-root", HIDDEN)
    for part in ("points", "samples", "events", "run.json"):
        linked(tmp_path / "alpha" / f"linked-{part}", part, tmp_path / "gamma" / "run1")
    other = (tmp_path / "gamma" / "run1").as_uri()
    table = "points/rank0.parquet"
    url = f"{other}/{table}"
    referring(tmp_path / "alpha" / "table", table, format="runvitals-elsewhere/1", url=url, size=1)
    index = f"clickhouse://x:y@127.0.0.1:{index_of_others.getsockname()[1]}/db"
    said = {"url": index, "run": "gamma/run1", "version": 1}
    referring(
        tmp_path / "alpha" / "index", "points/index.json", format="runvitals-indexed/1", **said
    )
    (tmp_path / "alpha" / "whole-run").symlink_to(tmp_path / "gamma" / "run1")
    (tmp_path / "alpha" / "project").symlink_to(tmp_path / "gamma")
    client = site(readers=READERS, metrics=True)
    client.headers["Authorization"] = f"Bearer {ROOT}"
    client.runs()
    yield client, client.get("/api/runs").json()["runs"]
    client.headers["Authorization"] = f"Bearer {ROOT}"


def test_the_runs_of_the_scene_are_there_for_whoever_sees_everything(served):
    _, runs = served

    names = [run["name"] for run in runs]

    assert names.count(HIDDEN) >= 3
    assert len(runs) >= 8


def test_no_route_tells_of_other_projects(served):
    client, runs = served
    client.headers["Authorization"] = f"Bearer {ALICE}"
    asked = 0
    for route in routes():
        needed = NEEDS.get(route, {})
        for run in runs if "{id}" in route or "{id}" in needed.values() else runs[:1]:
            path = route.replace("{id}", run["id"])
            for name, value in FILLED.items():
                path = path.replace(f"{{{name}}}", value)
            assert "{" not in path, f"say in this test what {route} needs"
            query = {name: value.replace("{id}", run["id"]) for name, value in needed.items()}

            answer = client.get(path, params=query)

            assert answer.status_code != 422, f"say in this test what {route} needs"
            told = answer.content.replace(f"no series '{HIDDEN}'".encode(), b"")
            told = told.replace(f"no histogram '{HIDDEN}'".encode(), b"")
            told = told.replace(f"has '{HIDDEN}' over".encode(), b"")
            assert HIDDEN.encode() not in told, (route, run["path"])
            asked += 1
    assert asked > 60


def test_own_runs_are_open_and_others_are_not(served):
    client, runs = served
    client.headers["Authorization"] = f"Bearer {ALICE}"
    listed = {run["path"] for run in client.get("/api/runs").json()["runs"]}

    opened = {
        run["path"] for run in runs if client.get(f"/api/runs/{run['id']}").status_code == 200
    }

    assert "alpha/own" in opened <= listed
    assert not any(path.startswith(("gamma", "in-root", "alpha/project")) for path in listed)
    assert "alpha/whole-run" not in listed
    assert opened == {"alpha/own"}


def test_an_index_that_a_run_names_is_not_asked(served, index_of_others):
    _, runs = served
    named = next(run for run in runs if run["path"] == "alpha/index")

    assert "not part of a copy that you made" in named["problem"]
    with pytest.raises(BlockingIOError):
        index_of_others.accept()
    assert "CLICKHOUSE_PASSWORD" not in os.environ


def test_live_news_of_other_projects_is_not_sent(served):
    client, runs = served
    dashboard = client.app.state.dashboard
    own = next(run["id"] for run in runs if run["path"] == "alpha/own")

    async def told():
        with reading(("alpha",)):
            stream = dashboard.hub.stream(dashboard.may_read)
            await anext(stream)
            for run in sorted(runs, key=lambda run: run["id"] == own):  # the own one last
                dashboard.hub.publish(LiveEvent(type="points", run=run["id"]))
            sent = b""
            while own.encode() not in sent:
                sent += await anext(stream)
            return sent

    with ThreadPoolExecutor(1) as pool:  # tests in a browser leave a loop running in this thread
        sent = pool.submit(lambda: asyncio.run(told())).result()

    others = [run["id"] for run in runs if not run["path"].startswith("alpha/")]
    assert not any(id.encode() in sent for id in others)
