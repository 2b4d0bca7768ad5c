"""The page before the server: what is answered while the rest is still being put together."""

from __future__ import annotations

import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest
from starlette.testclient import TestClient

from runvitals.fleet.cache import RunCache
from runvitals.server.answers import FirstAnswers
from runvitals.server.app import app_over
from runvitals.server.early_page import EarlyPage
from runvitals.server.work.dashboard import Dashboard
from runvitals.server.work.shelf import FRESH

from .conftest import Site, until

TOKEN = "a-token-that-is-long"


@pytest.fixture
def doorway(tmp_path):
    """A server that is made only once it may be; gives a client and the permission."""
    may = threading.Event()

    def finish(first):
        may.wait()
        return app_over(first.dashboard, TOKEN)

    def begin():
        dashboard = Dashboard([tmp_path], RunCache(None), workers=0)
        dashboard.start()
        return FirstAnswers(dashboard)

    with TestClient(EarlyPage(begin, finish, TOKEN), base_url="http://localhost:6060") as client:
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


def test_the_first_questions_of_a_page_are_answered_without_the_rest(doorway, trained):
    client, may = doorway
    client.headers["Authorization"] = f"Bearer {TOKEN}"
    trained("calm")

    [row] = until(lambda: client.get("/api/runs").json()["runs"])
    charts = until(lambda: client.get(f"/api/runs/{row['id']}").json()["charts"])
    asked = f"/api/runs/{row['id']}/series?x=step&buckets=600&name={charts[0]['names'][0]['key']}"
    time.sleep(1.1 * FRESH)
    early = client.get(asked)
    may.set()

    assert early.content[:4] == b"RVS1"
    assert client.get("/api/about").json()["name"] == "runvitals"
    assert client.get(asked).content == early.content


@pytest.mark.parametrize(
    ("asked", "status"),
    [
        ("/api/runs?since=" + "x" * 65, 422),
        ("/api/runs/0123456789ab", 404),
        ("/api/runs/0123456789ab/series?name=loss&x=step&buckets=0", 422),
        ("/api/runs/0123456789ab/series?name=loss&x=step&buckets=9&from=nan", 422),
        ("/api/runs/nonsense", 422),
    ],
)
def test_what_is_asked_wrongly_waits_for_the_whole_server(doorway, asked, status):
    client, may = doorway
    client.headers["Authorization"] = f"Bearer {TOKEN}"

    with ThreadPoolExecutor() as pool:
        answer = pool.submit(client.get, asked)
        assert client.get("/api/runs").status_code == 200
        assert not answer.done()
        may.set()

        assert answer.result().status_code == status


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
