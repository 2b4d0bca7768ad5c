from __future__ import annotations

import numpy as np

from runvitals.render.panel import panel
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

    names = [line.name for line in panel(run, "eval/return_mean")]

    assert names[:2] == ["eval/return_mean", "outcome/return_mean"]
    assert names[-1] == "throughput/env_steps_per_s"
    assert "obs/mean" not in names  # nobody looks at that first
    assert "system/cpu_percent" not in names


def test_few_rows_keep_the_head_of_each_group():
    run = make_run(SERIES, algorithm="PPO")

    names = [line.name for line in panel(run, "outcome/return_mean", rows=3)]

    assert len(names) == 3
    assert names[0] == "outcome/return_mean"


def test_each_line_has_its_range_and_its_place_in_it():
    run = make_run(SERIES, algorithm="PPO")
    lines = {line.name: line for line in panel(run)}

    kl, clip = lines["policy/approx_kl"], lines["policy/clip_fraction"]

    assert (kl.range, kl.vital.side) == ("<= 0.05", "inside")
    assert (clip.range, clip.vital.side) == ("<= 0.3", "above")
    assert lines["outcome/return_mean"].range == ""


def test_a_run_of_unknown_names_shows_them_as_they_are():
    run = make_run({"foo": [1.0, 2.0], "bar": [3.0, 4.0]})
    run.bind({})

    assert [(line.group, line.name) for line in panel(run)] == [("other", "foo"), ("other", "bar")]
