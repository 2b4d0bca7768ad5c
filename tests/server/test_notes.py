"""Notes about runs and saved views: kept beside the runs with `--write`, and by nobody else's page."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

import runvitals as rv
from runvitals.server.app import create_app

HOME = "http://localhost:6060"
QUIET = {"console": False, "tensorboard": False, "system": False, "judge": False}


@pytest.fixture
def runs(tmp_path: Path) -> Path:
    """One recorded run."""
    with rv.init("lab", "one", dir=tmp_path, tags=["first"], **QUIET) as run:
        run.log({"outcome/return_mean": 1.0}, step=0)
    return tmp_path


@pytest.fixture
def site(runs: Path) -> Iterator[TestClient]:
    """A server that may write."""
    with TestClient(create_app([runs], workers=0, write=True), base_url=HOME) as client:
        yield client


def row_of(site: TestClient) -> dict[str, Any]:
    """The only run of the list, once it was found."""
    while not (rows := site.get("/api/runs").json()["runs"]):
        pass
    return dict(rows[0])


def change(site: TestClient, path: str, content: object, **headers: str) -> int:
    """The answer's status when a page changes something."""
    word = site.get("/api/write").json()["token"] or ""
    told = {"Origin": HOME, "X-Runvitals-Token": word} | headers
    return site.put(path, json=content, headers=told).status_code


def contents(folder: Path) -> dict[str, str]:
    """Digests of all files but the notes."""
    return {
        str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in folder.rglob("*")
        if path.is_file() and path.name != ".runvitals.json"
    }


def test_notes_show_in_page_and_list_and_leave_the_log_alone(site: TestClient, runs: Path) -> None:
    before, id = contents(runs), row_of(site)["id"]
    told = {"star": True, "name": "the good one", "tags": ["kept"], "notes": "worked\nwell"}

    assert change(site, f"/api/runs/{id}/notes", told) == 200

    detail = site.get(f"/api/runs/{id}").json()
    assert detail["noted"]["notes"] == "worked\nwell"
    assert (detail["name"], detail["tags"]) == ("the good one", ["first", "kept", "starred"])
    assert row_of(site)["name"] == "the good one"
    assert contents(runs) == before
    [kept] = json.loads((runs / ".runvitals.json").read_text())["runs"].values()
    assert kept == told


def test_notes_outlive_the_server_and_can_be_taken_back(site: TestClient, runs: Path) -> None:
    id = row_of(site)["id"]
    change(site, f"/api/runs/{id}/notes", {"archived": True})

    with TestClient(create_app([runs], workers=0), base_url=HOME) as other:
        assert row_of(other)["tags"] == ["first", "archived"]
    change(site, f"/api/runs/{id}/notes", {})
    assert row_of(site)["tags"] == ["first"]


@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": "http://evil.example"},
        {"X-Runvitals-Token": "guessed"},
        {"X-Runvitals-Token": ""},
        {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "cors"},
    ],
)
def test_pages_of_other_sites_cannot_write(
    site: TestClient, runs: Path, headers: dict[str, str]
) -> None:
    id = row_of(site)["id"]

    assert change(site, f"/api/runs/{id}/notes", {"star": True}, **headers) == 403
    assert not (runs / ".runvitals.json").exists()


def test_who_does_not_say_where_it_comes_from_cannot_write(site: TestClient, runs: Path) -> None:
    word = site.get("/api/write").json()["token"]

    answer = site.put("/api/views?project=lab", json={}, headers={"X-Runvitals-Token": word})

    assert answer.status_code == 403
    assert not (runs / ".runvitals.json").exists()


def test_without_write_nothing_can_be_changed(runs: Path) -> None:
    with TestClient(create_app([runs], workers=0), base_url=HOME) as site:
        id = row_of(site)["id"]

        assert site.get("/api/write").json() == {"writable": False, "token": None}
        assert change(site, f"/api/runs/{id}/notes", {"star": True}) == 405
        assert not (runs / ".runvitals.json").exists()


def test_views_of_a_project_are_shared(site: TestClient) -> None:
    views = [{"name": "by time", "query": "x=time&size=l"}]

    assert change(site, "/api/views?project=lab", {"views": views}) == 200

    assert site.get("/api/views", params={"project": "lab"}).json() == {
        "views": views,
        "writable": True,
    }
    assert site.get("/api/views", params={"project": "other"}).json()["views"] == []


def test_too_much_is_refused(site: TestClient) -> None:
    id = row_of(site)["id"]

    assert change(site, f"/api/runs/{id}/notes", {"notes": "x" * 400_000}) == 413
    assert change(site, f"/api/runs/{id}/notes", {"notes": "x" * 60_000}) == 422
