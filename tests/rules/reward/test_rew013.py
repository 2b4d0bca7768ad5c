import numpy as np
import pytest
from tests.rules.reward.curves import learning, odd_runs

from runvitals.testing import check, make_run

N = 80
LOSS = 1.0 + 0.1 * np.random.default_rng(0).standard_normal(N)


def run(**series):
    named = {name.replace("__", "/"): values for name, values in series.items()}
    return make_run({"policy/loss": LOSS, **named}, every=100, algorithm="PPO")


def test_fires_when_training_goes_on_without_its_outcome():
    [finding] = check(run(outcome__return_mean=learning()[:40]), "REW013")

    assert finding.severity == "warning"
    assert finding.message == (
        "outcome/return_mean is not logged after step 4,000, although training continued to step 8,000"
    )


def test_it_is_a_notice_while_another_outcome_goes_on():
    seen = run(outcome__return_mean=learning(), eval__return_mean=learning()[:40])

    [finding] = check(seen, "REW013")

    assert finding.severity == "notice"
    assert finding.series == "eval/return_mean"


@pytest.mark.parametrize(
    "outcome",
    [
        learning(),
        learning()[:65],
        {100 * step: 1.0 for step in (10, 30, 60)},
        {100 * step: 1.0 for step in (1, 2, 3, 4, 20, 40)},
        {100: 1.0, 200: 2.0},
    ],
    ids=["to the end", "nearly", "seldom evaluated", "ever longer episodes", "two points"],
)
def test_stays_silent(outcome):
    assert check(run(outcome__return_mean=outcome), "REW013") == []


def test_a_summary_at_the_very_end_is_no_training():
    series = {"outcome/return_mean": learning()[:40], "optim/loss": {8000: 1.0}}

    assert check(make_run(series, every=100, algorithm="PPO"), "REW013") == []


def test_survives_odd_values():
    for odd in odd_runs("outcome/return_mean", "policy/loss"):
        check(odd, "REW013")
