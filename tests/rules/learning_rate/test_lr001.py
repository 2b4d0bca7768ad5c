import numpy as np
import pytest
from tests.rules.reward.curves import around, learning, odd_runs, stuck

from runvitals.testing import check, make_run

K = np.arange(80)
RATE = np.where(K < 50, 3e-4, 2e-2)
SEVENFOLD = np.where(K < 50, 3e-4, 2e-3)
STUCK = stuck()


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


def test_a_small_jump_with_which_nothing_else_jumps_says_nothing():
    threefold = np.where(K < 50, 3e-4, 1e-3)

    assert check(run(threefold, policy__approx_kl=around(0.01)), "LR001") == []


@pytest.mark.parametrize("before", [1, 4, 50])
@pytest.mark.parametrize("outcome", [STUCK, learning()], ids=["stuck", "does well"])
def test_a_jump_to_forty_times_the_rate_is_an_alarm_by_itself(before, outcome):
    rate = np.where(before > K, 3e-4, 1.3e-2)
    late = before > 8

    [finding] = check(run(rate, outcome__return_mean=outcome), "LR001")

    assert finding.is_alarm == (late or outcome is STUCK)
    assert f"at step {100 * (before + 1):,}" in finding.message


def test_a_warm_up_and_a_decay_are_no_controller_that_excuses_a_huge_jump():
    rate = 3e-4 * np.minimum(1, (K + 1) / 10) * (1 + np.cos(np.pi * K / 80)) / 2
    rate[50:] *= 43.0

    [finding] = check(run(rate, outcome__return_mean=learning()), "LR001")

    assert finding.severity == "warning"


def test_three_points_are_enough_for_a_huge_jump():
    [finding] = check(run(np.array([1e-4, 1e-4, 5e-3])), "LR001")

    assert finding.severity == "warning"


def test_a_warm_up_that_is_seldom_logged_is_no_jump():
    steps = [1, 10, 20, 50, 100, 200, 300]
    rate = {step: 3e-4 * min(1.0, step / 100) for step in steps}
    by_row = np.array(list(rate.values()))

    assert check(make_run({"optim/learning_rate": rate}, algorithm="SFT"), "LR001") == []
    assert check(make_run({"optim/learning_rate": by_row}, algorithm="SFT"), "LR001") == []


def test_a_schedule_that_starts_again_is_no_alarm():
    cycle = 3e-4 * (1 + np.cos(np.pi * (K % 20) / 20)) / 2

    assert not any(f.is_alarm for f in check(run(cycle, outcome__return_mean=stuck()), "LR001"))


@pytest.mark.parametrize(
    ("rate", "outcome"),
    [(SEVENFOLD, learning()), (np.where(K < 50, 1.0, 60.0) * 3e-4 * 1.5 ** (K % 3), stuck())],
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
        np.where(K < 50, 3e-4, 1e-3)[45:55],
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
