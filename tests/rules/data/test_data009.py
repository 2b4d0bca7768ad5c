import numpy as np
import pytest
from tests.rules.performance.plant import labelled
from tests.rules.policy.curves import ODD

from runvitals.testing import check


def run(**weights):
    about = {
        f"Scoring/{name}": ("reward/component_weight", {"component": name}, values)
        for name, values in weights.items()
    }
    return labelled({**about, "reward": ("reward/mean", {}, np.linspace(0.1, 0.8, 60))})


def stepped(before, after, at=40):
    return np.where(np.arange(60) < at, before, after)


def test_tells_which_weights_changed_and_when():
    [finding] = check(
        run(Correctness=stepped(0.3, 0.5), Quality=stepped(0.3, 0.1), Speed=np.full(60, 0.4)),
        "DATA009",
    )

    assert (finding.severity, finding.area) == ("notice", "outcome")
    assert finding.message.startswith(
        "reward weights changed at step 41: "
        "Scoring/Correctness from 0.3 to 0.5, Scoring/Quality from 0.3 to 0.1"
    )
    assert (finding.span.first, finding.span.last) == (41, 60)
    assert finding.also == ("Scoring/Quality",)


@pytest.mark.parametrize(
    "weight",
    [np.full(60, 0.3), np.linspace(0.3, 0.1, 60), np.full(4, 0.3), 0.1 + 0.2 * np.ones(60)],
    ids=["fixed", "a schedule", "too short", "rounding"],
)
def test_stays_silent(weight):
    assert check(run(Correctness=weight), "DATA009") == []


@pytest.mark.parametrize("values", ODD.values(), ids=ODD)
def test_survives_odd_series(values):
    assert not any(finding.is_alarm for finding in check(run(Correctness=values), "DATA009"))
