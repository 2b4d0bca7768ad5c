import numpy as np
import pytest
from tests.rules.policy.curves import ODD

from runvitals.diagnosis.engine import judge_by_rules
from runvitals.testing import check, make_run

N = 60
BY_HEART = 2.5 * np.exp(-np.linspace(0, 5, N))


def run(loss, epochs=30.0, algorithm="SFT", **more):
    loss = np.asarray(loss, float)
    series = {"lm/loss": loss, "progress/epoch": np.linspace(0, epochs, len(loss))}
    named = {name.replace("__", "/"): values for name, values in more.items()}
    return make_run({**series, **named}, algorithm=algorithm)


def test_fires_after_many_epochs_without_held_out_data():
    [finding] = check(run(BY_HEART), "SFT005")

    assert finding.severity == "warning"
    assert finding.message.startswith("after 30 passes over the data, training loss is 0.0")
    assert finding.message.endswith("and nothing held out was logged")
    assert finding.span.first > 20


@pytest.mark.parametrize("epochs", [4.0, 12.0, 200.0])
def test_what_was_memorised_was_not_learned(epochs):
    assert judge_by_rules(run(BY_HEART, epochs), since_when=False).verdict.word == "overfitting"


def test_it_is_enough_that_the_end_is_known_by_heart():
    loss = np.concatenate([np.linspace(2.0, 0.3, 54), np.full(6, 0.05)])

    assert check(run(loss + 0.01 * np.random.default_rng(0).random(60)), "SFT005")


def test_six_points_are_enough():
    assert check(run([0.47, 0.026, 0.014, 0.011, 0.009, 0.008], 100.0), "SFT005")


@pytest.mark.parametrize(
    "held_out", [[2.0, 1.9, 2.1, 2.4, 2.8], [1.8, 2.1], np.full(8, 2.0) + 0.05 * np.arange(8)]
)
def test_fires_when_held_out_data_stay_far_behind(held_out):
    [finding] = check(run(BY_HEART, 5.0, eval__lm__loss=held_out), "SFT005")

    assert finding.severity == "warning"
    assert finding.also == ("eval/lm/loss",)


@pytest.mark.parametrize(
    ("loss", "epochs", "more"),
    [
        (np.linspace(2.4, 1.4, N), 30.0, {}),
        (np.linspace(2.4, 0.2, N), 30.0, {}),
        (BY_HEART, 3.0, {}),
        (np.full(N, 0.05), 30.0, {}),
        (BY_HEART, 30.0, {"eval__lm__loss": np.linspace(2.0, 0.02, 10)}),
        (BY_HEART, 30.0, {"eval__lm__loss": np.linspace(2.0, 0.6, 10)}),
        (
            BY_HEART,
            30.0,
            {
                "eval__lm__loss": np.linspace(0.5, 0.9, 10),
                "eval__lm__sequence_accuracy": [0.7] + [0.93] * 9,
            },
        ),
        ([0.0] * N, 30.0, {}),
        ([2.0, 0.01], 30.0, {}),
    ],
    ids=[
        "healthy",
        "not yet known",
        "few passes",
        "low from the start",
        "the task is solved",
        "held-out still improves",
        "over-confident and right",
        "nothing to learn",
        "too short",
    ],
)
def test_stays_silent(loss, epochs, more):
    assert check(run(loss, epochs, **more), "SFT005") == []


def test_classes_can_be_told_apart_for_good():
    classes = {"supervised__accuracy": np.linspace(0.5, 1.0, N)}

    assert check(run(BY_HEART, 12.0, **classes), "SFT005") == []


def test_what_was_predicted_before_it_was_seen_is_not_memorised():
    """Copying, sorting, arithmetic: the loss is next to 0 on new samples too."""
    sudden = np.concatenate([2.4 * np.exp(-np.linspace(0, 5, 40)), np.full(560, 0.004)])

    assert check(run(sudden, 12.0), "SFT005") == []


@pytest.mark.parametrize("values", ODD.values(), ids=ODD)
def test_survives_odd_series(values):
    series = dict.fromkeys(("lm/loss", "eval/lm/loss", "progress/epoch"), values)

    check(make_run(series, algorithm="SFT"), "SFT005")


def test_so_are_three_of_a_hundred_passes():
    assert check(run([0.45, 0.014, 0.0085], 100.0), "SFT005")
