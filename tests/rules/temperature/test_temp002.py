import numpy as np
import pytest
from tests.rules.policy.curves import ODD, learning, stuck

from runvitals.testing import check, make_run


def run(pulse, reward):
    return make_run({"control/pulse_active": pulse, "outcome/return_mean": reward})


def test_fires_on_a_pulse_that_never_ends():
    [finding] = check(run([0.0] * 4 + [1.0] * 96, stuck(100)), "TEMP002")

    assert finding.severity == "warning"
    assert "96%" in finding.message
    assert finding.span.first == 5


def test_with_a_good_outcome_it_is_a_notice():
    [finding] = check(run([1.0] * 100, learning(100)), "TEMP002")

    assert finding.severity == "notice"


def test_pulses_while_the_reward_rises_are_a_notice():
    pulse = (np.arange(200) % 40 > 36).astype(float)

    [finding] = check(run(pulse, learning(200)), "TEMP002")

    assert finding.severity == "notice"
    assert "still rises" in finding.message


def test_pulses_at_stagnation_are_what_they_are_for():
    pulse = (np.arange(200) % 40 > 36).astype(float)

    assert check(run(pulse, stuck(200)), "TEMP002") == []


@pytest.mark.parametrize("values", ODD.values(), ids=ODD)
def test_survives_odd_series(values):
    assert check(run(values, values), "TEMP002") == []
