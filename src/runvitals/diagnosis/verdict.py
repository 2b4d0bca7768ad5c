"""One verdict: is it learning? And a report card by area."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from runvitals.diagnosis.grades import grades_of
from runvitals.model import Finding, NotChecked, Verdict, all_findings
from runvitals.model.finding import VerdictWord
from runvitals.rules.patient import Patient
from runvitals.rules.registry import Rule

DIVERGED = ("NUM001", "NUM002", "VAL006")  # numbers ran away, whatever the outcome says

OUTCOME = "outcome"  # the area whose critical findings no good word stands beside


def verdict_of(
    patient: Patient,
    findings: Sequence[Finding],
    not_checked: Sequence[NotChecked],
    clear: Sequence[str],
    known: Mapping[str, Rule],
) -> Verdict:
    """The word, the reason for it, and a grade per area."""
    word, reason = _word(patient, findings)
    outcome = patient.outcome
    grades = tuple(grades_of(word, reason, patient, findings, not_checked, clear, known))
    if outcome is None:
        return Verdict(word, reason, None, grades)
    return Verdict(word, reason, outcome.series.name, grades, outcome.levels)


def _word(patient: Patient, findings: Sequence[Finding]) -> tuple[VerdictWord, str]:
    for finding in all_findings(findings):
        if finding.code in DIVERGED and finding.severity == "critical":
            return "diverged", finding.message
    health = patient.health
    if health.good:
        for finding in all_findings(findings):
            if finding.area == OUTCOME and finding.severity == "critical":
                return "not learning", f"{health.reason}, but {finding.series}: {finding.message}"
    return health.word, health.reason
