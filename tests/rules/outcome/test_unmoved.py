"""Small changes of an outcome that the updates of the policy are no cause of."""

import numpy as np
import pytest

from runvitals.rules.patient import Patient
from runvitals.testing import check, make_run

WANDERS = 220.0 + 8.0 * np.sin(np.arange(60) / 9.0) + np.linspace(0, 20, 60)
EPOCHS = {"n_epochs": 10}


@pytest.mark.parametrize(
    ("kl", "word"), [(1e-7, "not learning"), (0.01, "learning")], ids=["unmoved", "moved"]
)
def test_what_a_small_rise_is_worth_depends_on_whether_the_policy_moved(kl, word):
    series = {"outcome/return_mean": WANDERS, "policy/approx_kl": [kl] * 60}
    run = make_run(series, every=1024, algorithm="PPO", config=EPOCHS)

    health = Patient(run).health

    assert health.word == word, health.reason
    assert ("no update moved the policy" in health.reason) == (kl < 1e-6)
    assert bool(check(run, "REW005")) == (kl < 1e-6)


def test_a_large_rise_counts_whatever_the_kl_says():
    series = {"outcome/return_mean": np.linspace(20, 400, 60), "policy/approx_kl": [1e-7] * 60}
    run = make_run(series, every=1024, algorithm="PPO", config=EPOCHS)

    assert Patient(run).health.good


@pytest.mark.parametrize(
    ("entropy", "word"),
    [(0.689, "not learning"), (0.62, "learning")],
    ids=["still at random", "has made up its mind"],
)
def test_a_small_gain_of_a_policy_that_chooses_at_random_is_none(entropy, word):
    rng = np.random.default_rng(0)
    returns = np.linspace(20, 28, 28) + 0.3 * rng.normal(size=28)
    series = {
        "outcome/return_mean": returns,
        "policy/entropy": np.linspace(np.log(2), entropy, 28),
    }

    health = Patient(make_run(series, every=1024, algorithm="PPO")).health

    assert health.word == word, health.reason


def pairs(margin, **options):
    rows = len(margin)
    rng = np.random.default_rng(1)
    series = {
        "preference/margin": margin,
        "preference/loss": np.log(2.0) - margin / 2,
        "preference/accuracy": 0.9 + 0.03 * rng.standard_normal(rows),
    }
    return Patient(make_run(series, algorithm="DPO", **options)).health


def test_pairs_that_differ_by_next_to_nothing_are_not_learned_however_many_do():
    told = pairs(np.linspace(0, 5e-5, 20))

    assert told.word == "not learning"
    assert "no answer has become more or less likely" in told.reason


def test_margins_that_are_small_because_beta_is_are_no_sign_of_that():
    assert pairs(np.linspace(0, 8e-4, 20)).word == "not learning"
    assert pairs(np.linspace(0, 8e-4, 20), config={"beta": 0.01}).word != "not learning"
