import pytest
from tests.rules.policy.curves import ODD, learning, stuck, wandering

from runvitals.testing import check, make_run


def run(kl, score=None, *, metric="policy/kl_ref_sequence"):
    series = {metric: kl, "length/response_mean": [100.0] * len(kl)}
    if score is not None:
        series["reward/score_mean"] = score
    return make_run(series, algorithm="PPO")


def test_fires_when_it_stays_negative():
    [finding] = check(run([*wandering(20), *(-5.0 + wandering(60))], stuck()), "KL005")

    assert finding.severity == "warning"
    assert "negative in" in finding.message
    assert finding.span.last == 80


def test_is_critical_far_below():
    [finding] = check(run(-40.0 + wandering(), stuck()), "KL005")

    assert finding.severity == "critical"


def test_per_token_the_limit_is_smaller():
    assert len(check(run([-0.03] * 40, stuck(40), metric="policy/kl_ref"), "KL005")) == 1


def test_is_a_notice_while_the_outcome_does_well():
    assert [one.severity for one in check(run(-5 + wandering(), learning()), "KL005")] == ["notice"]


@pytest.mark.parametrize(
    "kl",
    [0.3 * wandering(), [-3.0] * 9 + [0.5] * 71, [-3.0] * 8],
    ids=["noise of the estimate", "only at the start", "too short"],
)
def test_stays_silent(kl):
    assert check(run(kl, stuck(len(kl))), "KL005") == []


@pytest.mark.parametrize("values", ODD.values(), ids=ODD)
def test_survives_odd_series(values):
    check(run(values, stuck(len(values))), "KL005")
