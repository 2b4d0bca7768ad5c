"""Tokens that open some projects only: the runs of other projects do not exist for them."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor

import pytest

from runvitals.model import ConfigError
from runvitals.server.scopes import TokenHolder, read_tokens, reading
from runvitals.server.work.hub import Hub
from runvitals.view.schemas.knowledge import LiveEvent

ALICE, ROOT = "alice-secret-1", "root-secret-22"
READERS = (TokenHolder("alice", ALICE, ("car*",)), TokenHolder("root", ROOT, ("*",)))
FILE = """
[readers.alice]
token_env = "ALICE_TOKEN"
projects = ["car*"]

[readers.root]
token = "root-secret-22"
projects = ["*"]
"""


def bearer(token):
    return {"Authorization": f"Bearer {token}"}


@pytest.fixture
def served(site, start):
    for project in ("cartpole", "secret"):
        run = start(project=project, name=f"run of {project}", id=f"{project}-1")
        run.log({"loss": 1.0}, step=0)
        run.finish()
    client = site(readers=READERS, judging=False)
    listed = client.get("/api/runs", headers=bearer(ROOT)).json()["runs"]
    return client, {run["project"]: run["id"] for run in listed}


def test_a_reader_sees_the_runs_of_its_projects_and_no_word_of_others(served):
    client, ids = served

    answer = client.get("/api/runs", headers=bearer(ALICE))

    assert set(ids) == {"cartpole", "secret"}
    assert [run["id"] for run in answer.json()["runs"]] == [ids["cartpole"]]
    assert "secret-1" not in answer.text
    assert client.get("/api/about", headers=bearer(ALICE)).json()["runs"] == 1


@pytest.mark.parametrize(
    "path",
    ["runs/{}", "runs/{}/series?name=loss", "runs/{}/events", "runs/{}/console", "compare?run={}"],
)
def test_every_way_to_a_run_is_closed_or_open_alike(served, path):
    client, ids = served
    mine, other = (path.format(ids[project]) for project in ("cartpole", "secret"))

    assert client.get(f"/api/{mine}", headers=bearer(ALICE)).status_code == 200
    assert client.get(f"/api/{other}", headers=bearer(ALICE)).status_code == 404
    assert client.get(f"/api/{other}", headers=bearer(ROOT)).status_code == 200


def test_a_comparison_with_a_run_of_another_project_is_refused(served):
    client, ids = served

    query = "&".join(f"run={id}" for id in ids.values())

    assert client.get(f"/api/compare?{query}", headers=bearer(ALICE)).status_code == 404


def test_what_one_reader_was_sent_is_not_taken_for_what_another_may_see(served):
    client, _ = served
    tag = client.get("/api/runs", headers=bearer(ROOT)).headers["etag"]

    answer = client.get("/api/runs", headers={**bearer(ALICE), "If-None-Match": tag})

    assert answer.status_code == 200
    assert len(answer.json()["runs"]) == 1


@pytest.mark.parametrize("headers", [{}, bearer("alice-secret-"), bearer("")])
def test_nobody_comes_in_without_a_whole_token(served, headers):
    assert served[0].get("/api/runs", headers=headers).status_code == 401


def test_a_browser_keeps_the_scope_of_its_link_in_a_cookie(served):
    client, ids = served
    client.get(f"/?token={ALICE}", headers={"Accept": "text/html"})

    listed = client.get("/api/runs").json()["runs"]

    assert [run["id"] for run in listed] == [ids["cartpole"]]


def test_behind_a_tls_proxy_the_cookie_never_travels_in_the_clear(served):
    headers = {"Accept": "text/html", "X-Forwarded-Proto": "https"}

    answer = served[0].get(f"/?token={ALICE}", headers=headers)

    assert "secure" in answer.headers["set-cookie"].lower()
    assert ALICE not in answer.headers["set-cookie"]


def test_tokens_come_from_a_file_or_the_environment_and_are_not_shown(tmp_path, monkeypatch):
    path = tmp_path / "tokens.toml"
    path.write_text(FILE)
    monkeypatch.setenv("ALICE_TOKEN", ALICE)

    readers = read_tokens(path)

    assert readers == READERS
    assert ALICE not in repr(readers)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[readers", "not valid TOML"),
        ("", "lists no readers"),
        ('[readers.a]\ntoken = "short"\nprojects = ["*"]', "at least 8 characters"),
        ('[readers.a]\ntoken = "long-enough-1"', "needs projects"),
        ('[readers.a]\ntoken_env = "NOT_SET"\nprojects = ["*"]', "NOT_SET is not set"),
        ('[readers.a]\nprojects = ["*"]', "either token or token_env"),
        ('[readers.a]\ntoken = "long-enough-1"\nproject = "x"', "unknown settings"),
    ],
)
def test_a_wrong_file_of_tokens_is_explained(tmp_path, text, said):
    path = tmp_path / "tokens.toml"
    path.write_text(text)

    with pytest.raises(ConfigError, match=said) as caught:
        read_tokens(path)

    assert "long-enough-1" not in str(caught.value)


def test_news_of_runs_of_other_projects_is_not_sent():
    async def told():
        hub = Hub()
        with reading(("car*",)):
            stream = hub.stream(lambda run: run == "mine")
            await anext(stream)
            for run in ("other", "mine"):
                hub.publish(LiveEvent(type="points", run=run))
            return await anext(stream)

    with ThreadPoolExecutor(1) as pool:  # tests in a browser leave a loop running in this thread
        assert b'"run":"mine"' in pool.submit(lambda: asyncio.run(told())).result()
