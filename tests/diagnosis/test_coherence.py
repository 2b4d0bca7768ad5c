"""Verdict, findings and report card of one run never contradict each other: over all logs there are."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

import runvitals as rv
from runvitals.diagnosis.engine import judge_by_rules
from runvitals.diagnosis.verdict import DIVERGED, HOLLOW, NOTHING_MOVES, UNSETTLED
from runvitals.model import Diagnosis, Finding, Run
from runvitals.rules.outcome.stated import stated_by
from runvitals.rules.patient import Patient
from runvitals.rules.registry import rules

CORPUS = Path(__file__).parents[3] / "shared" / "corpus"
BAD = ("stalled", "not learning", "overfitting", "collapsed", "diverged")
GOOD = ("learning", "learned")

pytestmark = pytest.mark.skipif(not CORPUS.is_dir(), reason="the corpus of real logs is not here")


class Judged(NamedTuple):
    """A run of the corpus with what is said about it."""

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


@pytest.fixture(scope="module")
def judged() -> list[Judged]:
    folders = [
        folder
        for where in (CORPUS, CORPUS / "public")
        for folder in sorted(where.iterdir())
        if folder.is_dir() and not (folder / "index.json").exists()
    ]
    return [
        Judged(f"{folder.name}/{run.name}", run, judge_by_rules(run, since_when=False))
        for folder in folders
        for run in rv.open_runs(folder, problems=[])
    ]


def test_no_rule_fails(judged: list[Judged]) -> None:
    assert [(one.name, one.found.problems) for one in judged if one.found.problems] == []


def test_a_bad_word_has_a_finding_that_states_it(judged: list[Judged]) -> None:
    known, alone = rules(), []
    for one in (one for one in judged if one.word in BAD):
        patient = Patient(one.run)
        stating = {stated_by(patient), *(DIVERGED if one.word == "diverged" else ())}
        if not patient.health.bad:  # then a finding has overruled it
            stating |= {*HOLLOW, *NOTHING_MOVES, UNSETTLED}
            stating |= {f.code for f in one.findings if known[f.code].area == "outcome"}
        if not any(f.is_alarm and f.code in stating for f in one.findings):
            alone.append(one.told)

    assert alone == []


def test_no_good_word_beside_a_critical_finding_about_the_outcome(judged: list[Judged]) -> None:
    known = rules()

    assert [
        (one.told, f.code, f.message)
        for one in judged
        if one.word in GOOD
        for f in one.findings
        if f.severity == "critical" and known[f.code].area == "outcome"
    ] == []


def test_the_grade_of_the_outcome_agrees_with_the_word(judged: list[Judged]) -> None:
    wrong = []
    for one in judged:
        marks = {grade.area: grade.mark for grade in one.found.verdict.grades}
        if one.word in BAD and marks.get("outcome") not in ("watch", "bad"):
            wrong.append(one.told)
        if one.word in GOOD and marks.get("outcome") == "bad":
            wrong.append(one.told)

    assert wrong == []


def test_a_good_grade_has_a_check_that_ran(judged: list[Judged]) -> None:
    for one in judged:
        for grade in one.found.verdict.grades:
            assert grade.mark != "good" or not grade.reason.startswith("0 checks"), one.told


def test_figures_of_the_verdict_are_of_the_series_it_names(judged: list[Judged]) -> None:
    for one in judged:
        outcome = one.found.verdict.outcome
        assert outcome is None or one.word == "diverged" or outcome in one.found.verdict.reason, (
            one.told
        )


def test_the_corpus_is_no_handful(judged: list[Judged]) -> None:
    assert len(judged) >= 100
    assert {one.word for one in judged} >= {"learning", "learned", "not learning", "collapsed"}
