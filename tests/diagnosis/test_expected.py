from __future__ import annotations

from dataclasses import replace
from typing import Any

from runvitals.diagnosis.engine import Choice, judge_by_rules
from runvitals.model import Diagnosis, Expectation
from runvitals.testing import make_run

HIGH = [0.5] * 80


def judged(**expected: Any) -> Diagnosis:
    run = make_run({"policy/approx_kl": HIGH}, algorithm="PPO", config={"target_kl": 0.01})
    run = replace(run, expectations=(Expectation(**expected),))
    return judge_by_rules(run, Choice(select=("KL001",)))


def test_an_expected_finding_is_shown_with_its_reason_and_is_no_alarm() -> None:
    found = judged(rule="KL001", reason="no trust region here")

    [finding] = found.findings
    assert (finding.severity, finding.accepted) == ("notice", "no trust region here")
    assert finding.message.endswith("(expected here: no trust region here)")
    assert found.alarms == ()


def test_it_may_be_expected_of_one_series_only() -> None:
    other = judged(rule="KL001", metric="policy/kl_ref", reason="fine")
    mine = judged(rule="KL001", metric="policy/approx_kl", reason="fine")

    assert len(other.alarms) == 1
    assert mine.alarms == ()


def test_a_rule_that_does_not_exist_is_said() -> None:
    found = judged(rule="KL01", reason="fine")

    assert found.problems == ("expect(rule='KL01'): there is no such rule",)
    assert len(found.alarms) == 1
