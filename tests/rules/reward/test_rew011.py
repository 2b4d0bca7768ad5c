import numpy as np
import pytest
from tests.rules.reward.curves import (
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


def run(outcome, **about):
    return make_run({"outcome/return_mean": outcome}, every=1000, **{"algorithm": "PPO", **about})


def test_fires_on_a_fall_from_the_start():
    [finding] = check(run(worsening()), "REW011")

    assert finding.severity == "critical"
    assert finding.message.startswith("outcome/return_mean fell from 2")
    assert finding.message.endswith(": it is getting worse")
    assert (finding.span.first, finding.span.last) == (1000, 80_000)


def test_a_fall_has_to_be_a_tenth_of_the_size_however_certain():
    assert check(run(-1330 - 100 * T + 8 * wandering()), "REW011") == []
    assert check(run(-1330 - 300 * T + 8 * wandering()), "REW011")


def test_knows_the_mirror_image_of_a_task():
    flipped = -8.7 - 14 * np.exp(-8 * T) + 0.1 * wandering()

    [finding] = check(run(flipped, config={"env_id": "CartPole-v1"}), "REW011")

    assert finding.severity == "critical"
    assert "sign" in finding.message
    assert check(run(flipped), "REW011") == []


@pytest.mark.parametrize(
    "outcome",
    [
        learning(),
        solved(),
        stuck(),
        collapsing(),
        worsening(2),
        np.interp(T, [0, 0.15, 1], [-1000, -1400, -200]) + 20 * wandering(),
        np.interp(T, [0, 0.4, 1], [0.8, 0.6, 0.8]) + 0.02 * wandering(),
        100 - 3 * T + 2 * wandering(),
        [7.0] * 80,
    ],
    ids=[
        "rises",
        "holds",
        "stuck",
        "crash (REW003)",
        "too short",
        "early dip",
        "dip of a warm start",
        "drifts a little",
        "constant",
    ],
)
def test_stays_silent(outcome):
    assert check(run(outcome), "REW011") == []


def test_noise_hardly_ever_falls():
    noise = [check(run(50 + 5 * wandering(seed=seed)), "REW011") for seed in range(60)]
    windows = [check(run(window_mean(np.full(60, 20.0), seed=s)), "REW011") for s in range(40)]

    assert sum(map(bool, noise)) == 0
    assert sum(map(bool, windows)) <= 4


def test_waits_for_a_third_of_the_plan():
    assert check(run(worsening(), status="running", total_steps=1_000_000), "REW011") == []


def test_survives_odd_values():
    for odd in odd_runs("outcome/return_mean"):
        check(odd, "REW011")


def test_a_fall_at_once_that_is_made_good_is_none():
    recovered = np.r_[[22.0, 20.0, 14.0], np.linspace(9.0, 21.0, 77)]
    lucky = np.r_[[24.0, 21.0, 19.0], 20.0 + wandering(77)]

    assert check(run(recovered), "REW011") == []
    assert check(run(lucky), "REW011") == []
