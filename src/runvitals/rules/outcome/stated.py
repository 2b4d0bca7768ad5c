"""Which rule states a bad story: a bad word never stands without a finding that says it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from runvitals.model import Hit, Severity, Span
from runvitals.rules.outcome.health import Plot
from runvitals.rules.outcome.reading import Outcome
from runvitals.rules.outcome.shape import COLLAPSED

if TYPE_CHECKING:
    from runvitals.rules.patient import Patient

# by kind of training; what is learned by trying, or unknown, is in the first line
STATED_BY: dict[str, dict[Plot, str]] = {
    "task": {
        "lost": "REW003",
        "worse": "REW011",
        "stuck": "REW005",
        "low": "REW005",
        "unshown": "REW005",
        "swings": "REW008",
        "parted": "EVAL002",
        "missed": "REW001",
        "turned": "REW011",
    },
    "sft": {
        "lost": "SFT002",
        "worse": "SFT002",
        "stuck": "SFT001",
        "low": "SFT001",
        "unshown": "SFT001",
        "swings": "SFT001",
        "missed": "SFT001",
        "turned": "SFT001",
        "parted": "SFT003",
    },
    "preference": {
        "lost": "DPO001",
        "worse": "DPO001",
        "stuck": "DPO001",
        "low": "DPO001",
        "unshown": "DPO001",
        "swings": "DPO001",
        "missed": "DPO001",
        "turned": "DPO001",
        "parted": "DPO002",
    },
    "reward-model": {
        "lost": "RM001",
        "worse": "RM001",
        "stuck": "RM001",
        "low": "RM001",
        "unshown": "RM001",
        "swings": "RM001",
        "missed": "RM001",
        "turned": "RM001",
        "parted": "RM004",
    },
}
# what an outcome is about where the kind of training is unknown
ABOUT = {
    "lm/": "sft",
    "supervised/": "sft",
    "optim/": "sft",
    "loss": "sft",
    "preference/": "preference",
    "rm/": "reward-model",
}
MANY = 30  # points after which a run that is over and never rose is beyond hope (judgement)


def stated_by(patient: Patient) -> str | None:
    """The code of the rule that has to state the story; None if it is not bad."""
    health = patient.health
    if not health.bad or health.main is None:
        return None
    return STATED_BY[_training_of(patient, health.main)].get(health.plot)


def _training_of(patient: Patient, main: Outcome) -> str:
    if patient.kind in STATED_BY:
        return patient.kind
    if patient.kind != "unknown":
        return "task"
    metric = main.metric.removeprefix("eval/")
    return next((kind for start, kind in ABOUT.items() if metric.startswith(start)), "task")


def statement(
    patient: Patient,
    code: str,
    *,
    advice: str,
    causes: tuple[str, ...] = (),
    also: tuple[str, ...] = (),
    aside: str = "",
) -> Hit | None:
    """The story as a hit, if it is this rule's to state."""
    main = patient.health.main
    if stated_by(patient) != code or main is None:
        return None
    others = (patient.training, patient.held_out)
    named = tuple(o.series.name for o in others if o is not None and o is not main and o.speaks)
    return Hit(
        series=main.series.name,
        span=span_of_story(patient, main),
        message=patient.health.reason + aside,
        advice=advice,
        severity=_severity(patient, main),
        causes=causes,
        also=tuple(dict.fromkeys((*also, *named))),
    )


def span_of_story(patient: Patient, main: Outcome) -> Span:
    """From where it went wrong: the fall, or the beginning."""
    last = len(main.series) - 1
    first = min(main.course.begins, last) if patient.health.plot == "lost" else 0
    steps = main.series.steps
    return Span(int(steps[first]), int(steps[last]), last - first + 1)


def _severity(patient: Patient, main: Outcome) -> Severity:
    plot, course = patient.health.plot, main.course
    if plot == "lost":
        return "critical" if course.lost >= COLLAPSED else "warning"
    if plot == "stuck":
        sure = course.shape == "constant" or patient.is_any_of(["rl"])
        # few formats say that a run has ended: one that is not known to go on counts as over
        over = patient.run.status != "running" and patient.until is None
        return "critical" if sure and over and course.points >= MANY else "warning"
    if plot == "parted":
        return "critical" if course.falls and patient.is_any_of(["rl"]) else "warning"
    return "critical" if plot in ("worse", "turned") else "warning"
