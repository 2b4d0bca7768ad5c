"""The page before the server: what is answered while the rest is still being put together."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
from starlette.testclient import TestClient

from runvitals.fleet.cache import RunCache
from runvitals.server.app import app_over, create_app
from runvitals.server.early_page import EarlyPage
from runvitals.server.work.dashboard import Dashboard

from .conftest import Site, until

TOKEN = "a-token-that-is-long"


@pytest.fixture
def doorway(tmp_path):
    """A server that is made only once it may be; gives a client and the permission."""
    may = threading.Event()

    def make():
        may.wait()
        return create_app([tmp_path], TOKEN, workers=0)

    with TestClient(EarlyPage(make, TOKEN), base_url="http://localhost:6060") as client:
        yield client, may
        may.set()


def test_the_page_is_there_before_the_server_and_its_answers_come_later(doorway):
    client, may = doorway
    client.headers["Authorization"] = f"Bearer {TOKEN}"

    page = client.get("/runs/whatever")
    with ThreadPoolExecutor() as pool:
        asked = pool.submit(client.get, "/api/about")
        assert client.get("/").status_code == 200
        assert not asked.done()
        may.set()
        told = asked.result()

    assert page.headers["content-type"].startswith("text/html")
    assert "default-src 'self'" in page.headers["content-security-policy"]
    assert told.json()["name"] == "runvitals"
    assert client.get("/api/runs").json()["runs"] == []


def test_nobody_gets_in_early_without_the_token(doorway):
    client, _ = doorway

    assert client.get("/").status_code == 401
    assert client.get("/", headers={"Host": "evil.example"}).status_code == 403


def test_a_run_is_shown_before_it_is_judged(tmp_path, trained):
    trained("calm")
    dashboard = Dashboard([tmp_path], RunCache(None), workers=0, head_start=600.0)

    with Site(app_over(dashboard), base_url="http://localhost:6060") as site:
        [row] = until(lambda: site.get("/api/runs").json()["runs"])
        told = site.get(f"/api/runs/{row['id']}").json()

    assert told["judging"]
    assert told["charts"]
