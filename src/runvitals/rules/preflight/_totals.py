"""What the rules of this family share: a total that is not 0, and the modules it comes from."""

from __future__ import annotations

from runvitals.model import Series
from runvitals.rules.patient import Patient
from runvitals.rules.watched import named, parts, whole, worst


def last(series: Series) -> float:
    """What the latest check said: a resumed run is checked again."""
    return float(series.values[-1])


def found(patient: Patient, metric: str) -> Series | None:
    """The total of a check that found something."""
    total = whole(patient, metric)
    return total if total is not None and last(total) > 0 else None


def where(patient: Patient, metric: str, total: Series, label: str = "module") -> str:
    """Names of the modules that the latest check named, those with most in them first."""
    now = {
        name: one
        for name, one in parts(patient, metric, label).items()
        if one.steps[-1] == total.steps[-1]
    }
    return named(worst(now, last)) if now else "the model"


def counted(total: Series, what: str) -> str:
    """How many of something the latest check found, with the verb: `1 parameter is`."""
    count = last(total)
    return f"{count:,.0f} {what}{' is' if count == 1 else 's are'}"


def holds_all(patient: Patient, total: Series) -> bool:
    """Whether it concerns everything that could learn, as far as that is known."""
    trainable = patient.find("preflight/trainable")
    return trainable is not None and 0 < last(trainable) <= last(total)
