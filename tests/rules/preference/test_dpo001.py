from math import log

import numpy as np
import pytest

from runvitals.diagnosis.engine import judge_by_rules
from runvitals.testing import check, make_run

RNG = np.random.default_rng(0)
N = 80
NOISE = RNG.standard_normal(N)
STUCK = log(2) + 0.0002 * NOISE
LEARNED = np.linspace(log(2), 0.4, N)


def run(loss, accuracy=None, margin=None, algorithm="DPO", config=None, status="finished", **more):
    series = {"preference/loss": loss, **{k.replace("__", "/"): v for k, v in more.items()}}
    if accuracy is not None:
        series["preference/accuracy"] = accuracy
    if margin is not None:
        series["preference/margin"] = margin
    return make_run(series, algorithm=algorithm, config=config, status=status)


def test_fires_on_a_loss_that_stays_at_its_start():
    [finding] = check(run(STUCK, 0.5 + 0.05 * NOISE, 0.005 * NOISE), "DPO001")

    assert finding.severity == "warning"
    assert finding.message.endswith("no improvement")


def test_fires_on_kto_at_one_half():
    assert check(run(0.5 + 1e-4 * NOISE, None, 1e-3 * NOISE, "KTO"), "DPO001")


def test_fires_on_pairs_ranked_by_a_coin_however_well_the_rest_does():
    """Random labels, or answers that are the same after truncation, which count as ranked wrongly."""
    better = {"eval__score_mean": np.linspace(0.5, 0.7, 20)}
    for right in (0.5, 0.3):
        held_out = right + 0.01 * NOISE[:20]
        seen = run(LEARNED, 0.6 + 0.03 * NOISE, eval__preference__accuracy=held_out, **better)

        [finding] = check(seen, "DPO001")

        assert finding.severity == "warning"
        assert finding.message.endswith(
            "of the pairs are ranked correctly, no better than a coin would"
        )


@pytest.mark.parametrize(("beta", "found"), [(0.1, True), (0.01, False)])
def test_a_margin_that_never_leaves_0_is_a_model_that_never_moved(beta, found):
    margin = np.linspace(0, 8e-4, 20)
    seen = run(log(2) - margin / 2, 0.9 + 0.03 * NOISE[:20], margin, config={"beta": beta})

    messages = [one.message for one in check(seen, "DPO001")]

    assert any("no answer has become more or less likely" in one for one in messages) == found
    word = judge_by_rules(seen, since_when=False).verdict.word
    assert (word == "not learning") == found


def test_a_loss_that_falls_a_little_and_surely_is_not_stuck():
    """A margin of 0.03 takes 2% off the ln 2 at which it begins."""
    margin = 0.03 * (1 - np.exp(-np.linspace(0, 4, 16))) + 0.001 * NOISE[:16]
    accuracy = np.clip(0.5 + 12 * margin + 0.15 * NOISE[16:32], 0, 1)

    assert check(run(log(2) - margin / 2, accuracy, margin), "DPO001") == []


def test_full_marks_at_every_evaluation_are_no_standstill():
    full = {"eval__preference__accuracy": [1.0] * 20, "eval__loss": np.linspace(1, 0.95, 20)}

    assert check(run(LEARNED, 0.9 + 0.01 * NOISE, algorithm="SimPO", **full), "DPO001") == []


def test_names_a_beta_that_leaves_no_room():
    margin = np.linspace(0, 0.02, N)

    [finding] = check(run(STUCK, [0.95] * N, margin, config={"beta": 0.001}), "DPO001")

    assert "a beta of 0.001" in finding.message


@pytest.mark.parametrize(
    ("loss", "accuracy", "margin"),
    [
        (LEARNED, np.linspace(0.5, 0.9, N), np.linspace(0, 1, N)),
        (np.linspace(log(2), 0.66, N), np.linspace(0.5, 0.75, N), np.linspace(0, 0.1, N)),
        (STUCK[:4], [0.5] * 4, [0.0] * 4),
        ([np.nan] * N, [np.nan] * N, [np.nan] * N),
        (np.full(N, 0.3), np.full(N, 0.95), np.full(N, 1.5)),
    ],
    ids=["learning", "slow", "too short", "all nan", "constant"],
)
def test_stays_silent(loss, accuracy, margin):
    assert check(run(loss, accuracy, margin), "DPO001") == []
