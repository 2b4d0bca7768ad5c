import numpy as np
import pytest
from tests.rules.policy.curves import ODD, around, creeping, learning, solved, stuck

import runvitals as rv
from runvitals.testing import check, make_run


def run(series, outcome=None, *, algorithm="PPO", config=None):
    series = dict(series)
    if outcome is not None:
        series["outcome/return_mean"] = outcome
    return make_run(series, every=10, algorithm=algorithm, config=config)


@pytest.mark.parametrize(
    ("series", "said"),
    [
        ({"optim/update_norm": [0.0] * 80}, "parameters do not change"),
        ({"optim/learning_rate": [0.0] * 80}, "learning rate is exactly 0"),
        ({"optim/grad_norm": [0.0] * 80}, "gradient norm is exactly 0"),
        ({"policy/approx_kl": [0.0, 1e-9] * 40}, "policy KL is 0"),
    ],
)
def test_fires_when_nothing_changes(series, said):
    [finding] = check(run(series, stuck()), "POL002")

    assert finding.severity == "critical"
    assert said in finding.message
    assert "80" in finding.message
    assert (finding.span.first, finding.span.last) == (10, 800)


def test_the_strongest_sign_leads_and_names_the_others():
    series = {"policy/approx_kl": [0.0] * 80, "optim/update_norm": [0.0] * 80}

    [finding] = check(run(series, stuck()), "POL002")

    assert finding.series == "optim/update_norm"
    assert finding.also == ("policy/approx_kl",)


def test_a_supervised_loss_that_never_moves_is_found():
    frozen = make_run({"preference/loss": [0.69314718] * 60}, algorithm="DPO")

    [finding] = check(frozen, "POL002")

    assert "0.693147" in finding.message


def tuned(held_out, **more):
    series = {
        "lm/loss": around(0.5),
        "eval/loss": dict(zip(range(5, 81, 5), held_out, strict=True)),
    }
    full = {"eval/lm/token_accuracy": dict.fromkeys(range(5, 81, 5), 1.0)}
    return make_run({**series, **full, **more}, algorithm="SFT")


def test_a_held_out_loss_that_never_changes_is_proof_even_of_a_good_model():
    [finding] = check(tuned([0.31452837] * 16), "POL002")

    assert finding.series == "eval/loss"
    assert finding.message == "the model never changes: exactly 0.314528 at all 16 points"


@pytest.mark.parametrize(
    "seen",
    [
        tuned([0.3145] * 16),
        tuned(0.31452837 + 1e-9 * np.arange(16)),
        tuned([0.31452837] * 16, **{"optim/param_norm": np.linspace(44.1, 44.2, 80)}),
        tuned([np.log(2)] * 16),
    ],
    ids=["few digits", "moves a little", "the weights move", "pairs without a difference"],
)
def test_a_held_out_loss_may_stand_still_for_other_reasons(seen):
    assert check(seen, "POL002") == []


def test_a_norm_that_stands_still_counts_while_nothing_is_learned():
    norm = {"optim/param_norm": [44.2318765] * 80}

    assert "44.2319" in check(run(norm, stuck()), "POL002")[0].message
    assert check(run(norm, solved()), "POL002") == []
    assert check(run({**norm, "policy/kl_ref": around(0.01)}, stuck()), "POL002") == []


def test_a_schedule_that_ends_half_way_is_a_warning():
    rate = [*np.linspace(3e-4, 1e-6, 35), *[0.0] * 45]

    assert [
        one.severity for one in check(run({"optim/learning_rate": rate}, stuck()), "POL002")
    ] == ["warning"]


@pytest.mark.parametrize(
    "series",
    [
        {"optim/learning_rate": [*np.linspace(3e-4, 1e-6, 79), 0.0]},
        {"optim/learning_rate": [0.0, *[1e-5] * 79]},
        {"optim/learning_rate": [0.0] * 80, "policy/approx_kl": around(0.01)},
        {"optim/grad_norm": [0.0, 1.0] * 40},
        {"policy/approx_kl": around(1e-7)},
        {"policy/loss": [0.0] * 15},
        {"optim/update_norm": [0.0] * 5},
    ],
    ids=[
        "annealed to zero",
        "warm-up from zero",
        "the KL says otherwise",
        "some batches without a signal",
        "tiny but not nothing",
        "too short",
        "far too short",
    ],
)
def test_stays_silent(series):
    assert check(run(series, stuck(len(next(iter(series.values()))))), "POL002") == []


def test_success_moves_no_more():
    still = {"policy/approx_kl": [0.0] * 80, "optim/grad_norm": [0.0] * 80}

    assert check(run(still, solved()), "POL002") == []


@pytest.mark.parametrize(
    "series",
    [
        {"policy/approx_kl": [0.0] * 80},
        {"optim/grad_norm": [0.0] * 80},
        {"policy/entropy": np.log(4.0) - np.linspace(0.0, 0.005, 80)},
    ],
    ids=["no KL", "no gradient", "equal chances"],
)
def test_a_small_gain_of_a_policy_that_never_moves_is_drift(series):
    [finding] = check(run(series, creeping()), "POL002")

    assert finding.severity == "critical"
    assert rv.judge(run(series, creeping())).verdict.word == "not learning"
    assert check(run(series, learning()), "POL002") == []


@pytest.mark.parametrize(
    "entropy",
    [np.linspace(np.log(4.0), 1.2, 80), np.full(80, 1.42), np.full(80, 2.84)],
    ids=["it falls", "a Gaussian in one dimension", "and in two"],
)
def test_other_entropies_say_nothing(entropy):
    assert check(run({"policy/entropy": entropy}, creeping()), "POL002") == []


def test_one_update_per_batch_has_no_kl():
    still = {"policy/approx_kl": [0.0] * 80}

    assert check(run(still, stuck(), config={"n_epochs": 1}), "POL002") == []
    assert check(run(still, stuck(), algorithm="GRPO"), "POL002") == []


def test_a_loss_of_zero_says_nothing_in_grpo():
    zero = {"policy/loss": [0.0] * 80, "length/response_mean": [100.0] * 80}

    assert check(run(zero, stuck(), algorithm="GRPO"), "POL002") == []


def test_a_log_with_three_decimals_says_nothing():
    rounded = {"optim/learning_rate": [0.0] * 80, "value/loss": [1.234, 1.207] * 40}
    outcome = [float(round(x, 3)) for x in stuck()]

    assert check(run(rounded, outcome), "POL002") == []


@pytest.mark.parametrize("values", ODD.values(), ids=ODD)
def test_survives_odd_series(values):
    names = ("optim/update_norm", "optim/learning_rate", "optim/grad_norm", "policy/approx_kl")
    check(run(dict.fromkeys(names, values), stuck(len(values))), "POL002")
