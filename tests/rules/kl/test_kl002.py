import pytest
from tests.rules.policy.curves import ODD, around, collapsing, learning, stuck

from runvitals.testing import check, make_run


def run(kl, outcome=None, **more):
    series = {"policy/approx_kl": kl, **more}
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
    [(with_spikes(30, 40, 50), learning()), (with_spikes(30, 40, 50), None)],
    ids=["does well", "no outcome"],
)
def test_less_is_a_notice(kl, outcome):
    assert [one.severity for one in check(run(kl, outcome), "KL002")] == ["notice"]


@pytest.mark.parametrize("outcome", [stuck(), collapsing()], ids=["stuck", "falls"])
@pytest.mark.parametrize(
    "kl",
    [with_spikes(40), with_spikes(30, 40, 50, height=0.08)],
    ids=["a lone one", "hardly above the limit"],
)
def test_heavy_tails_are_usual(kl, outcome):
    assert check(run(kl, outcome), "KL002") == []


def test_spikes_of_the_kl_to_the_reference_count_too():
    series = {"policy/kl_ref": with_spikes(30, 40, 50, height=30.0), "reward/mean": stuck()}

    [finding] = check(make_run(series, algorithm="GRPO"), "KL002")

    assert finding.severity == "warning"
    assert "KL jumps 3 times" in finding.message


def test_a_learning_rate_that_did_not_change_is_cleared():
    rate = {"optim/learning_rate": [3e-4] * 80}

    [finding] = check(run(with_spikes(30, 40, 50), stuck(), **rate), "KL002")

    assert "optim/learning_rate did not change there" in finding.message
    assert "the schedule is not to blame" in finding.advice
    assert finding.causes[0] != "a jump in the learning rate"


def test_a_learning_rate_that_jumped_there_is_the_first_suspect():
    rate = {"optim/learning_rate": [*[3e-4] * 28, *[3e-3] * 30, *[3e-4] * 22]}

    [finding] = check(run(with_spikes(30, 40, 50), stuck(), **rate), "KL002")

    assert "optim/learning_rate rose from 0.0003 to 0.003 at step 290" in finding.message
    assert finding.causes[0] == "a jump in the learning rate"
    assert finding.also == ("optim/learning_rate",)


@pytest.mark.parametrize("seed", range(10))
def test_noise_is_no_sickness(seed):
    found = check(run(around(0.008, seed=seed), stuck(seed=seed)), "KL002")

    assert not any(one.is_alarm for one in found)


@pytest.mark.parametrize("values", ODD.values(), ids=ODD)
def test_survives_odd_series(values):
    assert check(run(values, stuck(len(values))), "KL002") == []
