"""Metrics as columns of the list: one outcome for all runs, and any other metric."""

from __future__ import annotations

import pytest

import runvitals as rv
from runvitals.render.judged import SPARK
from runvitals.view.run.figures import MAX_CURVES, MAX_METRICS

QUIET = {"console": False, "tensorboard": False, "system": False, "judge": False}


def record(folder, name, rows):
    with rv.init("lab", name, dir=folder, algorithm="ppo", **QUIET) as run:
        for step, values in enumerate(rows):
            run.log(values, step=step)


def column(client, metric, **more):
    told = client.get("/api/runs/columns", params={"metric": metric, **more}).json()
    return told, told["columns"][0]


def test_one_metric_of_all_runs_whatever_their_verdicts_rest_on(site, tmp_path):
    rising = [float(i) for i in range(100)]
    record(tmp_path, "return-only", [{"outcome/return_mean": v} for v in rising])
    both = [{"outcome/return_mean": 2 * v, "outcome/success_rate": v / 100} for v in rising]
    record(tmp_path, "both", both)
    client = site()
    rows = {row["name"]: row for row in client.runs()}

    _, found = column(client, "outcome/return_mean", curve="outcome/return_mean")
    told, rate = column(client, "outcome/success_rate", curve="outcome/return_mean")

    assert "outcome/return_mean" in rows["both"]["outcomes"]
    assert found["runs"].keys() == {row["id"] for row in rows.values()}
    assert rate["runs"].keys() == {rows["both"]["id"]}
    last, end, low, high = found["runs"][rows["both"]["id"]]
    assert (last, low, high) == (198.0, 0.0, 198.0)
    assert 150 < end <= 198
    assert len(told["curves"][rows["both"]["id"]]) == SPARK


def test_the_level_in_the_list_is_the_level_of_the_comparison_and_the_verdict(site, trained):
    trained("calm")
    client = site()
    [row] = client.runs()

    _, found = column(client, "outcome/return_mean")
    compared = client.get("/api/compare", params={"run": row["id"]}).json()["table"]
    level = next(one["values"][0] for one in compared if one["name"] == "outcome/return_mean")

    assert found["runs"][row["id"]][1] == pytest.approx(level, rel=1e-6)
    assert row["outcome"]["levels"]["now"] == pytest.approx(level, rel=1e-6)


def test_a_metric_is_found_under_the_name_it_was_logged_with(site, tmp_path):
    rows = "\n".join(f"{i * 2048},{i * 3.0}" for i in range(1, 40))
    (tmp_path / "progress.csv").write_text(f"time/total_timesteps,rollout/ep_rew_mean\n{rows}\n")
    client = site()
    [row] = client.runs()

    _, found = column(client, "rollout/ep_rew_mean")

    assert found["metric"] == "outcome/return_mean"
    assert found["direction"] == "higher"
    assert found["runs"][row["id"]][0] == 117.0


def test_only_what_has_changed_is_sent_again(site, tmp_path):
    record(tmp_path, "first", [{"my/number": 1.0}, {"my/number": 2.0}])
    client = site()
    client.runs()
    told, _ = column(client, "my/number")
    record(tmp_path, "second", [{"my/number": 5.0}, {"my/number": 6.0}])
    rows = {row["name"]: row["id"] for row in _grown(client)}

    news, found = column(client, "my/number", since=told["version"])

    assert not news["whole"]
    assert found["runs"].keys() == {rows["second"]}
    assert column(client, "my/number")[1]["runs"].keys() == set(rows.values())


def _grown(client):
    while len(rows := client.runs()) < 2:
        pass
    return rows


def test_the_metrics_to_choose_from_say_how_many_runs_have_them(site, tmp_path):
    record(tmp_path, "a", [{"my/number": 1.0, "policy/entropy": 1.0}] * 3)
    record(tmp_path, "b", [{"policy/entropy": 1.0}] * 3)
    client = site()
    client.runs()

    told = client.get("/api/runs/metrics").json()

    assert told["runs"] == 2
    counts = [(one["metric"], one["runs"]) for one in told["metrics"]]
    assert counts == [("policy/entropy", 2), ("my/number", 1)]


def test_a_run_with_very_many_metrics_keeps_a_bounded_number(site, tmp_path):
    many = {f"layer/{i}/norm": float(i) for i in range(MAX_METRICS + 50)}
    record(tmp_path, "wide", [{**many, "outcome/return_mean": 1.0}] * 3)
    client = site()
    client.runs()

    told = client.get("/api/runs/metrics").json()["metrics"]

    assert len(told) == MAX_METRICS
    assert sum(one["curve"] for one in told) == MAX_CURVES
    assert any(one["metric"] == "outcome/return_mean" and one["curve"] for one in told)


def test_metrics_without_a_finite_value_have_no_figures(site, tmp_path):
    record(tmp_path, "nan", [{"my/number": float("nan"), "policy/entropy": 1.0}] * 3)
    client = site()
    client.runs()

    assert column(client, "my/number")[1]["runs"] == {}
