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
