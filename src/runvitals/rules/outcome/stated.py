"""Which rule states a bad story: a bad word never stands without a finding that says it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from runvitals.model import Hit, Severity, Span
from runvitals.rules.outcome.course import COLLAPSED
from runvitals.rules.outcome.health import Plot
from runvitals.rules.outcome.reading import Outcome

if TYPE_CHECKING:
    from runvitals.rules.patient import Patient

# by kind of training and plot; "" is any other
STATED_BY: dict[str, dict[Plot | Literal[""], str]] = {
    "task": {
        "lost": "REW003",
        "worse": "REW011",
        "parted": "EVAL002",
        "missed": "REW001",
        "": "REW005",
    },
    "sft": {"lost": "SFT002", "worse": "SFT002", "parted": "SFT003", "": "SFT001"},
    "preference": {"parted": "DPO002", "": "DPO001"},
    "reward-model": {"parted": "RM004", "": "RM001"},
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
    by_plot = STATED_BY[_training_of(patient, health.main)]
    return by_plot.get(health.plot, by_plot[""])


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
        # few formats say that a run has ended: one that is not known to go on counts as over
        over = patient.run.status != "running" and patient.until is None
        return (
            "critical"
            if patient.is_any_of(["rl"]) and over and course.points >= MANY
            else "warning"
        )
    if plot == "parted":
        return "critical" if course.falls and patient.is_any_of(["rl"]) else "warning"
    return "critical" if plot == "worse" else "warning"
