"""What `run.expect` says about an outcome is the target of its story."""

import numpy as np
import pytest
from tests.rules.reward.curves import wandering

from runvitals.diagnosis.engine import judge_by_rules
from runvitals.model import Expectation
from runvitals.rules.patient import Patient
from runvitals.testing import make_run

N = 80
T = np.arange(N)


def plateau(top, start=0.2, noise=0.005):
    return top - (top - start) * np.exp(-T / 8) + noise * wandering(N)


def judged(values, *expected, metric="reward/mean", algorithm="GRPO", **more):
    run = make_run({metric: values}, algorithm=algorithm, **more)
    run.expectations = expected
    return judge_by_rules(run, since_when=False)


def above(bound, metric="reward/mean", **more):
    return Expectation(metric, above=bound, **more).checked()


def test_a_reward_stuck_below_its_target_is_stalled_and_a_finding_says_so():
    found = judged(plateau(0.55), above(0.7))

    assert found.verdict.word == "stalled"
    assert found.verdict.reason.endswith("and stalled there, below your target of 0.7")
    assert found.verdict.reason in {finding.message for finding in found.alarms}


def test_without_a_target_only_the_user_knows():
    found = judged(plateau(0.55))

    assert found.verdict.word == "learned"
    assert "only you know" in found.verdict.reason


def test_the_whole_target_has_to_be_reached():
    nearly, there = (judged(plateau(top), above(0.7)).verdict for top in (0.66, 0.75))

    assert nearly.word == "stalled"  # 94 % of it
    assert there.word == "learned"


def test_what_still_rises_below_its_target_is_learning():
    assert judged(0.2 + 0.004 * T, above(0.7)).verdict.word == "learning"


def test_what_never_rose_is_not_learning_and_told_to_be_below():
    verdict = judged(0.55 + 0.002 * wandering(N), above(0.7)).verdict

    assert verdict.word == "not learning"
    assert verdict.reason.endswith("no improvement, below your target of 0.7")


def test_a_low_mark_hides_no_collapse():
    values = np.r_[np.linspace(0.1, 0.9, 40), np.linspace(0.9, 0.25, 40)] + 0.01 * wandering(N)

    assert judged(values, above(0.2)).verdict.word == "collapsed"


def test_a_low_mark_hides_no_fall_from_the_start():
    values = np.linspace(0.9, 0.3, N) + 0.01 * wandering(N)

    assert judged(values, above(0.2)).verdict.word == "not learning"


def test_before_half_of_the_plan_nothing_is_stalled():
    found = judged(plateau(0.55), above(0.7), status="running", total_steps=1000)

    assert found.verdict.word == "learning"
    assert "its target is 0.7" in found.verdict.reason


@pytest.mark.parametrize(
    ("below", "word"), [(1.0, "learned"), (0.3, "stalled")], ids=["reached", "missed"]
)
def test_the_target_of_a_loss_is_below_it(below, word):
    values = 0.5 + 2.0 * np.exp(-T / 8) + 0.005 * wandering(N)
    expected = Expectation("eval/loss", below=below).checked()

    verdict = judged(values, expected, metric="eval/loss", algorithm="SFT").verdict

    assert verdict.word == word
    assert ("above your target of 0.3" in verdict.reason) == (word == "stalled")


def test_a_rate_may_have_a_target_below_its_ceiling():
    found = judged(plateau(0.66), above(0.6, "outcome/success_rate"), metric="outcome/success_rate")

    assert found.verdict.word == "learned"


@pytest.mark.parametrize(
    "expected",
    [
        Expectation("reward/mean", below=0.7),
        above(0.7, "reward/std"),
        Expectation(rule="REW005", reason="known"),
    ],
    ids=["the wrong side", "another metric", "a rule"],
)
def test_other_expectations_are_no_targets(expected):
    run = make_run({"reward/mean": plateau(0.55)}, algorithm="GRPO")
    run.expectations = (expected,)

    outcome = Patient(run).outcome

    assert outcome is not None
    assert not outcome.asked


def test_of_several_targets_the_highest_counts_and_the_logged_name_will_do():
    run = make_run({"reward/mean": plateau(0.55)}, algorithm="GRPO")
    run.expectations = (above(0.3, by_step=10), above(0.7))

    outcome = Patient(run).outcome

    assert outcome is not None
    assert (outcome.ceiling, outcome.asked) == (0.7, True)


def test_a_held_out_loss_that_came_back_up_is_told_with_its_best():
    loss = 2.4 * np.exp(-T / 25) + 0.01 * wandering(N)
    held_out = np.where(T < 30, 2.4 - 0.04 * T, 1.2 + 0.02 * (T - 30)) + 0.01 * wandering(N, seed=1)
    run = make_run({"lm/loss": loss, "eval/lm/loss": held_out}, algorithm="SFT")

    verdict = judge_by_rules(run, since_when=False).verdict

    assert verdict.word == "overfitting"
    assert (
        f"but eval/lm/loss rose again from {verdict.levels.best:.4g} at its best" in verdict.reason
    )
