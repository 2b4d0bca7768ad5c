import numpy as np
import pytest
from tests.rules.policy.curves import ODD, learning, stuck, wandering

from runvitals.testing import check, make_run

RANDOM = np.log(4) - 1e-3 * np.abs(wandering())


def run(entropy, outcome, *, config=None, algorithm="PPO", plan=None, **more):
    return make_run(
        {"policy/entropy": entropy, "outcome/return_mean": outcome, **more},
        every=10,
        algorithm=algorithm,
        config=config,
        **(plan or {}),
    )


def test_fires_when_it_still_chooses_at_random():
    [finding] = check(run(RANDOM, stuck()), "ENT004")

    assert finding.severity == "warning"
    assert "of a random choice" in finding.message
    assert (finding.span.first, finding.span.last) == (10, 800)


def test_a_heavy_bonus_is_the_first_cause():
    [finding] = check(run(RANDOM, stuck(), config={"ent_coef": 2.0}), "ENT004")

    assert finding.causes[0] == "entropy bonus outweighs the task"
    assert "(this run: 2)" in finding.advice


def test_the_number_of_actions_is_known_from_their_shares():
    shares = {f"policy/action_share{{action={i}}}": [0.25] * 80 for i in range(4)}

    [finding] = check(run(RANDOM, stuck(), **shares), "ENT004")

    assert finding.limit is not None
    assert finding.limit.value == pytest.approx(0.98 * np.log(4))


@pytest.mark.parametrize(
    ("entropy", "outcome", "about"),
    [
        (RANDOM, learning(), {}),
        (np.linspace(1.38, 0.9, 80), stuck(), {}),
        (np.linspace(1.0, 5.0, 80), stuck(), {}),
        (RANDOM[:20], stuck(20), {}),
        (RANDOM, stuck(), {"plan": {"total_steps": 10_000, "status": "running"}}),
        (RANDOM - 3.0, stuck(), {}),
        (RANDOM, stuck(), {"algorithm": "GRPO"}),
    ],
    ids=["improves", "commits", "rises", "too short", "early in the plan", "continuous", "tokens"],
)
def test_stays_silent(entropy, outcome, about):
    assert check(run(entropy, outcome, **about), "ENT004") == []


@pytest.mark.parametrize("values", ODD.values(), ids=ODD)
def test_survives_odd_series(values):
    check(run(values, stuck(len(values))), "ENT004")
