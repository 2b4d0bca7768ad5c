"""A part of the reward that is logged and not paid for is the one that cannot be hacked."""

import numpy as np
import pytest

from runvitals.model import Binding
from runvitals.rules.patient import Patient
from runvitals.rules.reward_parts import unpaid
from runvitals.testing import check, make_run

N = 80
T = np.linspace(0, 1, N)


def noise(seed, width=0.02):
    return width * np.random.default_rng(seed).normal(size=N)


STYLE = 0.2 + 0.6 * T + noise(1)
BREVITY = 0.5 + noise(2)
FALLS = np.clip(0.6 - 0.5 * T + noise(3), 0, 1)
RISES = 0.1 + 0.7 * T + noise(4)
LOW = np.clip(0.1 + noise(5), 0, 1)


def grpo(parts, weights, *, told=False, config=None, rest=0.0):
    """A run of TRL, whose total is the weighted sum of its parts."""
    total = sum(w * values for w, values in zip(weights, parts.values(), strict=True)) + rest
    series = {f"rewards/{name}/mean": values for name, values in parts.items()}
    config = {"reward_weights": list(weights)} if told else config
    run = make_run({"reward": total, **series}, every=5, algorithm="GRPO", config=config)
    labels = {f"rewards/{n}/mean": {"component": n} for n in parts}
    bound = {name: Binding("reward/component_mean", label) for name, label in labels.items()}
    run.bind({"reward": Binding("reward/score_mean")} | bound)
    return run


def names(run):
    return [part.name for part in unpaid(Patient(run), 20)]


def test_an_unpaid_part_that_rises_too_leaves_the_praise():
    run = grpo({"style": STYLE, "judge": BREVITY, "solved": RISES}, (1.0, 0.5, 0.0))

    assert names(run) == ["solved"]
    assert Patient(run).health.good
    assert check(run, "REW001") == []


@pytest.mark.parametrize("name", ["length", "format_ok", "repetition"])
def test_what_is_logged_for_another_purpose_does_not_contradict(name):
    run = grpo({"style": STYLE, "judge": BREVITY, name: FALLS}, (1.0, 0.5, 0.0))

    assert Patient(run).health.good


def test_a_goal_that_is_paid_for_needs_no_other_witness():
    run = grpo({"accuracy": STYLE, "judge": BREVITY, "novelty": FALLS}, (1.0, 0.5, 0.0))

    assert Patient(run).health.good


def test_a_part_that_counts_is_not_taken_for_unpaid():
    assert names(grpo({"a": STYLE, "b": BREVITY, "c": FALLS}, (1.0, 0.5, 0.2))) == []


def test_weights_are_not_measured_where_the_parts_do_not_make_the_total():
    unlike = grpo({"a": STYLE, "b": FALLS}, (1.0, 0.0), rest=noise(7, 0.05))

    assert names(unlike) == []


def test_parts_that_move_together_leave_open_which_of_them_counts():
    assert names(grpo({"a": STYLE, "b": 0.5 * STYLE}, (1.0, 0.0))) == []


def test_a_small_weight_on_a_large_number_counts():
    tokens = 500 + 100 * np.random.default_rng(8).normal(size=N)

    assert names(grpo({"a": STYLE, "tokens": tokens}, (1.0, -0.001))) == []


def test_a_goal_that_the_settings_only_watch_and_that_rises_is_no_alarm():
    run = grpo({"style": STYLE, "accuracy": RISES}, (1.0, 0.0), told=True)

    assert check(run, "REW010") == []
    assert Patient(run).health.good


def test_an_unpaid_part_that_is_rare_and_leans_upwards_does_not_contradict():
    rng = np.random.default_rng(1)
    rare = rng.binomial(32, 0.05 + 0.05 * T) / 32
    run = grpo({"style": STYLE, "judge": BREVITY, "solved": rare}, (1.0, 0.5, 0.0))

    assert Patient(run).health.good
