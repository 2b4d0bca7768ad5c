"""The page of one run."""

from __future__ import annotations

import os

import numpy as np

from .conftest import until


def test_charts_come_in_reading_order_with_the_essential_ones_marked(gallery):
    charts = gallery.run("calm")["charts"]

    sections = [chart["section"] for chart in charts]
    assert sections == ["outcome", "policy", "policy", "value", "speed", "other"]
    assert charts[0]["metric"] == "outcome/return_mean"
    assert {chart["key"] for chart in charts if chart["essential"]} >= {
        "outcome/return_mean",
        "policy/entropy",
        "policy/approx_kl",
        "value/loss",
    }
    assert not charts[-1]["essential"]


def test_a_chart_knows_what_it_shows(gallery):
    charts = {chart["key"]: chart for chart in gallery.run("calm")["charts"]}

    kl = charts["policy/approx_kl"]
    assert kl["meaning"]
    assert kl["unit"] == "nat"
    assert kl["band"]["high"] == 0.03
    assert "target_kl" in kl["band"]["source"]
    [name] = kl["names"]
    assert (name["points"], name["first_step"], name["last_step"]) == (60, 1000, 60_000)
    assert charts["my_number"]["metric"] is None


def test_shares_of_different_wholes_are_stacked_apart(site, start):
    run = start(name="taught", algorithm="PPO")
    run.log_actions([30, 10], 0, name="teacher")
    for i in range(20):
        run.log_actions([20 + i, 20], i)
    run.finish()

    charts = {chart["key"]: chart for chart in site().run("taught")["charts"]}

    shown = {
        key: {name["labels"]["action"]: name["last"] for name in charts[key]["names"]}
        for key in ("policy/action_share", "policy/action_share:teacher")
    }
    assert all(sum(shares.values()) == 1.0 and len(shares) == 2 for shares in shown.values())
    assert charts["policy/action_share"]["kind"] == "stacked"
    assert charts["policy/action_share:teacher"]["title"] == "Shares of actions: teacher"


def test_vitals_tell_level_range_and_whose_range_those_out_of_it_first(site, start):
    run = start(name="far", algorithm="PPO", config={"target_kl": 0.02})
    for i in range(60):
        run.log({"policy/approx_kl": 0.05, "policy/clip_fraction": 0.1}, step=i)
    run.finish()

    [worst, *others] = site().run("far")["vitals"]

    assert (worst["name"], worst["state"], worst["place"]) == (
        "policy/approx_kl",
        "out of range",
        "above",
    )
    assert (worst["high"], worst["since"], worst["all_along"]) == (0.02, 0, True)
    assert worst["source"] == "this run's target_kl 0.02"
    assert {one["state"] for one in others} == {"in range"}


def test_a_band_says_whose_it_is(site, start):
    run = start(name="clipped", algorithm="PPO", config={"clip_range": 0.2})
    for i in range(20):
        run.log({"policy/ratio_mean": 1.0, "policy/clip_fraction": 0.1}, step=i)
    run.finish()

    charts = {chart["key"]: chart for chart in site().run("clipped")["charts"]}

    band = charts["policy/ratio_mean"]["band"]
    assert (band["low"], band["high"]) == (0.8, 1.2)
    assert band["source"].endswith("(RL Metrics table)")


def test_what_to_watch_depends_on_the_algorithm(site, start):
    metrics = ("reward/mean", "policy/kl_ref", "length/response_mean", "policy/ratio_max")
    run = start(name="llm", algorithm="grpo")
    for i in range(20):
        run.log(dict.fromkeys(metrics, 1.0), step=i)
        run.log({f"time/step_s{{rank={rank}}}": 1.0 + rank for rank in range(3)}, step=i)
    run.finish()

    charts = {chart["key"]: chart for chart in site().run("llm")["charts"]}

    essential = {key for key, chart in charts.items() if chart["essential"]}
    assert essential == {"reward/mean", "policy/kl_ref", "length/response_mean", "time/step_s"}
    assert charts["time/step_s"]["kind"] == "spread"


def test_findings_point_at_their_charts(gallery):
    page = gallery.run("sick")

    found = {finding["code"]: i for i, finding in enumerate(page["findings"])}
    assert {"LR002", "DATA001"} <= found.keys()
    for finding, index in found.items():
        series = page["findings"][index]["series"]
        marked = [chart for chart in page["charts"] if index in chart["findings"]]
        of_the_whole_log = finding in ("DATA001", "DATA006")  # it speaks of no series
        at_its_chart = any(series == n["name"] for chart in marked for n in chart["names"])
        assert at_its_chart is not of_the_whole_log, finding
    assert page["verdict"]["grades"]
    assert page["not_checked"]


