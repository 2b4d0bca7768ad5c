"""Sweeps as the dashboard shows them."""

from __future__ import annotations

import pytest


@pytest.fixture
def swept(site, trained):
    for number in range(12):
        rate = (1e-4, 1e-3, 1e-1)[number % 3]
        trained(
            f"run{number}",
            sick=rate > 0.01,
            project="cart",
            config={"learning_rate": rate, "seed": number // 3},
        )
    client = site()
    client.runs()
    return client


def test_settings_runs_and_regions_of_a_project(swept):
    told = swept.get("/api/sweep", params={"project": "cart"}).json()

    assert told["metric"] == "outcome/return_mean"
    assert {one["key"]: one["choices"] for one in told["settings"]} == {
        "learning_rate": [0.0001, 0.001, 0.1],
        "seed": [0, 1, 2, 3],
    }
    worst = told["regions"][0]
    assert worst["condition"] == "learning_rate ≥ 0.1"
    assert worst["bounds"] == [{"key": "learning_rate", "low": 0.1, "high": None, "words": []}]
    assert (worst["failed"], len(worst["runs"])) == (4, 4)
    assert "KL001" in {one["code"] for one in worst["typical"]}
    assert sum(run["failed"] for run in told["runs"]) == 4


def test_a_sweep_may_be_of_some_runs_and_another_metric(swept):
    ids = [swept.id_of(f"run{number}") for number in range(6)]

    told = swept.get("/api/sweep", params={"run": ids, "outcome": "policy/entropy"}).json()

    assert {run["id"] for run in told["runs"]} == set(ids)
    assert all(0.5 < run["outcome"] < 0.7 for run in told["runs"])


def test_importance_is_asked_for_apart(swept):
    pytest.importorskip("sklearn")

    told = swept.get("/api/sweep/importance", params={"project": "cart"}).json()

    assert told["problem"] is None
    assert told["settings"][0]["key"] == "learning_rate"
    assert told["settings"][0]["clear"]


def test_nothing_is_known_of_other_projects(swept):
    assert swept.get("/api/sweep", params={"project": "nobody"}).status_code == 404
