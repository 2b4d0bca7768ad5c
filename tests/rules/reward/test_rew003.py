import re

import numpy as np
import pytest
from tests.rules.reward.curves import (
    around,
    collapsing,
    learning,
    odd_runs,
    solved,
    stuck,
    wandering,
    window_mean,
    worsening,
)

from runvitals.testing import check, make_run

T = np.linspace(0, 1, 80)


def run(outcome, **other):
    series = {"outcome/return_mean": outcome, **{k.replace("__", "/"): v for k, v in other.items()}}
    return make_run(series, every=1000, algorithm="PPO")


def test_fires_and_says_when_and_how_much():
    [finding] = check(run(collapsing()), "REW003")

    assert finding.severity == "critical"
    assert 46_000 <= finding.span.first <= 54_000
    assert finding.span.last == 80_000
    assert re.match(r"outcome/return_mean lost \d+% of what it had gained by step", finding.message)


def test_says_what_entropy_and_clipping_did_before():
    entropy, clipped = np.where(T < 0.57, 0.6, 0.02), around(0.1)

    [finding] = check(
        run(collapsing(), policy__entropy=entropy, policy__clip_fraction=clipped), "REW003"
    )

    assert "policy/entropy dropped from 0.6 to 0.02" in finding.message
    assert "policy/clip_fraction did not spike" in finding.message


def test_warns_when_half_is_lost():
    outcome = np.interp(T, [0, 0.5, 0.7, 1], [20, 400, 220, 210]) + 3 * wandering()

    [finding] = check(run(outcome), "REW003")

    assert finding.severity == "warning"
    assert finding.message.startswith("outcome/return_mean fell back from 3")


def test_warns_when_a_third_is_lost_for_sure():
    outcome = np.interp(T, [0, 0.6, 0.8, 1], [20, 400, 285, 280]) + 3 * wandering()

    assert [finding.severity for finding in check(run(outcome), "REW003")] == ["warning"]


@pytest.mark.parametrize(
    "outcome",
    [
        learning(),
        solved(),
        stuck(),
        worsening(),
        window_mean(20 + 400 * np.minimum(1, 2 * T)),
        np.interp(T, [0, 0.15, 1], [-1000, -1400, -200]) + 20 * wandering(),
        np.interp(T, [0, 0.6, 1], [20, 400, 330]) + 3 * wandering(),
        [400.0, 10.0] * 5,
        np.append(learning(79), 0.0),
        [7.0] * 80,
    ],
    ids=[
        "rises",
        "holds",
        "stuck",
        "falls from the start",
        "window",
        "early dip",
        "less than a quarter lost",
        "too short",
        "one bad point at the end",
        "constant",
    ],
)
def test_raises_no_alarm(outcome):
    assert not any(f.is_alarm for f in check(run(outcome), "REW003"))


def test_noise_hardly_ever_crashes():
    alarms = [check(run(50 + 5 * wandering(seed=seed)), "REW003") for seed in range(60)]

    assert sum(bool(found) for found in alarms) <= 1


def test_survives_odd_values():
    for odd in odd_runs("outcome/return_mean", "policy/approx_kl", "policy/entropy"):
        check(odd, "REW003")
