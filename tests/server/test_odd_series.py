"""Series that are empty, of one point, of no number, or go back in steps; runs with very many names."""

from __future__ import annotations

import json

import numpy as np
import pytest

import runvitals as rv
from runvitals.server.app import create_app

from .conftest import Site, decode

NAN, INF = float("nan"), float("inf")


@pytest.fixture(scope="module")
def odd(tmp_path_factory):
    """A site over runs that are not as they should be."""
    folder = tmp_path_factory.mktemp("odd")
    quiet = {"console": False, "tensorboard": False, "system": False, "judge": False}
    with rv.init(name="odd", id="odd", dir=folder, config={"lr": INF, "x": [NAN]}, **quiet) as run:
        for i in range(20):
            run.log({"never": [NAN, INF, -INF][i % 3], "outcome/return_mean": NAN}, step=i)
        run.log({"once": 7.0, "policy/approx_kl": 0.01}, step=5)
        run.log({"value/loss": INF}, step=0)
        run.summary["best"] = NAN
        run.progress(loss=-INF)
        run.log_samples({"prompt": "p", "reward": NAN, "scores": [INF, {"a": -INF}]}, step=1)
        run.log_histogram("bad", [NAN, INF, 1.0], step=1)
    with rv.init(name="empty", id="empty", dir=folder, **quiet):
        pass
    for first in (0, 10, 5):  # each life begins before the end of the one before
        with rv.init(name="resumed", id="resumed", dir=folder, resume=True, **quiet) as run:
            for step in range(first, first + 10):
                run.log({"loss": float(100 * first + step)}, step=step)
                run.log({"loss": float(100 * first + step)}, step=step)  # the same step twice
    with Site(create_app([folder], workers=0), base_url="http://localhost:6060") as site:
        site.runs()
        yield site


def strict(text):
    """JSON as a browser reads it: without NaN and Infinity."""

    def refuse(word):
        raise AssertionError(f"{word} is not JSON")

    return json.loads(text, parse_constant=refuse)


@pytest.mark.parametrize("name", ["odd", "empty", "resumed"])
def test_every_answer_is_json_that_a_browser_reads(odd, name):
    id = odd.id_of(name)
    page = strict(odd.get(f"/api/runs/{id}").text)

    for part in ("samples", "samples?sort=-reward", "console", "events"):
        strict(odd.get(f"/api/runs/{id}/{part}").text)
    for path in ("/api/runs", f"/api/compare?run={id}&run={odd.id_of('odd')}&group_by=lr"):
        strict(odd.get(path).text)
    for chart in page["charts"]:
        for one in chart["names"]:
            if chart["kind"] == "heatmap":
                strict(odd.get(f"/api/runs/{id}/histograms", params={"name": one["key"]}).text)
                continue
            asked = {"run": id, "metric": one["key"]}
            strict(odd.get("/api/compare/series", params=asked).text)
            body = odd.get(f"/api/runs/{id}/series", params={"name": one["key"]}).content
            strict(body[8 : 8 + int.from_bytes(body[4:8], "little")])


def test_a_series_of_no_numbers_is_all_gaps(odd):
    got = ask(odd, "odd", "never")

    assert np.isnan(got["value"]).all()
    assert len(got["nonfinite"]) == got["count"] == 20
    bucketed = ask(odd, "odd", "never", buckets=3)
    assert np.isnan(bucketed["low"]).all()
    assert np.isnan(bucketed["mean"]).all()


def test_a_series_of_one_point_is_that_point(odd):
    for axis in ("step", "time", "relative"):
        got = ask(odd, "odd", "once", x=axis)
        assert got["value"].tolist() == [7.0]
        assert got["x_min"] == got["x_max"] == got["x"][0]


def test_a_run_without_points_has_a_page(odd):
    page = odd.run("empty")

    assert page["charts"] == []
    assert page["points"] == 0
    assert page["lives"] == []
    assert page["outcome"] is None


def test_steps_that_were_logged_anew_count_once_and_rise(odd):
    got = ask(odd, "resumed", "loss")

    assert np.all(np.diff(got["x"]) >= 0)
    assert got["x"].tolist() == sorted(got["x"].tolist())
    assert set(got["value"][got["x"] == 7].tolist()) == {507.0}  # of the last life
    assert [life["first_step"] for life in odd.run("resumed")["lives"]] == [0, 10, 5]
    narrow = ask(odd, "resumed", "loss", buckets=4, **{"from": 3, "to": 12})
    assert np.all(narrow["low"] <= narrow["high"])


def ask(site, run, name, **query):
    got = site.get(f"/api/runs/{site.id_of(run)}/series", params={"name": name, **query})
    return decode(got.content)[name]


def test_a_run_of_ten_thousand_names_has_a_page_of_bearable_size(site, start):
    letters = "abcdefghij"
    spelled = ["".join(letters[int(digit)] for digit in f"{i:04}") for i in range(9_000)]
    run = start(name="wide")
    for step in range(2):
        run.log(dict.fromkeys((f"net/{word}" for word in spelled), 1.0), step=step)
        run.log({f"unit_{i}": 1.0 for i in range(1_000)}, step=step)
    run.finish()
    client = site(judging=False)
    [row] = [row for row in client.runs_so_far() if row["name"] == "wide"]

    with client.stream("GET", f"/api/runs/{row['id']}") as answer:
        sent = sum(len(piece) for piece in answer.iter_raw())
    page = client.get(f"/api/runs/{row['id']}").json()

    assert page["series"] == 10_000
    assert len(page["charts"]) == 9_004  # the units are one family, in charts of 256 at most
    assert len(client.get(f"/api/runs/{row['id']}").content) < 5_000_000
    assert sent < 300_000
