import numpy as np
import pytest
from tests.rules.reward.curves import learning, odd_runs, solved, stuck, wandering

from runvitals.testing import check, make_run

T = np.linspace(0, 1, 80)
HACKED = np.interp(T, [0, 0.3, 0.6, 1], [0, 0.85, 0.2, 0.03]) + 0.01 * np.abs(wandering())
NEVER = 0.01 * np.abs(wandering())


def run(paid, done, truth="outcome/success_rate", **about):
    series = {"outcome/return_mean": paid, truth: done}
    return make_run(series, every=1000, algorithm="PPO", **about)


def test_warns_when_success_falls_while_the_return_rises():
    [finding] = check(run(learning(), HACKED), "REW001")

    assert finding.severity == "warning"
    assert finding.series == "outcome/success_rate"
    assert finding.also == ("outcome/return_mean",)
    assert "outcome/success_rate fell" in finding.message
    assert finding.span.last == 80_000


def test_warns_when_the_return_has_risen_for_good_and_nothing_succeeds():
    [finding] = check(run(solved(), NEVER), "REW001")

    assert finding.severity == "warning"
    assert finding.message.startswith("outcome/return_mean rose from")
    assert "but outcome/success_rate" in finding.message


def test_a_return_that_still_rises_is_no_excuse():
    [finding] = check(run(learning(), [0.0] * 80), "REW001")

    assert finding.severity == "warning"
    assert finding.message.endswith("but outcome/success_rate is 0 in all 80 rows")


@pytest.mark.parametrize("seed", range(6))
def test_noise_that_leaves_no_room_for_success_is_no_excuse(seed):
    noisy = 0.3 + 0.03 * wandering(len(learning()), seed=seed)

    [finding] = check(run(learning(), noisy), "REW001")

    assert finding.severity == "warning"


@pytest.mark.parametrize(
    ("paid", "done"),
    [
        (learning(), T),
        (learning(), 0.95 + 0.01 * wandering()),
        (stuck(), NEVER),
        (learning()[:3], NEVER[:3]),
        (learning(), np.interp(T, [0, 0.7, 1], [0, 0, 0.4])),
        (np.interp(T, [0, 0.5, 1], [20, 400, 250]), np.interp(T, [0, 0.5, 1], [0, 0.5, 0.15])),
    ],
    ids=[
        "both rise",
        "near the ceiling",
        "neither",
        "too short",
        "success comes late",
        "fall together",
    ],
)
def test_stays_silent(paid, done):
    assert check(run(paid, done), "REW001") == []


def test_another_measure_of_success_that_rises_clears_it():
    evals = dict(zip(range(4, 81, 4), np.linspace(0, 0.9, 20), strict=True))
    seen = make_run(
        {
            "outcome/return_mean": solved(),
            "outcome/success_rate": NEVER,
            "eval/success_rate": evals,
        },
        algorithm="PPO",
    )

    assert check(seen, "REW001") == []


def test_says_nothing_without_an_independent_outcome():
    assert check(make_run({"outcome/return_mean": solved()}, algorithm="PPO"), "REW001") == []


def test_waits_for_half_of_the_plan():
    assert check(run(solved(), NEVER, status="running", total_steps=400_000), "REW001") == []


def test_survives_odd_values():
    for odd in odd_runs("outcome/return_mean", "outcome/success_rate"):
        check(odd, "REW001")
