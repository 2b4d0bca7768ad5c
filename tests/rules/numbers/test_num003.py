import numpy as np
import pytest
from tests.rules.policy.curves import ODD, wandering

from runvitals.model import Binding
from runvitals.testing import check, make_run


def run(series, algorithm="PPO"):
    return make_run(series, every=10, algorithm=algorithm)


def falling_entropy(start):
    return start * np.exp(-np.arange(40) / 30)


@pytest.mark.parametrize(
    ("metric", "values", "shown"),
    [
        ("policy/clip_fraction", [0.1, -0.4, -0.3, -0.2, 0.1], "-0.4"),
        ("value/explained_variance", [0.4, 1.6, 1.5, 1.7], "1.7"),
        ("outcome/success_rate", [250.0, 300.0, 320.0], "320"),
        ("eval/preference/accuracy", [-1.0, -1.0, -1.0], "-1"),
        ("length/response_mean", [-3.0, -2.0, -8.0], "-8"),
    ],
)
def test_fires_outside_the_range(metric, values, shown):
    [finding] = check(run({metric: values}), "NUM003")

    assert finding.severity == "warning"
    assert f" is {shown}, " in finding.message


def test_an_entropy_with_the_wrong_sign_is_seen_by_its_start():
    [finding] = check(run({"policy/entropy": -falling_entropy(np.log(2))}), "NUM003")

    assert finding.severity == "warning"
    assert "negative" in finding.message
    assert (finding.span.first, finding.span.last) == (10, 400)


def test_tokens_have_no_negative_entropy():
    tokens = {"policy/entropy": [-0.4] * 20, "length/response_mean": [100.0] * 20}

    assert len(check(run(tokens, "GRPO"), "NUM003")) == 1


def test_percent_is_a_notice():
    [finding] = check(run({"outcome/success_rate": [20.0, 55.0, 80.0]}), "NUM003")

    assert finding.severity == "notice"
    assert finding.causes[0] == "percentage logged instead of a fraction"


def test_a_guessed_name_is_a_notice():
    guessed = run({"policy/clip_fraction": [-0.5] * 5})
    guessed.bind(
        {"policy/clip_fraction": Binding("policy/clip_fraction", how="words", sure="likely")}
    )

    assert [one.severity for one in check(guessed, "NUM003")] == ["notice"]


@pytest.mark.parametrize(
    "series",
    [
        {"policy/clip_fraction": [0.0, 1.0, 1.0000001, 0.3]},
        {"value/explained_variance": [-40.0, -3.0, 1.0, 0.2]},
        {"policy/entropy": falling_entropy(np.log(2))},
        {"policy/entropy": np.linspace(1.4, -3.0, 40)},
        {"policy/entropy": np.linspace(-0.693, -3.0, 40)},
        {"policy/entropy": np.linspace(-0.2, -0.1, 40)},
        {"policy/ratio_max": [80.0] * 10},
        {"policy/kl_old": wandering(40)},
        {"replay/ratio": [4.0] * 10},
        {"lm/perplexity": [50.0] * 10},
        {"outcome/success_rate": [0.5, 1.2, 0.5, 0.5]},
    ],
    ids=[
        "fraction",
        "a bad critic",
        "discrete",
        "continuous",
        "continuous from a like start",
        "continuous and narrow",
        "a ratio is not a share",
        "an estimate may be negative",
        "updates to data",
        "perplexity",
        "one point",
    ],
)
def test_stays_silent(series):
    assert check(run(series), "NUM003") == []


@pytest.mark.parametrize("values", ODD.values(), ids=ODD)
def test_survives_odd_series(values):
    check(run({"policy/clip_fraction": values, "policy/entropy": values}), "NUM003")


@pytest.mark.parametrize(("sign", "found"), [(1.0, ["NUM003"]), (-1.0, [])])
def test_an_entropy_that_is_the_log_probability_has_the_wrong_sign(sign, found):
    log_probability = np.linspace(-1.4, -0.2, 40)
    series = {"policy/entropy": sign * log_probability, "policy/logprob_mean": log_probability}
    hits = check(make_run({**series, "policy/action_std": [0.5] * 40}, algorithm="PPO"), "NUM003")

    assert [hit.code for hit in hits] == found


def test_a_negative_entropy_of_tokens_is_impossible_in_supervised_training_too():
    run = make_run({"lm/entropy": -np.linspace(0.4, 0.01, 40)}, algorithm="SFT")

    [finding] = check(run, "NUM003")

    assert finding.severity == "warning"
