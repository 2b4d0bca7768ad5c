"""The report card: a tick is a claim, and needs a check of its own on a series of its own."""

from __future__ import annotations

from math import nan

import numpy as np
import pytest

from runvitals.diagnosis.grades import SUBJECTS, grades_of
from runvitals.diagnosis.judge import Settings, judge
from runvitals.model import Finding, Grade, Span
from runvitals.rules.needs import Need
from runvitals.rules.patient import Patient
from runvitals.rules.registry import rules
from runvitals.testing import make_run

NOISE = np.random.default_rng(0)


def card(series, **options) -> dict[str, Grade]:
    run = make_run(series, every=10, **options)
    return {grade.area: grade for grade in judge(run, Settings(), since_when=False).verdict.grades}


def noisy(level: float, count: int = 60) -> list[float]:
    return (level + 0.01 * level * NOISE.normal(size=count)).tolist()


def test_a_log_of_which_nothing_is_known_gets_no_ticks_but_for_the_log_itself():
    grades = card({"something/odd": noisy(3.0), "another/thing": noisy(7.0)})

    assert {area for area, grade in grades.items() if grade.mark == "good"} <= {"telemetry"}
    assert grades["outcome"].mark == "not checked"


def test_an_area_with_a_metric_and_a_check_of_its_own_gets_a_tick():
    grades = card({"policy/approx_kl": noisy(0.01), "policy/entropy": noisy(0.7)}, algorithm="PPO")

    assert grades["policy"].mark == "good"
    assert "nothing to report" in grades["policy"].reason


def test_a_loss_of_another_kind_of_training_gives_the_policy_no_tick():
    falling = np.linspace(3, 1, 60) + 0.02 * NOISE.normal(size=60)
    grades = card({"lm/loss": falling.tolist()}, algorithm="SFT")

    assert grades["optimisation"].mark == "good"
    assert grades.get("policy", Grade("", "not checked", "")).mark == "not checked"


def test_a_series_without_a_single_number_gives_no_tick():
    grades = card({"value/loss": [nan] * 60, "policy/entropy": noisy(0.7)}, algorithm="PPO")

    assert grades["value"].mark != "good"


def finding(code: str, severity: str, *follows: Finding) -> Finding:
    rule = rules()[code]
    span = Span(0, 10, 2)
    return Finding(code, rule.name, severity, "x", span, f"{code} speaks", follows=follows)


def outcome_grade(word: str, *findings: Finding) -> Grade:
    patient = Patient(make_run({"outcome/return_mean": noisy(1.0)}))
    grades = grades_of(word, "the reason", patient, findings, [], [], rules())
    return next(grade for grade in grades if grade.area == "outcome")


@pytest.mark.parametrize(
    "word", ["not learning", "stalled", "collapsed", "diverged", "overfitting"]
)
def test_a_bad_word_is_a_bad_mark(word):
    assert outcome_grade(word) == Grade("outcome", "bad", "the reason")


@pytest.mark.parametrize("word", ["learning", "learned"])
def test_a_good_word_is_a_good_mark_unless_something_about_the_outcome_alarms(word):
    assert outcome_grade(word) == Grade("outcome", "good", "the reason")
    assert outcome_grade(word, finding("REW007", "notice")).mark == "good"
    assert outcome_grade(word, finding("REW007", "warning")).mark == "watch"


@pytest.mark.parametrize("word", ["too early to tell", "cannot tell"])
def test_a_verdict_that_cannot_be_given_is_not_checked(word):
    assert outcome_grade(word) == Grade("outcome", "not checked", "the reason")


def test_the_log_is_never_worse_than_worth_a_look():
    patient = Patient(make_run({"outcome/return_mean": noisy(1.0)}))
    found = [finding("DATA007", "critical")]

    grades = {g.area: g for g in grades_of("learned", "", patient, found, [], [], rules())}

    assert grades["telemetry"].mark == "watch"


def test_rules_of_other_people_have_an_area_too():
    patient = Patient(make_run({"my/queue": noisy(1.0)}))
    known = rules()
    mine = known["KL001"].__class__(
        "MY001", "mine", "warning", known["KL001"].check, (Need.parse("my/queue"),), (), (), "other"
    )

    grades = {
        g.area: g
        for g in grades_of("learned", "", patient, [], [], ["MY001"], {**known, "MY001": mine})
    }

    assert grades["other"].mark == "good"


def test_every_area_of_a_rule_of_ours_is_on_the_card():
    assert {rule.area for rule in rules().values()} <= SUBJECTS.keys() | {"other"}
