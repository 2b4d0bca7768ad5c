import numpy as np
import pytest

from runvitals.testing import check, make_run

N = 60
LOSS = np.linspace(0.5, 0.4, N)
STUCK = 0.3 + 0.01 * np.random.default_rng(0).standard_normal(N)


HALF = [0.1 if (i // 10) % 2 else np.nan for i in range(N)]


def run(algorithm="KTO", loss=LOSS, **series):
    named = {f"preference/{k}": v for k, v in series.items()}
    return make_run({"preference/loss": loss, **named}, algorithm=algorithm)


def test_fires_when_a_kind_of_samples_is_absent():
    [finding] = check(run(loss=[0.5] * N, chosen_reward=HALF), "DPO005")

    assert finding.severity == "warning"
    assert finding.message == "50% of the rows have no good samples"


def test_a_loss_that_falls_makes_it_a_notice():
    assert check(run(chosen_reward=HALF), "DPO005")[0].severity == "notice"


@pytest.mark.parametrize(
    ("algorithm", "series"),
    [
        ("KTO", {"chosen_reward": [0.1] * N, "rejected_reward": [-0.1] * N}),
        ("KTO", {"chosen_reward": [np.nan if i % 10 == 0 else 0.1 for i in range(N)]}),
        ("DPO", {"chosen_reward": [np.nan, 0.1] * 30}),
        ("KTO", {"chosen_reward": [np.nan] * N}),
    ],
    ids=["both kinds", "a few rows", "not KTO", "all nan"],
)
def test_stays_silent(algorithm, series):
    assert check(run(algorithm, **series), "DPO005") == []
