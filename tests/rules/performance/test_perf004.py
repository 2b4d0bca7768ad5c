import pytest
from tests.rules.performance.plant import noisy
from tests.rules.policy.curves import ODD

from runvitals.testing import check, make_run


def run(most, mean):
    series = {"time/generation_sample_max_s": most, "time/generation_sample_mean_s": mean}
    return make_run(series, algorithm="GRPO")


def test_tells_of_samples_that_hold_everybody_up():
    [finding] = check(run(noisy(60.0), noisy(8.0)), "PERF004")

    assert finding.severity == "notice"
    assert "7." in finding.message


def test_silent_on_a_short_tail():
    assert check(run(noisy(12.0), noisy(8.0)), "PERF004") == []


def test_too_short_to_tell():
    assert check(run([60.0] * 10, [8.0] * 10), "PERF004") == []


@pytest.mark.parametrize("values", ODD.values(), ids=ODD)
def test_survives_odd_series(values):
    assert check(run(values, values), "PERF004") == []
