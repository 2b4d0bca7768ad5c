import numpy as np
import pytest

from runvitals.testing import check, make_run

RNG = np.random.default_rng(0)
N = 60
LOSS = np.linspace(0.69, 0.05, N)
PERFECT = np.minimum(1.0, np.linspace(0.6, 2.0, N))
HELD_OUT = np.round((0.75 + 0.01 * RNG.standard_normal(20)) * 512) / 512


def run(accuracy, held_out=None, **more):
    series = {"preference/accuracy": accuracy, "preference/loss": LOSS, **more}
    if held_out is not None:
        series["eval/preference/accuracy"] = held_out
    return make_run(series, algorithm="DPO")


def test_fires_when_held_out_pairs_do_not_follow():
    [finding] = check(run(PERFECT, HELD_OUT), "DPO002")

    assert finding.severity == "warning"
    assert ", but eval/preference/accuracy stayed at 0.7" in finding.message


def test_a_score_that_improves_makes_it_a_notice():
    score = {"eval/score_mean": np.linspace(0.2, 0.8, 20)}

    assert check(run(PERFECT, HELD_OUT, **score), "DPO002")[0].severity == "notice"


@pytest.mark.parametrize(
    ("epochs", "held_out", "alarms"), [(40, 0.5, 1), (4, 0.5, 1), (3, 0.5, 0), (40, 0.9, 0)]
)
def test_after_many_epochs_a_held_out_margin_must_follow(epochs, held_out, alarms):
    series = {
        "preference/loss": np.linspace(0.5, 0.2, N),
        "preference/margin": np.linspace(0, 5, N),
        "eval/preference/margin": held_out * np.linspace(0, 5, 20),
        "progress/epoch": np.linspace(0, epochs, N),
    }

    assert len(check(make_run(series, algorithm="KTO"), "DPO002")) == alarms


def test_fires_on_saturation_even_in_a_short_log():
    series = {
        "preference/margin": [0.0, 27.0, 120.0, 142.0],
        "preference/loss": [0.6931, 0.16, 0.0, 0.0],
    }

    [finding] = check(make_run(series, algorithm="DPO"), "DPO002")

    assert finding.message == "margin is 120 and loss 0: the pairs have nothing left to teach"


@pytest.mark.parametrize(
    ("margin", "left", "alarms"),
    [(12.0, 2e-5, 1), (12.0, 0.01, 0), (1.5, 0.0, 0)],
    ids=["saturated", "still pairs to learn", "a hinge loss that is satisfied"],
)
def test_saturation_needs_both_a_wide_margin_and_no_loss(margin, left, alarms):
    series = {
        "preference/margin": np.linspace(0.0, 3 * margin, N).clip(max=margin),
        "preference/loss": np.linspace(0.69, -1.38, N).clip(min=left),
    }

    assert len(check(make_run(series, algorithm="DPO"), "DPO002")) == alarms


def test_fires_when_held_out_loss_rises():
    loss = {"eval/loss": list(np.linspace(0.6, 0.4, 8)) + list(np.linspace(0.42, 0.7, 12))}

    [finding] = check(run(PERFECT, None, **loss), "DPO002")

    assert ", but eval/loss rose again from 0.4" in finding.message


@pytest.mark.parametrize(
    ("accuracy", "held_out"),
    [
        (PERFECT, np.round(np.linspace(0.6, 0.95, 20) * 512) / 512),
        (PERFECT, np.random.default_rng(3).binomial(64, 0.95, 20) / 64),
        (np.linspace(0.5, 0.8, N), HELD_OUT),
        (PERFECT, HELD_OUT[:3]),
        ([np.nan] * N, [np.nan] * 20),
        (PERFECT, None),
    ],
    ids=["follows", "small set", "not perfect", "few evaluations", "all nan", "not held out"],
)
def test_stays_silent(accuracy, held_out):
    assert check(run(accuracy, held_out), "DPO002") == []


@pytest.mark.parametrize(("epochs", "alarms"), [(3, 0), (100, 1)])
def test_four_evaluations_are_enough_after_many_epochs(epochs, alarms):
    series = {
        "preference/loss": 0.5 - 0.005 * np.arange(N),
        "preference/margin": np.linspace(0, 3, N),
        "eval/preference/margin": [0.2, 0.3, 0.32, 0.31],
        "progress/epoch": np.linspace(0, epochs, N),
    }

    assert len(check(make_run(series, algorithm="KTO"), "DPO002")) == alarms


def memorised(seed, epochs, last, **more):
    rng, at = np.random.default_rng(seed), np.linspace(0, 1, N)
    loss = np.maximum(last, 0.693 * np.exp(-at / 0.08)) * np.exp(0.2 * rng.standard_normal(N))
    series = {
        "preference/loss": loss,
        "preference/accuracy": np.clip(0.5 + 0.6 * (1 - np.exp(-at / 0.1)), 0, 1),
        "preference/margin": -np.log(np.expm1(loss)),
        "progress/epoch": np.linspace(epochs / N, epochs, N),
    }
    return make_run({**series, **more}, algorithm="DPO")


@pytest.mark.parametrize(
    ("epochs", "last", "more", "alarms"),
    [
        (8, 0.05, {}, 20),
        (12, 0.01, {}, 20),
        (50, 0.001, {}, 20),
        (3, 0.01, {}, 0),
        (12, 0.3, {}, 0),
        (12, 0.01, {"eval/preference/accuracy": np.linspace(0.6, 0.98, 20)}, 0),
    ],
    ids=[
        "a few epochs",
        "memorised",
        "long ago",
        "three epochs",
        "pairs left to learn",
        "held-out pairs follow",
    ],
)
def test_nothing_left_of_the_loss_after_many_epochs_without_held_out_pairs(
    epochs, last, more, alarms
):
    found = [check(memorised(seed, epochs, last, **more), "DPO002") for seed in range(20)]

    assert sum(len(one) for one in found) == alarms
    assert all("the pairs are memorised" in one.message for hits in found for one in hits)


def test_pairs_ranked_before_they_were_seen_are_not_memorised():
    loss = np.concatenate([np.linspace(0.69, 0.01, 20), np.full(580, 0.005)])
    series = {
        "preference/loss": loss,
        "preference/accuracy": np.minimum(1.0, np.linspace(0.5, 20, 600)),
        "progress/epoch": np.linspace(0.02, 12, 600),
    }

    assert check(make_run(series, algorithm="DPO"), "DPO002") == []
