"""Who may read, and what: nobody gets at other files, other sites get nothing."""

from __future__ import annotations

import re
from urllib.parse import urljoin

import pytest

from runvitals.server.guard import is_loopback

TOKEN = "a secret"


@pytest.mark.parametrize("host", ["localhost:6060", "127.0.0.1", "[::1]:6060", "LOCALHOST"])
def test_this_machine_may_be_called_by_its_usual_names(site, host):
    assert site().get("/api/about", headers={"Host": host}).status_code == 200


@pytest.mark.parametrize(
    "host", ["evil.example", "localhost.evil.example", "127.0.0.1.evil.example", "a@localhost", ""]
)
def test_a_name_that_was_made_to_point_here_is_refused(site, host):
    answer = site().get("/api/about", headers={"Host": host})

    assert answer.status_code == 403
    assert "runvitals" not in answer.text


def test_the_given_host_may_be_used(site):
    client = site(hosts=["gpu7.lab"])

    assert client.get("/api/about", headers={"Host": "gpu7.lab:6060"}).status_code == 200
    assert client.get("/api/about", headers={"Host": "gpu8.lab:6060"}).status_code == 403


@pytest.mark.parametrize(
    "origin",
    ["http://evil.example", "null", "http://localhost:9999", "file://", "http://[", "https://x@y"],
)
def test_other_sites_get_nothing(site, origin):
    assert site().get("/api/runs", headers={"Origin": origin}).status_code == 403


def test_the_page_itself_may_ask(site):
    answer = site().get("/api/runs", headers={"Origin": "http://localhost:6060"})

    assert answer.status_code == 200
    assert "access-control-allow-origin" not in answer.headers


@pytest.mark.parametrize("where", ["cross-site", "same-site"])
def test_other_pages_cannot_make_it_a_part_of_theirs(site, where):
    client = site()
    part = {"Sec-Fetch-Site": where, "Sec-Fetch-Mode": "no-cors"}
    link = {"Sec-Fetch-Site": where, "Sec-Fetch-Mode": "navigate"}

    assert client.get("/api/runs", headers=part).status_code == 403
    assert client.get("/", headers=link).status_code == 200


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "PATCH", "OPTIONS"])
def test_nothing_can_be_written(site, method):
    answer = site().request(method, "/api/runs")

    assert answer.status_code == 405
    assert answer.headers["allow"] == "GET, HEAD"


@pytest.mark.parametrize("path", ["/", "/api/runs", "/runs/abc", "/api/nothing"])
def test_every_answer_forbids_scripts_from_elsewhere(site, path):
    headers = site().get(path).headers

    assert "default-src 'self'" in headers["content-security-policy"]
    assert "frame-ancestors 'none'" in headers["content-security-policy"]
    assert "script-src" not in headers["content-security-policy"]
    assert headers["x-content-type-options"] == "nosniff"


def test_the_page_says_how_to_build_it_or_is_there(site):
    answer = site().get("/")

    assert answer.status_code == 200
    assert answer.headers["content-type"].startswith("text/html")
    assert "npm run build" in answer.text or "<script" in answer.text


@pytest.mark.parametrize(
    "path",
    [
        "/../../../../etc/passwd",
        "/%2e%2e/%2e%2e/%2e%2e/etc/passwd",
        "/..%2f..%2f..%2fetc%2fpasswd",
        "/assets/..%2f..%2fapp.py",
        "/app.py",
        "//etc/passwd",
        "/api/runs/..%2f..%2f..%2fetc%2fpasswd",
        "/api/runs/%2fetc%2fpasswd/console",
        "/api/runs/../../etc/passwd",
        "/api/metrics/..%2f..%2fetc%2fpasswd",
        "/api/rules/..%2fregistry.py",
    ],
)
def test_no_other_file_can_be_read(site, tmp_path, path):
    (tmp_path / "secret.txt").write_text("root:x:0")

    answer = site().get(path)

    assert "root:" not in answer.text
    assert "from __future__" not in answer.text
    assert answer.status_code in (200, 404, 422)