def test_losses_that_were_not_understood_are_named(site, start):
    run = start(name="odd")
    for i in range(20):
        run.log({"policy/entropy": 0.5, "zorp_frob_loss": 1.0 / (i + 1), "zorp": 1.0}, step=i)
    run.finish()

    assert site().run("odd")["not_understood"] == ["zorp_frob_loss"]


def test_a_run_can_be_opened_before_it_was_judged(site, trained):
    trained("calm")
    client = site(judging=False)
    [row] = until(lambda: client.get("/api/runs").json()["runs"])

    page = client.get(f"/api/runs/{row['id']}").json()

    assert row["verdict"] is None
    assert (row["name"], row["status"]) == ("calm", "finished")
    assert page["charts"]
    assert page["verdict"] is None
    assert page["judging"] is True


def test_ranks_that_differ_are_series_of_their_own(site, start, series):
    ours = start(name="many", id="many")
    other = start(name="many", id="many", rank=1, resume=True)
    for i in range(20):
        ours.log({"time/step_s": 1.0, "loss": 0.5}, step=i)
        other.log({"time/step_s": 2.0, "loss": 0.5}, step=i)
    other.finish()
    ours.finish()
    client = site()

    charts = {chart["key"]: chart for chart in client.run("many")["charts"]}
    keys = [name["key"] for name in charts["time/step_s"]["names"]]
    got = series(client, "many", *keys)

    assert charts["time/step_s"]["kind"] == "spread"
    assert [one["value"][0] for one in got.values()] == [1.0, 2.0]
    assert all(len(chart["names"]) == 1 for key, chart in charts.items() if "loss" in key)


def test_hostile_names_and_settings_arrive_as_they_are(site, start):
    evil = "<script>alert(1)</script>"
    run = start(
        name=evil,
        config={evil: evil, "big": 2**80, "nan": float("nan"), "deep": {"a": {"b": [1, {2}]}}},
        tags=[evil],
    )
    for i in range(5):
        run.log({evil: float(i), "../../etc/passwd": 1.0, "a@rank0": 2.0, "": 3.0}, step=i)
    run.log_samples({"prompt": evil, "completion": "\x00\u202e"}, step=1)
    run.finish()
    client = site()

    page = client.run(evil)
    answer = client.get(f"/api/runs/{page['id']}")

    assert answer.headers["content-type"] == "application/json"
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert page["full_config"]["big"] == str(2**80)
    assert page["full_config"]["nan"] == "nan"
    names = [name["key"] for chart in page["charts"] for name in chart["names"]]
    assert evil in names
    for name in names:
        got = client.get(f"/api/runs/{page['id']}/series", params={"name": name})
        assert got.status_code == 200


def test_a_path_that_is_no_text_is_shown_all_the_same(site, tmp_path):
    folder = tmp_path / os.fsdecode(b"bad\xff")
    folder.mkdir()
    lines = [f'{{"step": {i}, "loss": 1.0}}\n' for i in range(9)]
    (folder / "metrics.jsonl").write_text("".join(lines))
    client = site()

    [row] = client.runs()

    assert row["path"].startswith("bad?")
    assert client.get(f"/api/runs/{row['id']}").json()["points"] == 9


def test_values_that_no_number_can_hold_break_nothing(site, start, series):
    run = start(name="wild")
    for i, value in enumerate([1e308, -1e308, np.inf, -np.inf, np.nan, 1e39, 0.0]):
        run.log({"loss": value, "outcome/return_mean": value}, step=i)
    run.finish()
    client = site()

    page = client.run("wild")
    got = series(client, "wild", "loss")["loss"]

    [chart] = [c for c in page["charts"] if any(n["name"] == "loss" for n in c["names"])]
    assert chart["names"][0]["nonfinite"] == 3
    assert got["nonfinite"] == [2.0, 3.0, 4.0]
    assert np.isfinite(got["value"][[0, 1, 5, 6]]).all()
    assert np.isnan(got["value"][2:5]).all()


def test_an_unknown_run_is_not_found(site):
    client = site()

    assert client.get("/api/runs/0123456789ab").status_code == 404
    assert client.get("/api/runs/0123456789ab/series?name=a").status_code == 404
    assert client.get("/api/runs/nonsense").status_code == 422
