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


@pytest.mark.parametrize("rows", [8, 12, 20])
def test_nor_are_rows_that_only_stray(rows):
    found = shapes([(0, 0.4), (1, 0.4)], rows, 0.05)

    assert found["lost"] <= 0.04 * SEEDS
    assert found["rose"] <= 0.07 * SEEDS


def test_a_return_that_soon_is_where_it_stays_has_risen():
    values = np.array([0.33, 0.82, 0.88, 0.973, 0.970, 0.973, 0.981, 0.970])

    assert course(values, "return").shape == "rose"


def test_a_held_out_loss_says_nothing_about_a_reward():
    rng = np.random.default_rng(3)
    series = {
        "reward/score_mean": np.linspace(0.1, 0.7, 80) + 0.05 * rng.standard_normal(80),
        "eval/loss": dict(zip(range(0, 80, 8), np.linspace(1e-4, 9e-4, 10), strict=True)),
    }

    assert Patient(make_run(series, algorithm="GRPO")).health.good
