"""How severe a hit is: by the rule, by the outcome, and by how much was seen.

A sign beside an outcome that is fine is a *notice*, an early warning that says so in plain words. It is
a *warning* where it does harm (the outcome is flat, falls, or never rose), or beyond a level that no
outcome excuses, or where signs of several kinds come together beside an outcome that nobody can tell.
*Critical* means that the run is lost.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from runvitals.model import Finding, Hit, Severity
from runvitals.rules.patient import Patient

if TYPE_CHECKING:
    from runvitals.rules.registry import Rule

MIN_CRITICAL = 20  # points: on fewer only a fact (NaN, constant) is critical


def severity_of(rule: Rule, hit: Hit, patient: Patient) -> Severity:
    """The severity of a hit: its own, or the rule's, excused by a good outcome if the rule says so."""
    severity = hit.severity or rule.severity
    if patient.run.beside:
        return "notice"  # of a trial beside the training that its file is about
    if hit.severity is None and rule.excused_by_outcome and not hit.beyond_excuse:
        severity = rule.severity if patient.health.struggles else "notice"
    if hit.grave and patient.health.struggles:
        severity = "critical"
    if severity == "critical" and not rule.fact and _points(hit, patient) < MIN_CRITICAL:
        return "warning"
    return severity


def _points(hit: Hit, patient: Patient) -> int:
    series = patient.raw(hit.series)
    return MIN_CRITICAL if series is None else len(series)


def together(
    findings: Sequence[Finding], rules: Mapping[str, Rule], patient: Patient
) -> list[Finding]:
    """The findings; excused signs of three kinds are warnings unless the outcome is good.

    On 766 labelled logs that finds two sick ones more, and alarms no healthy one.
    """
    if patient.health.good:
        return list(findings)
    excused = [
        one
        for one in findings
        if one.severity == "notice" and not one.accepted and rules[one.code].excused_by_outcome
    ]
    if len({one.code.rstrip("0123456789") for one in excused}) < 3:
        return list(findings)
    return [replace(one, severity="warning") if one in excused else one for one in findings]


def suffers(patient: Patient) -> bool:
    """Whether the outcome is bad, or a gain over its start is unlikely."""
    return patient.health.bad or patient.health.gets_nowhere


def so_far(patient: Patient) -> str:
    """What a message adds about the outcome; empty where that suffers: other findings say so.

    It follows the message as it is: "clip fraction above 0.3" + "; the outcome is holding up so far".
    """
    if patient.health.good:
        outcome = patient.outcome
        name = outcome.series.name if outcome is not None else "the outcome"
        return f"; {name} is holding up so far"
    if patient.health.plot == "none":
        return "; no outcome was logged to compare with"
    return ""
