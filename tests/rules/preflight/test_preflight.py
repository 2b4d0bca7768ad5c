"""PRE001 to PRE008, on series as `rv.watch` logs them."""

import numpy as np
import pytest
from tests.rules.reward.curves import learning, stuck

from runvitals.testing import check, make_run

FINE = {
    "preflight/trainable": {0: 1000.0},
    "preflight/not_in_optimizer": {0: 0.0},
    "preflight/frozen": {0: 0.0},
    "preflight/zero_learning_rate": {9: 0.0},
    "preflight/eval_while_training": {9: 0.0},
    "preflight/train_while_evaluating": {9: 0.0},
    "preflight/no_gradient": {9: 0.0},
    "preflight/initial_loss_ratio": {0: 1.02},
    "preflight/repeated_batches": {9: 0.0},
    "preflight/cross_sample_gradient": {0: 0.0},
}
CODES = [f"PRE00{number}" for number in range(1, 9)]


def run(outcome=None, **found):
    """A run whose check found this: `not_in_optimizer=(total, {labels: count})`."""
    series = dict(FINE)
    for check_name, (total, labelled) in found.items():
        metric = f"preflight/{check_name}"
        step = next(iter(FINE[metric]))
        series[metric] = {step: float(total)}
        for labels, count in labelled.items():
            series[f"{metric}{{{labels}}}"] = {step: float(count)}
    losses = {
        10 * i: v
        for i, v in enumerate(600 - np.asarray(learning() if outcome is None else outcome))
    }
    return make_run({"lm/loss": losses, **series}, algorithm="SFT")


@pytest.mark.parametrize("code", CODES)
def test_a_check_that_found_nothing_is_silent(code):
    assert check(run(), code) == []


@pytest.mark.parametrize("code", CODES)
def test_a_run_that_was_not_watched_is_not_judged(code):
    assert check(make_run({"lm/loss": learning()}, algorithm="SFT"), code) == []


def test_names_what_is_in_no_optimizer():
    [finding] = check(
        run(not_in_optimizer=(300, {"module=head": 200, "module=norm": 100})), "PRE001"
    )

    assert finding.message == "300 trainable parameters are in no optimiser group: head and norm"
    assert finding.severity == "warning"


def test_an_optimizer_that_holds_nothing_of_the_model_is_critical():
    [finding] = check(run(not_in_optimizer=(1000, {"module=(model)": 1000})), "PRE001")

    assert finding.severity == "critical"


def test_frozen_parameters_that_have_to_learn_are_a_warning():
    found = {"module=head,why=expected to learn": 50, "module=body,why=in the optimizer": 900}
    [finding] = check(run(frozen=(950, found)), "PRE002")

    assert finding.message == "50 parameters that should learn are frozen: head"
    assert finding.severity == "warning"


def test_frozen_parameters_in_the_optimizer_are_a_notice():
    [finding] = check(run(frozen=(900, {"module=body,why=in the optimizer": 900})), "PRE002")

    assert finding.severity == "notice"


def test_a_model_without_anything_to_train_is_critical():
    [finding] = check(run(trainable=(0, {})), "PRE002")

    assert finding.severity == "critical"


@pytest.mark.parametrize(("size", "severity"), [(200, "warning"), (1000, "critical")])
def test_names_the_group_with_a_rate_of_zero(size, severity):
    [finding] = check(run(zero_learning_rate=(size, {"group=1": size})), "PRE003")

    assert finding.message.endswith("in the first updates: group 1")
    assert finding.severity == severity


@pytest.mark.parametrize(("where", "severity"), [("(model)", "warning"), ("body.drop", "notice")])
def test_sees_modules_that_train_in_eval(where, severity):
    [finding] = check(run(eval_while_training=(1, {f"module={where}": 1})), "PRE004")

    assert "in eval() during training" in finding.message
    assert finding.severity == severity


def test_sees_modules_that_are_evaluated_in_train():
    [finding] = check(run(train_while_evaluating=(1, {"module=drop": 1})), "PRE004")

    assert finding.message == "1 dropout or batch norm module in train() during evaluation: drop"
    assert finding.severity == "warning"


def test_names_modules_without_a_gradient():
    [finding] = check(run(no_gradient=(64, {"module=encoder": 64})), "PRE005")

    assert finding.message == "64 parameters got no gradient in the first updates: encoder"


@pytest.mark.parametrize(
    ("outcome", "severity"), [(learning(), "notice"), (stuck(), "warning")], ids=["fine", "stuck"]
)
def test_a_first_loss_far_above_guessing_is_as_loud_as_the_outcome_is_bad(outcome, severity):
    [finding] = check(run(outcome, initial_loss_ratio=(8.5, {})), "PRE006")

    assert "first loss is 8.5 times that of guessing" in finding.message
    assert finding.severity == severity


def test_sees_one_batch_again_and_again():
    [finding] = check(run(repeated_batches=(1.0, {})), "PRE007")

    assert "repeat the very first" in finding.message


def test_a_batch_that_came_twice_is_fine():
    assert check(run(repeated_batches=(0.2, {})), "PRE007") == []


def test_sees_samples_that_see_each_other():
    [finding] = check(run(cross_sample_gradient=(0.25, {})), "PRE008")

    assert finding.message.startswith("25.0% of the gradient of one sample's output")
    assert finding.severity == "warning"
