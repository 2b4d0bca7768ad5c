"""What holds for every answer: encodings, tags, HEAD, paths that are not there."""

from __future__ import annotations

import gzip

import brotli
import pytest

PATHS = [
    "/",
    "/api/runs",
    "/api/runs/{run}",
    "/api/runs/{run}/series?name=my_number&buckets=5000",
    "/api/runs/{run}/samples",
    "/api/runs/{run}/console",
    "/api/runs/{run}/events",
    "/api/compare?run={run}",
    "/api/compare/series?run={run}&metric=value/loss",
    "/api/metrics",
    "/api/metrics/policy/entropy",
    "/api/rules",
    "/api/rules/KL001",
    "/api/about",
    "/api/openapi.json",
    "/api/docs",
    "/api/docs.css",
]


@pytest.fixture(scope="module")
def served(gallery):
    """A site with one run, and the paths of all that can be asked of it."""
    run = gallery.id_of("calm")
    return gallery, [path.format(run=run) for path in PATHS]


def raw(client, path, **headers):
    sent = {name.replace("_", "-"): value for name, value in headers.items()}
    with client.stream("GET", path, headers=sent) as answer:
        return answer, b"".join(answer.iter_raw())


def test_long_answers_come_compressed_as_the_browser_likes(served):
    client, paths = served

    for path in paths:
        _, plain = raw(client, path, accept_encoding="identity")
        squeezed, body = raw(client, path, accept_encoding="gzip, deflate, br")
        zipped, gzipped = raw(client, path, accept_encoding="gzip")
        if len(plain) >= 1_000:
            assert (squeezed.headers["content-encoding"], len(body) < len(plain)) == ("br", True)
            assert zipped.headers["content-encoding"] == "gzip"
            body, gzipped = brotli.decompress(body), gzip.decompress(gzipped)
        else:
            assert "content-encoding" not in squeezed.headers
        if "age_seconds" not in plain.decode("latin-1"):
            assert body == gzipped == plain, path
        assert squeezed.headers["vary"] == zipped.headers["vary"] == "Accept-Encoding", path


@pytest.mark.parametrize("encoding", ["br", "gzip", "identity"])
def test_what_a_page_has_is_not_sent_again_whatever_its_encoding(served, encoding):
    client, paths = served

    for path in paths:
        first, _ = raw(client, path, accept_encoding="gzip")
        tag = first.headers.get("etag")
        if tag is None:
            assert path == "/"  # not built
            continue
        again, body = raw(client, path, accept_encoding=encoding, if_none_match=f'"other", {tag}')
        assert (again.status_code, body) == (304, b""), path
        assert again.headers["etag"] == tag
        assert again.headers["vary"] == "Accept-Encoding"
        assert "content-encoding" not in again.headers


def test_head_is_answered_like_get_without_the_content(served):
    client, paths = served

    for path in [*paths, "/api/nothing", "/api/runs/zzz"]:
        full, head = client.get(path), client.head(path)
        assert head.status_code == full.status_code, path
        assert head.content == b""
        for name in ("content-type", "content-encoding", "etag", "cache-control"):
            assert head.headers.get(name) == full.headers.get(name), (path, name)


def test_head_of_a_stream_ends(served):
    client, _ = served

    answer = client.head("/api/events")

    assert answer.status_code == 200
    assert answer.headers["content-type"].startswith("text/event-stream")


@pytest.mark.parametrize(
    "path", ["/api", "/api/", "/api/nothing", "/api/runs/", "/api/run", "/api/x/y"]
)
def test_what_is_no_endpoint_is_said_in_json(served, path):
    client, _ = served

    answer = client.get(path, headers={"Accept": "text/html"})

    assert answer.status_code == 404
    assert answer.json()["detail"]
