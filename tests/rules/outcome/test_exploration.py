"""A return that rises by itself as random actions become fewer."""

import numpy as np
import pytest

from runvitals.rules.patient import Patient
from runvitals.testing import check, make_run

FADES = np.maximum(0.02, 1 - np.linspace(0, 2, 100))
NOISE = np.random.default_rng(0).normal(0, 10, 100)


@pytest.mark.parametrize(
    ("returns", "plot"),
    [(-200 - 550 * FADES, "stuck"), (np.linspace(-750, -200, 100) ** 3 / 1e5, "missed")],
    ids=["as actions become less random", "by itself"],
)
def test_it_is_not_called_a_reward_that_is_farmed(returns, plot):
    series = {
        "outcome/return_mean": returns + NOISE,
        "outcome/success_rate": [0.0] * 100,
        "explore/epsilon": FADES if plot == "stuck" else [0.1] * 100,
    }
    run = make_run(series, every=10, algorithm="DQN")

    health = Patient(run).health

    assert (health.word, health.plot) == ("not learning", plot), health.reason
    assert bool(check(run, "REW001")) == (plot == "missed")
    assert bool(check(run, "REW005")) == (plot == "stuck")


@pytest.mark.parametrize(
    ("first", "word"), [(0, "not learning"), (4000, "learned")], ids=["untrained", "later"]
)
def test_a_greedy_policy_that_was_tested_at_once_and_never_got_better_has_not_learned(first, word):
    steps = np.arange(0, 20_000, 200)
    random = np.clip(1.0 - steps / 5000, 0.05, None)
    noise = np.random.default_rng(0).normal(size=len(steps))
    late = steps >= first
    run = make_run(
        {
            "outcome/return_mean": dict(zip(steps, -15.5 - 11 * random + 0.2 * noise, strict=True)),
            "eval/return_mean": dict(zip(steps[late], -14.9 + 0.1 * noise[late], strict=True)),
            "explore/epsilon": dict(zip(steps, random, strict=True)),
        },
        algorithm="DQN",
    )

    health = Patient(run).health

    assert health.word == word, health.reason
