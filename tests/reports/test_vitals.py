from __future__ import annotations

import numpy as np
import pytest

from runvitals.reports.vitals import Healthy, healthy_range, vitals
from runvitals.testing import make_run

SERIES = {
    "throughput/env_steps_per_s": [100.0] * 30,
    "policy/approx_kl": [0.01] * 30,
    "policy/entropy": [0.6] * 30,
    "policy/clip_fraction": [0.9] * 30,
    "obs/mean": [0.0] * 30,
    "outcome/return_mean": np.arange(30.0),
    "eval/return_mean": np.arange(30.0),
    "system/cpu_percent": [5.0] * 30,
}


def test_the_outcome_of_the_verdict_comes_first_then_health_then_speed():
    run = make_run(SERIES, algorithm="PPO")

    names = [vital.name for vital in vitals(run, "eval/return_mean")]

    assert names[:2] == ["eval/return_mean", "outcome/return_mean"]
    assert names[-1] == "throughput/env_steps_per_s"
    assert "obs/mean" not in names  # nobody looks at that first
    assert "system/cpu_percent" not in names


def test_few_rows_keep_the_head_of_each_group():
    run = make_run(SERIES, algorithm="PPO")

    names = [vital.name for vital in vitals(run, "outcome/return_mean", rows=3)]

    assert len(names) == 3
    assert names[0] == "outcome/return_mean"


def test_the_runs_own_setting_is_its_band():
    run = make_run(SERIES, algorithm="PPO", config={"target_kl": 0.004})

    assert healthy_range(run, run["policy/approx_kl"]) == Healthy(None, 0.004)


def test_a_setting_with_a_limit_to_either_side_is_as_wide_as_it_says():
    run = make_run({"policy/ratio_mean": [1.0] * 9}, config={"clip_range": 0.1})

    assert healthy_range(run, run["policy/ratio_mean"]) == Healthy(0.9, 1.1)


@pytest.mark.parametrize("value", [0.0, -1.0, float("nan"), float("inf"), True])
def test_a_limit_that_is_switched_off_is_no_band_of_the_run(value):
    run = make_run(SERIES, algorithm="PPO", config={"target_kl": value})
    plain = make_run(SERIES, algorithm="PPO")

    assert healthy_range(run, run["policy/approx_kl"]) == healthy_range(
        plain, plain["policy/approx_kl"]
    )


def test_without_a_setting_all_bands_of_the_algorithm_hold():
    run = make_run(SERIES, algorithm="PPO")
    kl = next(vital for vital in vitals(run) if vital.name == "policy/approx_kl")
    clip = next(vital for vital in vitals(run) if vital.name == "policy/clip_fraction")

    assert (kl.place, clip.place) == ("inside", "above")


def test_a_run_of_unknown_names_shows_them_as_they_are():
    run = make_run({"foo": [1.0, 2.0], "bar": [3.0, 4.0]})
    run.bind({})

    assert [(vital.group, vital.name) for vital in vitals(run)] == [
        ("other", "foo"),
        ("other", "bar"),
    ]


def test_a_band_is_written_as_short_as_it_can_be():
    assert str(Healthy(None, 0.05)) == "<= 0.05"
    assert str(Healthy(0.8, None)) == ">= 0.8"
    assert str(Healthy(0.1, 0.3)) == "0.1 to 0.3"
