"""Returns that are means over a window of episodes, as SB3 logs them."""

from collections import Counter

import numpy as np

from runvitals.model import Binding
from runvitals.rules.outcome.course import course
from runvitals.rules.patient import Patient
from runvitals.testing import make_run

WINDOW = 100
SEEDS = 40


def logged(rng, rows, each, gain=0.0):
    """The mean of the last 100 of noisy episodes, after each few of them."""
    count = rows * each
    episodes = 20.0 * (1.0 + gain * np.linspace(0, 1, count)) * rng.exponential(1.0, count)
    return np.array([episodes[max(0, k - WINDOW) : k].mean() for k in range(each, count + 1, each)])


def test_episodes_that_a_monitor_wrote_one_by_one_are_no_means():
    returns = np.where(np.arange(600) < 60, 6.0, 9.0) + np.random.default_rng(3).normal(0, 2, 600)
    run = make_run({"r": returns, "l": [20.0] * 600}, every=20)
    run.bind({"r": Binding("outcome/return_mean"), "l": Binding("outcome/episode_length_mean")})
    run.framework = "stable-baselines3"

    assert Patient(run).health.good


def test_the_best_of_wild_episodes_is_no_level_to_lose():
    rng = np.random.default_rng(29)
    means = np.interp(np.arange(118), [0, 60, 100, 117], [20.0, 40.0, 200.0, 180.0])

    shapes = Counter(course(means * rng.exponential(1.0, 118)).shape for _ in range(SEEDS))

    assert shapes["lost"] <= 0.05 * SEEDS, shapes


def test_rows_that_stray_by_themselves_are_no_moving_mean_whatever_their_name():
    rng = np.random.default_rng(3)
    values = np.linspace(-100.0, -35.0, 60) + 12.0 * rng.standard_normal(60)
    run = make_run({"rollout/ep_rew_mean": values, "rollout/ep_len_mean": [30.0] * 60}, every=264)
    run.bind(
        {
            "rollout/ep_rew_mean": Binding("outcome/return_mean"),
            "rollout/ep_len_mean": Binding("outcome/episode_length_mean"),
        }
    )
    run.framework = "stable-baselines3"

    assert Patient(run).health.good
