import pytest
from tests.rules.pol.curves import ODD, around, collapsing, learning, stuck

from runvitals.testing import check, make_run


def run(kl, outcome=None):
    series = {"policy/approx_kl": kl}
    if outcome is not None:
        series["outcome/return_mean"] = outcome
    return make_run(series, every=10, algorithm="PPO")


def with_spikes(*at, height=0.4):
    kl = around(0.008)
    for index in at:
        kl[index] = height
    return kl


def test_three_spikes_without_progress_are_a_warning():
    [finding] = check(run(with_spikes(30, 40, 50), stuck()), "KL002")

    assert finding.severity == "warning"
    assert (finding.span.first, finding.span.last) == (310, 510)
    assert "3 times" in finding.message
    assert "0.4" in finding.message


def test_one_huge_spike_before_the_outcome_falls_is_a_warning():
    [finding] = check(run(with_spikes(40, height=3.0), collapsing()), "KL002")

    assert finding.severity == "warning"
    assert finding.span.first == 410


@pytest.mark.parametrize(
    ("kl", "outcome"),
    [
        (with_spikes(40), stuck()),
        (with_spikes(30, 40, 50), learning()),
        (with_spikes(30, 40, 50), None),
    ],
    ids=["a lone one", "does well", "no outcome"],
)
def test_less_is_a_notice(kl, outcome):
    assert [one.severity for one in check(run(kl, outcome), "KL002")] == ["notice"]


@pytest.mark.parametrize("seed", range(10))
def test_noise_is_no_sickness(seed):
    found = check(run(around(0.008, seed=seed), stuck(seed=seed)), "KL002")

    assert not any(one.is_alarm for one in found)


def test_a_lasting_rise_is_no_spike():
    kl = [*around(0.008, 40), *around(0.2, 40)]

    assert not any(one.is_alarm for one in check(run(kl, stuck()), "KL002"))


@pytest.mark.parametrize("values", ODD.values(), ids=ODD)
def test_survives_odd_series(values):
    assert check(run(values, stuck(len(values))), "KL002") == []
