"""The outcomes of a run, read: the one that speaks for each side."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from runvitals.model import FloatArray, OutcomeLevels, Series
from runvitals.rules.outcome.course import Course, course
from runvitals.rules.outcome.roles import OF_TRYING, ROLES, Role, Side
from runvitals.rules.outcome.solved import solved_at
from runvitals.signals.averaged import behind_running_mean
from runvitals.signals.crossing import share_at

if TYPE_CHECKING:
    from runvitals.rules.patient import Patient

MIN_TOPS = 5  # rows of the highest reward, to see where it is bounded
PAID = ("return", "reward")  # what is paid for, which is not yet success
OF_EPISODES = ("rate", "score", "return", "reward")  # what loops average since their start
OF_EXAMPLES = ("rate", "loss", "margin")  # on held-out data: of one and the same set each time
WINDOW, FAR_MORE = 100, 2.0  # episodes: `stats_window_size` of SB3, and so many times that
AT_TOP = 0.8  # of these rows at one and the same height: that is the bound


@dataclass(frozen=True)
class Outcome:
    """A series that says whether the run does what it is for. More is better in `values`."""

    series: Series
    values: FloatArray
    role: Role
    ceiling: float | None
    target: bool  # the ceiling is a mark to reach, not a bound
    asked: bool  # and the user set it: all of it is to be reached
    averaged: bool  # it is a mean over all since the start; `values` are what is behind it
    course: Course

    @property
    def metric(self) -> str:
        """The catalog's name."""
        return self.role.metric

    @property
    def held_out(self) -> bool:
        """Whether it is measured on data or episodes the model was not trained on."""
        return self.role.side == "held-out"

    @property
    def independent(self) -> bool:
        """Whether it is not the very number that is optimised."""
        return not self.role.optimised

    @property
    def speaks(self) -> bool:
        """Whether its course says anything."""
        return self.course.shape not in ("few", "unsure")

    def shown(self, level: float) -> float:
        """A level of its course in the unit and sign that was logged."""
        return -level if self.role.lower_is_better else level

    @property
    def levels(self) -> OutcomeLevels:
        """The figures of its course, as every page shows them."""
        course = self.course
        return OutcomeLevels(*map(self.shown, (course.start, course.best, course.now)))


@dataclass(frozen=True)
class Outcomes:
    """What was logged of the outcome, by the part each series has in the story."""

    training: Outcome | None
    held_out: Outcome | None
    success: Outcome | None  # of training episodes, beside a return or reward in `training`

    @property
    def main(self) -> Outcome | None:
        """The one that says most: held-out if it speaks, else training."""
        for one in (self.held_out, self.training):
            if one is not None and one.speaks:
                return one
        found = [one for one in (self.held_out, self.training) if one is not None]
        return max(found, key=lambda one: one.course.points, default=None)


def read_outcomes(patient: Patient) -> Outcomes:
    """The outcomes of a run. Of each side the most trustworthy one that says anything speaks."""
    seen: list[Outcome] = []
    training = _first_that_speaks(_noting(seen, _logged(patient, "training")))
    success = next((one for one in seen if one.role.kind == "rate" and one.independent), None)
    if success is not None and success is training:
        paid = (one for one in _logged(patient, "training") if one.role.kind in PAID)
        beside = _first_that_speaks(paid)
        training, success = (training, None) if beside is None else (beside, training)
    elif training is None or training.role.kind not in PAID:
        success = None
    return Outcomes(training, _first_that_speaks(_logged(patient, "held-out")), success)


def _noting(seen: list[Outcome], found: Iterable[Outcome]) -> Iterator[Outcome]:
    """The same ones, each noted when it is asked for."""
    for one in found:
        seen.append(one)
        yield one


def _first_that_speaks(found: Iterable[Outcome]) -> Outcome | None:
    longest: Outcome | None = None
    for one in found:
        if one.speaks:
            return one
        if longest is None or one.course.points > longest.course.points:
            longest = one
    return longest


def _logged(patient: Patient, side: Side) -> Iterator[Outcome]:
    for role in ROLES:
        if role.side != side or not _is_outcome(patient, role):
            continue
        series = patient.find(role.metric)
        if series is not None:
            yield read(patient, role, series)


def _is_outcome(patient: Patient, role: Role) -> bool:
    """Whether a loss is what this run is about: in learning by trying it is not."""
    if role.kind != "loss" or role.side == "held-out":
        return True
    if patient.is_any_of(["supervised"]) and patient.kind != "unknown":
        return True
    if patient.kind != "unknown":
        return False
    return not any(metric.startswith(OF_TRYING) for metric in patient.run.metrics())


def read(patient: Patient, role: Role, series: Series) -> Outcome:
    """One series as an outcome."""
    values = -series.values if role.lower_is_better else series.values
    averages = role.side == "training" and role.kind in OF_EPISODES
    averages = averages and not _behind_window(patient)
    behind = behind_running_mean(values) if averages else None
    values = values if behind is None else behind
    asked = _asked_for(patient, role, series)
    ceiling, target = _ceiling(patient, role, values) if asked is None else (asked, True)
    return Outcome(
        series,
        values,
        role,
        ceiling,
        target,
        asked is not None,
        behind is not None,
        course(
            values,
            role.kind,
            ceiling=ceiling,
            target=target,
            asked=asked is not None,
            fixed_set=role.side == "held-out" and role.kind in OF_EXAMPLES,
        ),
    )


def _behind_window(patient: Patient) -> bool:
    """Whether its tool means the last hundred episodes, and there were far more than these.

    Such a mean settles where the returns do, and its steps shrink without being one since the start.
    """
    if patient.run.framework != "stable-baselines3":
        return False
    played = patient.find("progress/episodes")
    if played is not None:
        return float(played.values[-1]) >= FAR_MORE * WINDOW
    lengths = patient.find("outcome/episode_length_mean")
    if lengths is None or not float(np.median(lengths.values)) > 0:
        return False
    return patient.last_step / float(np.median(lengths.values)) >= FAR_MORE * WINDOW


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


def _ceiling(patient: Patient, role: Role, values: FloatArray) -> tuple[float | None, bool]:
    """The most this outcome can be, or the mark it should reach, if task or log give it away."""
    if role.kind == "rate":
        return 1.0, False
    if role.kind == "return":
        finite = values[np.isfinite(values)]
        if not len(finite):
            return None, True
        return solved_at(patient.setting("env_id"), float(finite.min()), float(finite.max())), True
    if role.kind == "reward" and patient.kind == "llm-rl":
        tops = patient.find("reward/score_max", "reward/max")
        if tops is not None and len(tops) >= MIN_TOPS:
            top = float(tops.values.max())
            bound = share_at(tops.values, top, tolerance=1e-9 * abs(top)) >= AT_TOP
            if bound and top > 0 and float(values.min()) < top:
                return top, False
    return None, False
