"""Sweeps: which settings decide, and where runs fail."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from runvitals.comparison import importance
from runvitals.comparison.importance import importances
from runvitals.comparison.resampling import Mean
from runvitals.comparison.sweep import Trial, clearly_best, shared_outcome, sweep_of, varied

RATES, CLIPS = (1e-4, 1e-3, 1e-2, 1e-1), (0.1, 0.2, 0.4)


def grid(outcome, seeds=3, seed=0):
    """Runs over learning rates, clip ranges and seeds; those that end below 0 have collapsed."""
    rng = np.random.default_rng(seed)
    made = []
    for number, (rate, clip, one) in enumerate(product(RATES, CLIPS, range(seeds))):
        level = outcome(rate, clip) + rng.normal(0, 5)
        bad = level < 0
        settings = {"learning_rate": rate, "lr": rate, "clip_range": clip, "seed": one, "n": 8}
        made.append(
            Trial(
                id=str(number),
                name=f"run{number}",
                settings={**settings, "log_dir": f"out/{number}"},
                verdict="collapsed" if bad else "learned",
                rules=("KL001",) if bad else (),
                outcome=level,
            )
        )
    return made


def cliff(rate, clip):
    return -200.0 if rate >= 1e-1 else 200.0


def test_a_setting_is_varied_if_its_values_differ_and_is_listed_once():
    found = varied(grid(cliff))

    assert [one.key for one in found] == ["learning_rate", "clip_range", "seed"]
    assert [one.log for one in found] == [True, False, False]


def test_the_region_that_fails_comes_first_with_its_findings():
    found = sweep_of(grid(cliff), "outcome/return_mean", 1)

    worst, rest = found.regions
    assert worst.condition == "learning_rate ≥ 0.1"
    assert (worst.failed, worst.count, worst.typical) == (9, 9, (("KL001", 9),))
    assert rest.condition == "learning_rate ≤ 0.01"
    assert (rest.failed, rest.typical) == (0, ())
    assert found.best == 1
    assert found.sentence.startswith(
        "learning_rate ≥ 0.1: 9 of 9 fail (KL001); learning_rate ≤ 0.01"
    )


def test_regions_of_two_settings_say_both():
    def corner(rate, clip):
        return -200.0 if rate >= 1e-2 and clip >= 0.4 else 200.0

    found = sweep_of(grid(corner), "outcome/return_mean", 1)

    assert "learning_rate ≥ 0.01" in found.regions[0].condition
    assert "clip_range ≥ 0.4" in found.regions[0].condition
    assert found.regions[0].failed == found.regions[0].count == 6


def test_noise_makes_no_regions():
    made = sum(bool(sweep_of(grid(lambda *_: 200.0, seed=s), "x", 1).regions) for s in range(40))

    assert made <= 4


def test_seeds_are_never_a_region():
    trials = [
        Trial(str(i), "", {"seed": i % 4, "lr": 0.1 + i // 4}, "learned", (), float(i % 4))
        for i in range(24)
    ]

    assert sweep_of(trials, "x", 1).regions == ()


def test_runs_without_an_outcome_count_as_the_worst():
    trials = [
        Trial(str(i), "", {"lr": rate}, "diverged" if rate > 1 else "learned", (), value)
        for i, (rate, value) in enumerate([(0.1, 5.0), (10.0, None)] * 5)
    ]

    worst = sweep_of(trials, "x", 1).regions[0]

    assert (worst.condition, worst.failed, worst.mean) == ("lr ≥ 10", 5, None)


def test_the_best_is_clear_only_beyond_both_intervals():
    near = [Mean(5, 10.0, 3.0), Mean(5, 12.0, 3.0)]
    far = [Mean(5, 10.0, 3.0), Mean(5, 15.0, 3.0), None]

    assert clearly_best(near, 1) is None
    assert clearly_best(far, 1) == 1
    assert clearly_best(far, -1) == 0
    assert clearly_best(far, 0) is None
    assert clearly_best([*far, Mean(1, 0.0, None)], 1) is None


def test_runs_are_compared_by_what_most_of_them_have():
    assert shared_outcome([["a", "b"], ["b"], ["a", "b"]]) == "b"
    assert shared_outcome([["a", "b"], ["a", "b"]]) == "a"
    assert shared_outcome([["return", "reward"]] * 9 + [["reward"]]) == "return"
    assert shared_outcome([]) == ""


def test_the_setting_that_decides_is_clearly_important_and_the_seed_is_not():
    pytest.importorskip("sklearn")

    found = importances(sweep_of(grid(cliff), "x", 1))

    by_key = {one.key: one for one in found.settings}
    assert found.problem is None
    assert found.settings[0].key == "learning_rate"
    assert by_key["learning_rate"].clear
    assert not by_key["seed"].clear
    assert found.explained > 0.5


def test_without_the_library_or_with_few_runs_it_says_so(monkeypatch):
    few = importances(sweep_of(grid(cliff)[:8], "x", 1))
    monkeypatch.setattr(importance, "find_spec", lambda _: None)
    without = importances(sweep_of(grid(cliff), "x", 1))

    assert few.problem == "importance of settings needs at least 12 runs, here are 8"
    assert "pip install 'runvitals[sweep]'" in without.problem
