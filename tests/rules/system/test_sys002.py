import pytest
from tests.rules.performance.plant import noisy
from tests.rules.pol.curves import ODD

from runvitals.testing import check, make_run


def run(percent, cpu=50.0):
    n = len(percent)
    return make_run({"system/gpu_utilization_percent": percent, "system/cpu_percent": [cpu] * n})


def test_tells_of_an_idle_gpu():
    [finding] = check(run(noisy(20.0), cpu=99.0), "SYS002")

    assert finding.severity == "notice"
    assert "CPU is the limit" in finding.message


def test_silent_on_a_busy_gpu_on_none_and_on_a_short_run():
    assert check(run(noisy(85.0)), "SYS002") == []
    assert check(run([0.0] * 100), "SYS002") == []
    assert check(run([10.0] * 20), "SYS002") == []


@pytest.mark.parametrize("values", ODD.values(), ids=ODD)
def test_survives_odd_series(values):
    assert check(run(values), "SYS002") == []
