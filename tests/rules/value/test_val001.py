import numpy as np
import pytest
from tests.rules.reward.curves import (
    around,
    collapsing,
    learning,
    odd_runs,
    solved,
    stuck,
    wandering,
)

from runvitals.diagnosis.judge import Settings, judge
from runvitals.model import all_findings
from runvitals.testing import check, make_run

T = np.linspace(0, 1, 80)
JUMPS = np.r_[around(1.0, 40), around(40.0, 40)]


def run(loss, outcome, algorithm="PPO", **other):
    series = {"value/loss": loss, "outcome/return_mean": outcome}
    series |= {name.replace("__", "/"): values for name, values in other.items()}
    return make_run(series, every=1000, algorithm=algorithm)


def one_spike():
    loss = around(50.0)
    loss[40] *= 200
    return loss


def test_fires_on_a_loss_beyond_what_the_returns_explain():
    [finding] = check(run(JUMPS, stuck(), returns__std=around(3.0)), "VAL001")

    assert finding.severity == "warning"
    assert 38_000 <= finding.span.first <= 56_000
    assert finding.span.last == 80_000
    assert "measured by the returns" in finding.message
    assert "times its lowest" in finding.message


def test_no_outcome_excuses_targets_that_diverged_with_the_values():
    loss = np.r_[around(100.0, 20), around(1e8, 60)]

    [finding] = check(run(loss, learning(), algorithm="SAC"), "VAL001")

    assert finding.severity == "warning"
    assert "although the largest return was only" in finding.message


def test_is_a_notice_while_the_outcome_does_well():
    [finding] = check(run(JUMPS, solved(), returns__std=around(3.0)), "VAL001")

    assert finding.severity == "notice"
    assert "is holding up so far" in finding.message


def test_is_a_notice_without_an_outcome():
    [finding] = check(make_run({"value/loss": JUMPS}, algorithm="PPO"), "VAL001")

    assert finding.severity == "notice"


def test_warns_of_a_loss_that_rises_all_along_while_nothing_is_learned():
    [finding] = check(run(around(1.0) * np.exp(2.0 * T), stuck()), "VAL001")

    assert finding.severity == "warning"
    assert "times its lowest" in finding.message


@pytest.mark.parametrize(("outcome", "severity"), [(stuck(), "warning"), (learning(), "notice")])
def test_speaks_of_an_error_larger_than_any_return(outcome, severity):
    [finding] = check(run(around(1e7), outcome), "VAL001")

    assert finding.severity == severity
    assert "value loss is huge" in finding.message


@pytest.mark.parametrize(
    ("outcome", "at", "severity"),
    [(stuck(), [30, 55], "warning"), (learning(), [30, 45, 70], "notice")],
    ids=["stuck", "does well"],
)
def test_speaks_of_spikes(outcome, at, severity):
    loss = around(50.0)
    loss[at] *= 200

    [finding] = check(run(loss, outcome), "VAL001")

    assert finding.severity == severity
    assert f"spikes in {len(at)} update" in finding.message


def test_reads_the_error_of_the_values_too():
    series = {"value/error": JUMPS, "outcome/return_mean": stuck(), "returns/var": around(3.0)}

    [finding] = check(make_run(series, algorithm="PPO"), "VAL001")

    assert finding.severity == "warning"
    assert finding.message.startswith("value error")


@pytest.mark.parametrize(
    ("loss", "outcome", "other"),
    [
        (JUMPS, stuck(), {"returns__std": np.r_[around(3.0, 40), around(19.0, 40)]}),
        (np.square(learning()), learning(), {}),
        (0.1 * np.square(learning()), learning(), {}),
        (around(300.0), 4 * stuck(), {}),
        (JUMPS[25:43], stuck(18), {}),
        (one_spike(), stuck(), {}),
        (around(5.0), collapsing(), {"returns__std": around(3.0)}),
    ],
    ids=[
        "returns grow too",
        "as large as the return",
        "grows with the return",
        "only scale",
        "too short",
        "one spike is an event",
        "steady",
    ],
)
def test_stays_silent(loss, outcome, other):
    assert check(run(loss, outcome, **other), "VAL001") == []


def test_gives_off_policy_critics_more_room():
    assert check(run(JUMPS, stuck(), algorithm="DQN", returns__std=around(3.0)), "VAL001") == []


@pytest.mark.parametrize("factor", [8.0, 60.0])
@pytest.mark.parametrize("grows", [0.0, 2.0], ids=["steady before", "grew with the returns"])
def test_names_the_critic_where_its_loss_jumps_and_the_outcome_collapses(factor, grows):
    outcome = np.where(T < 0.55, 20 + 540 * T, np.maximum(30, 320 - 1450 * (T - 0.55)))
    for seed in range(5):
        loss = around(40.0, seed=seed) * (0.1 + np.minimum(T, 0.55)) ** grows
        loss = np.where(T < 0.5, loss, factor * loss)
        seen = run(loss, outcome + 5 * wandering(seed=seed))

        [finding] = check(seen, "VAL001")
        story = next(
            one for one in judge(seen, Settings()).findings if finding.code in codes_of(one)
        )

        assert finding.severity == "warning"
        assert "REW003" in codes_of(story)


def codes_of(story):
    return {one.code for one in all_findings((story,))}


def test_survives_odd_values():
    for odd in odd_runs("value/loss", "outcome/return_mean", "returns/std"):
        check(odd, "VAL001")
