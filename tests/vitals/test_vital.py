"""Whether a metric is in its range, and since when not."""

from __future__ import annotations

import math

import numpy as np
import pytest
from tests.vitals.test_ranges import logged

from runvitals.diagnosis.engine import judge_by_rules
from runvitals.testing import make_run
from runvitals.vitals import Vital, vitals_of


def vital(run, name: str) -> Vital:
    return next(one for one in vitals_of(run) if one.name == name)


def clip_fraction(values, **more) -> Vital:
    run = make_run({"policy/clip_fraction": values}, algorithm="PPO", every=100, **more)
    return vital(run, "policy/clip_fraction")


def test_it_tells_the_level_the_range_whose_it_is_and_since_when_it_is_left():
    found = clip_fraction([0.1] * 40 + [0.55] * 40)

    assert (found.level, found.low, found.high) == (0.55, None, 0.3)
    assert (found.side, found.out_of_range, found.since) == ("above", True, 4100)
    assert found.source == "Training Monitoring Guide"


def test_it_may_be_out_of_range_although_its_very_last_rows_are_not():
    found = clip_fraction([0.5] * 964 + [0.0] * 12)

    assert (found.out_of_range, found.since) == (True, 97_600)


@pytest.mark.parametrize(
    "values",
    [
        [0.1] * 40,
        [0.1] * 40 + [0.9] + [0.1] * 10,
        [0.1] * 40 + [0.9],
        [0.55] * 40 + [0.1] * 20,
        [0.28, 0.33, 0.27, 0.31] * 20,
        [0.55, 0.55],
        [math.nan] * 40,
        [],
    ],
    ids=[
        "inside", "one spike", "a last spike", "over", "about the edge", "too few", "all nan", "none"
    ],
)  # fmt: skip
def test_it_is_not_out_of_range_without_lasting_and_clear_evidence(values):
    run = make_run({"policy/clip_fraction": values, "policy/approx_kl": [0.01] * 9})

    assert [one.name for one in vitals_of(run) if one.out_of_range] == []


@pytest.mark.parametrize(
    ("values", "state"),
    [
        ([0.1, 0.31, 0.4, 0.2, 0.31] * 16, "borderline"),
        ([0.55, 0.55], "too early"),
        ([math.nan], "too early"),
    ],
    ids=["about the edge", "too few", "no level"],
)
def test_it_is_in_range_only_if_its_level_lies_there(values, state):
    assert clip_fraction(values).state == state


def test_a_vital_that_a_finding_alarms_about_is_not_in_range():
    run = make_run(
        {
            "outcome/return_mean": [20 + i % 3 for i in range(60)],
            "policy/approx_kl": [0.01] * 60,
            "value/explained_variance": [0.001 * (i % 3) for i in range(60)],
        },
        algorithm="PPO",
    )

    found = {one.name: one for one in vitals_of(run, judge_by_rules(run).findings)}

    critic = found["value/explained_variance"]
    assert (critic.side, critic.state, critic.alarm) == ("inside", "alarm", "VAL003")
    assert found["policy/approx_kl"].state == "in range"


def test_a_short_series_can_be_out_of_range_too():
    assert clip_fraction([0.5, 0.6, 0.55, 0.6]).since == 100


def test_a_metric_without_a_range_is_told_as_such():
    run = make_run({"outcome/return_mean": np.arange(30.0)})

    found = vital(run, "outcome/return_mean")

    assert (found.state, found.side, found.source) == ("no range", None, None)
    assert found.level == pytest.approx(27.0)


def test_what_counts_only_later_is_too_early_to_judge_in_the_first_half():
    series = {"Epoch/AvgReward": [0.3] * 20, "Epoch/RewardVariance": [0.001] * 20}
    early = logged(series, progress={"total_steps": 100})
    at_the_end = logged(series)

    assert vital(early, "Epoch/AvgReward").state == "too early"
    assert vital(at_the_end, "Epoch/AvgReward").state == "out of range"


def test_temperatures_during_a_pulse_do_not_count():
    pulses = np.arange(60) % 6 != 0
    series = {
        "current_temperature": np.where(pulses, 2.6, 1.0).tolist(),
        "temp_is_pulsing": pulses.astype(float).tolist(),
    }

    assert vital(logged(series), "current_temperature").side == "inside"
    series["temp_is_pulsing"] = [0.0] * 60
    assert vital(logged(series), "current_temperature").out_of_range


def test_numbers_are_in_the_unit_of_the_range_and_the_name_says_so():
    run = logged({"train/entropy_loss": [-1.0] * 20 + [-0.02] * 20, "train/approx_kl": [0.01] * 40})

    found = vital(run, "train/entropy_loss")

    assert found.level == pytest.approx(0.02)
    assert found.out_of_range
    assert found.shown_name == "policy/entropy (logged as train/entropy_loss)"
