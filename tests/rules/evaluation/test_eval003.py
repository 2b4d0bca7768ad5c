import numpy as np
import pytest

from runvitals.testing import check, make_run

LOSS = np.linspace(2, 1, 60)


def test_says_that_nothing_was_evaluated_and_never_alarms():
    [finding] = check(make_run({"lm/loss": LOSS}, algorithm="SFT"), "EVAL003")

    assert finding.severity == "notice"
    assert finding.message == "no evaluations in 60 rows of training"


def test_counts_too_few_at_the_end():
    run = make_run({"lm/loss": LOSS, "eval/loss": {30: 1.5, 60: 1.4}}, algorithm="SFT")

    assert check(run, "EVAL003")[0].message == "2 evaluations in 60 rows of training"


@pytest.mark.parametrize(
    ("series", "algorithm"),
    [
        ({"lm/loss": LOSS, "eval/loss": np.linspace(2, 1, 10)}, "SFT"),
        ({"lm/loss": LOSS[:10]}, "SFT"),
        ({"outcome/return_mean": LOSS, "policy/loss": LOSS}, "PPO"),
        ({"optim/loss": LOSS}, None),
    ],
    ids=["evaluated", "short", "environment", "unknown kind"],
)
def test_stays_silent(series, algorithm):
    assert check(make_run(series, algorithm=algorithm), "EVAL003") == []
