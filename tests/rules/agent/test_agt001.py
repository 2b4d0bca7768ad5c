import numpy as np
import pytest

from runvitals.testing import check, make_run

RNG = np.random.default_rng(0)
FLAT = 0.3 + 0.02 * RNG.standard_normal(60)
RISING = np.linspace(0.1, 0.8, 60) + 0.02 * RNG.standard_normal(60)


def run(reward=FLAT, **series):
    named = {f"agent/{name}": values for name, values in series.items()}
    return make_run({"reward/score_mean": reward, **named}, algorithm="GRPO")


def test_fires_when_every_rollout_takes_all_turns():
    mean = 40.5 + 0.2 * RNG.standard_normal(60)

    [finding] = check(run(turns_mean=mean, turns_max=[41.0] * 60), "AGT001")

    assert finding.severity == "warning"
    assert finding.message == "nearly every rollout uses all 41 turns"


def test_fires_when_turns_grow_and_nothing_is_gained():
    growing = np.linspace(3, 20, 60) + 0.2 * RNG.standard_normal(60)

    [finding] = check(run(turns_max=growing), "AGT001")

    assert "turns of the longest rollout went from" in finding.message


def test_fires_at_the_turn_limit():
    assert check(run(turn_limit_rate=[0.8] * 60), "AGT001")[0].message.startswith("80%")


@pytest.mark.parametrize(
    ("reward", "mean", "most"),
    [
        (FLAT, 3 + 0.2 * RNG.standard_normal(60), [6.0] * 60),
        (RISING, np.linspace(5, 20, 60), [32.0] * 60),
        (FLAT, [2.0] * 60, [2.0] * 60),
        (FLAT, [np.nan] * 60, [np.nan] * 60),
        (FLAT[:5], [40.0] * 5, [40.0] * 5),
    ],
    ids=["healthy", "does well", "always two", "all nan", "too short"],
)
def test_stays_silent(reward, mean, most):
    assert check(run(reward, turns_mean=mean, turns_max=most), "AGT001") == []


@pytest.mark.parametrize(("reward", "severity"), [(RISING, "notice"), (FLAT, "warning")])
@pytest.mark.parametrize("onset", [15, 40, 50])
def test_turns_that_suddenly_become_many_are_told_whatever_the_outcome_does(
    reward, severity, onset
):
    most = np.where(np.arange(60) < onset, 6.0, 60.0)

    [finding] = check(run(reward, turns_max=most), "AGT001")

    assert finding.severity == severity
    assert finding.message.startswith("turns of the longest rollout went from 6")
    assert finding.span.first == onset + 1
    assert ("reward/score_mean is holding up so far" in finding.message) == (severity == "notice")


def test_a_few_long_rollouts_are_no_blow_up():
    most = np.where(np.arange(60) % 15 == 14, 40.0, 6.0)

    assert check(run(FLAT, turns_max=most), "AGT001") == []
