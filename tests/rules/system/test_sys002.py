import numpy as np
import pytest
from tests.rules.performance.plant import noisy, shifted
from tests.rules.policy.curves import ODD

from runvitals.testing import check, make_run


def run(percent, cpu=50.0):
    n = len(percent)
    return make_run({"system/gpu_utilization_percent": percent, "system/cpu_percent": [cpu] * n})


def test_tells_of_an_idle_gpu():
    [finding] = check(run(noisy(20.0), cpu=99.0), "SYS002")

    assert finding.severity == "notice"
    assert "CPU is the bottleneck" in finding.message


def test_silent_on_a_busy_gpu_on_none_and_on_a_short_run():
    assert check(run(noisy(85.0)), "SYS002") == []
    assert check(run([0.0] * 100), "SYS002") == []
    assert check(run([10.0] * 15), "SYS002") == []


def test_a_gpu_that_became_idle_counts_and_one_that_only_may_be_does_not():
    jumpy = np.random.default_rng(0).choice([5.0, 92.0], 60)

    assert len(check(run(shifted(85.0, 30.0)), "SYS002")) == 1
    assert check(run(shifted(30.0, 85.0)), "SYS002") == []
    assert check(run(jumpy), "SYS002") == []


@pytest.mark.parametrize("values", ODD.values(), ids=ODD)
def test_survives_odd_series(values):
    assert check(run(values), "SYS002") == []
