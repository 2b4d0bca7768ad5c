"""`runvitals sweep`."""

from __future__ import annotations

import json

import numpy as np
import pytest

import runvitals as rv

QUIET = {"console": False, "tensorboard": False, "system": False, "judge": False}


@pytest.fixture
def swept(tmp_path):
    """Twelve runs over three learning rates; the highest collapses in the middle."""
    rng = np.random.default_rng(0)
    for number in range(12):
        rate = (1e-4, 1e-3, 1e-1)[number % 3]
        config = {"learning_rate": rate, "seed": number // 3, "clip_range": 0.2}
        with rv.init(
            "cart", f"run{number}", dir=tmp_path / "runs", algorithm="PPO", config=config, **QUIET
        ) as run:
            for i in range(60):
                level = 10.0 if rate > 0.01 and i > 30 else 5.0 * i
                run.log({"outcome/return_mean": level + rng.normal()}, step=1000 * i)
    return tmp_path / "runs"


def test_a_sweep_names_the_region_that_fails(runvitals, swept):
    shown = runvitals("sweep", "runs", "--workers", 1)

    assert shown.returncode == 0, shown.stderr
    assert "cart: 12 runs, " in shown.stdout
    assert "learning_rate ≥ 0.1" in shown.stdout
    assert "4 of 4" in shown.stdout
    assert "permutation" in shown.stdout


def test_json_has_the_same(runvitals, swept):
    shown = runvitals("sweep", "runs", "--workers", 1, "--format", "json")

    (found,) = json.loads(shown.stdout)
    assert found["metric"] == "outcome/return_mean"
    assert found["settings"]["learning_rate"] == [0.0001, 0.001, 0.1]
    worst = found["regions"][0]
    assert (worst["condition"], worst["failed"]) == ("learning_rate ≥ 0.1", 4)
    assert found["importance"][0]["setting"] == "learning_rate"
    assert len({run for region in found["regions"] for run in region["runs"]}) == 12


def test_a_folder_without_a_sweep_says_so(runvitals, swept):
    shown = runvitals("sweep", "runs", "--project", "nobody", "--workers", 1)

    assert shown.returncode == 0
    assert "no four runs of one project differ in a setting" in shown.stdout
