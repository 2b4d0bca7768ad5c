from math import log

import numpy as np
import pytest

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


def test_names_ties_when_accuracy_is_low_and_the_margin_is_not():
    margin = np.linspace(0.0, 0.4, N)

    [finding] = check(run(LEARNED, 0.27 + 0.03 * NOISE, margin), "DPO001")

    assert "the others are ties" in finding.message


def test_fires_on_held_out_pairs_at_chance():
    held_out = np.round((0.5 + 0.02 * NOISE[:20]) * 256) / 256

    found = check(run(LEARNED, 0.6 + 0.03 * NOISE, eval__preference__accuracy=held_out), "DPO001")

    assert "ranked at chance" in found[0].message


def test_the_size_of_the_set_says_what_is_chance():
    held_out = np.round((0.575 + 0.005 * NOISE[:20]) * 128) / 128
    learned = {"eval__loss": np.linspace(0.69, 0.55, 20)}
    stuck = {"eval__loss": np.linspace(0.69, 0.683, 20)}
    larger = np.round((0.575 + 0.005 * NOISE[:20]) * 997) / 997

    def found(accuracy, more):
        seen = run(LEARNED, 0.6 + 0.03 * NOISE, eval__preference__accuracy=accuracy, **more)
        return check(seen, "DPO001")

    assert "ranked at chance: 57%" in found(held_out, stuck)[0].message
    assert found(held_out, learned) == []
    assert found(larger, stuck) == []


def test_fires_when_no_held_out_pair_ever_changes_its_rank():
    same = {"eval__preference__accuracy": [0.640625] * 20, "eval__loss": np.linspace(1, 0.95, 20)}

    [finding] = check(run(LEARNED, 0.6 + 0.03 * NOISE, algorithm="SimPO", **same), "DPO001")

    assert finding.message.startswith("exactly 64.1% of the held-out pairs")


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


def test_waits_until_the_learning_rate_has_warmed_up():
    rate = {"optim__learning_rate": np.linspace(0, 1e-6, N)}

    stopped = run(STUCK, 0.5 + 0.05 * NOISE, 0.005 * NOISE, status="crashed", **rate)

    assert check(stopped, "DPO001") == []