def test_links_that_lead_out_of_the_folder_are_not_followed(site, tmp_path, trained):
    folder = trained("calm")
    outside = tmp_path.parent / f"{tmp_path.name}-outside.txt"
    outside.write_text("root:x:0")
    (folder / "training.log").unlink(missing_ok=True)
    (folder / "training.log").symlink_to(outside)
    client = site()

    told = client.get(f"/api/runs/{client.id_of('calm')}/console").json()

    assert told == {"source": None, "lines": [], "truncated": False}


def test_without_the_token_nothing_is_answered(site):
    client = site(token=TOKEN)

    for path in ("/", "/api/runs", "/api/events", "/api/openapi.json", "/?token=wrong"):
        answer = client.get(path)
        assert answer.status_code == 401, path
        assert TOKEN not in answer.text


def test_the_link_with_the_token_lets_a_browser_in(site):
    client = site(token=TOKEN)

    first = client.get("/?x=1&token=a%20secret")
    then = client.get("/api/runs")

    assert first.status_code == 200
    assert 'url=./?x=1"' in first.text
    assert "secret" not in first.text
    assert first.headers["cache-control"] == "no-store"
    assert first.headers["referrer-policy"] == "no-referrer"
    cookie = first.headers["set-cookie"].lower()
    assert "httponly" in cookie
    assert "samesite=strict" in cookie
    assert "secret" not in cookie
    assert then.status_code == 200
    assert "refresh" in client.get("/?token=a%20secret").text  # out of the address once more


@pytest.mark.parametrize("path", ["//evil.example/", "/\\evil.example", "//evil.example"])
def test_the_way_in_leads_to_nowhere_else(site, path):
    answer = site(token=TOKEN).get(f"http://localhost:6060{path}?token=a%20secret")

    target = re.search('content="1; url=([^"]*)"', answer.text)[1]
    assert target.startswith("./")
    assert urljoin("http://localhost:6060/", target).startswith("http://localhost:6060/")


def test_a_person_without_the_token_may_enter_it(site):
    client = site(token=TOKEN)

    answer = client.get("/", headers={"Accept": "text/html"})

    assert answer.status_code == 401
    assert '<input type="password" name="token"' in answer.text
    assert client.get("/api/entrance.js").headers["content-type"].startswith("text/javascript")


def test_a_cookie_is_no_token(site):
    client = site(token=TOKEN)
    client.get("/?token=a%20secret")
    [value] = client.cookies.values()

    other = site(token=TOKEN)

    assert other.get("/api/runs", headers={"Authorization": f"Bearer {value}"}).status_code == 401
    assert (
        other.get("/api/runs", headers={"Cookie": f"runvitals_00000000={value}"}).status_code == 401
    )


def test_programs_may_bring_the_token(site):
    client = site(token=TOKEN)

    assert client.get("/api/runs", headers={"Authorization": f"Bearer {TOKEN}"}).status_code == 200
    assert client.get("/api/runs", headers={"Authorization": "Bearer no"}).status_code == 401
    assert client.get("/api/runs", params={"token": TOKEN}).json()["runs"] == []


def test_a_person_may_open_the_reference_with_the_token(site):
    client = site(token=TOKEN)

    first = client.get("/api/docs", params={"token": TOKEN}, headers={"Accept": "text/html"})

    assert 'src="../api/entrance.js"' in first.text
    assert 'url=./docs"' in first.text
    assert client.get("/api/docs.css").status_code == 200


@pytest.mark.parametrize(
    ("host", "local"),
    [("127.0.0.1", True), ("::1", True), ("localhost", True), ("0.0.0.0", False), ("gpu7", False)],
)
def test_only_this_machine_needs_no_token(host, local):
    assert is_loopback(host) is local
