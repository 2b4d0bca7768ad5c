import pytest
from tests.rules.performance.plant import noisy
from tests.rules.policy.curves import ODD, learning

from runvitals.testing import check, make_run

UPDATE = {
    "policy/approx_kl": noisy(0.01),
    "policy/entropy": noisy(0.5),
    "value/loss": noisy(1.0),
    "throughput/env_steps_per_s": noisy(1000),
}


def test_a_run_without_any_outcome_is_a_warning():
    [finding] = check(make_run(UPDATE, algorithm="PPO"), "DATA002")

    assert finding.severity == "warning"
    assert "4 series" in finding.message


def test_a_name_that_may_be_the_outcome_makes_it_a_notice():
    run = make_run({**UPDATE, "Train/per_r": noisy(1.0)}, algorithm="PPO")
    run.bind({name: binding for name, binding in run.bindings.items() if name in UPDATE})

    [finding] = check(run, "DATA002")

    assert finding.severity == "notice"


def test_the_return_alone_is_a_notice():
    run = make_run({**UPDATE, "outcome/return_mean": learning(100)}, algorithm="PPO")

    [finding] = check(run, "DATA002")

    assert finding.severity == "notice"
    assert "independent" in finding.message


def test_tells_which_usual_metrics_are_missing():
    series = {"policy/approx_kl": noisy(0.01), "outcome/success_rate": noisy(0.5)}

    [finding] = check(make_run(series, algorithm="PPO"), "DATA002")

    assert finding.severity == "notice"
    assert "policy/entropy" in finding.message


def test_silent_on_a_full_log():
    run = make_run({**UPDATE, "outcome/success_rate": noisy(0.5)}, algorithm="PPO")

    assert check(run, "DATA002") == []


@pytest.mark.parametrize("algorithm", ["SFT", "DPO", "reward model", None])
def test_losses_on_fixed_data_are_their_own_outcome(algorithm):
    assert check(make_run({"optim/loss": noisy(1.0)}, algorithm=algorithm), "DATA002") == []


def test_the_first_rows_tell_nothing():
    short = {name: values[:10] for name, values in UPDATE.items()}

    assert check(make_run(short, algorithm="PPO"), "DATA002") == []


@pytest.mark.parametrize("values", ODD.values(), ids=ODD)
def test_survives_odd_series(values):
    run = make_run({"outcome/return_mean": values, "value/loss": values}, algorithm="PPO")

    assert all(finding.severity == "notice" for finding in check(run, "DATA002"))
