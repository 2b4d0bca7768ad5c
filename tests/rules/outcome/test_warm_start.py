"""A run that goes on from a trained policy has nothing to gain, and that is no failure."""

import numpy as np
import pytest

from runvitals.rules.patient import Patient
from runvitals.testing import make_run

LEVEL = 300.0 + 60.0 * np.random.default_rng(0).normal(size=120)


@pytest.mark.parametrize(
    ("explained", "word"), [(0.8, "cannot tell"), (0.0, "not learning")], ids=["warm", "new"]
)
def test_a_level_outcome_is_excused_where_the_critic_knew_the_returns_at_once(explained, word):
    known = explained + 0.05 * np.random.default_rng(1).normal(size=120)
    series = {"outcome/return_mean": LEVEL, "value/explained_variance": known}

    health = Patient(make_run(series, every=1024, algorithm="PPO")).health

    assert health.word == word, health.reason
