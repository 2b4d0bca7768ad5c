"""NET002 to NET007, on series as `rv.watch` logs them."""

from math import inf, nan

import numpy as np
import pytest
from tests.rules.reward.curves import learning, odd_runs, stuck

from runvitals.testing import check, make_run

STEPS = range(0, 800, 50)
NOISE = np.exp(0.1 * np.random.default_rng(0).normal(size=len(STEPS)))


def at(values):
    """A value per measurement, every 50 steps."""
    return dict(zip(STEPS, np.broadcast_to(values, (len(STEPS),)).tolist(), strict=True))


def run(series, outcome=None):
    outcomes = learning() if outcome is None else outcome
    points = dict(zip(range(0, 10 * len(outcomes), 10), outcomes, strict=True))
    return make_run({"outcome/return_mean": points, **series}, algorithm="PPO")


def blocks(metric, **levels):
    named = {f"{metric}{{block={name}}}": at(level * NOISE) for name, level in levels.items()}
    return {metric: at(max(levels.values()) * NOISE), **named}


def units(kind, share):
    metric = f"net/{kind}_units"
    return {metric: at(0.3), f"{metric}{{block=layers.2.act}}": at(share)}


# NET002


@pytest.mark.parametrize("kind", ["dead", "saturated"])
def test_names_the_layer_whose_units_do_not_answer(kind):
    [finding] = check(run(units(kind, 0.9), stuck()), "NET002")

    assert finding.message == f"90% of the units in layers.2.act are {kind}"
    assert finding.severity == "warning"


def test_dead_units_are_a_notice_while_the_outcome_does_well():
    [finding] = check(run(units("dead", 0.9)), "NET002")

    assert finding.severity == "notice"
    assert "is holding up so far" in finding.message


@pytest.mark.parametrize(
    "share", [0.0, 0.4, np.linspace(0.9, 0.1, 16)], ids=["none", "less than half", "they came back"]
)
def test_a_layer_that_answers_is_fine(share):
    assert check(run(units("dead", share), stuck()), "NET002") == []


# NET003


def mark(module="layers.7.mlp.down_proj", kind="gradient", step=1204, update=1205):
    return {f"net/nonfinite{{module={module},kind={kind}}}": {step: float(update)}}


def test_names_the_first_module_with_a_nonfinite_value():
    [finding] = check(run({"net/nonfinite": at(0.0), **mark()}), "NET003")

    assert finding.message == (
        "first non-finite value: layers.7.mlp.down_proj, gradient, step 1,204"
    )
    assert finding.severity == "critical"


def test_names_the_earliest_of_several_and_the_update_where_steps_are_others():
    later = mark("embed", "weight", 90_000, 900)
    [finding] = check(
        run({"net/nonfinite": at(0.0), **mark(step=64_000, update=640), **later}), "NET003"
    )

    assert finding.message.endswith("down_proj, gradient, step 64,000 (update 640)")


def test_a_loss_that_is_no_number_blames_no_module():
    [finding] = check(run({"net/nonfinite": at(3.0), **mark("(loss)", "loss", 500, 500)}), "NET003")

    assert "the loss itself (all gradients at once)" in finding.message


def test_is_a_notice_once_gradients_are_finite_again():
    [finding] = check(run({"net/nonfinite": at(0.0), **mark(step=100, update=100)}), "NET003")

    assert finding.severity == "notice"


def test_norms_alone_tell_the_block():
    gone = np.where(np.arange(16) < 9, 1.0, nan)
    series = blocks("net/grad_norm", embed=1.0, head=2.0)
    series["net/grad_norm{block=embed}"] = at(gone)

    [finding] = check(run(series), "NET003")

    assert finding.message == "first non-finite gradient: embed, step 450"


def test_all_norms_at_once_blame_no_block():
    gone = np.where(np.arange(16) < 9, 1.0, inf)
    series = {f"net/grad_norm{{block={name}}}": at(gone) for name in ("embed", "head")}

    [finding] = check(run(series), "NET003")

    assert "all blocks at once" in finding.message


def test_finite_gradients_are_fine():
    series = {"net/nonfinite": at(0.0), **blocks("net/grad_norm", embed=1.0, head=2.0)}

    assert check(run(series), "NET003") == []


# NET004


def test_warns_of_updates_that_rewrite_the_weights():
    [finding] = check(run(blocks("net/update_ratio", body=1e-3, head=0.4), stuck()), "NET004")

    assert finding.severity == "warning"
    assert "one update changes head by" in finding.message


def test_large_updates_are_a_notice_while_the_outcome_does_well():
    [finding] = check(run(blocks("net/update_ratio", body=1e-3, head=0.4)), "NET004")

    assert finding.severity == "notice"


