import numpy as np
import pytest
from tests.rules.performance.plant import noisy
from tests.rules.policy.curves import ODD

from runvitals.testing import check, make_run


def run(tokens, samples=None, **more):
    series = {"data/teacher_tokens": tokens, **more}
    if samples is not None:
        series["data/samples_per_step"] = samples
    return make_run(series)


def test_doubled_tokens_are_a_warning():
    [finding] = check(run(np.linspace(1e5, 4e5, 12), [1792.0] * 12), "SYS004")

    assert finding.severity == "warning"
    assert "%" in finding.message


def test_noise_does_not_hide_that_tokens_double():
    [finding] = check(run(np.linspace(1e5, 4e5, 100) * noisy(1.0, size=0.05)), "SYS004")

    assert finding.severity == "warning"


def test_some_more_is_a_notice():
    [finding] = check(run(np.linspace(1e5, 1.6e5, 12)), "SYS004")

    assert finding.severity == "notice"


def test_longer_responses_are_a_notice():
    length = {"length/response_mean": np.linspace(100, 400, 12)}

    [finding] = check(run(np.linspace(1e5, 4e5, 12), **length), "SYS004")

    assert finding.severity == "notice"


def test_more_samples_cost_more():
    assert check(run(np.linspace(1e5, 4e5, 12), np.linspace(1e3, 4e3, 12)), "SYS004") == []


def test_silent_on_noise_and_on_a_short_run():
    assert check(run(noisy(1e5, 12)), "SYS004") == []
    assert check(run([1e5, 4e5]), "SYS004") == []


@pytest.mark.parametrize("values", ODD.values(), ids=ODD)
def test_survives_odd_series(values):
    assert check(run(values, values), "SYS004") == []
