from math import nan

import pytest
from tests.rules.policy.curves import ODD, around

from runvitals.testing import check, make_run

BEFORE = around(1.5, 20)


def run(loss, norms, algorithm="SFT"):
    series = {"lm/loss": loss}
    if norms is not None:
        series["optim/grad_norm"] = norms
    return make_run(series, every=10, algorithm=algorithm)


def test_fires_when_the_norm_is_nan_where_the_loss_is_zero():
    [finding] = check(run([*BEFORE, *[0.0] * 10], [*BEFORE, *[nan] * 10]), "NUM002")

    assert finding.severity == "critical"
    assert (finding.span.first, finding.span.last) == (210, 300)
    assert "10 points" in finding.message


def test_from_the_start_too():
    assert len(check(run([0.0] * 12, [nan] * 12), "NUM002")) == 1


def test_a_norm_that_stopped_being_logged_counts():
    assert len(check(run([*BEFORE, *[0.0] * 10], BEFORE), "NUM002")) == 1


@pytest.mark.parametrize(
    ("loss", "norms"),
    [
        (BEFORE, BEFORE),
        ([*BEFORE, *[0.0] * 10], [*BEFORE, *[1e-8] * 10]),
        ([*BEFORE, *[0.0] * 10], None),
        ([*BEFORE, *[0.0] * 3], [*BEFORE, *[nan] * 3]),
        ([*BEFORE, *[0.1] * 10], [*BEFORE, *[nan] * 10]),
    ],
    ids=["healthy", "saturated", "no norm logged", "too short", "not zero"],
)
def test_stays_silent(loss, norms):
    assert check(run(loss, norms), "NUM002") == []


@pytest.mark.parametrize("values", ODD.values(), ids=ODD)
def test_survives_odd_series(values):
    check(run(values, values), "NUM002")
