import numpy as np
import pytest
from tests.rules.performance.plant import noisy
from tests.rules.policy.curves import ODD

from runvitals.testing import check, make_run

OTHERS = {
    "policy/loss": noisy(0.02, seed=1),
    "value/loss": noisy(3.0, seed=2),
    "policy/approx_kl": noisy(0.01, seed=3),
    "optim/grad_norm": noisy(0.5, seed=4),
}


def freeze(values, at=40):
    return np.concatenate([values[:at], np.full(len(values) - at, values[at])])


FROZEN = freeze(noisy(0.6))


def test_fires_when_one_metric_is_no_longer_renewed():
    [finding] = check(make_run({**OTHERS, "policy/entropy": FROZEN}), "DATA004")

    assert finding.severity == "warning"
    assert finding.series == "policy/entropy"
    assert (finding.span.first, finding.span.last) == (41, 100)
    assert "60 points" in finding.message


def test_fires_on_a_curve_that_stops_on_its_way():
    falling = np.linspace(1.2, 0.4, 100) + 0.01 * noisy(1.0)

    [finding] = check(make_run({**OTHERS, "policy/entropy": freeze(falling)}), "DATA004")

    assert finding.severity == "warning"


@pytest.mark.parametrize(
    "metric",
    ["optim/learning_rate", "explore/epsilon", "policy/entropy_coef", "outcome/success_rate",
     "outcome/return_mean", "policy/clip_fraction", "progress/episodes", "policy/action_std"],
)  # fmt: skip
def test_what_may_stand_still_is_not_looked_at(metric):
    assert check(make_run({**OTHERS, metric: FROZEN}), "DATA004") == []


def test_zero_and_a_bound_are_no_stale_values():
    zero = np.concatenate([noisy(0.6, 40), np.zeros(60)])
    floor = np.concatenate([np.geomspace(1.01, 0.01, 40), np.full(60, 0.0099)])
    uniform = np.concatenate([np.linspace(0.5, 1.3, 40), np.full(60, np.log(4))])

    for values in (zero, floor, uniform):
        assert check(make_run({**OTHERS, "policy/entropy": values}), "DATA004") == []


def test_when_all_stand_still_training_has_stopped_and_not_the_logger():
    assert (
        check(make_run({name: freeze(values) for name, values in OTHERS.items()}), "DATA004") == []
    )


def test_fires_on_a_metric_that_never_moved():
    run = make_run({**OTHERS, "lm/entropy": [1.1446872] * 100})

    [finding] = check(run, "DATA004")

    assert finding.severity == "warning"
    assert finding.series == "lm/entropy"
    assert finding.span.count == 100


@pytest.mark.parametrize(
    ("metric", "value"),
    [("policy/entropy", 1.4189385), ("lm/entropy", np.log(7)), ("preference/loss", 0.6931),
     ("policy/grad_norm", 0.4999995), ("value/loss", 0.1234567)],
    ids=["a fixed spread", "equal choices", "rounded", "clipped", "a setting"],
)  # fmt: skip
def test_a_constant_that_has_a_reason_is_not_frozen(metric, value):
    run = make_run({**OTHERS, metric: [value] * 100}, config={"weight": 0.1234567})

    assert check(run, "DATA004") == []


def test_a_short_stillness_and_repeated_values_are_none():
    short = freeze(noisy(0.6), at=88)
    coarse = freeze(np.round(noisy(0.6), 1))

    for values in (short, coarse):
        assert check(make_run({**OTHERS, "policy/entropy": values}), "DATA004") == []


def test_a_series_that_ends_is_a_notice():
    [finding] = check(make_run({**OTHERS, "policy/entropy": noisy(0.6, 50)}), "DATA004")

    assert finding.severity == "notice"
    assert "after step 50" in finding.message


@pytest.mark.parametrize("values", ODD.values(), ids=ODD)
def test_survives_odd_series(values):
    found = check(make_run({**OTHERS, "policy/entropy": values}), "DATA004")

    assert not any(finding.is_alarm for finding in found)
