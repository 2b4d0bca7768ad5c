"""Few rows: a rise that is lost again, one that soon stands still, and what only looks like either."""

from collections import Counter

import numpy as np
import pytest

from runvitals.rules.outcome.course import course
from runvitals.rules.patient import Patient
from runvitals.testing import make_run

SEEDS = 30


def shapes(points, rows, noise, kind="rate", **options):
    found = Counter()
    where, heights = zip(*points, strict=True)
    for seed in range(SEEDS):
        rng = np.random.default_rng(seed)
        level = np.interp(np.linspace(0, 1, rows), where, heights)
        found[course(level + noise * rng.standard_normal(rows), kind, **options).shape] += 1
    return found


HUMP = [(0, 0.3), (0.6, 0.6), (1, 0.35)]
RISE = [(0, 0.3), (0.6, 0.6), (1, 0.6)]


@pytest.mark.parametrize("rows", [6, 8, 10, 12])
def test_a_rise_that_is_lost_again_is_seen(rows):
    assert shapes(HUMP, rows, 0.02, fixed_set=True)["lost"] >= 0.85 * SEEDS


def test_five_evaluations_of_one_set_say_as_much_as_four():
    assert shapes(HUMP, 5, 0.01, fixed_set=True)["lost"] >= 0.9 * SEEDS
    assert shapes(HUMP, 4, 0.01, fixed_set=True)["lost"] >= 0.9 * SEEDS


@pytest.mark.parametrize("rows", [5, 6, 8, 12, 20])
@pytest.mark.parametrize("noise", [0.02, 0.04])
def test_a_rise_that_stands_still_is_not_lost(rows, noise):
    assert shapes(RISE, rows, noise, fixed_set=True)["lost"] <= 0.07 * SEEDS


@pytest.mark.parametrize("rows", [8, 12, 20])
def test_nor_are_rows_that_only_stray(rows):
    found = shapes([(0, 0.4), (1, 0.4)], rows, 0.05)

    assert found["lost"] <= 0.04 * SEEDS
    assert found["rose"] <= 0.07 * SEEDS


def test_a_return_that_soon_is_where_it_stays_has_risen():
    values = np.array([0.33, 0.82, 0.88, 0.973, 0.970, 0.973, 0.981, 0.970])

    assert course(values, "return").shape == "rose"


def test_a_loss_that_never_came_back_to_its_first_row_is_worse():
    rng = np.random.default_rng(0)
    loss = np.concatenate([[7.1, 240.0], 90 + 15 * rng.standard_normal(60)])

    health = Patient(make_run({"lm/loss": loss}, algorithm="SFT")).health

    assert health.word == "diverged"
    assert "7.1" in health.reason


def test_few_rows_that_are_next_to_never_a_success_are_told():
    series = {
        "outcome/win_rate": [0.0, 0.0, 0.04, 0.01, 0.06, 0.02, 0.0],
        "outcome/return_mean": [-2148.0, -2044.0, -2320.0, -2302.0, -2151.0, -2485.0, -2376.0],
    }

    health = Patient(make_run(series, algorithm="PPO")).health

    assert health.word == "not learning"
    assert "next to never" in health.reason


def test_a_small_rise_of_success_does_not_make_up_for_a_return_that_falls():
    rng = np.random.default_rng(2)
    series = {
        "outcome/win_rate": np.linspace(0.51, 0.56, 100) + 0.01 * rng.standard_normal(100),
        "outcome/return_mean": np.linspace(0.08, -0.01, 100) + 0.01 * rng.standard_normal(100),
    }

    health = Patient(make_run(series, algorithm="SAC")).health

    assert health.bad
    assert "return_mean" in health.reason


def test_a_held_out_loss_says_nothing_about_a_reward():
    rng = np.random.default_rng(3)
    series = {
        "reward/score_mean": np.linspace(0.1, 0.7, 80) + 0.05 * rng.standard_normal(80),
        "eval/loss": dict(zip(range(0, 80, 8), np.linspace(1e-4, 9e-4, 10), strict=True)),
    }

    assert Patient(make_run(series, algorithm="GRPO")).health.good
