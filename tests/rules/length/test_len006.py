import numpy as np
import pytest

from runvitals.testing import check, make_run

RNG, OTHER = np.random.default_rng(0), np.random.default_rng(1)


def run(length, task="CartPole-v1", reward=None):
    reward = length if reward is None else reward
    series = {"outcome/episode_length_mean": length, "outcome/return_mean": reward}
    return make_run(series, algorithm="PPO", config={"env_id": task})


def test_fires_on_a_time_limit_far_below_the_task():
    [finding] = check(run([12.0, 15.0, 18.0] + [20.0] * 50), "LEN006")

    assert finding.severity == "warning"
    assert finding.message == "every episode ends after exactly 20 steps; the task allows 500"


def test_fires_when_episodes_end_at_once():
    length = [60.0] * 15 + [2.0] * 40

    [finding] = check(run(length, "own"), "LEN006")

    assert finding.severity == "warning"


RISING = np.linspace(0.0, 50.0, 80) + RNG.standard_normal(80)
FLAT = 5 + RNG.standard_normal(80)


def jump(before, after):
    return np.concatenate([before + RNG.standard_normal(40), after + RNG.standard_normal(40)])


@pytest.mark.parametrize(
    ("after", "reward", "severity"),
    [(300, FLAT, "warning"), (9, FLAT, "warning"), (300, RISING, "notice")],
    ids=["longer, and the return is flat", "shorter", "the return rises"],
)
def test_a_jump_is_as_loud_as_its_harm(after, reward, severity):
    [finding] = check(run(jump(20, after), "own", reward), "LEN006")

    assert finding.severity == severity
    assert finding.message.startswith("episode length jumped from ")
    assert 36 <= finding.span.first <= 46


def test_a_slow_change_beside_a_rising_return_is_no_jump():
    grows = np.concatenate([np.full(30, 20.0), np.linspace(20, 200, 20), np.full(30, 200.0)])

    assert check(run(grows + RNG.standard_normal(80), "own", RISING), "LEN006") == []


def test_episodes_that_get_shorter_by_and_by_do_not_jump_whatever_the_return_does():
    shrinks = 12 + 35 * np.exp(-np.arange(80) / 15) + OTHER.standard_normal(80) / 2

    assert check(run(shrinks, "own", FLAT), "LEN006") == []


@pytest.mark.parametrize(
    ("length", "task"),
    [
        (np.linspace(20, 480, 60) + 10 * RNG.standard_normal(60), "CartPole-v1"),
        (list(np.linspace(20, 500, 30)) + [500.0] * 40, "CartPole-v1"),
        ([200.0] * 60, "Pendulum-v1"),
        ([20.0] * 60, "own"),
        ([0.0] * 60, "CartPole-v1"),
        ([20.0] * 8, "CartPole-v1"),
        ([np.nan] * 60, "CartPole-v1"),
    ],
    ids=["learning", "solved", "fixed length", "unknown task", "bandit", "too short", "all nan"],
)
def test_stays_silent(length, task):
    assert check(run(length, task), "LEN006") == []


@pytest.mark.parametrize("points", [3, 60])
def test_episodes_of_one_step_are_a_fact(points):
    reward = 0.05 + 0.05 * OTHER.standard_normal(points)

    [finding] = check(run([1.0] * points, "own", reward), "LEN006")

    assert finding.severity == "warning"
    assert finding.message == "episodes end after 1 step throughout"


def test_episodes_may_end_at_once_from_some_step_on():
    [finding] = check(run([40.0] * 10 + [1.1] * 40, "own"), "LEN006")

    assert finding.severity == "warning"
    assert "from step 11 on" in finding.message


def test_an_outcome_that_rises_is_no_excuse_for_episodes_of_one_step():
    [finding] = check(run([1.0] * 80, "own", RISING), "LEN006")

    assert finding.severity == "warning"


def test_bandits_have_episodes_of_one_step():
    reward = 0.5 + 0.1 * OTHER.standard_normal(60)
    seen = run([1.0] * 60, "MultiArmedBandit-v0", reward)
    called = run([1.0] * 60, "own", reward)
    called.name = "a2c-bandit-3"

    assert check(seen, "LEN006") == check(called, "LEN006") == []
