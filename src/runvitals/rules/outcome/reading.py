"""The outcomes of a run, read: the one that speaks for each side."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from runvitals.model import FloatArray, OutcomeLevels, Series
from runvitals.model.formatting import number
from runvitals.rules.outcome.course import ENOUGH, MATTERS, Course, course
from runvitals.rules.outcome.roles import LEARNED_BY_TRYING_PREFIXES, ROLES, Role
from runvitals.rules.outcome.tasks import KnownTask, task_of

if TYPE_CHECKING:
    from runvitals.rules.patient import Patient

PAID = ("return", "reward")  # what is paid for, which is not yet success
# The smallest change that matters where neither kind nor level tells: 20 points of Elo win 53% of all
# games; a loss of pairs begins at ln 2, and a margin of 0.02 takes 0.01 nats of it.
LEAST = {"outcome/elo": 20.0, "preference/loss": 0.01 / math.log(2.0)}
LENGTH = "outcome/episode_length_mean"
OF_SOME_TASKS = "of"  # the label of a benchmark, or of a part of the tasks


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
    def held_out(self) -> bool:
        """Whether it is measured on data or episodes the model was not trained on."""
        return self.role.held_out

    @property
    def independent(self) -> bool:
        """Whether it is not the very number that is optimised."""
        return not self.role.optimised

    def shown(self, level: float) -> float:
        """A level of its course in the unit and sign that was logged."""
        return 0.0 - level if self.role.lower_is_better else level

    @property
    def levels(self) -> OutcomeLevels:
        """The figures of its course, as every page shows them."""
        course, steps = self.course, self.series.steps
        last = len(steps) - 1
        return OutcomeLevels(
            self.shown(course.start),
            self.shown(course.best),
            self.shown(course.now),
            best_step=int(steps[min(course.best_index, last)]),
            fell_step=int(steps[min(course.begins, last)]) if course.shape == "lost" else None,
        )


@dataclass(frozen=True)
class Outcomes:
    """What was logged of the outcome, by the part each series has in the story."""

    training: Outcome | None
    held_out: Outcome | None
    # of training episodes, beside a return or reward in `training`; their length, in a known `task`
    success: Outcome | None
    held_out_loss: Outcome | None = None  # beside a held-out accuracy or score
    task: KnownTask | None = None  # a known one, whose own reward is not the return in `training`


def read_outcomes(patient: Patient) -> Outcomes:
    """The outcomes of a run. Of each side the most trustworthy one that says anything speaks."""
    training = list(_logged(patient, held_out=False))
    # a return of exactly 0 in every row is probably a column that nobody filled in
    held_out = [
        one
        for one in _logged(patient, held_out=True)
        if not training or one.role.kind != "return" or one.values.any()
    ]
    success = next((one for one in training if one.role.kind == "rate" and one.independent), None)
    paid = _chosen([one for one in training if one.role.kind in PAID])
    if success is None or paid is None:
        spoken, success = _chosen(training), None
    else:
        spoken = paid
    chosen = _chosen(held_out)
    loss = next((one for one in held_out if one.role.kind == "loss" and one is not chosen), None)
    task = None if spoken is None else _other_reward(patient, spoken)
    if task is not None:
        success = _length(patient, task) or success
    return Outcomes(spoken, chosen, success, loss, task)


def _chosen(found: list[Outcome]) -> Outcome | None:
    """The first that speaks, else the longest; one that surely rises outweighs one that is flat.

    But what is paid for does not outweigh what it is paid for.
    """
    spoken = next((one for one in found if one.course.speaks), None)
    spoken = spoken or max(found, key=lambda one: one.course.points, default=None)
    if spoken is None or spoken.course.good or spoken.course.falls:
        return spoken
    any_kind = spoken.held_out or spoken.role.kind in PAID
    rising = (one for one in found if one.course.good and (any_kind or one.role.kind not in PAID))
    return next(rising, spoken)


def _other_reward(patient: Patient, paid: Outcome) -> KnownTask | None:
    """The known task that is trained with another reward than its own; None if that is not so."""
    task = task_of(patient) if paid.metric == "outcome/return_mean" else None
    if task is None or task.pays(paid.series.values):
        return None
    lengths = patient.find(LENGTH)
    return task if lengths is None or float(lengths.values.max()) <= task.limit else None


def _length(patient: Patient, task: KnownTask) -> Outcome | None:
    """The length of episodes as an outcome, in a task in which it is one."""
    series = patient.find(LENGTH)
    if series is None or task.longer_is_better is None:
        return None
    return read(patient, Role(LENGTH, "score", lower_is_better=not task.longer_is_better), series)


def _logged(patient: Patient, *, held_out: bool) -> Iterator[Outcome]:
    """The outcomes of a side; what speaks of some tasks only comes after what speaks of all."""
    names = (name for name in patient.run.names() if not name.startswith("system/"))
    long = any(patient.run.points.size(name) >= ENOUGH for name in names)
    found = [
        (role, series)
        for role in ROLES
        if role.held_out == held_out
        and _is_outcome(patient, role)
        and (series := patient.find(role.metric)) is not None
        and (held_out or len(series) > 1 or not long)  # one last value, as summaries hold it
    ]
    for role, series in sorted(found, key=lambda one: OF_SOME_TASKS in one[1].labels):
        yield read(patient, role, series)


def _is_outcome(patient: Patient, role: Role) -> bool:
    """Whether it is what the run is about. Losses are not where a task is learned by trying."""
    if "lm/" in role.metric and patient.kind in ("preference", "reward-model"):
        return False
    if role.kind != "loss" or role.held_out:
        return True
    if patient.kind != "unknown":
        return patient.is_any_of(["supervised"])
    return not any(m.startswith(LEARNED_BY_TRYING_PREFIXES) for m in patient.run.metrics())


def read(patient: Patient, role: Role, series: Series) -> Outcome:
    """One series as an outcome."""
    values = -series.values if role.lower_is_better else series.values
    asked = _asked_for(patient, role, series)
    ceiling = role.ceiling if asked is None else asked
    if ceiling is None and role.kind != "loss" and values.min() >= 0.0 and values.max() == 1.0:
        ceiling = 1.0  # a share by another name: of games won, of answers that pass
    task = task_of(patient) if ceiling is None and role.kind == "return" else None
    if task is not None and task.least == 0 and task.pays(values):
        ceiling = task.most
    of_ceiling = ceiling is not None and asked is None and role.kind != "loss"
    went = course(
        values,
        role.kind,
        ceiling=ceiling,
        asked=asked is not None,
        least=MATTERS["rate"] * ceiling if of_ceiling and ceiling else LEAST.get(role.metric),
        held_out=role.held_out,
    )
    return Outcome(series, values, role, ceiling, asked is not None, went)


def _asked_for(patient: Patient, role: Role, series: Series) -> float | None:
    """The target that the script set with `run.expect`, as a height of `values`; the highest."""
    said = [
        one
        for one in patient.run.expectations
        if one.rule is None and one.metric in (role.metric, series.name)
    ]
    if role.lower_is_better:
        return max((-one.below for one in said if one.below is not None), default=None)
    return max((one.above for one in said if one.above is not None), default=None)


# what is said of an outcome, in the names, units and signs that were logged


def told(level: float) -> str:
    """A level as sentences give it: four digits, or all before the point."""
    return number(level, 4)


def moved(one: Outcome) -> str:
    """`loss fell from 2.1 to 1.3`."""
    start, now = one.shown(one.course.start), one.shown(one.course.now)
    if told(start) == told(now):
        return f"{one.series.name} stayed at {told(now)}"
    return (
        f"{one.series.name} {'rose' if now > start else 'fell'} from {told(start)} to {told(now)}"
    )


def sank(one: Outcome) -> str:
    """`success_rate fell back from 0.8 at its best to 0.4`."""
    if one.course.shape != "lost":
        return moved(one)
    verb = "rose again" if one.role.lower_is_better else "fell back"
    best = told(one.shown(one.course.best))
    return f"{one.series.name} {verb} from {best} at its best to {ends_at(one)}"


def stood(one: Outcome) -> str:
    """`accuracy stayed at 0.33`."""
    if one.course.shape == "constant":
        return f"{one.series.name} is {ends_at(one)} in all {one.course.points} rows"
    if f"{one.course.start:.2g}" == f"{one.course.now:.2g}":
        return f"{one.series.name} stayed at {ends_at(one)}"
    return f"{one.series.name} went from {told(one.shown(one.course.start))} to {ends_at(one)}"


def ends_at(one: Outcome) -> str:
    """`0.33`: where it is now."""
    return told(one.shown(one.course.now))
