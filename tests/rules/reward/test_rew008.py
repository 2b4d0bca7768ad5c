import numpy as np
import pytest
from tests.rules.reward.curves import learning, odd_runs, solved, stuck, wandering

from runvitals.testing import check, make_run

N = 160
T = np.linspace(0, 1, N)
SWINGS = 20 + 300 * np.minimum(1, 4 * T) - 280 * (T > 0.3) * (np.arange(N) // 13 % 2)


def run(outcome, **about):
    return make_run({"outcome/return_mean": outcome}, every=10, algorithm="PPO", **about)


def test_fires_on_swings_that_do_not_shrink():
    [finding] = check(run(100 + SWINGS + 3 * wandering(N)), "REW008")

    assert finding.severity == "warning"
    assert "still swings by" in finding.message
    assert finding.span.first > 900


def test_states_swings_as_wide_as_the_outcome_is_high():
    up_and_down = 300 + 280 * np.sin(4 + np.arange(N) / 8) + 3 * wandering(N)

    [finding] = check(run(up_and_down), "REW008")

    assert finding.severity == "warning"
    assert "it settles nowhere" in finding.message


@pytest.mark.parametrize(
    "outcome",
    [learning(N), solved(N), stuck(N), SWINGS[:40], [3.0] * N],
    ids=["rises", "holds", "never rose", "too short", "constant"],
)
def test_stays_silent(outcome):
    assert check(run(outcome), "REW008") == []


def test_noise_from_point_to_point_is_no_swing():
    noisy = np.interp(T, [0, 0.6, 1], [0, 2.0, 1.5]) + 0.8 * np.random.default_rng(0).normal(size=N)

    assert not any(finding.is_alarm for finding in check(run(noisy), "REW008"))


def test_waits_for_its_time():
    seen = run(SWINGS, status="running", total_steps=10_000)

    assert check(seen, "REW008") == []


def test_notes_epochs_that_get_worse():
    seen = make_run(
        {"reward/mean": 0.5 + 0.001 * wandering(12), "reward/trend": [0.1] * 8 + [-0.1] * 4},
        algorithm="GRPO",
    )

    [finding] = check(seen, "REW008")

    assert finding.severity == "warning"
    assert finding.message.startswith(
        "reward fell by 0.3 over the last 4 epochs (it got worse in 4"
    )


def test_tells_a_loss_that_rises_again_but_not_a_surrogate_that_shrinks():
    loss = np.r_[np.linspace(1.6, 0.6, 30), np.linspace(0.6, 1.2, 20)]
    falls = -np.diff(loss, prepend=loss[0])
    for level, spoken in ((loss, True), (loss - 2.0, False)):
        seen = make_run(
            {
                "reward/mean": 0.4 + 0.01 * wandering(50),
                "policy/loss_total": level,
                "optim/loss_trend": falls,
            },
            algorithm="GRPO",
        )

        said = [one for one in check(seen, "REW008") if one.series == "optim/loss_trend"]

        assert bool(said) is spoken


def test_survives_odd_values():
    for odd in odd_runs("outcome/return_mean", "reward/trend"):
        check(odd, "REW008")
