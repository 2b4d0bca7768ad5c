import numpy as np
import pytest
from tests.rules.policy.curves import ODD

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
    assert finding.message.startswith("after 30 epochs, training loss is down to 0.02")
    assert "no held-out loss was logged" in finding.message


def test_six_points_are_enough():
    assert check(run([0.47, 0.026, 0.014, 0.011, 0.009, 0.008], 100.0), "SFT005")


def test_a_few_epochs_are_only_worth_knowing():
    assert check(run(BY_HEART, 4.0), "SFT005")[0].severity == "notice"


@pytest.mark.parametrize(
    "held_out", [[2.0, 1.9, 2.1, 2.4, 2.8], [1.8, 2.1], np.full(8, 2.0) + 0.05 * np.arange(8)]
)
def test_fires_when_held_out_data_stay_far_behind(held_out):
    [finding] = check(run(BY_HEART, 5.0, eval__lm__loss=held_out), "SFT005")

    assert finding.severity == "warning"
    assert finding.also == ("eval/lm/loss",)


@pytest.mark.parametrize(
    ("loss", "more"),
    [
        (np.linspace(2.4, 1.4, N), {}),
        (np.linspace(2.4, 0.15, N), {}),
        (np.full(N, 0.05), {}),
        (BY_HEART, {"eval__lm__loss": np.linspace(2.0, 0.02, 10)}),
        (BY_HEART, {"eval__lm__loss": np.linspace(2.0, 0.6, 10)}),
        (
            BY_HEART,
            {
                "eval__lm__loss": np.linspace(0.5, 0.9, 10),
                "eval__supervised__accuracy": [0.7] + [0.93] * 9,
            },
        ),
        ([0.0] * N, {}),
        ([2.0, 0.01], {}),
    ],
    ids=[
        "healthy",
        "low",
        "low from the start",
        "the task is solved",
        "held-out still improves",
        "over-confident and right",
        "nothing to learn",
        "too short",
    ],
)
def test_stays_silent(loss, more):
    assert check(run(loss, **more), "SFT005") == []


@pytest.mark.parametrize(
    ("first", "severity"), [(0.65, "notice"), (2.3, "notice"), (3.0, "warning")]
)
def test_a_few_classes_can_be_told_apart_for_good(first, severity):
    loss = first * np.exp(-np.linspace(0, 5, N))
    series = {"optim/loss": loss, "progress/epoch": np.linspace(0, 12, N)}

    [finding] = check(make_run(series, algorithm="SFT"), "SFT005")

    assert finding.severity == severity


def test_an_error_rate_that_falls_says_that_something_was_learned():
    held_out = {"eval__lm__loss": np.linspace(1.0, 2.0, 8)}

    for rate, found in ((np.linspace(0.8, 0.7, 8), 0), (np.linspace(0.7, 0.8, 8), 1)):
        seen = run(BY_HEART, **held_out, eval__supervised__error=rate)

        assert len(check(seen, "SFT005")) == found


def test_one_epoch_of_an_easy_task_is_no_memory():
    assert check(run(BY_HEART, 1.0), "SFT005") == []


@pytest.mark.parametrize("values", ODD.values(), ids=ODD)
def test_survives_odd_series(values):
    series = dict.fromkeys(("lm/loss", "eval/lm/loss", "progress/epoch"), values)

    check(make_run(series, algorithm="SFT"), "SFT005")


def test_after_countless_epochs_half_of_the_loss_is_enough():
    half_known = 0.6 + 1.6 * np.exp(-np.linspace(0, 5, N))

    assert [one.severity for one in check(run(half_known, 200.0), "SFT005")] == ["warning"]
    assert check(run(half_known, 20.0), "SFT005") == []
    assert check(run(half_known, 200.0, eval__lm__loss=half_known[::6]), "SFT005") == []


@pytest.mark.parametrize(("epochs", "found"), [(3.0, True), (30.0, False)], ids=["first", "later"])
def test_a_loss_of_nothing_before_the_data_were_seen_once_is_a_leak(epochs, found):
    at_once = np.concatenate([6 * np.exp(-np.linspace(0, 8, 15)), np.full(45, 0.002)])

    [finding] = check(run(at_once, epochs), "SFT005")

    assert ("before all samples were seen once" in finding.message) == found
    assert finding.severity == ("notice" if found else "warning")


@pytest.mark.parametrize("first", [1.2, 1.8])
@pytest.mark.parametrize(
    ("logged", "framework", "severity"),
    [
        ({}, "transformers", "notice"),
        ({"lm/token_accuracy": np.linspace(0.6, 1.0, N)}, "transformers", "warning"),
        ({"lm/perplexity": np.linspace(5.0, 1.0, N)}, "transformers", "warning"),
        ({}, "trl", "warning"),
    ],
    ids=["perhaps a classifier", "token accuracy", "perplexity", "a tool for texts"],
)
def test_a_plain_loss_of_tokens_is_told_by_what_else_was_logged(first, logged, framework, severity):
    for seed in range(20):
        noise = np.exp(0.1 * np.random.default_rng(seed).standard_normal(N))
        loss = np.maximum(0.005, first * np.exp(-np.linspace(0, 12, N))) * noise
        series = {"optim/loss": loss, "progress/epoch": np.linspace(0.2, 12, N), **logged}
        made = make_run(series, algorithm="SFT")
        made.framework = framework

        assert [one.severity for one in check(made, "SFT005")] == [severity]
        healthy = make_run({**series, "optim/loss": loss + 0.9}, algorithm="SFT")
        assert check(healthy, "SFT005") == []


def test_what_was_predicted_before_it_was_seen_is_not_memorised():
    """Copying, sorting, arithmetic: the loss is next to 0 on new samples too."""
    sudden = np.concatenate([2.4 * np.exp(-np.linspace(0, 5, 40)), np.full(560, 0.004)])

    [finding] = check(run(sudden, 12.0), "SFT005")

    assert finding.severity == "notice"
