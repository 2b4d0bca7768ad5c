"""One verdict: is it learning? And a report card by area."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from runvitals.diagnosis.grades import grades_of
from runvitals.model import Finding, NotChecked, Verdict
from runvitals.model.finding import VerdictWord
from runvitals.rules.outcome import Outcome
from runvitals.rules.patient import Patient
from runvitals.rules.registry import Rule

DIVERGED = ("NUM001", "NUM002", "SFT002", "VAL006")
STANDSTILL = ("REW004", "REW005", "REW011", "KL003", "POL002", "SFT001", "DPO001", "RM001")


def verdict_of(
    patient: Patient,
    findings: Sequence[Finding],
    not_checked: Sequence[NotChecked],
    clear: Sequence[str],
    known: Mapping[str, Rule],
) -> Verdict:
    """The word, the reason for it, and a grade per area."""
    word, reason = _word(patient, findings)
    outcome = None if patient.outcome is None else patient.outcome.series.name
    grades = tuple(grades_of(word, reason, patient, findings, not_checked, clear, known))
    return Verdict(word, reason, outcome, grades)


def _word(patient: Patient, findings: Sequence[Finding]) -> tuple[VerdictWord, str]:
    for finding in _all(findings):
        if finding.code in DIVERGED and finding.severity == "critical":
            return "diverged", finding.message
    outcome = patient.outcome
    if outcome is None:
        return (
            "cannot tell",
            "no outcome was logged: no return, success rate, score or held-out loss",
        )
    name, moved = outcome.series.name, _moved(outcome)
    state = outcome.state
    if state == "warming":
        return "too early to tell", f"{name} has only {len(outcome.series)} points"
    if state == "improving":
        return "learning", f"{name} {moved} and still improves"
    if state == "converged":
        return "learned", f"{name} {moved} and holds"
    way = outcome.way
    if state == "degrading":
        if way is not None and way.crashed:
            step = int(outcome.series.steps[way.begins])
            return "collapsed", f"{name} lost {min(way.lost, 1):.0%} of its rise by step {step:,}"
        return "not learning", f"{name} {moved}: it gets worse"
    if way is not None and way.rose:
        return "stalled", f"{name} {moved} and no longer improves"
    if any(finding.is_alarm and finding.code in STANDSTILL for finding in _all(findings)):
        return "not learning", f"{name} {moved}: no improvement beyond its noise"
    if way is not None and way.leans_up:
        return "learning", f"{name} {moved}, though slow wandering could do as much"
    return "cannot tell", f"{name} {moved}: too little, or too noisy, to tell from chance"


def _moved(outcome: Outcome) -> str:
    values = outcome.series.values
    few = max(1, min(10, len(values) // 5))
    first, last = float(np.median(values[:few])), float(np.median(values[-few:]))
    return f"went from {first:.4g} to {last:.4g}"


def _all(findings: Sequence[Finding]) -> Iterator[Finding]:
    for finding in findings:
        yield finding
        yield from _all(finding.follows)
