import numpy as np
import pytest
from tests.rules.rew.curves import around, collapsing, learning, odd_runs, solved, stuck

from runvitals.testing import check, make_run

T = np.linspace(0, 1, 80)
JUMPS = np.r_[around(1.0, 40), around(40.0, 40)]


def run(loss, outcome, algorithm="PPO", **other):
    series = {"value/loss": loss, "outcome/return_mean": outcome}
    series |= {name.replace("__", "/"): values for name, values in other.items()}
    return make_run(series, every=1000, algorithm=algorithm)


def test_fires_on_a_loss_beyond_what_the_returns_explain():
    [finding] = check(run(JUMPS, stuck(), returns__std=around(3.0)), "VAL001")

    assert finding.severity == "warning"
    assert 38_000 <= finding.span.first <= 56_000
    assert finding.span.last == 80_000
    assert "variance of the returns" in finding.message


def test_is_critical_at_a_hundred_times():
    [finding] = check(
        run(np.r_[around(1.0, 40), around(400.0, 40)], stuck(), returns__std=around(3.0)), "VAL001"
    )

    assert finding.severity == "critical"


def test_a_loss_that_no_return_can_explain_counts_whatever_the_outcome_does():
    loss = np.r_[around(100.0, 20), around(1e8, 40), around(100.0, 20)]

    [finding] = check(run(loss, learning(), algorithm="SAC"), "VAL001")

    assert "though no return was beyond" in finding.message


@pytest.mark.parametrize(
    ("loss", "outcome", "other"),
    [
        (JUMPS, solved(), {"returns__std": around(3.0)}),
        (JUMPS, stuck(), {"returns__std": np.r_[around(3.0, 40), around(19.0, 40)]}),
        (np.square(learning()), learning(), {}),
        (around(1e6), 4 * stuck(), {}),
        (JUMPS[20:45], stuck(25), {}),
        (around(5.0), collapsing(), {"returns__std": around(3.0)}),
    ],
    ids=[
        "does well",
        "returns grow too",
        "grows with the return",
        "only scale",
        "too short",
        "steady",
    ],
)
def test_stays_silent(loss, outcome, other):
    assert check(run(loss, outcome, **other), "VAL001") == []


def test_says_nothing_without_an_outcome():
    assert check(make_run({"value/loss": JUMPS}, algorithm="PPO"), "VAL001") == []


def test_gives_off_policy_critics_more_room():
    assert check(run(JUMPS, stuck(), algorithm="DQN", returns__std=around(3.0)), "VAL001") == []


def test_survives_odd_values():
    for odd in odd_runs("value/loss", "outcome/return_mean", "returns/std"):
        check(odd, "VAL001")
