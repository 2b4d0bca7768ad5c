"""Of several outcomes, which one the word rests on."""

import numpy as np
import pytest

from runvitals.diagnosis.engine import judge_by_rules
from runvitals.rules.patient import Patient
from runvitals.testing import make_run

T = np.linspace(0, 1, 100)


def wobble(size: float, seed: int = 0) -> np.ndarray:
    return size * np.random.default_rng(seed).normal(size=len(T))


def word(algorithm: str = "PPO", **series: np.ndarray) -> str:
    logged = {name.replace("__", "/"): values for name, values in series.items()}
    return judge_by_rules(make_run(logged, algorithm=algorithm), since_when=False).verdict.word


def test_a_return_that_rises_outweighs_an_elo_that_wanders():
    elo = 1200 - 130 * T + wobble(5)

    assert word(outcome__return_mean=6 * T + wobble(0.5, 1), outcome__elo=elo) in (
        "learning",
        "learned",
    )


def test_an_elo_that_rises_outweighs_a_return_of_games_that_cancel_out():
    elo = 1200 + 300 * T + wobble(5)

    assert word(outcome__return_mean=wobble(0.3, 1), outcome__elo=elo) in ("learning", "learned")


def test_a_reward_that_rises_does_not_outweigh_a_flat_score_it_is_meant_for():
    found = word(outcome__score_mean=50 + wobble(1), outcome__return_mean=100 * T + wobble(3, 1))

    assert found == "not learning"


def test_a_return_that_falls_beside_a_success_that_holds_is_told():
    found = word(
        outcome__success_rate=0.89 + wobble(0.02), outcome__return_mean=7 - 3 * T + wobble(0.3, 1)
    )

    assert found == "not learning"


def test_a_held_out_loss_that_rises_is_overfitting_however_much_it_fell_before():
    held_out = 2.1 + 3.8 * np.exp(-30 * T) + 0.5 * np.maximum(T - 0.3, 0)
    seen = {"lm__loss": 1.2 + 4 * np.exp(-4 * T), "eval__lm__loss": held_out + wobble(0.01)}

    assert word("SFT", **seen) == "overfitting"


def test_one_last_value_beside_many_rows_is_no_outcome():
    run = make_run({"policy/loss": wobble(0.1), "optim/loss": {100: 0.3}})

    assert Patient(run).outcome is None


@pytest.mark.parametrize(
    "accuracy", [np.full(100, 0.72), 0.01 + wobble(0.001)], ids=["same", "low"]
)
def test_a_held_out_loss_that_falls_does_not_outweigh_an_accuracy_that_never_rises(accuracy):
    losses = {"optim/loss": 2 - T, "eval/loss": 2 - 0.8 * T}

    assert word("supervised", eval__supervised__accuracy=accuracy, **losses) == "overfitting"


def test_no_good_loss_is_praised_beside_a_held_out_one_that_leans_the_other_way():
    found = word("supervised", optim__loss=2 - T, eval__loss=np.array([1.0, 1.1, 1.0, 1.08]))

    assert found in ("cannot tell", "overfitting")


def test_a_lesser_reward_that_rises_does_not_speak_over_a_return_that_rather_falls():
    steps = np.arange(5)
    series = {
        "outcome/return_mean": np.array([-0.4, -3.2, -4.3, -2.3, -2.3]),
        "reward/mean": 22 + 4 * steps,
    }

    assert word(**series) == "cannot tell"


def test_four_scores_of_which_the_last_one_leaps_do_not_hide_a_held_out_loss_that_rather_rises():
    series = {
        "lm/loss": np.array([0.328, 0.269, 0.248, 0.237]),
        "eval/score_mean": np.array([0.0, 0.0, 0.18, 2.49]),
        "eval/loss": np.array([0.411, 0.440, 0.458, 0.447]),
    }

    assert word("SFT", **series) not in ("learning", "learned")
