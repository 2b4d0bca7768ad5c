import pytest
from tests.rules.policy.curves import ODD, around, creeping, learning, solved, stuck

import runvitals as rv
from runvitals.testing import check, make_run


def run(kl, outcome, *, config=None, **more):
    series = {"policy/approx_kl": kl, "outcome/return_mean": outcome, **more}
    return make_run(series, every=10, algorithm="PPO", config=config)


def test_fires_when_nothing_moves_and_nothing_is_learned():
    [finding] = check(run(around(2e-7), stuck()), "KL003")

    assert finding.severity == "warning"
    assert "KL below 0.0001 in 80 of 80" in finding.message
    assert (finding.span.first, finding.span.last) == (10, 800)


def test_a_target_that_stops_every_update_is_named():
    [finding] = check(run(around(3e-4), stuck(), config={"target_kl": 1e-5}), "KL003")

    assert finding.causes[0] == "target KL so small that it stops every update"
    assert "raise target_kl (this run: 1e-05)" in finding.advice


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
        (around(5e-4), learning(), []),
        ([0.0] * 80, stuck(), []),
        ([0.0] * 80, learning(), []),
    ],
    ids=["stuck", "tiny", "usual", "0 by construction", "and it learns"],
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


def test_a_small_gain_does_not_excuse_a_policy_that_hardly_moves():
    [finding] = check(run(around(1e-6), creeping()), "KL003")

    assert finding.severity == "warning"
    assert "a total distance of at most 0.0" in finding.message
    assert rv.judge(run(around(1e-6), creeping())).verdict.word == "not learning"


def test_a_policy_that_moves_or_gains_much_is_excused():
    assert check(run(around(1e-3), creeping()), "KL003") == []
    assert [one.severity for one in check(run(around(1e-6), learning()), "KL003")] == ["notice"]
