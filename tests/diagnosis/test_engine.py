from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from runvitals.diagnosis.engine import Choice, judge_by_rules
from runvitals.model import Diagnosis, Hit, Run, Span
from runvitals.rules.needs import Need
from runvitals.rules.patient import Patient
from runvitals.rules.registry import Rule
from runvitals.testing import make_run

LEARNING = np.concatenate([np.linspace(0, 100, 30), np.full(50, 100.0)])
FALLING = np.concatenate([np.linspace(0, 100, 50), np.full(30, 5.0)])


def made_up_rule(code: str, check: Any, **options: Any) -> Rule:
    defaults: dict[str, Any] = {
        "name": f"rule-{code.lower()}",
        "severity": "warning",
        "families": (),
        "explains": (),
        "area": "policy",
    }
    options["needs"] = tuple(map(Need.parse, options.get("needs", ())))
    return Rule(code=code, check=check, **{**defaults, **options})


def high(patient: Patient, *, limit: float = 0.5) -> Iterator[Hit]:
    """The signal is high."""
    series = patient["made/up"]
    above = np.flatnonzero(series.values > limit)
    if len(above) >= 5:
        first, last = (int(series.steps[above[i]]) for i in (0, -1))
        yield Hit("made/up", Span(first, last, len(above)), f"{len(above)} points above {limit:g}")


def broken(patient: Patient) -> Iterator[Hit]:
    raise ZeroDivisionError("by design")


def endless(patient: Patient) -> Iterator[Hit]:
    while True:
        time.sleep(0.01)


def judged(run: Run, *rules: Rule, **choice: Any) -> Diagnosis:
    chosen = Choice(select=tuple(rule.code for rule in rules), **choice)
    return judge_by_rules(run, chosen, extra=rules)


def run_with(signal: Any, outcome: Any = LEARNING) -> Run:
    return make_run({"made/up": signal, "outcome/return_mean": outcome}, every=10, algorithm="PPO")


SICK = np.where(np.arange(80) >= 30, 1.0, 0.0)


def test_a_hit_becomes_a_finding_with_the_step_from_which_it_was_visible() -> None:
    found = judged(run_with(SICK), made_up_rule("ZZ001", high, needs=("made/up",)))

    [finding] = found.findings
    assert (finding.code, finding.severity, finding.message) == (
        "ZZ001",
        "warning",
        "50 points above 0.5",
    )
    assert finding.first_seen is not None
    assert 350 <= finding.first_seen <= 400


def test_a_rule_without_its_metric_is_not_checked_and_says_why() -> None:
    rule = made_up_rule("ZZ001", high, needs=("made/up", "policy/kl_ref|policy/approx_kl"))

    found = judged(run_with(SICK), rule)

    [skipped] = found.not_checked
    assert skipped.reason == "policy/kl_ref or policy/approx_kl not logged"
    assert found.findings == ()
    assert found.clear == ()


def test_a_rule_for_another_kind_of_training_is_not_checked() -> None:
    found = judged(run_with(SICK), made_up_rule("ZZ001", high, families=("preference",)))

    assert found.not_checked[0].reason == "does not apply to on-policy runs"


def test_a_rule_that_found_nothing_is_clear() -> None:
    found = judged(run_with(np.zeros(80)), made_up_rule("ZZ001", high, needs=("made/up",)))

    assert found.clear == ("ZZ001",)


def test_a_rule_that_fails_is_named_and_the_others_go_on() -> None:
    good = made_up_rule("ZZ002", high, needs=("made/up",))

    found = judged(run_with(SICK), made_up_rule("ZZ001", broken), good)

    assert found.problems == ("ZZ001 failed: ZeroDivisionError: by design",)
    assert [finding.code for finding in found.findings] == ["ZZ002"]
    assert found.not_checked[0].reason == "the rule failed"


def test_what_a_rule_said_of_the_whole_run_stands_if_it_fails_on_a_part() -> None:
    def fails_early(patient: Patient) -> Iterator[Hit]:
        if patient.until is not None:
            raise ZeroDivisionError("too short")
        yield from high(patient)

    found = judged(run_with([0.9] * 40), made_up_rule("ZZ001", fails_early))

    assert [finding.code for finding in found.findings] == ["ZZ001"]
    assert found.findings[0].first_seen is None
    assert found.problems == ("ZZ001 failed on a part: ZeroDivisionError: too short",)


def test_a_rule_that_never_ends_is_left_behind() -> None:
    good = made_up_rule("ZZ002", high, needs=("made/up",))

    found = judged(run_with(SICK), made_up_rule("ZZ001", endless), good, seconds_per_rule=0.2)

    assert found.problems == ("ZZ001 failed: TimeoutError: took longer than 0.2 s",)
    assert [finding.code for finding in found.findings] == ["ZZ002"]


