import numpy as np
import pytest
from tests.rules.reward.curves import learning, odd_runs, stuck

from runvitals.testing import check, make_run

RATE = "optim/learning_rate"
N = 80


def run(rate=None, algorithm="PPO", outcome=None, config=None, **more):
    series = {"outcome/return_mean": stuck() if outcome is None else outcome}
    if rate is not None:
        series[RATE] = rate
    return make_run(series, algorithm=algorithm, config=config, **more)


@pytest.mark.parametrize("algorithm", ["PPO", "DQN", "GRPO", "SFT"])
def test_fires_on_a_logged_rate_that_no_network_bears(algorithm):
    [finding] = check(run([0.1] * N, algorithm), "LR002")

    assert finding.severity == "warning"
    assert finding.series == RATE
    assert finding.message.startswith("the learning rate is 0.1; up to ")


def test_fires_on_a_rate_in_the_settings():
    [finding] = check(run(config={"learning_rate": 0.3}), "LR002")

    assert "0.3" in finding.message


def test_a_run_that_does_well_shows_that_it_can_bear_it():
    assert check(run([0.05] * N, outcome=learning()), "LR002")[0].severity == "notice"
    assert check(run([0.5] * N, outcome=learning()), "LR002")[0].severity == "warning"


def test_a_small_script_may_hold_a_table_that_bears_any_rate():
    made = run([0.5] * N, "REINFORCE", outcome=learning())

    assert check(made, "LR002")[0].severity == "notice"


def test_the_hugging_face_trainer_trains_no_tables():
    loss = {"optim/loss": np.geomspace(3.75, 0.74, N), RATE: [0.29] * N}
    made = make_run(loss, algorithm=None)
    made.framework = "transformers"

    [finding] = check(made, "LR002")

    assert finding.severity == "warning"


@pytest.mark.parametrize("points", [3, 80])
def test_a_rate_of_exactly_zero_is_a_fact(points):
    [finding] = check(run([0.0] * points, outcome=stuck()[:points]), "LR002")

    assert finding.severity == "critical"
    assert f"at all {points} points" in finding.message


def test_a_zero_in_the_settings_counts_where_no_rate_was_logged():
    assert check(run(config={"learning_rate": 0.0}), "LR002")[0].severity == "critical"
    assert check(run([1e-4] * N, config={"learning_rate": 0.0}), "LR002") == []


def test_a_log_that_rounds_its_numbers_may_hide_a_small_rate():
    [finding] = check(run([0.0] * N, outcome=np.round(stuck(), 3)), "LR002")

    assert finding.severity == "notice"
    assert "rounds" in finding.message


@pytest.mark.parametrize(
    ("rate", "algorithm", "config"),
    [
        ([3e-4] * N, "PPO", None),
        ([0.01] * N, "DQN", None),
        ([0.1] * N, "Q-learning", None),
        ([0.1] * N, "PPO", {"optimizer": "SGD"}),
        ([1.0] * N, "SFT", {"optim": "prodigy"}),
        (np.linspace(1.0, 0.0, N), "PPO", None),
        (3e-4 * np.minimum(1.0, np.arange(N) / 40), "SFT", None),
        (None, "PPO", None),
        ([0.0] * 2, "PPO", None),
    ],
    ids=[
        "usual",
        "high",
        "a table",
        "SGD",
        "finds its own rate",
        "a factor",
        "warm-up",
        "unknown",
        "two points",
    ],
)
def test_stays_silent(rate, algorithm, config):
    assert check(run(rate, algorithm, config=config), "LR002") == []


def test_a_run_that_has_hardly_begun_may_still_wait_for_its_schedule():
    assert check(run([0.0] * 5, status="running", total_steps=1000), "LR002") == []


def test_survives_odd_values():
    for odd in odd_runs(RATE, "outcome/return_mean"):
        check(odd, "LR002")


def test_a_low_rate_says_nothing_of_a_run_that_may_well_learn():
    noise = np.random.default_rng(4).standard_normal(N)
    loss = np.linspace(0.628, 0.603, N) + 0.03 * noise
    run = make_run({"preference/loss": loss, RATE: np.full(N, 4e-8)}, algorithm="DPO")

    assert check(run, "LR002") == []


@pytest.mark.parametrize(("rate", "alarms"), [(1e-8, 1), (5e-7, 0)])
def test_a_rate_too_low_for_a_language_model_is_told_if_nothing_is_learned(rate, alarms):
    noise = np.random.default_rng(5).standard_normal(N)
    series = {"lm/loss": 2.5 + 0.01 * noise, RATE: np.full(N, rate)}

    assert len(check(make_run(series, algorithm="SFT"), "LR002")) == alarms


def test_the_trainer_uses_adam_unless_the_log_names_another_optimiser():
    noise = np.random.default_rng(5).standard_normal(N)
    series = {"optim/loss": 1.6 + 0.1 * noise, RATE: np.full(N, 0.3)}
    told, other = make_run(series), make_run(series, config={"optim": "sgd"})
    told.framework = other.framework = "transformers"

    assert check(told, "LR002")
    assert check(other, "LR002") == []


@pytest.mark.parametrize(("ends", "alarms"), [(0.1, 1), (0.4, 1), (0.7, 0), (1.0, 0)])
def test_a_schedule_that_ends_long_before_the_run_is_told(ends, alarms):
    rate = 3e-4 * np.maximum(0.0, 1.0 - np.linspace(0, 1, N) / ends)

    found = check(run(rate, outcome=learning()), "LR002")

    assert len(found) == alarms
    assert all("exactly 0 from step" in one.message for one in found)
