"""Pre-flight checks: what `rv.watch(model, optimizer)` sees in the first updates."""

from runvitals.rules.detectors import Detection, stretch
from runvitals.rules.patient import Patient
from runvitals.rules.questions import Question
from runvitals.rules.watched import named, parts, whole, worst


def found(patient: Patient, metric: str) -> Detection | None:
    """What the latest check found (a resumed run is checked again); None if that is nothing."""
    total = whole(patient, metric)
    return stretch(total, len(total) - 1) if total is not None and total.last > 0 else None


def reports(metric: str) -> Question:
    """The latest check found something."""
    return Question(metric, lambda patient, _: found(patient, metric))


def where(patient: Patient, told: Detection, label: str = "module") -> str:
    """Names of the modules that the latest check named, those with most in them first."""
    now = {
        name: one
        for name, one in parts(patient, str(told.series.metric), label).items()
        if one.steps[-1] == told.series.steps[-1]
    }
    return named(worst(now, lambda one: one.last)) if now else "the model"


def holds_all(patient: Patient, told: Detection) -> bool:
    """Whether it concerns everything that could learn, as far as that is known."""
    trainable = patient.find("preflight/trainable")
    return trainable is not None and 0 < trainable.last <= told.level
