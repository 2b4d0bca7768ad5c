"""Which range holds for a series: the run's own settings first, then that of its context."""

from __future__ import annotations

import numpy as np
import pytest

from runvitals.model import PointTable, RowBlock, Run
from runvitals.readers.bind import bind
from runvitals.testing import make_run
from runvitals.vitals import Range, range_of, ranges_of

PPO = {"policy/approx_kl": [0.01] * 30, "policy/clip_fraction": [0.1] * 30}


def logged(series: dict[str, list[float]], **more) -> Run:
    """A run whose names a reader has bound, nobody telling the tool or the algorithm."""
    table = PointTable()
    for name, values in series.items():
        steps = np.arange(1, len(values) + 1, dtype=np.int64)
        table.add(RowBlock((name,), steps, 1.7e9 + steps, np.asarray(values, float)[:, None]))
    return bind(Run(id="r", name="r", points=table, status="finished", **more))


def ends(found: Range | None) -> tuple[float | None, float | None] | None:
    return None if found is None else (found.low, found.high)


def test_the_runs_own_setting_comes_first_and_says_so():
    run = make_run(PPO, algorithm="PPO", config={"target_kl": 0.004})

    found = range_of(run, "policy/approx_kl")

    assert ends(found) == (None, 0.004)
    assert found.source == "this run's target_kl 0.004"


def test_two_settings_are_the_two_ends_of_a_range():
    config = {"min_temperature": 0.4, "max_temperature": 3.0}
    run = logged({"current_temperature": [1.0] * 30, "clipfrac": [0.2] * 30}, config=config)

    found = range_of(run, "policy/temperature")

    assert ends(found) == (0.4, 3.0)
    assert found.source == "this run's min_temperature 0.4 and max_temperature 3"


@pytest.mark.parametrize("value", [0.0, -1.0, float("nan"), float("inf"), True])
def test_a_limit_that_is_switched_off_is_no_range_of_the_run(value):
    run = make_run(PPO, algorithm="PPO", config={"target_kl": value})

    found = range_of(run, "policy/approx_kl")

    assert (ends(found), found.setting) == ((None, 0.05), None)


def test_what_the_teacher_document_asks_of_rewards_holds_only_for_its_scores():
    teacher = logged({"Epoch/AvgReward": [0.5] * 30, "Epoch/RewardVariance": [0.02] * 30})
    cartpole = logged({"rollout/ep_rew_mean": [0.5] * 30, "train/approx_kl": [0.01] * 30})
    verl = logged({"critic/rewards/mean": [0.5] * 30, "actor/ppo_kl": [0.01] * 30})
    scheduler = logged({"reward_mean": [0.5] * 30, "temp_is_pulsing": [0.0] * 30})

    assert ends(range_of(teacher, "reward/mean")) == (0.7, None)
    assert ends(range_of(teacher, "reward/var")) == (None, 0.01)
    for run, metric in (
        (cartpole, "outcome/return_mean"),
        (verl, "reward/mean"),
        (scheduler, "reward/mean"),
    ):
        assert run.get(metric) is not None
        assert range_of(run, metric) is None


def test_scores_of_another_scale_are_no_rubric_scores():
    run = logged({"Epoch/AvgReward": [55.0] * 30, "Epoch/RewardVariance": [9.0] * 30})

    assert range_of(run, "reward/mean") is None
    assert range_of(run, "reward/var") is None


def test_a_limit_is_never_drawn_as_healthy():
    ratios = ranges_of(make_run({"policy/ratio_max": [1.4] * 30}), "policy/ratio_max")

    assert ends(ratios.judged) == (None, 200.0)
    assert ratios.judged.kind == "limit"
    assert ratios.healthy is None


def test_clip_fractions_have_the_range_of_their_document():
    guide = logged({"clipfrac": [0.2] * 30, "current_temperature": [1.0] * 30})
    table = logged({"ppo/policy/clipfrac": [0.1] * 30, "env/reward_mean": [0.1] * 30})
    plain = logged({"clip_fraction": [0.1] * 30, "approx_kl": [0.01] * 30})

    assert ends(range_of(guide, "policy/clip_fraction")) == (0.1, 0.3)
    assert ends(range_of(table, "policy/clip_fraction")) == (None, 0.2)
    assert ends(range_of(plain, "policy/clip_fraction")) == (None, 0.3)


def test_a_kl_that_is_summed_over_the_response_is_not_held_against_one_per_token():
    per_token = logged({"objective/kl": [0.02] * 30, "env/reward_mean": [0.1] * 30})
    summed = logged({"objective/kl": [4.0] * 30, "env/reward_mean": [0.1] * 30})

    assert ends(range_of(per_token, "policy/kl_ref_sequence")) == (0.01, 0.1)
    assert ends(range_of(summed, "policy/kl_ref_sequence")) == (None, 6.0)


def test_a_multiple_is_one_of_what_the_run_itself_is_used_to():
    run = make_run({"optim/grad_norm": [0.4] * 30 + [9.0] * 5})

    found = range_of(run, "optim/grad_norm")

    assert ends(found) == (None, pytest.approx(4.0))
    assert "10 x its median" in found.source


def test_a_range_is_written_as_short_as_it_can_be():
    assert str(Range(None, 0.05, "")) == "<= 0.05"
    assert str(Range(0.8, None, "")) == ">= 0.8"
    assert str(Range(0.1, 0.3, "")) == "0.1 to 0.3"
