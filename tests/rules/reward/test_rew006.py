import numpy as np
import pytest
from tests.rules.reward.curves import odd_runs, stuck, wandering

from runvitals.testing import check, make_run

T = np.linspace(0, 1, 80)
FALLS = 0.7 * np.exp(-2 * T) + 0.01 * wandering()
FLAT = 0.55 + 0.01 * wandering(seed=3)


def run(loss, accuracy, **about):
    series = {"preference/loss": loss, "eval/preference/accuracy": accuracy}
    return make_run(series, every=10, algorithm="DPO", **about)


def test_fires_when_the_held_out_accuracy_does_not_follow():
    [finding] = check(run(FALLS, FLAT), "REW006")

    assert finding.severity == "warning"
    assert finding.series == "eval/preference/accuracy"
    assert "while preference/loss fell" in finding.message


def test_a_score_of_what_the_model_writes_counts_even_if_pairs_are_learned():
    series = {"preference/loss": FALLS, "eval/preference/accuracy": 0.55 + 0.4 * T}
    still = dict(zip(range(4, 81, 4), FLAT[:20], strict=True))

    seen = make_run({**series, "eval/score_mean": still}, algorithm="DPO")

    assert [finding.series for finding in check(seen, "REW006")] == ["eval/score_mean"]


@pytest.mark.parametrize("loss", ["policy/loss_total", "value/loss"])
@pytest.mark.parametrize("algorithm", ["PPO", None])
def test_a_return_that_never_rises_does_not_follow_the_loss_either(loss, algorithm):
    seen = make_run({loss: FALLS, "outcome/return_mean": stuck()}, algorithm=algorithm)

    [finding] = check(seen, "REW006")

    assert finding.severity == "warning"
    assert finding.series == "outcome/return_mean"
    assert f"while {loss} fell" in finding.message


def test_a_loss_that_falls_while_the_return_rises_is_fine():
    seen = make_run({"policy/loss_total": FALLS, "outcome/return_mean": 20 + 400 * T})

    assert check(seen, "REW006") == []


@pytest.mark.parametrize(
    ("loss", "accuracy"),
    [
        (FALLS, 0.55 + 0.3 * T),
        (FALLS, np.full(80, 0.98)),
        (0.69 + 0.01 * wandering(), FLAT),
        (FALLS[:10], FLAT[:10]),
    ],
    ids=["follows", "at the ceiling", "loss flat", "too short"],
)
def test_stays_silent(loss, accuracy):
    assert check(run(loss, accuracy), "REW006") == []


def test_leaves_training_accuracy_alone():
    seen = make_run({"preference/loss": FALLS, "preference/accuracy": FLAT}, algorithm="DPO")

    assert check(seen, "REW006") == []


def test_survives_odd_values():
    for odd in odd_runs("preference/loss", "eval/preference/accuracy", algorithm="DPO"):
        check(odd, "REW006")


def test_a_score_of_one_has_nowhere_to_rise():
    seen = make_run(
        {"lm/loss": FALLS, "eval/score_mean": np.r_[0.996, np.ones(79)]}, algorithm="SFT"
    )

    assert check(seen, "REW006") == []
