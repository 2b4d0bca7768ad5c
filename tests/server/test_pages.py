"""The built single-page app."""

from __future__ import annotations

import pytest
from starlette.requests import Request

from runvitals.server.pages import Pages


def ask(folder, path, **headers):
    sent = [(name.replace("_", "-").encode(), value.encode()) for name, value in headers.items()]
    return Pages(folder).answer(Request({"type": "http", "headers": sent}), path)


@pytest.fixture
def built(tmp_path):
    folder = tmp_path / "static"
    (folder / "assets").mkdir(parents=True)
    (folder / "index.html").write_text("<!doctype html>app")
    (folder / "assets" / "index-abc.js").write_text("code")
    (tmp_path / "secret.txt").write_text("secret")
    (folder / "link.txt").symlink_to(tmp_path / "secret.txt")
    return folder


def test_without_a_build_the_page_says_how_to_make_one(tmp_path):
    answer = ask(tmp_path / "nothing", "")

    assert b"npm run build" in answer.body
    assert b"/api/runs" in answer.body


@pytest.mark.parametrize("path", ["", "index.html", "runs/abc", "compare"])
def test_every_page_is_the_app(built, path):
    answer = ask(built, path)

    assert answer.body == b"<!doctype html>app"
    assert answer.headers["cache-control"] == "no-cache"
    assert ask(built, path, if_none_match=answer.headers["etag"]).status_code == 304


def test_files_with_a_hash_in_their_name_are_kept_for_good(built):
    answer = ask(built, "assets/index-abc.js")

    assert answer.body == b"code"
    assert "javascript" in answer.headers["content-type"]
    assert "immutable" in answer.headers["cache-control"]


@pytest.mark.parametrize(
    "path", ["../secret.txt", "assets/../../secret.txt", "link.txt", "/etc/passwd.txt", "no.js"]
)
def test_no_other_file_is_served(built, path):
    assert ask(built, path).status_code == 404


def test_what_the_build_has_compressed_is_sent_so(built):
    (built / "assets" / "index-abc.js.br").write_bytes(b"small")

    answer = ask(built, "assets/index-abc.js", accept_encoding="gzip, br")
    plain = ask(built, "assets/index-abc.js", accept_encoding="gzip")

    assert (answer.body, answer.headers["content-encoding"]) == (b"small", "br")
    assert "javascript" in answer.headers["content-type"]
    assert (plain.body, plain.headers.get("content-encoding")) == (b"code", None)
    assert answer.headers["vary"] == plain.headers["vary"] == "Accept-Encoding"
    assert ask(built, "assets/index-abc.js.br").status_code == 404
