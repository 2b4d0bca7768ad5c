"""What has to hold for every judgement: its verdict, findings and report card agree."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from runvitals.diagnosis.engine import judge_by_rules
from runvitals.diagnosis.verdict import NOT_ABOUT_LEARNING
from runvitals.model import Diagnosis, Finding, Run
from runvitals.rules.outcome.health import stated_by
from runvitals.rules.patient import Patient
from runvitals.rules.registry import rules

BAD = ("stalled", "not learning", "overfitting", "collapsed", "diverged")
GOOD = ("learning", "learned")


class Judged(NamedTuple):
    """A run with what is said about it."""

    name: str
    run: Run
    found: Diagnosis

    @property
    def findings(self) -> list[Finding]:
        return list(_all(self.found.findings))

    @property
    def word(self) -> str:
        return self.found.verdict.word

    @property
    def told(self) -> str:
        return f"{self.name}: {self.word}: {self.found.verdict.reason}"


def _all(findings: tuple[Finding, ...]) -> Iterator[Finding]:
    for finding in findings:
        yield finding
        yield from _all(finding.follows)


def judged_by_rules(name: str, run: Run) -> Judged:
    """A run, judged."""
    return Judged(name, run, judge_by_rules(run, since_when=False))


class Coherence:
    """Tests for a module that has a fixture `judged`."""

    def test_no_rule_fails(self, judged: list[Judged]) -> None:
        assert [(one.name, one.found.problems) for one in judged if one.found.problems] == []

    def test_a_bad_word_has_a_finding_that_states_it(self, judged: list[Judged]) -> None:
        known, alone = rules(), []
        for one in (one for one in judged if one.word in BAD):
            patient = Patient(one.run)
            # or a finding whose rule has overruled the outcome
            stating = {stated_by(patient)}
            stating |= {f.code for f in one.findings if known[f.code].verdict == one.word}
            if not any(f.is_alarm and f.code in stating for f in one.findings):
                alone.append(one.told)

        assert alone == []

    def test_no_good_word_beside_an_alarm_about_learning(self, judged: list[Judged]) -> None:
        known = rules()

        assert [
            (one.told, f.code, f.message)
            for one in judged
            if one.word in GOOD
            for f in one.findings
            if f.is_alarm and known[f.code].area not in NOT_ABOUT_LEARNING
        ] == []

    def test_the_grade_of_the_outcome_agrees_with_the_word(self, judged: list[Judged]) -> None:
        wrong = []
        for one in judged:
            marks = {grade.area: grade.mark for grade in one.found.verdict.grades}
            if one.word in BAD and marks.get("outcome") not in ("watch", "bad"):
                wrong.append(one.told)
            if one.word in GOOD and marks.get("outcome") == "bad":
                wrong.append(one.told)

        assert wrong == []

    def test_a_good_grade_has_a_check_that_ran(self, judged: list[Judged]) -> None:
        for one in judged:
            for grade in one.found.verdict.grades:
                assert grade.mark != "good" or not grade.reason.startswith("0 checks"), one.told

    def test_figures_of_the_verdict_are_of_the_series_it_names(self, judged: list[Judged]) -> None:
        for one in judged:
            outcome = one.found.verdict.outcome
            assert (
                outcome is None or one.word == "diverged" or outcome in one.found.verdict.reason
            ), one.told
