"""Which finding a story begins with."""

from itertools import chain

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from runvitals.diagnosis.engine import judge_by_rules
from runvitals.diagnosis.fold import fold
from runvitals.model import Finding, Span
from runvitals.rules.patient import Patient
from runvitals.rules.registry import rules
from runvitals.testing import make_run

ROWS = 100
RETURN = "outcome/return_mean"


def finding(code, first, *, last=ROWS, severity="warning", series=RETURN):
    return Finding(code, rules()[code].name, severity, series, Span(first, last, 10), code)


def stories(*findings, **series):
    run = make_run({RETURN: np.zeros(ROWS), **series}, algorithm="PPO")
    return [_tree(story) for story in fold(findings, rules(), Patient(run))]


def _tree(story):
    return (story.code, [_tree(one) for one in story.follows]) if story.follows else story.code


def test_the_story_begins_with_what_nothing_else_explains():
    found = stories(finding("REW003", 60), finding("KL001", 30), finding("LR001", 20))

    assert found == [("LR001", [("KL001", ["REW003"])])] or found == [
        ("LR001", ["KL001", "REW003"])
    ]


def test_of_two_causes_the_one_that_accounts_for_more_tells_the_story():
    crash, entropy = finding("REW003", 60), finding("ENT001", 50)

    found = stories(crash, entropy, finding("KL002", 40), finding("VAL001", 10))

    assert found == [("KL002", ["ENT001", "REW003"]), "VAL001"]


def test_of_two_causes_that_account_for_the_same_the_earlier_one_tells_it():
    found = stories(finding("REW003", 60), finding("ENT003", 40), finding("VAL001", 10))

    assert found == [("VAL001", ["REW003"]), "ENT003"]


def test_what_the_table_names_comes_before_what_is_said_in_general():
    found = stories(finding("REW003", 60), finding("KL001", 40), finding("VAL005", 10))

    assert found == [("KL001", ["REW003"]), "VAL005"]


def test_a_cause_that_came_too_late_explains_nothing():
    assert stories(finding("REW003", 20), finding("KL001", 70)) == ["REW003", "KL001"]


@pytest.mark.parametrize(
    ("first", "explains"), [(20, True), (70, False)], ids=["early", "late in the run"]
)
def test_what_is_there_early_may_explain_what_is_judged_over_the_whole_run(first, explains):
    found = stories(finding("REW011", 1), finding("KL001", first))

    assert found == ([("KL001", ["REW011"])] if explains else ["REW011", "KL001"])


def test_what_stands_still_does_not_make_the_outcome_fall():
    found = stories(finding("KL003", 10), finding("REW003", 60))

    assert found == ["REW003", "KL003"]


def test_what_stands_still_may_be_why_nothing_is_learned():
    assert stories(finding("KL003", 10), finding("REW005", 1)) == [("KL003", ["REW005"])]


def test_a_notice_is_no_cause_of_an_alarm():
    found = stories(finding("LR001", 10, severity="notice"), finding("REW003", 60))

    assert found == ["REW003", "LR001"]


def test_an_alarm_may_be_why_there_is_a_notice():
    found = stories(finding("KL001", 10), finding("CLIP001", 20, severity="notice"))

    assert found == [("KL001", ["CLIP001"])]


def test_the_story_of_the_outcome_comes_before_others_as_grave():
    found = stories(finding("SYS001", 2), finding("REW003", 60), finding("KL001", 30))

    assert found == [("KL001", ["REW003"]), "SYS001"]


def test_of_stories_as_grave_the_one_that_accounts_for_more_comes_first():
    found = stories(finding("SYS001", 2), finding("CLIP001", 60), finding("KL001", 50))

    assert found == [("KL001", ["CLIP001"]), "SYS001"]


def test_the_gravest_story_comes_first():
    found = stories(finding("REW003", 60), finding("SYS001", 90, severity="critical"))

    assert found == ["SYS001", "REW003"]


FINDINGS = st.builds(
    finding,
    st.sampled_from(sorted(rules())),
    st.integers(1, ROWS),
    severity=st.sampled_from(["critical", "warning", "notice"]),
)


@settings(deadline=None)  # a busy machine is not a fault
@given(st.lists(FINDINGS, max_size=12))
def test_every_finding_is_told_exactly_once_and_no_circle_arises(findings):
    told = stories(*findings)

    assert sorted(chain.from_iterable(map(_codes, told))) == sorted(one.code for one in findings)


