"""Runs side by side."""

from __future__ import annotations

import numpy as np
import pytest

from runvitals.server.routes import compare as routes
from runvitals.view.compare.group_curves import group_curves
from runvitals.view.points.axis_series import AxisSeries


def ids(client, *names):
    return [client.id_of(name) for name in names]


def test_only_settings_that_differ_are_shown(gallery):
    told = gallery.get("/api/compare", params={"run": ids(gallery, "calm", "sick")}).json()

    settings = {one["key"]: one["values"] for one in told["config"]}
    assert settings["lr"] == [0.1, 0.9]
    assert "seed" not in settings
    assert "same" not in settings


def test_final_values_and_findings_stand_side_by_side(gallery):
    told = gallery.get("/api/compare", params={"run": ids(gallery, "calm", "sick")}).json()

    table = {one["name"]: one for one in told["table"]}
    calm, sick = table["outcome/return_mean"]["values"]
    assert calm > 280
    assert sick < 20
    assert told["table"][0]["name"] == "outcome/return_mean"
    assert told["metrics"][0] == "outcome/return_mean"
    assert any(first[0] is None and first[1] is not None for first in _firsts(told))
    assert [run["name"] for run in told["runs"]] == ["calm", "sick"]


def test_a_comparison_may_be_of_a_few_metrics_and_says_what_it_rests_on(gallery):
    runs = ids(gallery, "calm", "sick")

    told = gallery.get(
        "/api/compare", params={"run": runs, "metric": ["value/loss", "my_number"]}
    ).json()

    assert [one["name"] for one in told["table"]] == ["value/loss", "my_number"]
    assert told["metrics"] == ["value/loss", "my_number"]
    assert [run["points"] for run in told["runs"]] == [360, 360]
    assert all(run["updated"] for run in told["runs"])


def _firsts(told):
    return [finding["first_steps"] for finding in told["findings"]]


def test_seeds_make_a_group(gallery):
    runs = ids(gallery, "calm", "calm-1", "sick", "sick-1")

    told = gallery.get("/api/compare", params={"run": runs, "group_by": "lr"}).json()
    curves = gallery.get(
        "/api/compare/series",
        params={"run": runs, "group_by": "lr", "metric": "outcome/return_mean", "points": 50},
    ).json()

    assert [group["label"] for group in told["groups"]] == ["lr=0.1", "lr=0.9"]
    calm, sick = curves["groups"]
    assert len(calm["center"]) == len(curves["x"]) == 50
    assert calm["count"] == [2] * 50
    assert calm["center"][-1] > sick["center"][-1]


def test_a_band_covers_the_centre_and_needs_two_runs():
    rng = np.random.default_rng(0)

    def run(offset, last=100):
        x = np.arange(float(last))
        return AxisSeries(x, x + offset + rng.normal(size=last), np.empty(0, np.int64), None)

    groups = {"many": [(str(i), run(i)) for i in range(8)], "one": [("x", run(0, 50))]}

    for center in ("mean", "median"):
        many, one = group_curves("m", groups, points=40, center=center).groups
        assert all(
            low <= middle <= high
            for low, middle, high in zip(many.low, many.center, many.high, strict=True)
        )
        assert set(one.low) == {None}
        assert one.center[-1] is None
        assert one.count[0] == 1


def test_a_band_ends_where_a_run_ends():
    def run(value, last):
        return AxisSeries(np.arange(last), np.full(last, value), np.empty(0, np.int64), None)

    groups = {"g": [("a", run(1.0, 100)), ("b", run(2.0, 100)), ("c", run(9.0, 50))]}

    [group] = group_curves("m", groups, points=100, center="median").groups

    assert group.count[10] == 3
    assert group.count[90] == 2
    assert group.center[10] == 2.0
    assert [group.low[10], group.high[10]] == pytest.approx([1.2, 7.6])  # 10 to 90 %
    assert group.low[90] is None
    assert group.high[90] is None
    assert group.center[90] == 1.5


def test_all_runs_may_be_one_group(gallery):
    told = gallery.get(
        "/api/compare", params={"run": ids(gallery, "calm", "sick"), "group_by": "*"}
    ).json()

    assert [group["label"] for group in told["groups"]] == ["all runs"]


def test_what_cannot_be_compared_is_not_found(gallery):
    [run] = ids(gallery, "calm")

    assert gallery.get("/api/compare", params={"run": "0123456789ab"}).status_code == 404
    assert gallery.get("/api/compare").status_code == 422
    wanted = {"run": run, "metric": "nothing"}
    assert gallery.get("/api/compare/series", params=wanted).status_code == 404


