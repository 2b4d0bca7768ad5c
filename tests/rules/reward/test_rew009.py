import numpy as np
import pytest
from tests.rules.reward.curves import learning, odd_runs, solved, wandering

from runvitals.testing import check, make_run

FLAT = 0.05 + 0.01 * wandering()


def run(tied, score=FLAT, **other):
    series = {"reward/zero_std_fraction": tied, "reward/score_mean": score}
    series |= {f"reward/{name}": values for name, values in other.items()}
    return make_run(series, algorithm="GRPO")


def test_warns_of_failed_groups_while_nothing_improves():
    [finding] = check(run(np.full(80, 0.7)), "REW009")

    assert finding.severity == "warning"
    assert "70% of the groups" in finding.message
    assert "mostly failed" in finding.message


def test_says_the_mean_of_groups_that_are_tied_or_not():
    tied = np.tile([1.0, 1.0, 0.0, 1.0, 0.0], 16)  # one group a row

    [finding] = check(run(tied), "REW009")

    assert finding.message.startswith("in 60% of the groups")


def test_begins_where_the_groups_began_to_be_tied():
    tied = np.r_[np.full(40, 0.05), np.full(40, 0.9)]

    [finding] = check(run(tied), "REW009")

    assert 35 <= finding.span.first <= 45
    assert finding.span.last == 80


def test_all_groups_tied_at_every_point_need_no_twelve_points():
    [finding] = check(run(np.ones(5), np.zeros(5)), "REW009")

    assert finding.message.startswith("in 100% of the groups")


def test_failed_groups_of_responses_that_are_cut_off_may_hold_no_answer():
    series = {
        "reward/zero_std_fraction": np.full(80, 0.95),
        "reward/score_mean": FLAT,
        "length/response_clip_ratio": np.ones(80),
    }

    [finding] = check(make_run(series, algorithm="GRPO"), "REW009")

    assert "100% of them are cut off" in finding.advice


def test_no_outcome_but_a_solved_task_excuses_groups_that_are_nearly_all_tied():
    [finding] = check(run(np.full(80, 0.95), learning() / 2000), "REW009")

    assert finding.severity == "warning"


def test_solved_groups_are_a_notice():
    [finding] = check(run(np.full(80, 0.95), np.clip(0.97 + 0.01 * wandering(), 0, 1)), "REW009")

    assert finding.severity == "notice"
    assert "mostly solved" in finding.message


def test_uses_the_shares_of_right_and_wrong_groups():
    seen = run(
        np.full(80, 0.6),
        group_all_correct_fraction=np.full(80, 0.05),
        group_all_wrong_fraction=np.full(80, 0.55),
    )

    [finding] = check(seen, "REW009")

    assert "mostly failed" in finding.message


@pytest.mark.parametrize("score", [learning() / 500, solved() / 500], ids=["rises", "holds"])
def test_raises_no_alarm_while_it_does_well(score):
    assert not any(f.is_alarm for f in check(run(np.full(80, 0.7), score), "REW009"))


@pytest.mark.parametrize(
    "tied",
    [np.full(80, 0.2), np.full(2, 0.9), np.r_[np.full(60, 0.9), np.full(20, 0.1)]],
    ids=["few", "too short", "only before"],
)
def test_stays_silent(tied):
    assert check(run(tied, FLAT[: len(tied)]), "REW009") == []


def test_survives_odd_values():
    for odd in odd_runs("reward/zero_std_fraction", "reward/score_mean", algorithm="GRPO"):
        check(odd, "REW009")
