import numpy as np
import pytest
from tests.rules.rew.curves import around, learning, odd_runs, stuck

from runvitals.testing import check, make_run

K = np.arange(80)
RATE = np.where(K < 50, 3e-4, 2e-2)


def after(level, height, n=80):
    return around(level, n) * np.where(np.arange(n) < 50, 1.0, height)


def run(rate, **series):
    named = {name.replace("__", "/"): values for name, values in series.items()}
    return make_run({"optim/learning_rate": rate, **named}, every=100, algorithm="PPO")


def test_warns_when_rate_kl_and_gradient_jump_together():
    seen = run(RATE, policy__approx_kl=after(0.01, 50), optim__grad_norm=after(1.0, 20))

    [finding] = check(seen, "LR001")

    assert finding.severity == "warning"
    assert "from 0.0003 to 0.02 at step 5,100" in finding.message
    assert finding.span.first == 5100
    assert finding.also == ("policy/approx_kl", "optim/grad_norm")


def test_a_jump_alone_is_a_notice():
    [finding] = check(run(RATE, policy__approx_kl=around(0.01)), "LR001")

    assert finding.severity == "notice"


@pytest.mark.parametrize(
    ("rate", "outcome"),
    [(RATE, learning()), (np.where(K < 50, 1.0, 60.0) * 3e-4 * 1.5 ** (K % 3), stuck())],
    ids=["does well", "set by a controller"],
)
def test_is_no_alarm_when(rate, outcome):
    seen = run(
        rate,
        policy__approx_kl=after(0.01, 50),
        optim__grad_norm=after(1.0, 20),
        outcome__return_mean=outcome,
    )

    assert not any(finding.is_alarm for finding in check(seen, "LR001"))


@pytest.mark.parametrize(
    "rate",
    [
        np.full(80, 3e-4),
        3e-4 * (1 - K / 80),
        3e-4 * np.minimum(1, (K + 1) / 10),
        np.where(K < 50, 3e-4, 5e-4),
        RATE[45:55],
        np.where(K < 50, 2e-2, 3e-4),
        np.maximum(0.0, 3e-4 * np.minimum(1, K / 10)),
    ],
    ids=["constant", "linear", "warm-up", "small change", "too short", "drops", "warm-up from 0"],
)
def test_stays_silent(rate):
    n = len(rate)
    assert (
        check(
            run(rate, policy__approx_kl=after(0.01, 50, n), optim__grad_norm=after(1.0, 20, n)),
            "LR001",
        )
        == []
    )


def test_survives_odd_values():
    for odd in odd_runs("optim/learning_rate", "policy/approx_kl", "optim/grad_norm"):
        check(odd, "LR001")


def test_survives_a_stuck_outcome():
    assert check(run(np.full(80, 1e-3), outcome__return_mean=stuck()), "LR001") == []
