import numpy as np
import pytest
from tests.rules.policy.curves import ODD, around, learning, stuck

from runvitals.testing import check, make_run


def run(penalty, score, *, config=None, metric="reward/kl_penalty_mean", **more):
    series = {
        metric: penalty,
        "reward/score_mean": score,
        "length/response_mean": [100.0] * len(score),
        **more,
    }
    return make_run(series, algorithm="PPO", config=config)


def test_fires_when_the_penalty_outweighs_the_score():
    [finding] = check(run(-around(6.0), stuck()), "KL006")

    assert finding.severity == "warning"
    assert "KL penalty of" in finding.message
    assert finding.also == ("reward/score_mean",)


def test_coefficient_times_kl_stands_in():
    found = check(
        run(
            around(30.0), stuck(), metric="policy/kl_ref_sequence", **{"policy/kl_coef": [0.5] * 80}
        ),
        "KL006",
    )

    assert len(found) == 1


def test_a_coefficient_that_strangles_is_named():
    [finding] = check(
        run(around(1e-4), stuck(), metric="policy/kl_ref", config={"init_kl_coef": 5.0}), "KL006"
    )

    assert "KL coefficient of 5" in finding.message


@pytest.mark.parametrize(
    ("penalty", "score"),
    [
        (-around(6.0), learning()),
        (-around(0.05), stuck()),
        (np.zeros(80), stuck()),
        (-around(6.0, 15), stuck(15)),
    ],
    ids=["improves", "small", "no penalty", "too short"],
)
def test_stays_silent(penalty, score):
    assert check(run(penalty, score), "KL006") == []


def test_a_wide_score_allows_a_large_penalty():
    wide = {"reward/score_std": [20.0] * 80}

    assert check(run(-around(6.0), stuck(), **wide), "KL006") == []


@pytest.mark.parametrize("values", ODD.values(), ids=ODD)
def test_survives_odd_series(values):
    assert check(run(values, stuck(len(values))), "KL006") == []


def test_a_controller_may_raise_its_coefficient():
    moved = {"policy/kl_coef": np.geomspace(0.2, 5.0, 80)}

    assert check(run(around(0.01), stuck(), metric="policy/approx_kl", **moved), "KL006") == []


def test_is_a_sign_while_the_outcome_does_well():
    [finding] = check(run(-around(300.0), learning()), "KL006")

    assert finding.severity == "notice"
    assert "is holding up so far" in finding.message


@pytest.mark.parametrize(("score", "severity"), [(learning(), "notice"), (stuck(), "warning")])
def test_a_term_that_owns_the_loss_is_told(score, severity):
    [finding] = check(
        run(around(2.0), score, metric="policy/kl_loss", **{"policy/loss": around(0.6)}), "KL006"
    )

    assert finding.severity == severity
    assert "in the loss" in finding.message


@pytest.mark.parametrize(("term", "loss"), [(0.05, 0.01), (0.3, 0.6)], ids=["small", "smaller"])
def test_a_term_that_is_small_beside_the_loss_is_fine(term, loss):
    beside = {"policy/loss": around(loss)}

    assert check(run(around(term), stuck(), metric="policy/kl_loss", **beside), "KL006") == []
