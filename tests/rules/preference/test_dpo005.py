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


def test_a_few_rows_are_only_worth_knowing():
    chosen = [np.nan if i % 10 == 0 else 0.1 for i in range(N)]

    assert check(run(chosen_reward=chosen), "DPO005")[0].severity == "notice"


def test_a_clamped_kl_is_only_worth_knowing():
    found = check(run(kl=[0.0] * N, margin=np.linspace(0, 1, N)), "DPO005")

    assert [finding.severity for finding in found] == ["notice"]


@pytest.mark.parametrize(
    ("algorithm", "series"),
    [
        ("KTO", {"chosen_reward": [0.1] * N, "rejected_reward": [-0.1] * N}),
        ("KTO", {"kl": [0.0, 0.3] * 30, "margin": np.linspace(0, 1, N)}),
        ("DPO", {"chosen_reward": [np.nan, 0.1] * 30}),
        ("KTO", {"kl": [np.nan] * N}),
    ],
    ids=["both kinds", "some zeros", "not KTO", "all nan"],
)
def test_stays_silent(algorithm, series):
    assert check(run(algorithm, **series), "DPO005") == []
