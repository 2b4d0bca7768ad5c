from __future__ import annotations

import math

import numpy as np
import pytest

from runvitals.comparison.compare import compare, conclude
from runvitals.comparison.curve import StepRange, common_range, curve
from runvitals.comparison.member import Side, differing, member_of
from runvitals.diagnosis.judge import Settings
from runvitals.model import RowBlock, RunvitalsError, Series
from runvitals.testing import make_run


def learner(
    seed=0, top=500.0, speed=1.0, every=2048, points=100, metric="outcome/return_mean", **config
):
    rng = np.random.default_rng(seed)
    rise = 1.0 - np.exp(-speed * np.arange(points) / 15.0)
    values = 20.0 + (top - 20.0) * rise + rng.normal(0.0, 0.01 * abs(top), points)
    run = make_run(
        {metric: values, "policy/approx_kl": [0.01] * points},
        every=every,
        algorithm="PPO",
        config={"seed": seed, **config},
    )
    return member_of(run, Settings())


def side(letter, members):
    return Side(letter, f"runs/{letter}", tuple(members))


def test_a_clear_difference_over_seeds_is_called_one():
    base = side("A", [learner(seed) for seed in range(5)])
    other = side("B", [learner(seed, top=250.0, learning_rate=0.1) for seed in range(5)])

    found = compare([base, other])

    end = conclude(found, 1)
    assert end.word == "worse"
    assert "5 pairs of runs with the same seed" in end.sentence
    gap = found.difference(1, "end")
    assert gap.amount == pytest.approx(-250.0, rel=0.05)
    assert gap.interval is not None
    assert gap.interval.high < -200.0
    assert [(one.key, one.values) for one in found.settings] == [
        ("learning_rate", (("not set",), ("0.1",)))
    ]


def test_less_is_better_for_a_loss():
    base = side("A", [learner(seed, top=1.0, metric="eval/loss") for seed in range(4)])
    other = side("B", [learner(seed, top=3.0, metric="eval/loss") for seed in range(4)])

    found = compare([base, other])

    assert found.sign == -1
    assert conclude(found, 1).word == "worse"


def test_seeds_of_one_setting_are_not_told_apart():
    base = side("A", [learner(seed) for seed in range(5)])
    other = side("B", [learner(seed) for seed in range(5, 10)])

    found = compare([base, other])

    assert not found.paired[1]
    assert conclude(found, 1).word == "cannot tell"
    assert "cannot be told apart" in conclude(found, 1).sentence


def test_two_single_runs_prove_nothing_however_far_apart():
    found = compare([side("A", [learner(0)]), side("B", [learner(1, top=100.0)])])

    end = conclude(found, 1)
    gap = found.difference(1, "end")
    assert end.word == "cannot tell"
    assert "with one run per side this is inconclusive" in end.sentence
    assert gap.interval is not None
    assert gap.interval.kind == "within"
    assert gap.interval.low < gap.amount < gap.interval.high


def test_a_single_run_against_seeds_gets_no_interval():
    found = compare([side("A", [learner(s) for s in range(5)]), side("B", [learner(9)])])

    assert found.difference(1, "end").interval is None
    assert "single run on one side" in conclude(found, 1).sentence


def test_the_faster_learner_comes_first():
    base = side("A", [learner(seed) for seed in range(3)])
    other = side("B", [learner(seed, speed=3.0) for seed in range(3)])

    found = compare([base, other])

    steps = next(one for one in found.reached if one.name == "steps")
    assert steps.centre(1) < steps.centre(0) / 2
    assert found.difference(1, "mean").amount > 0


def test_a_side_that_never_gets_there_is_said_to_be_never_there():
    found = compare([side("A", [learner(0)]), side("B", [learner(1, top=21.0)])])

    steps = next(one for one in found.reached if one.name == "steps")
    assert math.isfinite(steps.centre(0))
    assert math.isinf(steps.centre(1))


def test_runs_with_other_steps_are_compared_where_both_are():
    short = learner(0, every=1000, points=50)
    long = learner(1, every=700, points=200)

    found = compare([side("A", [short]), side("B", [long])])

    assert (found.within.first, found.within.last) == (1000, 50_000)
    assert found.beyond == ("B",)


def test_a_metric_without_a_direction_is_neither_better_nor_worse():
    base = [member_of(run, Settings(), metric="policy/entropy") for run in entropies(0.6)]
    other = [member_of(run, Settings(), metric="policy/entropy") for run in entropies(0.2)]

    found = compare([side("A", base), side("B", other)], metric="policy/entropy")

    assert conclude(found, 1).word == "lower"
    assert found.reached == ()


def entropies(level):
    rng = np.random.default_rng(0)
    return [make_run({"policy/entropy": level + 0.01 * rng.normal(size=50)}) for _ in range(4)]