def test_many_runs_are_compared_by_what_the_list_knows_of_them(gallery, monkeypatch):
    runs = ids(gallery, "calm", "calm-1", "sick", "sick-1")
    asked = {"run": runs, "group_by": "lr"}
    curve = {**asked, "metric": "outcome/return_mean", "points": 40}
    read = gallery.get("/api/compare", params=asked).json()
    drawn = gallery.get("/api/compare/series", params=curve).json()

    monkeypatch.setattr(routes, "MAX_READ", 3)
    monkeypatch.setattr(gallery.app.state.dashboard, "open_run", None)  # nothing is opened
    known = gallery.get("/api/compare", params=asked).json()
    kept = gallery.get("/api/compare/series", params=curve).json()
    lacking = gallery.get("/api/compare/series", params={**curve, "metric": "nobody/has_this"})

    assert lacking.status_code == 404
    assert known["config"] == read["config"]
    assert known["findings"] == read["findings"]
    assert [row["name"] for row in known["table"]] == [row["name"] for row in read["table"]]
    for mine, theirs in zip(known["table"], read["table"], strict=True):
        assert mine["values"] == pytest.approx(theirs["values"], rel=1e-6)
    for mine, theirs in zip(kept["groups"], drawn["groups"], strict=True):
        assert mine["label"] == theirs["label"]
        assert mine["center"] == pytest.approx(theirs["center"], abs=6)


def test_curves_of_a_stretch_have_as_many_points_there(gallery):
    asked = {"run": ids(gallery, "calm", "calm-1"), "metric": "outcome/return_mean"}

    told = gallery.get(
        "/api/compare/series", params={**asked, "group_by": "*", "from": 10_000, "to": 20_000}
    ).json()

    assert told["x"][0] == 10_000
    assert told["x"][-1] == 20_000
    assert len(told["x"]) == 200
    assert told["groups"][0]["count"] == [2] * 200


def test_siblings_are_seeds_or_differ_in_one_setting(site, trained):
    for seed in range(5):
        trained(f"run-{seed}", config={"lr": 0.1, "clip": 0.2, "n": 3, "g": 0.9, "seed": seed})
    trained("odd", config={"lr": 0.5, "clip": 0.2, "n": 3, "g": 0.9, "seed": 0})
    trained("far", config={"lr": 0.5, "clip": 0.9, "n": 3, "g": 0.9, "seed": 0})
    client = site()

    seeds = client.get(f"/api/runs/{client.id_of('run-0')}/siblings").json()
    odd = client.get(f"/api/runs/{client.id_of('odd')}/siblings").json()
    nobody = client.get("/api/runs/000000000000/siblings")

    assert {one["name"] for one in seeds["runs"]} == {f"run-{seed}" for seed in range(1, 5)}
    assert (seeds["differs"], seeds["alike"]) == (None, True)
    assert {one["name"] for one in odd["runs"]} == {f"run-{seed}" for seed in range(5)}
    assert (odd["differs"], odd["own"], odd["runs"][0]["value"]) == ("learning_rate", 0.5, 0.1)
    assert odd["runs"][0]["verdict"]["word"]
    assert nobody.status_code == 404


def test_a_run_far_behind_its_siblings_says_so_on_its_page_and_in_its_history(site, trained):
    for seed in range(5):
        config = {"lr": 0.1, "clip": 0.2, "n": 3, "g": 0.9, "seed": seed}
        trained(f"run-{seed}", config=config)
    trained("odd", config={"lr": 0.1, "clip": 0.9, "n": 3, "g": 0.9, "seed": 0}, sick=True)
    client = site()

    odd = client.get(f"/api/runs/{client.id_of('odd')}").json()
    usual = client.get(f"/api/runs/{client.id_of('run-0')}").json()
    history = client.get(f"/api/runs/{client.id_of('odd')}/events").text

    (found,) = [one for one in odd["findings"] if one["code"] == "SIB001"]
    assert "below its 5 siblings" in found["message"]
    assert "what differs: clip 0.9 against 0.2" in found["message"]
    assert found["metric"] == "outcome/return_mean"
    assert "SIB001" in usual["clear"]
    assert "SIB001" not in [one["code"] for one in usual["not_checked"]]
    assert "SIB001" in history
