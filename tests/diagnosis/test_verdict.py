import numpy as np
import pytest
from tests.rules.rew.curves import collapsing, learning, solved, stuck, wandering, worsening

from runvitals.diagnosis.engine import diagnose
from runvitals.testing import make_run

DRIFTING = 0.45 + 0.003 * np.cumsum(np.random.default_rng(7).normal(0.8, 1, 26))


def verdict(outcome, name="outcome/return_mean"):
    return diagnose(make_run({name: outcome}, every=10, algorithm="PPO"), since_when=False).verdict


@pytest.mark.parametrize(
    ("outcome", "word"),
    [
        (learning(), "learning"),
        (solved(), "learned"),
        (collapsing(), "collapsed"),
        (worsening(), "not learning"),
        (stuck(), "not learning"),
        (np.r_[learning(30), [420.0] * 60], "learned"),
        (stuck(4), "too early to tell"),
        (stuck(8), "cannot tell"),
        (20 + 6 * wandering(20, lag_1=0.95), "cannot tell"),
    ],
)
def test_the_word_follows_the_outcome(outcome, word):
    assert verdict(outcome).word == word


def test_a_rise_that_hardly_matters_is_told_as_such():
    found = verdict(DRIFTING, "eval/score_mean")

    assert found.word == "cannot tell"
    assert found.reason.endswith("more than chance does, but hardly enough to matter")


@pytest.mark.parametrize("seed", range(20))
def test_a_run_is_called_not_learning_only_with_a_finding(seed):
    rng = np.random.default_rng(seed)
    outcome = np.cumsum(rng.normal(size=int(rng.integers(12, 200))))
    found = diagnose(make_run({"outcome/return_mean": outcome}, algorithm="PPO"), since_when=False)

    assert found.verdict.word not in ("not learning", "collapsed") or found.alarms
