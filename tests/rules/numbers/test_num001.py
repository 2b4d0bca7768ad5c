from math import inf, nan

import numpy as np
import pytest
from tests.rules.policy.curves import around, wandering

from runvitals.model import Binding
from runvitals.testing import check, make_run

FINE = around(1.0)


def run(series, **about):
    return make_run(series, every=10, **{"algorithm": "PPO", **about})


def ending(count, value=nan):
    return [*FINE[: 80 - count], *[value] * count]


def test_fires_when_a_loss_ends_in_nan():
    [finding] = check(run({"policy/loss": ending(20)}), "NUM001")

    assert finding.severity == "critical"
    assert finding.message == "policy/loss is NaN from step 610 to the end (20 values)"
    assert (finding.span.first, finding.span.last, finding.span.count) == (610, 800, 20)


def test_an_error_that_is_trained_on_is_a_loss():
    [finding] = check(run({"supervised/error": ending(20)}, algorithm="SFT"), "NUM001")

    assert finding.severity == "critical"


def test_two_series_at_once_need_one_point():
    found = check(
        run({"policy/kl_ref": ending(1, inf), "optim/grad_norm": ending(1)}, algorithm="GRPO"),
        "NUM001",
    )

    assert [one.severity for one in found] == ["critical"]
    assert found[0].series == "policy/kl_ref"
    assert found[0].also == ("optim/grad_norm",)


def test_a_crash_makes_the_last_point_count():
    assert len(check(run({"policy/loss": ending(1)}, status="crashed"), "NUM001")) == 1


def test_nan_from_the_first_step_on_is_found():
    [finding] = check(
        run({"lm/loss": [nan] * 8, "optim/grad_norm": [nan] * 8}, algorithm="SFT"), "NUM001"
    )

    assert finding.causes[0] == "bad input or label"


def test_a_script_whose_every_loss_was_never_a_number_is_dead_from_the_start():
    never = {"optim/loss": [nan] * 30, "eval/loss": [nan] * 30, "optim/learning_rate": [0.01] * 30}

    [finding] = check(run(never, algorithm=None), "NUM001")

    assert finding.severity == "critical"


def test_a_loss_that_grew_first_is_no_matter_of_the_first_batch():
    loss = [3.2, 2e3, 1e9, 1e17, *[nan] * 8]

    [finding] = check(run({"lm/loss": loss}, algorithm="SFT"), "NUM001")

    assert finding.message.endswith("lm/loss grew from 3.2 to 1e+17 before")
    assert finding.advice.startswith("lower the learning rate, or clip gradients: lm/loss grew")
    assert finding.causes[:2] == ("learning rate too high", "gradients not clipped")


def test_the_gradient_that_grew_before_the_loss_was_gone_is_named():
    norms = [*around(1.0, 73), 40.0, 300.0, 9e4, *[inf] * 4]

    [finding] = check(run({"policy/loss": ending(2), "optim/grad_norm": norms}), "NUM001")

    assert finding.message == (
        "optim/grad_norm is infinite from step 770 to the end (4 values), then policy/loss from "
        "step 790; optim/grad_norm grew from 0.99 to 90,000 before"
    )


def test_a_sudden_nan_asks_for_the_batch_and_not_for_the_rate():
    [finding] = check(run({"policy/loss": ending(20)}), "NUM001")

    assert finding.advice == (
        "resume from a checkpoint before step 610, and run that batch with anomaly detection"
    )
    assert finding.causes[0] == "a single bad batch"


def test_an_absurd_learning_rate_is_the_first_suspect():
    series = {"policy/loss": [1.0, *[nan] * 8], "optim/learning_rate": [0.5] * 9}

    [finding] = check(run(series), "NUM001")

    assert finding.advice == "lower the learning rate of 0.5 to 0.003 or less first"
    assert finding.causes[0].startswith("the learning rate is 0.5")


def test_the_clip_that_did_not_help_is_named():
    loss = [3.2, 2e3, 1e9, *[nan] * 8]
    sick = run({"lm/loss": loss}, algorithm="SFT", config={"max_grad_norm": 1e9})

    [finding] = check(sick, "NUM001")

    assert "clip gradients below 1e+09" in finding.advice


def test_a_series_that_never_was_a_number_is_found_under_any_name():
    fine = {"policy/loss": FINE}
    made = run({**fine, "my_head_loss": [nan] * 80, "lucky_number": [nan] * 80})
    made.bind({"policy/loss": Binding("policy/loss")})

    [finding] = check(made, "NUM001")

    assert finding.severity == "warning"
    assert (
        finding.message
        == "my_head_loss is not a number at any of its 80 points; the same goes for 1 other series"
    )
    assert finding.also == ("lucky_number",)


@pytest.mark.parametrize(("count", "severity"), [(10, "notice"), (80, "warning")])
def test_a_loss_that_never_was_a_number_is_found_beside_a_reward(count, severity):
    never = {"optim/loss": [nan] * count, "reward/mean": around(1.0, count)}

    [finding] = check(make_run(never), "NUM001")

    assert (finding.severity, finding.series) == (severity, "optim/loss")


def with_unknown(**series):
    """A run that does well, beside series of which nobody knows what they are."""
    made = run({"policy/loss": FINE, **series})
    made.bind({"policy/loss": Binding("policy/loss")})
    return made


