import pytest
from tests.rules.performance.plant import labelled, noisy
from tests.rules.policy.curves import ODD

from runvitals.testing import check, make_run


def test_names_what_is_not_understood():
    run = make_run({"value/loss": noisy(1.0), "my_thing": noisy(2.0)})
    run.bind({"value/loss": run.bindings["value/loss"]})

    [finding] = check(run, "DATA006")

    assert finding.severity == "notice"
    assert "1 of 2" in finding.message
    assert "my_thing" in finding.message


def test_names_two_that_claim_to_be_one():
    run = labelled(
        {
            "kl": ("policy/approx_kl", {}, noisy(0.01)),
            "approx_kl": ("policy/approx_kl", {}, noisy(0.05, seed=1)),
        }
    )

    [finding] = check(run, "DATA006")

    assert "2 names for policy/approx_kl" in finding.message


def test_silent_when_all_is_clear():
    run = labelled(
        {
            "kl": ("policy/approx_kl", {}, noisy(0.01)),
            "kl_again": ("policy/approx_kl", {}, noisy(0.01)),
            "kl_min": ("policy/approx_kl", {"stat": "min"}, noisy(0.001)),
        }
    )

    assert check(run, "DATA006") == []


@pytest.mark.parametrize("values", ODD.values(), ids=ODD)
def test_survives_odd_series(values):
    assert check(make_run({"value/loss": values}), "DATA006") == []
