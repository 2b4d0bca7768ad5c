import numpy as np
import pytest
from tests.rules.reward.curves import learning, stuck

from runvitals.testing import check, make_run

N = 80


def run(scale, outcome=None, **more):
    series = {"outcome/return_mean": stuck() if outcome is None else outcome}
    return make_run({**series, "optim/lr_scale": scale, **more}, algorithm="PPO")


def spikes(every):
    return [float(row % every == 0) for row in range(N)]


def test_fires_when_the_rate_is_held_down_and_counts_the_spikes():
    held = run([1.0] * 20 + [0.125] * 60, **{"optim/grad_spike": spikes(4)})

    [finding] = check(held, "LR003")

    assert finding.severity == "warning"
    assert finding.message.startswith(
        "the learning rate is held at 0.125 times its plan after 20 gradient spikes"
    )


def test_a_run_that_learns_all_the_same_gets_a_notice():
    [finding] = check(run([0.25] * N, outcome=learning()), "LR003")

    assert finding.severity == "notice"


@pytest.mark.parametrize(
    "scale",
    [[1.0] * N, [1.0] * 40 + [0.5] * 5 + [1.0] * 35, [np.nan] * N, [0.5] * 6],
    ids=["never adapted", "one spike, over soon", "all nan", "too short to judge"],
)
def test_stays_silent(scale):
    assert check(run(scale, outcome=stuck()[: len(scale)]), "LR003") == []