def test_warns_of_updates_too_small_to_learn_from():
    [finding] = check(run(blocks("net/update_ratio", body=1e-8, head=2e-8), stuck()), "NET004")

    assert finding.severity == "warning"
    assert "of their norm" in finding.message


def test_warns_of_a_block_that_has_gradients_and_never_moves():
    moved = blocks("net/update_ratio", body=1e-3, head=0.0)
    [finding] = check(run({**moved, **blocks("net/grad_norm", body=1.0, head=0.1)}), "NET004")

    assert finding.severity == "warning"
    assert finding.message.startswith("weights of head did not move in 16 measurements")


@pytest.mark.parametrize(
    "series",
    [
        blocks("net/update_ratio", body=1e-3, head=5e-3),
        blocks("net/update_ratio", body=1e-8, head=1e-8),
        {"net/update_ratio": at(np.linspace(0.5, 0.001, 16))},
        blocks("net/update_ratio", body=1e-3, head=0.0),
    ],
    ids=["usual", "small, but it learns", "large at first", "no gradient was logged"],
)
def test_updates_that_do_no_harm_are_fine(series):
    assert check(run(series), "NET004") == []


# NET005


def test_names_blocks_that_the_gradient_does_not_reach():
    series = blocks("net/grad_norm", first=1e-9, second=1e-7, third=1.0)

    [finding] = check(run(series, stuck()), "NET005")

    assert finding.severity == "warning"
    assert finding.message.startswith("gradient norm of first and second is 1e-09")


@pytest.mark.parametrize(
    "levels",
    [{"a": 1e-3, "b": 0.1, "c": 1.0}, {"a": 1e-9, "b": 1.0}, {"a": 0.0, "b": 0.0, "c": 0.0}],
    ids=["usual differences", "two blocks only", "no gradient anywhere"],
)
def test_gradients_that_reach_all_blocks_are_fine(levels):
    assert check(run(blocks("net/grad_norm", **levels), stuck()), "NET005") == []


# NET006


def test_sees_gradients_that_adam_did_not_expect():
    [finding] = check(run(blocks("net/adam_rms", a=3.0, b=4.0, c=1.0), stuck()), "NET006")

    assert finding.severity == "warning"
    assert "second moment" in finding.message


def test_sees_weights_ruled_by_eps():
    [finding] = check(run({"net/adam_below_eps": at(0.8)}), "NET006")

    assert finding.severity == "notice"
    assert finding.message.startswith("Adam's eps sets the step size of 80% of the weights")


@pytest.mark.parametrize(
    "series",
    [
        blocks("net/adam_rms", a=1.0, b=0.8, c=1.2),
        blocks("net/adam_rms", embed=6.0, b=0.8, c=1.2),
        {"net/adam_rms": at(np.where(np.arange(16) == 14, 5.0, 1.0))},
        {"net/adam_below_eps": at(0.1)},
    ],
    ids=["usual", "rare rows of one embedding", "one spike", "few below eps"],
)
def test_a_second_moment_that_fits_is_fine(series):
    assert check(run(series, stuck()), "NET006") == []


# NET007


def batch_of(samples, scale):
    return {"net/update_batch": at(samples), "net/noise_scale": scale}


def test_notices_a_batch_far_below_the_noise_scale_that_gets_nowhere():
    [finding] = check(run(batch_of(32.0, at(3200.0)), stuck()), "NET007")

    assert finding.severity == "notice"
    assert finding.message == (
        "5 of the last 5 measured gradients are mostly noise: an update has 32 samples, "
        "the gradient noise scale is 3,200"
    )


def test_updates_without_any_measurable_signal_count_as_noise():
    [finding] = check(run(batch_of(32.0, {0: 8.0}), stuck()), "NET007")

    assert finding.message.endswith("an update has 32 samples, no signal could be measured")


@pytest.mark.parametrize(
    ("samples", "scale", "outcome"),
    [
        (32.0, at(3200.0), None),
        (512.0, at(3200.0), stuck()),
        (32.0, at(np.geomspace(3200, 32, 16)), stuck()),
    ],
    ids=["it learns", "a batch near the scale", "no longer"],
)
def test_a_batch_that_teaches_is_fine(samples, scale, outcome):
    assert check(run(batch_of(samples, scale), outcome), "NET007") == []


def test_all_of_them_survive_odd_values():
    for code in ("NET002", "NET003", "NET004", "NET005", "NET006", "NET007"):
        metrics = ("net/dead_units", "net/grad_norm", "net/update_ratio", "net/adam_rms")
        for odd in odd_runs(*metrics, "net/nonfinite", "net/adam_below_eps", "outcome/return_mean"):
            check(odd, code)
