import numpy as np
import pytest
from tests.rules.reward.curves import learning, odd_runs, solved, stuck

from runvitals.testing import check, make_run

N = 80
RNG = np.random.default_rng(0)


def run(training, evaluation, kind="return_mean", algorithm="PPO", **config):
    every = N // len(evaluation)
    held_out = {every * (i + 1): float(value) for i, value in enumerate(evaluation)}
    series = {f"outcome/{kind}": training, f"eval/{kind}": held_out}
    return make_run(series, algorithm=algorithm, config=config)


def test_fires_when_training_is_good_and_its_evaluation_is_not():
    [finding] = check(run(solved(), 20 + 5 * RNG.standard_normal(10)), "EVAL004")

    assert finding.severity == "warning"
    assert finding.series == "eval/return_mean"
    assert "lower, give or take" in finding.message
    assert finding.also == ("outcome/return_mean",)


def test_three_evaluations_are_enough_where_the_gap_is_large():
    assert check(run(solved(), [18.0, 22.0, 20.0]), "EVAL004")


def test_shares_are_compared_by_points():
    training = np.linspace(0.1, 0.9, N)

    [finding] = check(run(training, [0.1, 0.2, 0.15, 0.1] * 4, "success_rate"), "EVAL004")

    assert finding.severity == "warning"


@pytest.mark.parametrize(
    ("training", "evaluation"),
    [(solved(), np.linspace(5, 60, 10)), (-solved(), -9000 + np.linspace(0, 6000, 10))],
    ids=["another scale", "raw against normalised"],
)
def test_an_evaluation_that_rises_too_may_be_on_another_scale(training, evaluation):
    assert not any(f.is_alarm for f in check(run(training, evaluation), "EVAL004"))


def with_noise(seed, training, evaluation, sd=8.0):
    rng = np.random.default_rng(seed)
    many, few = np.linspace(0, 1, 200), np.linspace(0, 1, 20)
    held_out = {
        10 * (i + 1): float(v)
        for i, v in enumerate(evaluation(few) + sd / 2 * rng.standard_normal(20))
    }
    series = {
        "outcome/return_mean": training(many) + sd * rng.standard_normal(200),
        "eval/return_mean": held_out,
    }
    return make_run(series, algorithm="PPO")


@pytest.mark.parametrize(
    ("training", "evaluation", "severity"),
    [
        (lambda x: 20 + 180 * np.minimum(1, 2 * x), lambda x: 20 + 0 * x, "warning"),
        (lambda x: -1200 + 1000 * np.minimum(1, 2 * x), lambda x: -1200 + 0 * x, "warning"),
        (lambda x: 20 + 180 * np.minimum(1, 2 * x), lambda x: 0.3 * (20 + 180 * x), "notice"),
        (lambda x: 180 * np.minimum(1, 2 * x), lambda x: 0.3 * 180 * x, "notice"),
        (lambda x: 20 + 180 * np.minimum(1, 2 * x), lambda x: 20 + 170 * x**2, None),
        (lambda x: 20 + 180 * np.minimum(1, 2 * x), lambda x: 20 + 130 * x, None),
        (lambda x: 20 + 180 * np.minimum(1, 2 * x), lambda x: 20 + 230 * x, None),
    ],
    ids=["behind", "below 0", "a share", "from 0", "lags", "a little behind", "explores less"],
)
def test_alarms_if_the_evaluation_stays_where_it_began_while_training_rises(
    training, evaluation, severity
):
    right = 0
    for seed in range(20):
        found = check(with_noise(seed, training, evaluation), "EVAL004")
        right += [one.severity for one in found] == ([severity] if severity else [])

    assert right >= 18


def test_shares_are_always_on_one_scale():
    training = np.linspace(0.1, 0.9, N)

    [finding] = check(run(training, np.linspace(0.05, 0.25, 16), "success_rate"), "EVAL004")

    assert finding.severity == "warning"


def test_settings_may_say_that_rewards_are_rescaled():
    [finding] = check(run(solved(), [20.0, 21.0, 19.0, 20.0], normalize_reward=True), "EVAL004")

    assert finding.severity == "notice"


@pytest.mark.parametrize(
    ("training", "evaluation"),
    [
        (solved(), 460 + 20 * RNG.standard_normal(10)),
        (solved(), 380 + 60 * RNG.standard_normal(10)),
        (stuck(), [500.0] * 6),
        (solved(), [20.0, 25.0]),
        (solved(), [0.0, 900.0, 0.0, 450.0, 0.0, 900.0]),
        (stuck(), 20 + 5 * RNG.standard_normal(10)),
        (learning(), np.linspace(0, 350, 10)),
    ],
    ids=[
        "the same",
        "a little worse",
        "evaluation higher",
        "too few",
        "too noisy to tell",
        "both flat",
        "evaluation lags",
    ],
)
def test_stays_silent(training, evaluation):
    assert check(run(training, evaluation), "EVAL004") == []


def test_language_models_are_asked_harder_questions_on_purpose():
    training = np.linspace(0.1, 0.9, N)

    assert check(run(training, [0.1] * 8, "success_rate", "GRPO"), "EVAL004") == []


def by_heart(metric, held_out):
    training = np.minimum(1.0, np.linspace(0.5, 3.0, N)) - 0.01 * RNG.random(N)
    every = N // len(held_out)
    evaluation = {every * (i + 1): float(value) for i, value in enumerate(held_out)}
    return make_run({metric: training, f"eval/{metric}": evaluation}, algorithm="DPO")


@pytest.mark.parametrize(
    ("held_out", "alarms"),
    [([0.52, 0.48], 1), ([0.6, 0.62, 0.61, 0.6], 1), ([0.62, 0.66], 0), ([0.8, 0.82, 0.81], 0)],
    ids=["two by guessing", "far below", "two that may be chance", "a little below"],
)
def test_finds_pairs_that_are_known_by_heart(held_out, alarms):
    found = check(by_heart("preference/accuracy", held_out), "EVAL004")

    assert [one.severity for one in found] == ["warning"] * alarms


def test_survives_odd_values():
    for odd in odd_runs("outcome/return_mean", "eval/return_mean"):
        check(odd, "EVAL004")
