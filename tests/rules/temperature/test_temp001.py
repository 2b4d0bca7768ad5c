import numpy as np
import pytest
from tests.rules.performance.plant import noisy
from tests.rules.policy.curves import ODD, learning, stuck

from runvitals.testing import check, make_run

BOUNDS = {"min_temperature": 0.5, "max_temperature": 2.0}


def run(temperature, pulse=None, outcome=None, config=BOUNDS):
    n = len(temperature)
    return make_run(
        {
            "policy/temperature": temperature,
            "control/pulse_active": np.zeros(n) if pulse is None else pulse,
            "outcome/return_mean": stuck(n) if outcome is None else outcome,
        },
        config=config,
    )


def test_fires_outside_of_the_range():
    [finding] = check(run(noisy(0.2)), "TEMP001")

    assert finding.severity == "warning"
    assert "beyond its lower bound of 0.5" in finding.message
    assert finding.limit is not None
    assert finding.limit.from_run


def test_fires_at_the_bound_while_nothing_gets_better():
    cold = np.concatenate([np.linspace(1.0, 0.5, 30), np.full(70, 0.5)])

    [finding] = check(run(cold), "TEMP001")
    [good] = check(run(cold, outcome=learning(100)), "TEMP001")

    assert (finding.severity, good.severity) == ("warning", "notice")
    assert "next to its lower bound of 0.5" in finding.message


def test_beyond_the_range_no_outcome_excuses_it():
    [finding] = check(run(noisy(3.0), outcome=learning(100)), "TEMP001")

    assert finding.severity == "warning"
    assert "beyond its upper bound of 2" in finding.message


def test_short_pulses_are_left_out():
    pulse = np.arange(100) % 20 < 3
    temperature = np.where(pulse, 3.0, noisy(1.0))

    assert check(run(temperature, pulse), "TEMP001") == []


def test_a_fixed_temperature_of_a_sampler_is_not_judged():
    assert check(make_run({"policy/temperature": [0.1] * 50}), "TEMP001") == []


@pytest.mark.parametrize("values", ODD.values(), ids=ODD)
def test_survives_odd_series(values):
    found = check(run(values, values, values), "TEMP001")

    assert all(finding.span.count >= 1 for finding in found)