def _codes(tree):
    if isinstance(tree, str):
        return [tree]
    return [tree[0], *chain.from_iterable(map(_codes, tree[1]))]


# truncated responses


def grpo(truncated, reward, rows=40, **more):
    rng = np.random.default_rng(0)
    run = {
        "length/response_clip_ratio": np.broadcast_to(truncated, rows),
        "reward/mean": np.broadcast_to(reward, rows),
        "reward/group_std_mean": np.abs(rng.normal(0.1, 0.02, rows)),
        "length/response_mean": np.full(rows, 200.0),
        **more,
    }
    return make_run(run, algorithm="GRPO", status="finished")


def all_below(findings):
    return [code for one in findings for code in (one.code, *all_below(one.follows))]


def test_a_reward_that_is_always_zero_is_no_consequence_of_responses_always_cut():
    nothing = np.zeros(40)
    run = grpo(0.8, nothing, **{"reward/std": nothing, "reward/zero_std_fraction": nothing + 1.0})

    found = judge_by_rules(run, since_when=False).findings

    assert found[0].code == "REW004"
    assert "LEN001" not in all_below(found[0].follows)


@pytest.mark.parametrize("first", [0.0, 0.15, 0.3])
@pytest.mark.parametrize("paid", [0.0, 1.0])
def test_a_reward_that_never_varied_is_no_consequence_of_responses_cut_later(first, paid):
    for seed in range(8):
        noise = 0.03 * np.random.default_rng(seed).standard_normal(120)
        nothing = np.zeros(120)
        spread = {"reward/std": nothing, "reward/zero_std_fraction": nothing + 1.0}
        cut = np.clip(np.linspace(first, 0.8, 120) + noise, 0, 1)

        found = judge_by_rules(grpo(cut, paid, rows=120, **spread), since_when=False).findings

        truncation = [one for one in found if one.code == "LEN001"]
        assert [all_below(one.follows) for one in truncation] == [[]]
        assert paid == 1.0 or found[0].code == "REW004"


def test_a_reward_that_is_gone_with_the_responses_that_end_is_a_consequence():
    for seed in range(8):
        rng = np.random.default_rng(seed)
        cut = np.clip(np.linspace(0.05, 1.0, 120) + 0.03 * rng.standard_normal(120), 0, 1)
        reward = np.clip(0.7 * (1 - cut) + 0.03 * rng.standard_normal(120), 0, 1)
        reward[cut >= 0.9] = 0.0

        found = judge_by_rules(grpo(cut, reward, rows=120), since_when=False).findings

        [story] = [one for one in found if {"REW003", "REW011"} & set(all_below([one]))]
        assert story.code == "LEN001"


def test_responses_that_came_to_be_cut_off_explain_that_the_reward_is_gone():
    ramp = np.clip(np.linspace(-0.2, 1.5, 60), 0, 1)
    reward = np.where(ramp < 1, 0.6 * (1 - ramp), 0.0)

    found = judge_by_rules(grpo(ramp, reward, rows=60), since_when=False).findings

    [story] = [one for one in found if "REW003" in all_below([one]) or "REW011" in all_below([one])]
    assert story.code == "LEN001"


@pytest.mark.parametrize(
    ("cut", "explained"), [(0.6, []), (1.0, ["REW005"])], ids=["most", "all of them"]
)
def test_a_reward_that_never_rose_is_a_consequence_if_no_response_ever_ends(cut, explained):
    rng = np.random.default_rng(1)

    found = judge_by_rules(
        grpo(cut, 0.3 + 0.05 * rng.standard_normal(60), rows=60), since_when=False
    )

    truncation = [one for one in found.findings if one.code == "LEN001"]
    assert [all_below(one.follows) for one in truncation] == [explained]


# learning rates


@pytest.mark.parametrize(
    ("rate", "explained"), [(0.0, ["POL002"]), (0.5, ["POL002", "KL002"])], ids=["of 0", "absurd"]
)
def test_a_rate_of_zero_explains_only_what_stands_still(rate, explained):
    still, spike = finding("POL002", 5), finding("KL002", 30)
    series = {"optim/learning_rate": np.full(ROWS, rate)}

    found = stories(finding("LR002", 1), still, spike, **series)

    assert found[0] == ("LR002", explained)
