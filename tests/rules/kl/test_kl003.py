import numpy as np
import pytest
from tests.rules.policy.curves import ODD, around, learning, solved, stuck
from tests.rules.reward.curves import window_mean

from runvitals.testing import check, make_run


def run(kl, outcome, *, config=None, **more):
    series = {"policy/approx_kl": kl, "outcome/return_mean": outcome, **more}
    return make_run(series, every=10, algorithm="PPO", config=config)


def test_fires_when_nothing_moves_and_nothing_is_learned():
    [finding] = check(run(around(2e-7), stuck()), "KL003")

    assert finding.severity == "warning"
    assert "below 0.0001 in 75 of 75 updates" in finding.message
    assert (finding.span.first, finding.span.last) == (60, 800)


def test_a_two_hundredth_of_the_target_is_near_zero():
    [finding] = check(run(around(2e-5), stuck(), config={"target_kl": 0.02}), "KL003")

    assert finding.limit is not None
    assert finding.limit.from_run


def test_a_target_that_stops_every_update_is_named():
    [finding] = check(run(around(3e-4), stuck(), config={"target_kl": 1e-5}), "KL003")

    assert "target KL of 1e-05" in finding.message
    assert "raise target_kl" in finding.advice


@pytest.mark.parametrize(
    ("kl", "outcome"),
    [
        (around(5e-3), stuck()),
        ([*around(5e-3, 60), *around(1e-6, 20)], stuck()),
        (around(2e-7, 15), stuck(15)),
    ],
    ids=["healthy KL", "annealed to zero", "too short"],
)
def test_stays_silent(kl, outcome):
    assert check(run(kl, outcome), "KL003") == []


@pytest.mark.parametrize("outcome", [learning(), solved()], ids=["improves", "holds"])
def test_is_a_sign_while_the_outcome_does_well(outcome):
    [finding] = check(run(around(2e-7), outcome), "KL003")

    assert finding.severity == "notice"
    assert "is holding up so far" in finding.message


@pytest.mark.parametrize(
    ("kl", "outcome", "severities"),
    [
        (around(2e-5), stuck(), ["warning"]),
        (around(2e-6), learning(), ["notice"]),
        (around(5e-5), learning(), []),
        ([0.0] * 80, stuck(), ["notice"]),
        ([0.0] * 80, learning(), []),
    ],
    ids=["stuck", "tiny", "usual for tokens", "0 by construction", "and it learns"],
)
def test_updates_of_language_models_are_small(kl, outcome, severities):
    series = {"policy/kl_old": kl, "reward/mean": outcome, "length/response_mean": [100.0] * 80}

    found = check(make_run(series, algorithm="PPO"), "KL003")

    assert [one.severity for one in found] == severities


def test_one_update_per_batch_has_no_kl():
    config = {"n_epochs": 1}
    once = {"optim/updates_per_iteration": [1.0] * 80}

    assert check(run(around(1e-9), stuck(), config=config), "KL003") == []
    assert check(run(around(1e-9), stuck(), **once), "KL003") == []


def test_a_log_with_three_decimals_says_nothing():
    rounded = {"policy/loss": [0.012, -0.003] * 40, "value/loss": [1.234, 1.207] * 40}

    found = check(run([0.0] * 80, [float(round(x, 3)) for x in stuck()], **rounded), "KL003")

    assert found == []


@pytest.mark.parametrize("values", ODD.values(), ids=ODD)
def test_survives_odd_series(values):
    assert check(run(values, stuck(len(values))), "KL003") == []


def test_a_creeping_outcome_does_not_excuse_a_policy_that_hardly_moves():
    creeping = window_mean(np.linspace(22.0, 27.0, 80))
    several = {"optim/updates_per_iteration": [32.0] * 80}
    [finding] = check(run(around(1e-6), creeping, **several), "KL003")

    assert "hardly moved" in finding.message
    assert check(run(around(1e-3), creeping, **several), "KL003") == []