@pytest.mark.parametrize("count", [20, 200])
def test_a_number_of_unknown_meaning_that_is_always_nan_is_a_warning(count):
    [finding] = check(with_unknown(lucky_number=[nan] * count), "NUM001")

    assert (finding.severity, finding.series) == ("warning", "lucky_number")
    assert finding.message == f"lucky_number is not a number at any of its {count} points"


def test_a_number_of_unknown_meaning_that_is_gone_to_the_end_is_a_warning():
    [finding] = check(with_unknown(lucky_number=ending(30)), "NUM001")

    assert finding.severity == "warning"
    assert finding.message == "lucky_number is not a number from step 510 to the end (30 points)"
    assert (finding.span.first, finding.span.count) == (510, 30)


@pytest.mark.parametrize(
    "series",
    [
        {"success": [nan] * 30 + [0.5] * 50},
        {"success": [0.5, nan, nan, nan] * 20},
        {"success": [*[0.5, nan, nan, nan, nan, nan, nan] * 11, nan, nan, nan]},
        {"success": ending(5)},
        {"success": [nan] * 10},
        {"first": ending(40), "second": [nan] * 40 + [1.0] * 40},
        {"first": ending(40), "second": dict.fromkeys(range(410, 810, 10), 1.0)},
    ],
    ids=[
        "not measured yet",
        "measured now and then",
        "the last measurement is a while ago",
        "a few at the end",
        "too few to tell",
        "a phase is over",
        "the next phase has rows of its own",
    ],
)
def test_what_is_not_measured_in_a_row_is_no_alarm(series):
    assert not any(one.is_alarm for one in check(with_unknown(**series), "NUM001"))


def test_a_known_metric_that_may_be_undefined_is_only_a_notice():
    found = check(run({"policy/loss": FINE, "value/explained_variance": [nan] * 80}), "NUM001")

    assert [(one.severity, one.series) for one in found] == [("notice", "value/explained_variance")]


def test_half_precision_is_suspected_first():
    [finding] = check(run({"policy/loss": ending(20)}, config={"dtype": "float16"}), "NUM001")

    assert finding.causes[0] == "overflow in fp16"


def test_single_infinite_norms_are_a_notice():
    norms = FINE.copy()
    norms[[20, 41]] = inf

    [finding] = check(run({"optim/grad_norm": norms}), "NUM001")

    assert finding.severity == "notice"
    assert "2 of 80 points" in finding.message


@pytest.mark.parametrize(
    "series",
    [
        {"policy/loss": FINE},
        {"policy/loss": ending(1)},
        {"policy/loss": [nan, 1.0] * 40},
        {"policy/loss": [1.0, nan, nan, nan] * 20},
        {"value/explained_variance": ending(60)},
        {"outcome/return_mean": ending(20)},
        {"optim/grad_norm": ending(5)},
        {"eval/lm/loss": ending(20)},
        {"policy/loss": [nan]},
    ],
    ids=[
        "healthy",
        "one point of one series",
        "every second row",
        "padded rows",
        "no variance to explain",
        "no episode ended",
        "a loss scaler at work",
        "evaluation",
        "one point",
    ],
)
def test_stays_silent(series):
    assert not any(one.is_alarm for one in check(run(series), "NUM001"))


def test_rows_in_which_even_the_rate_is_missing_are_padding():
    padded = {
        "policy/loss": ending(2),
        "policy/approx_kl": ending(2),
        "optim/learning_rate": [*[3e-4] * 78, nan, nan],
    }

    assert check(run(padded), "NUM001") == []


def test_an_off_policy_learner_may_wait():
    waiting = {"value/loss": [nan] * 30, "value/q_mean": [nan] * 30, "outcome/return_mean": FINE}

    assert check(run(waiting, algorithm="DQN"), "NUM001") == []


def test_a_warm_up_of_nan_is_fine():
    late = {"value/loss": np.concatenate([[nan] * 40, around(1.0, 40)]), "value/mean": wandering()}

    assert check(run(late, algorithm="DQN"), "NUM001") == []


def unexplained(series):
    found = make_run(series)
    found.bind({})
    return found


def test_losses_that_no_tool_explains_count_if_all_of_them_end():
    [finding] = check(
        unexplained({"my_loss": ending(20), "entropy": ending(20), "x": FINE}), "NUM001"
    )

    assert finding.series == "my_loss"
    assert finding.also == ("entropy",)


def test_a_loss_of_a_first_phase_that_no_tool_explains_is_no_alarm():
    found = check(unexplained({"warm_loss": ending(20), "my_loss": FINE}), "NUM001")

    assert not any(one.is_alarm for one in found)


@pytest.mark.parametrize("outcome", ["outcome/return_mean", "eval/success_rate"])
def test_an_outcome_that_is_a_number_no_longer_is_a_warning(outcome):
    values = np.concatenate([np.linspace(0, 0.6, 60), np.full(40, np.nan)])
    seen = make_run({outcome: values, "policy/entropy": np.linspace(1, 0.5, 100)}, algorithm="PPO")

    [finding] = check(seen, "NUM001")

    assert finding.series == outcome
    assert finding.severity == "warning"


@pytest.mark.parametrize(("evaluations", "found"), [(1, 0), (2, 1)])
def test_a_held_out_loss_that_was_not_a_number_twice_is_told(evaluations, found):
    series = {"optim/loss": np.linspace(5.9, 5.4, 40), "eval/loss": [nan] * evaluations}

    assert len(check(make_run(series), "NUM001")) == found
