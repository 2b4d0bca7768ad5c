"""One verdict: is it learning? And a report card by area."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from runvitals.diagnosis.grades import grades_of
from runvitals.model import Finding, NotChecked, Verdict, all_findings
from runvitals.model.finding import VerdictWord
from runvitals.rules.outcome.course import RAN_AWAY
from runvitals.rules.patient import Patient
from runvitals.rules.registry import Rule

DIVERGED = ("NUM001", "NUM002", "VAL006")  # numbers ran away, whatever the outcome says

OUTCOME = "outcome"  # the area whose critical findings no good word stands beside

# An alarm of these says what the gain is worth: a good word beside it would be praise for nothing.
HOLLOW: Mapping[str, VerdictWord] = {
    "SFT003": "overfitting",  # held-out loss rises again
    "SFT005": "overfitting",  # samples known by heart
    "DPO002": "overfitting",  # pairs known by heart
    "RM004": "overfitting",
    "EVAL004": "overfitting",  # evaluation far below training
    "SFT001": "not learning",  # many epochs for next to nothing, or what is learned is wrong
    "SFT006": "not learning",  # the loss is that of guessing
    "REW001": "not learning",  # paid for, but no success
    "REW010": "not learning",  # one part of the reward is farmed
    "REW014": "not learning",  # the goal never pays, and form does
    "LEN005": "not learning",  # length is paid for
}
# These decide where the noise of the outcome leaves it open: nothing can be learned, ...
NOTHING_MOVES = ("LR002", "POL002", "GRAD003")
# A rate so high that nothing excuses it blows a loss up in the first rows: what falls from there is the
# way back to guessing, and no gain; nor is what fell before the rate was 0. Shares of successes and
# returns are measured apart, and may speak for themselves.
BLOWS_UP = "LR002"
TENTH, QUARTER = 10, 4  # of the rows, in which the blow falls; and of the rest, which are compared
UNSETTLED = "REW008"  # ... or what was gained is lost and won again to the end


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
    for finding in all_findings(findings):
        if (health.bad and not health.unshown) or not finding.is_alarm:
            continue
        if (word := _word_beside(finding, patient)) is not None:
            return word, f"{health.reason}, but {finding.series}: {finding.message}"
    return health.word, health.reason


def _ran_away(patient: Patient) -> bool:
    """Whether the loss in training was far above its first row at any time."""
    main, training = patient.health.main, patient.training
    if main is None or training is None or {main.role.kind, training.role.kind} != {"loss"}:
        return False
    losses = -training.values
    return float(losses.max()) >= RAN_AWAY * float(losses[0]) > 0


def _stands_since_its_first_rows(patient: Patient) -> bool:
    """Whether a training loss has gained nothing that matters after its first tenth."""
    main, training = patient.health.main, patient.training
    if main is None or training is None or {main.role.kind, training.role.kind} != {"loss"}:
        return False
    values, tenth = training.values, max(1, len(training.values) // TENTH)
    rest = values[tenth:]
    few = max(1, len(rest) // QUARTER)
    gained = float(rest[-few:].mean() - rest[:few].mean())
    return len(rest) >= TENTH and gained < training.course.matters


def _word_beside(finding: Finding, patient: Patient) -> VerdictWord | None:
    """The word that a finding leaves, where the outcome alone says nothing bad; None: any."""
    health = patient.health
    if finding.code in ("LEN005", "REW014") and not health.good:
        return None  # responses that grow, or a dead part, do not say that nothing is learned
    if finding.code in HOLLOW:
        unseen = patient.held_out is None or not patient.held_out.course.rose
        return HOLLOW[finding.code] if finding.code != "EVAL004" or unseen else None
    if health.good:
        if finding.code == BLOWS_UP and _ran_away(patient):
            return "diverged"
        if finding.code == BLOWS_UP and _stands_since_its_first_rows(patient):
            return "not learning"
        bad = finding.area == OUTCOME and finding.severity == "critical"
        return "not learning" if bad else None
    left_open = health.unsure or health.unshown
    hopeless = finding.severity == "critical" or (finding.code == BLOWS_UP and left_open)
    if finding.code in NOTHING_MOVES and hopeless:
        return "not learning"
    return "stalled" if finding.code == UNSETTLED and left_open else None
