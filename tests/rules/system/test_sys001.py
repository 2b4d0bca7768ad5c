import pytest
from tests.rules.performance.plant import noisy
from tests.rules.pol.curves import ODD

from runvitals.testing import check, make_run


def run(percent, mine, used=60.0):
    n = len(percent)
    return make_run(
        {
            "system/memory_percent": percent,
            "system/process_memory_gb": [mine] * n,
            "system/memory_used_gb": [used] * n,
        }
    )


def test_fires_when_this_run_fills_the_memory():
    [finding] = check(run([60.0] * 30 + [96.5] * 20, 50.0), "SYS001")

    assert finding.severity == "warning"
    assert "from step 31 on" in finding.message


def test_is_critical_when_hardly_anything_is_left():
    [finding] = check(run([99.0] * 30, 50.0), "SYS001")

    assert finding.severity == "critical"


def test_the_memory_of_others_is_a_notice():
    [finding] = check(run([97.0] * 30, 2.0), "SYS001")

    assert finding.severity == "notice"


def test_a_full_gpu_is_a_notice():
    [finding] = check(make_run({"system/gpu_memory_percent": [97.0] * 30}), "SYS001")

    assert finding.severity == "notice"


def test_silent_on_enough_memory_and_after_a_peak():
    assert check(run(noisy(50.0), 20.0), "SYS001") == []
    assert check(run([97.0] * 20 + [50.0] * 30, 20.0), "SYS001") == []


@pytest.mark.parametrize("values", ODD.values(), ids=ODD)
def test_survives_odd_series(values):
    assert check(run(values, 1.0), "SYS001") == []
