"""The outcomes of a run, read: the one that speaks for each side."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from runvitals.model import FloatArray, OutcomeLevels, Series
from runvitals.model.formatting import number
from runvitals.rules.outcome.course import Course, course
from runvitals.rules.outcome.roles import LEARNED_BY_TRYING_PREFIXES, ROLES, Role

if TYPE_CHECKING:
    from runvitals.rules.patient import Patient

PAID = ("return", "reward")  # what is paid for, which is not yet success
LOW = 0.2  # of a ceiling: a rate that ends below has learned next to nothing
HIGH = 0.75  # of a ceiling: little left to learn


@dataclass(frozen=True)
class Outcome:
    """A series that says whether the run does what it is for. More is better in `values`."""

    series: Series
    values: FloatArray
    role: Role
    ceiling: float | None
    asked: bool  # the ceiling is a target of the user: all of it is to be reached
    course: Course

    @property
    def metric(self) -> str:
        """The catalog's name."""
        return self.role.metric

    @property
    def share(self) -> float:
        """The share of its ceiling that it has; NaN where none is known, or the user set it."""
        return self.course.now / self.ceiling if self.ceiling and not self.asked else math.nan

    def shown(self, level: float) -> float:
        """A level of its course in the unit and sign that was logged."""
        level = 0.0 - level if self.role.lower_is_better else level
        return float(f"{level:.6g}")  # as much as logs in single precision tell

    @property
    def levels(self) -> OutcomeLevels:
        """The figures of its course, as every page shows them."""
        course, steps = self.course, self.series.steps
        return OutcomeLevels(
            self.shown(course.start),
            self.shown(course.best),
            self.shown(course.now),
            best_step=int(steps[course.best_index]),
            fell_step=int(steps[course.begins]) if course.shape == "lost" else None,
        )


@dataclass(frozen=True)
class Outcomes:
    """What was logged of the outcome, by the part each series has in the story."""

    training: Outcome | None
    held_out: Outcome | None
    success: Outcome | None  # of training episodes, beside a return or reward in `training`
    held_out_loss: Outcome | None = None  # beside a held-out accuracy or score


def read_outcomes(patient: Patient) -> Outcomes:
    """The outcomes of a run. Of each side the most trustworthy one that says anything speaks."""
    training, held_out = _logged(patient, held_out=False), _logged(patient, held_out=True)
    rates = (one for one in training if one.role.kind == "rate" and not one.role.optimised)
    paid = _chosen([one for one in training if one.role.kind in PAID])
    success = None if paid is None else next(rates, None)
    spoken = _chosen(training) if success is None else paid
    chosen = _chosen(held_out)
    loss = next((one for one in held_out if one.role.kind == "loss" and one is not chosen), None)
    return Outcomes(spoken, chosen, success, loss)


def _chosen(found: list[Outcome]) -> Outcome | None:
    """The first that speaks, else the longest; one that surely rises outweighs one that is flat.

    But what is paid for does not outweigh what it is paid for.
    """
    spoken = next((one for one in found if one.course.speaks), None)
    spoken = spoken or max(found, key=lambda one: one.course.points, default=None)
    if spoken is not None and spoken.course.good:  # unless one above it rather fell
        return next(o for o in found if o is spoken or (o.course.doubtful and o.course.change < 0))
    if spoken is None or spoken.course.falls:
        return spoken
    if spoken.role.kind == "rate" and (spoken.share < LOW or spoken.course.shape == "constant"):
        return spoken  # a loss that falls beside it teaches nothing
    any_kind = spoken.role.held_out or spoken.role.kind in PAID
    rising = (one for one in found if one.course.good and (any_kind or one.role.kind not in PAID))
    return next(rising, spoken)


def _logged(patient: Patient, *, held_out: bool) -> list[Outcome]:
    """The outcomes of a side, the most trustworthy first."""
    found = ((role, patient.find(role.metric)) for role in ROLES if role.held_out == held_out)
    return [
        read(patient, role, series)
        for role, series in found
        if series is not None and _is_outcome(patient, role)
    ]


def _is_outcome(patient: Patient, role: Role) -> bool:
    """Whether it is what the run is about. Losses are not where a task is learned by trying."""
    if role.kind != "loss":
        return True
    if patient.kind != "unknown":
        return patient.is_any_of(["supervised"])
    return not any(m.startswith(LEARNED_BY_TRYING_PREFIXES) for m in patient.run.metrics())


def read(patient: Patient, role: Role, series: Series) -> Outcome:
    """One series as an outcome."""
    values = -series.values if role.lower_is_better else series.values
    asked = _asked_for(patient, role, series)
    ceiling = role.ceiling if asked is None else asked
    if ceiling is None and values.min() >= 0.0 and values.max() == 1.0:
        ceiling = 1.0  # a share by another name: of games won, of answers that pass
    went = course(
        values, role.kind, ceiling=ceiling, asked=asked is not None, held_out=role.held_out
    )
    return Outcome(series, values, role, ceiling, asked is not None, went)


def _asked_for(patient: Patient, role: Role, series: Series) -> float | None:
    """The target that the script set with `run.expect`, as a height of `values`; the highest."""
    names = (role.metric, series.name)
    said = [one for one in patient.run.expectations if one.rule is None and one.metric in names]
    bounds = [one.below if role.lower_is_better else one.above for one in said]
    sign = -1.0 if role.lower_is_better else 1.0
    return max((sign * one for one in bounds if one is not None), default=None)


def moved(one: Outcome) -> str:
    """`loss fell from 2.1 to 1.3`."""
    name, start, now = one.series.name, one.shown(one.course.start), one.shown(one.course.now)
    if one.course.shape == "constant":
        return f"{name} is {number(now)} in all {one.course.points} rows"
    if f"{start:.2g}" == f"{now:.2g}":
        return f"{name} stayed at {number(now)}"
    return f"{name} {'rose' if now > start else 'fell'} from {number(start)} to {number(now)}"


def sank(one: Outcome) -> str:
    """`success_rate fell back from 0.8 at its best to 0.4`."""
    if one.course.shape != "lost":
        return moved(one)
    verb = "rose again" if one.role.lower_is_better else "fell back"
    best = number(one.shown(one.course.best))
    return f"{one.series.name} {verb} from {best} at its best to {ends_at(one)}"


def ends_at(one: Outcome) -> str:
    """`0.33`: where it is now."""
    return number(one.shown(one.course.now))