def test_a_rule_that_took_too_long_three_times_is_not_run_again() -> None:
    run, slow = run_with(SICK), made_up_rule("ZZ009", endless)
    for _ in range(3):
        assert judged(run, slow, seconds_per_rule=0.05).problems

    found = judged(run, slow, seconds_per_rule=0.05)

    assert not found.problems
    assert found.not_checked[-1].reason == "it took too long on 3 runs before"


def test_options_and_severities_of_the_user_hold() -> None:
    rule = made_up_rule("ZZ001", high, needs=("made/up",))

    strict = judged(run_with(SICK), rule, options={"ZZ001": {"limit": 2.0}})
    mild = judged(run_with(SICK), rule, severities={"ZZ001": "notice"})

    assert strict.clear == ("ZZ001",)
    assert mild.findings[0].severity == "notice"
    assert mild.alarms == ()


def test_ignored_and_preview_rules_do_not_run() -> None:
    rule = made_up_rule("ZZ001", high, needs=("made/up",), preview=True)

    unasked = judge_by_rules(run_with(SICK), extra=[rule])
    ignored = judge_by_rules(
        run_with(SICK), Choice(select=("ZZ",), ignore=("ZZ001",)), extra=[rule]
    )
    asked = judge_by_rules(run_with(SICK), Choice(select=("ZZ",)), extra=[rule])

    assert "ZZ001" not in [finding.code for finding in unasked.findings]
    assert ignored.findings == ignored.clear == ()
    assert asked.findings[0].preview


def test_a_consequence_is_part_of_the_story_of_its_cause() -> None:
    def late(patient: Patient) -> Iterator[Hit]:
        yield Hit(
            "outcome/return_mean", Span(500, 800, 30), "return fell by 95 %", severity="critical"
        )

    cause = made_up_rule("ZZ001", high, needs=("made/up",), explains=("ZZ002",))
    effect = made_up_rule("ZZ002", late)

    found = judged(run_with(SICK, FALLING), cause, effect)

    [story] = found.findings
    assert story.code == "ZZ001"
    assert [f.code for f in story.follows] == ["ZZ002"]
    assert story.severity == "critical", "the story is as grave as its gravest part"


def test_what_came_before_its_cause_is_a_story_of_its_own() -> None:
    def early(patient: Patient) -> Iterator[Hit]:
        yield Hit("outcome/return_mean", Span(10, 20, 2), "something early")

    cause = made_up_rule(
        "ZZ001", lambda p: iter([Hit("made/up", Span(700, 800, 10), "late")]), explains=("ZZ002",)
    )

    found = judged(run_with(SICK), cause, made_up_rule("ZZ002", early))

    assert [story.code for story in found.findings] == ["ZZ002", "ZZ001"]


def test_rules_that_explain_each_other_do_not_vanish() -> None:
    one = made_up_rule("ZZ001", lambda p: iter([Hit("a", Span(1, 2, 2), "a")]), explains=("ZZ002",))
    two = made_up_rule("ZZ002", lambda p: iter([Hit("b", Span(1, 2, 2), "b")]), explains=("ZZ001",))

    [story] = judged(run_with(SICK), one, two).findings

    assert [story.code, story.follows[0].code] == ["ZZ001", "ZZ002"]


def test_how_long_before_the_fall_it_could_be_seen() -> None:
    rule = made_up_rule("ZZ001", high, needs=("made/up",))

    [finding] = judged(run_with(SICK, FALLING), rule).findings

    assert finding.lead is not None
    assert 100 <= finding.lead <= 200


def test_the_same_run_gives_the_same_diagnosis() -> None:
    rule = made_up_rule("ZZ001", high, needs=("made/up",))

    assert judged(run_with(SICK), rule) == judged(run_with(SICK), rule)


# the verdict


@pytest.mark.parametrize(
    ("outcome", "word"),
    [
        (np.linspace(0, 100, 80), "learning"),
        (LEARNING, "learned"),
        (FALLING, "collapsed"),
        (np.linspace(100, 0, 80), "not learning"),
        (np.full(80, 3.0), "not learning"),
        (np.linspace(0, 100, 6), "learning"),
        (np.linspace(0, 100, 3), "too early to tell"),
        ([], "cannot tell"),
    ],
    ids=["rising", "risen", "fallen", "falling", "flat", "six in order", "short", "none"],
)
def test_the_verdict_follows_the_outcome(outcome: Any, word: str) -> None:
    noise = 0.1 * np.random.default_rng(1).standard_normal(len(outcome))
    run = make_run({"outcome/return_mean": np.asarray(outcome) + noise}, algorithm="PPO")

    verdict = judge_by_rules(run, since_when=False).verdict

    assert verdict.word == word
    assert verdict.reason


def test_an_area_without_checks_is_not_called_good() -> None:
    found = judged(run_with(SICK), made_up_rule("ZZ001", high, needs=("nothing/here",)))

    assert ("policy", "not checked") in [(g.area, g.mark) for g in found.verdict.grades]
