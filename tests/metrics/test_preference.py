"""Preference optimisation, reward models, supervised fine-tuning."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import expit, log_expit, log_softmax

from runvitals import metrics
from runvitals.model import ConfigError


def test_at_the_start_nothing_is_preferred():
    c, r = np.array([-10.0, -20.0]), np.array([-12.0, -18.0])

    found = metrics.dpo(c, r, c, r)

    assert found["preference/loss"] == pytest.approx(math.log(2))
    assert found["preference/margin"] == 0
    assert found["preference/accuracy"] == 0
    start = metrics.kto(c, c, [1, 0])
    assert start["preference/loss"] == pytest.approx(0.5)
    assert start["preference/kl"] == 0


def test_the_worked_example():
    found = metrics.dpo([-10.0], [-11.0], [-10.5], [-10.5], beta=0.1)
    other = metrics.dpo([-12.0], [-11.0], [-11.0], [-11.0], beta=0.1)

    assert found["preference/loss"] == pytest.approx(0.6444, abs=1e-4)
    assert other["preference/loss"] == pytest.approx(0.7444, abs=1e-4)


pairs = st.lists(st.tuples(*[st.floats(-300, 0)] * 4), min_size=1, max_size=20)


@given(pairs, st.floats(0.01, 1.0), st.floats(0.0, 0.4))
def test_losses_against_the_formulas(rows, beta, smoothing):
    c, r, rc, rr = np.array(rows).T
    h = (c - rc) - (r - rr)
    sig = -(1 - smoothing) * log_expit(beta * h) - smoothing * log_expit(-beta * h)
    robust = -(1 - smoothing) * log_expit(beta * h) + smoothing * log_expit(-beta * h)

    def loss(kind):
        found = metrics.dpo(c, r, rc, rr, beta=beta, loss=kind, label_smoothing=smoothing)
        return found["preference/loss"]

    assert loss("sigmoid") == pytest.approx(sig.mean())
    assert loss("robust") == pytest.approx((robust / (1 - 2 * smoothing)).mean())
    assert loss("ipo") == pytest.approx(((h - 1 / (2 * beta)) ** 2).mean())
    assert loss("hinge") == pytest.approx(np.maximum(0, 1 - beta * h).mean())


@given(pairs)
def test_margin_is_the_difference_of_rewards_and_swapping_flips_it(rows):
    c, r, rc, rr = np.array(rows).T

    found = metrics.dpo(c, r, rc, rr)
    back = metrics.dpo(r, c, rr, rc)

    assert found["preference/margin"] == pytest.approx(
        found["preference/chosen_reward"] - found["preference/rejected_reward"], abs=1e-9
    )
    assert back["preference/margin"] == pytest.approx(-found["preference/margin"], abs=1e-12)
    assert found["preference/accuracy"] + back["preference/accuracy"] <= 1


def test_ipo_per_token_and_simpo(rng):
    c, r, rc, rr = -rng.exponential(20, size=(4, 6))
    lc, lr = rng.integers(1, 30, size=(2, 6))
    h = (c - rc) / lc - (r - rr) / lr

    ipo = metrics.dpo(c, r, rc, rr, loss="ipo", chosen_lengths=lc, rejected_lengths=lr)
    simpo = metrics.simpo(c, r, lc, lr, beta=2.5, gamma=0.3)

    assert ipo["preference/loss"] == pytest.approx(np.mean((h - 5.0) ** 2))
    assert simpo["preference/loss"] == pytest.approx(
        -log_expit(2.5 * (c / lc - r / lr) - 0.3).mean()
    )
    assert simpo["preference/chosen_reward"] == pytest.approx(np.mean(2.5 * c / lc))


def test_orpo_and_cpo(rng):
    a, b = -rng.exponential(1.0, size=(2, 8)) - 1e-3
    odds = (a - np.log1p(-np.exp(a))) - (b - np.log1p(-np.exp(b)))

    orpo = metrics.orpo(a, b, beta=0.2)
    cpo = metrics.cpo(a * 10, b * 10, nll=1.5, alpha=0.5)

    assert orpo["preference/log_odds_chosen"] == pytest.approx(odds.mean())
    assert orpo["preference/loss"] == pytest.approx((-a - 0.2 * log_expit(odds)).mean())
    assert cpo["preference/loss"] == pytest.approx(-log_expit(a - b).mean() + 0.75)


def test_kto_terms_and_missing_kinds(rng):
    p, ref = -rng.exponential(5, size=(2, 6))
    good = np.array([1, 0, 1, 1, 0, 0], dtype=bool)
    d = p - ref
    want = np.where(good, 1 - expit(0.1 * (d - 0.5)), 2 * (1 - expit(0.1 * (0.5 - d))))

    found = metrics.kto(p, ref, good, kl=0.5, undesirable_weight=2.0)

    assert found["preference/loss"] == pytest.approx(want.mean())
    assert found["preference/margin"] == pytest.approx(0.1 * (d[good].mean() - d[~good].mean()))
    only = metrics.kto(p, ref, np.ones(6))
    assert math.isnan(only["preference/rejected_reward"])
    assert metrics.kto(p, ref, good, kl=-3.0)["preference/kl"] == 0


def test_displacement():
    found = metrics.logprob_displacement([-12.0, -9.0], [-30.0, -20.0], [-10.0, -10.0], [-10.0] * 2)

    assert found == {"chosen": -0.5, "rejected": -15.0, "chosen_fell_fraction": 0.5}


def test_extreme_margins_do_not_overflow():
    found = metrics.dpo([8e4], [-8e4], [0.0], [0.0], beta=1.0)
    back = metrics.dpo([-8e4], [8e4], [0.0], [0.0], beta=1.0)

    assert found["preference/loss"] == 0
    assert back["preference/loss"] == pytest.approx(1.6e5)


def test_bad_options_are_refused():
    with pytest.raises(ConfigError, match="beta"):
        metrics.dpo([0.0], [0.0], [0.0], [0.0], beta=0.0)
    with pytest.raises(ConfigError, match="unknown DPO loss"):
        metrics.dpo([0.0], [0.0], [0.0], [0.0], loss="other")
    with pytest.raises(ConfigError, match=r"below 0\.5"):
        metrics.dpo([0.0], [0.0], [0.0], [0.0], loss="robust", label_smoothing=0.5)


def test_reward_model(rng):
    c, r, m = rng.normal(size=(3, 50))

    found = metrics.reward_model_stats(c, r, margin=m, center=0.01)

    both = np.concatenate([c, r])
    want = -log_expit(c - r - m).mean() + 0.01 * np.mean((c + r) ** 2)
    assert found["rm/loss"] == pytest.approx(want)
    assert found["rm/accuracy"] == np.mean(c > r)
    assert found["rm/score_std"] == pytest.approx(both.std(ddof=1))
    assert found["rm/score_min"] == both.min()
    assert metrics.ranking_accuracy(c, r) == np.mean(c > r)


def test_calibration_of_an_honest_and_an_overconfident_judge(rng):
    gap = rng.normal(0, 2, size=200_000)
    right = rng.random(gap.size) < expit(np.abs(gap))
    honest = np.where(right, np.abs(gap), -np.abs(gap))

    assert metrics.calibration_error(honest, np.zeros_like(gap)) < 0.01
    assert metrics.calibration_error(honest * 10, np.zeros_like(gap)) > 0.1


def test_language_stats(rng):
    z = rng.normal(size=(3, 5, 7))
    labels = rng.integers(0, 7, size=(3, 5))
    labels[0, 3:] = -100
    labels[2] = -100
    known = labels >= 0
    lp = np.take_along_axis(log_softmax(z, -1), np.maximum(labels, 0)[..., None], -1)[..., 0]
    hit = z.argmax(-1) == labels

    found = metrics.language_stats(z, labels)

    assert found["lm/loss"] == pytest.approx(-lp[known].mean())
    assert found["lm/perplexity"] == pytest.approx(np.exp(-lp[known].mean()))
    assert found["lm/token_accuracy"] == hit[known].mean()
    assert metrics.sequence_accuracy(z, labels) == np.mean([hit[i][known[i]].all() for i in (0, 1)])
    shifted = metrics.cross_entropy(z, labels, shift=True)
    assert shifted == pytest.approx(metrics.cross_entropy(z[:, :-1], labels[:, 1:]))
    assert math.isnan(metrics.cross_entropy(z, np.full((3, 5), -100)))
    with pytest.raises(ValueError, match=r"labels has shape \(3, 4\), but logits has shape"):
        metrics.cross_entropy(z, labels[:, :4])


def test_perplexity_overflows_to_infinity():
    assert metrics.perplexity(1e4) == math.inf
    assert metrics.bits_per_byte(1.0, 10, 0) != metrics.bits_per_byte(1.0, 10, 0)
