"""One verdict: is it learning? The word, its chance, and a report card by area.

The outcome says what happened; an alarm says what that is worth. A rule declares the word that its
alarm leaves to a run (`@rule(verdict=...)`). No good word stands beside any other alarm about what was
learned: then nobody can tell yet what the gain is worth.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from runvitals.diagnosis.grades import grades_of
from runvitals.model import SEVERITIES, Finding, NotChecked, Verdict, all_findings
from runvitals.model.finding import VerdictWord
from runvitals.rules.patient import Patient
from runvitals.rules.registry import Rule

# areas whose alarms leave the word alone
NOT_ABOUT_LEARNING = ("efficiency", "system", "expectations", "other")


def verdict_of(
    patient: Patient,
    findings: Sequence[Finding],
    not_checked: Sequence[NotChecked],
    clear: Sequence[str],
    known: Mapping[str, Rule],
) -> Verdict:
    """The word, the reason for it, and a grade per area."""
    health, outcome = patient.health, patient.outcome
    word, reason, chance = health.word, health.reason, health.chance
    if (beside := _beside(patient, findings, known)) is not None:
        word, finding = beside
        reason, chance = f"{health.reason}, but {finding.series}: {finding.message}", None
    grades = tuple(grades_of(word, reason, patient, findings, not_checked, clear, known))
    if outcome is None:
        return Verdict(word, reason, None, grades)
    return Verdict(word, reason, outcome.series.name, grades, outcome.levels, chance)


def _beside(
    patient: Patient, findings: Sequence[Finding], known: Mapping[str, Rule]
) -> tuple[VerdictWord, Finding] | None:
    """The word that an alarm leaves to the run, and the alarm; None if the outcome's word stands."""
    alarms = [one for one in all_findings(findings) if one.is_alarm]
    for one in alarms:
        word = _declared(one, known)
        if word == "diverged" or (word is not None and not patient.health.bad):
            return word, one
    if patient.health.good:
        other = next((one for one in alarms if one.area not in NOT_ABOUT_LEARNING), None)
        return None if other is None else ("cannot tell", other)
    return None


def _declared(finding: Finding, known: Mapping[str, Rule]) -> VerdictWord | None:
    """The word of its rule, if it is as severe as the rule is."""
    rule = known[finding.code]
    severe = SEVERITIES.index(finding.severity) <= SEVERITIES.index(rule.severity)
    return rule.verdict if severe else None
