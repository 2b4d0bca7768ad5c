import pytest
from tests.rules.policy.curves import ODD, around, collapsing, learning, stuck

from runvitals.testing import check, make_run


def run(kl, outcome, metric="policy/approx_kl"):
    return make_run({metric: kl, "outcome/return_mean": outcome}, every=10, algorithm="PPO")


def test_fires_when_both_come_together():
    kl = [*around(0.01, 35), *around(0.3, 45)]

    [finding] = check(run(kl, collapsing()), "KL007")

    assert finding.severity == "critical"
    assert "outcome/return_mean goes from 1" in finding.message
    assert finding.span.last == 800
    assert finding.also == ("outcome/return_mean",)


def test_the_kl_to_the_reference_counts_too():
    [finding] = check(run(around(3.0), collapsing(), "policy/kl_ref"), "KL007")

    assert finding.series == "policy/kl_ref"


@pytest.mark.parametrize(
    ("kl", "outcome"),
    [
        (around(0.3), learning()),
        (around(0.01), collapsing()),
        ([*[0.3] * 20, *around(0.01, 60)], collapsing()),
        (around(0.3, 10), collapsing(10)),
    ],
    ids=["improves", "KL is fine", "high before the best only", "too short"],
)
def test_stays_silent(kl, outcome):
    assert check(run(kl, outcome), "KL007") == []


def test_an_outcome_that_stays_low_is_a_warning():
    [finding] = check(run(around(0.3), stuck()), "KL007")

    assert finding.severity == "warning"
    assert "while outcome/return_mean stays at" in finding.message
    assert "tighten KL or revisit reward weights" in finding.advice


@pytest.mark.parametrize("values", ODD.values(), ids=ODD)
def test_survives_odd_series(values):
    assert check(run(values, collapsing(max(4, len(values)))), "KL007") == []