def test_runs_without_a_common_outcome_are_refused_with_what_they_have():
    one, other = learner(0), learner(0, metric="eval/loss")

    with pytest.raises(RunvitalsError) as error:
        compare([side("A", [one]), side("B", [other])])

    assert "A has outcome/return_mean; B has eval/loss" in str(error.value)
    assert "policy/approx_kl" in str(error.value)  # what they could be compared by


def test_a_metric_that_one_run_lacks_is_refused():
    members = [
        member_of(run, Settings(), metric="policy/entropy")
        for run in [*entropies(0.6)[:1], make_run({})]
    ]

    with pytest.raises(RunvitalsError, match="policy/entropy was not logged in"):
        compare([side("A", members[:1]), side("B", members[1:])], metric="policy/entropy")


def test_runs_without_common_steps_are_refused():
    early = Series("x", np.arange(5), np.zeros(5), np.zeros(5))
    late = Series("x", np.arange(10, 15), np.zeros(5), np.zeros(5))

    with pytest.raises(RunvitalsError, match="no steps in common"):
        common_range([early, late])


def test_a_curve_keeps_the_area_of_uneven_points():
    steps = np.array([0, 10, 11, 100])
    series = Series("x", steps, np.array([0.0, 10.0, 11.0, 100.0]), np.zeros(4))

    found = curve(series, StepRange(0, 100))

    assert found.mean == pytest.approx(50.0)
    assert found.levels(1).now == pytest.approx(90.0, abs=12.0)
    assert found.reaches(50.0, 1) == pytest.approx(50.0)
    assert math.isinf(found.reaches(-1.0, -1))


@pytest.mark.parametrize("metric", ["outcome/return_mean", "eval/perplexity"])
def test_end_and_best_are_the_levels_that_the_verdicts_tell(metric):
    one, other = learner(0, metric=metric), learner(1, top=100.0, metric=metric)

    found = compare([side("A", [one]), side("B", [other])])

    told = [member.diagnosis.verdict.levels for member in (one, other)]
    end, best = (next(m for m in found.levels if m.name == name) for name in ("end", "best"))
    assert [float(end.values[i][0]) for i in (0, 1)] == pytest.approx(
        [levels.now for levels in told], rel=1e-5
    )
    assert [float(best.values[i][0]) for i in (0, 1)] == pytest.approx(
        [levels.best for levels in told], rel=1e-5
    )


def test_levels_are_those_of_the_steps_that_all_runs_have():
    series = Series("x", np.arange(100), np.arange(100.0), np.zeros(100))

    short, whole = (curve(series, StepRange(0, last)).levels(1) for last in (49, 99))

    assert short.start == pytest.approx(whole.start, abs=2.0)
    assert whole.start == pytest.approx(0.0, abs=2.0)
    assert short.now == pytest.approx(47.0, abs=2.0)  # the last tenth
    assert whole.now == pytest.approx(95.0, abs=2.0)


def test_a_range_between_two_points_has_levels_too():
    series = Series("x", np.array([0, 100]), np.array([0.0, 100.0]), np.zeros(2))

    found = curve(series, StepRange(40, 60)).levels(1)

    assert (found.start, found.now) == (pytest.approx(42.0, abs=2.0), pytest.approx(58.0, abs=2.0))


def test_whole_numbers_are_the_same_setting_however_written():
    assert differing([[{"epochs": 4}], [{"epochs": 4.0}]]) == []


def test_health_tells_what_only_one_side_has():
    sick = make_run(
        {"policy/approx_kl": [0.01] * 20 + [0.3] * 20, "outcome/return_mean": [10.0] * 40},
        algorithm="PPO",
        config={"target_kl": 0.02},
    )
    well = make_run(
        {"policy/approx_kl": [0.01] * 40, "outcome/return_mean": np.arange(40.0)},
        algorithm="PPO",
        config={"target_kl": 0.02},
    )

    found = compare(
        [side("A", [member_of(well, Settings())]), side("B", [member_of(sick, Settings())])]
    )

    illness = next(one for one in found.health.differing if one.code == "KL001")
    assert illness.runs == (0, 1)
    assert illness.first_step[0] is None
    assert found.health.verdicts[0] == {"learning": 1}


def test_imports_and_set_up_before_the_first_row_count_for_neither_time_nor_speed():
    run = make_run({"outcome/return_mean": np.arange(50.0)}, every=10, seconds=2.0)
    first, last = (float(t) for t in run["outcome/return_mean"].times[[0, -1]])
    run.started, run.ended = first - 60.0, last + 5.0
    sampled = np.arange(200.0)  # the machine is sampled before training begins
    run.points.add(
        RowBlock(
            ("System/CPU_Percent",),
            np.zeros(200, np.int64),
            first - 60.0 + sampled,
            sampled[:, None],
        )
    )

    member = member_of(run, Settings())

    assert member.pace.seconds == pytest.approx(98.0)
    assert member.pace.steps_per_second == pytest.approx(5.0)
    assert member.started == pytest.approx(first)
