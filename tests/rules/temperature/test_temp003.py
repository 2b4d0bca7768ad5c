import numpy as np
import pytest
from tests.rules.performance.plant import noisy
from tests.rules.policy.curves import ODD, learning, stuck

from runvitals.testing import check, make_run


def run(temperature, entropy, outcome):
    n = len(temperature)
    return make_run(
        {
            "policy/temperature": temperature,
            "policy/temperature_base": np.full(n, 1.0),
            "policy/entropy": entropy,
            "control/pressure": np.linspace(0, 1, n),
            "outcome/return_mean": outcome,
        },
        config={"qps_sensitivity": 12.0},
    )


COLD = np.concatenate([noisy(1.0, 20), noisy(0.2, 80, 1)])
FALLING = np.concatenate([noisy(1.2, 20), noisy(0.2, 80, 1)])


def test_fires_when_the_controller_cools_the_policy():
    [finding] = check(run(COLD, FALLING, stuck(100)), "TEMP003")

    assert finding.severity == "warning"
    assert "temperature is 0.197" in finding.message
    assert "now 12.0" in finding.advice


def test_with_a_good_outcome_it_is_a_notice():
    [finding] = check(run(COLD, FALLING, learning(100)), "TEMP003")

    assert finding.severity == "notice"


def test_silent_while_the_policy_explores_or_is_warm():
    assert check(run(COLD, noisy(1.2), stuck(100)), "TEMP003") == []
    assert check(run(noisy(0.9), FALLING, stuck(100)), "TEMP003") == []


@pytest.mark.parametrize("values", ODD.values(), ids=ODD)
def test_survives_odd_series(values):
    found = check(run(values, values, values), "TEMP003")

    assert all(finding.span.count >= 1 for finding in found)
