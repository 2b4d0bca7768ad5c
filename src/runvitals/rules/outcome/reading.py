"""The outcomes of a run, read: the one that speaks for each side."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from runvitals.model import FloatArray, OutcomeLevels, Series
from runvitals.rules.outcome.course import Course, course
from runvitals.rules.outcome.roles import OF_TRYING, ROLES, Role, Side
from runvitals.rules.outcome.solved import named_in, solved_at
from runvitals.rules.outcome.tasks import Task, task_of, titles_of
from runvitals.signals.averaged import behind_running_mean, behind_window, stand_apart
from runvitals.signals.crossing import share_at

if TYPE_CHECKING:
    from runvitals.rules.patient import Patient

MIN_TOPS = 5  # rows of the highest reward, to see where it is bounded
PAID = ("return", "reward")  # what is paid for, which is not yet success
OF_EPISODES = ("rate", "score", "return", "reward")  # what loops average since their start
OF_EXAMPLES = ("rate", "loss", "margin")  # on held-out data: of one and the same set each time
OF_ONE_SET = "eval/supervised/"  # as these are, whatever their kind
WINDOW, FAR_MORE = 100, 2.0  # episodes: `stats_window_size` of SB3, and so many times that
MANY_MORE = 10.0  # times the window: beyond, what the log rounds off adds up (judgement)
FROM_NOTHING, AGAINST_REFERENCE = "preference/margin", ("KTO", "DPO")
FIRST_ROWS = 3.0  # intervals, within which the first row of a run that was not resumed comes
USUAL_MOST = 1.0  # of a game that is won or a task that is solved
AT_TOP = 0.8  # of these rows at one and the same height: that is the bound
OF_WINDOW = ("ep_rew_mean", "success_rate")  # what SB3's logger means over the last episodes
ELO, ELO_POINTS = "outcome/elo", 20.0  # a player 20 points stronger wins 53% of all games
LENGTH = "outcome/episode_length_mean"
OF_SOME_TASKS = "of"  # the label of a benchmark, or of a part of the tasks
WHOLE = 0.01  # episodes: what 32 bits round off is far less


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
    task: Task | None = None  # a known one, whose own reward the returns in `training` cannot be
    length: Outcome | None = None  # of its episodes, where that shows success

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
    held_out = _first_that_speaks(_logged(patient, "held-out"))
    task = None if training is None else _other_reward(patient, training)
    length = None if task is None else _length(patient, task)
    return Outcomes(training, held_out, success, task, length)


def _other_reward(patient: Patient, paid: Outcome) -> Task | None:
    """The known task that is trained with another reward than its own; None if that is not so."""
    if paid.metric != "outcome/return_mean":
        return None
    task = task_of(patient)
    if task is None or task.pays(paid.series.values):
        return None
    lengths = patient.find(LENGTH)
    return task if lengths is None or float(lengths.values.max()) <= task.limit else None


def _length(patient: Patient, task: Task) -> Outcome | None:
    """The length of episodes as an outcome, in a task in which it is one."""
    series = patient.find(LENGTH)
    if series is None or task.longer_is_better is None:
        return None
    role = Role(LENGTH, "score", lower_is_better=not task.longer_is_better)
    return read(patient, role, series)


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
    """The outcomes of a side; what speaks of some tasks only comes after what speaks of all."""
    parts: list[tuple[Role, Series]] = []
    for role in ROLES:
        if role.side != side or not _is_outcome(patient, role):
            continue
        series = patient.find(role.metric)
        if series is None:
            continue
        if OF_SOME_TASKS in series.labels:
            parts.append((role, series))
        else:
            yield read(patient, role, series)
    for role, series in parts:
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
    if behind is None and role.side == "training" and role.kind in OF_EPISODES:
        behind = _behind_first_windows(patient, series, values)
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
            fixed_set=role.metric.startswith(OF_ONE_SET)
            or (role.side == "held-out" and role.kind in OF_EXAMPLES),
            overlap=_overlap(patient, role, series) if behind is None else 1.0,
            begins_at=0.0 if _begins_at_nothing(patient, role, series) else None,
            least=ELO_POINTS if role.metric == ELO else None,
        ),
    )


def _is_of_window(patient: Patient, series: Series) -> bool:
    """Whether SB3's logger wrote it; its monitor writes each episode by itself."""
    return patient.run.framework == "stable-baselines3" and series.name.endswith(OF_WINDOW)


def _overlap(patient: Patient, role: Role, series: Series) -> float:
    """The number of rows in which an episode stays, of a tool that means the last hundred of them."""
    of_window = role.side == "training" and role.kind in OF_EPISODES and len(series) > 1
    if not of_window or not _is_of_window(patient, series) or stand_apart(series.values):
        return 1.0  # other scripts log means of a row's own episodes under the same name
    played, lengths = patient.find("progress/episodes"), patient.find(LENGTH)
    if played is not None and len(played) > 1:
        a_row = float(played.values[-1] - played.values[0]) / (len(played) - 1)
    elif lengths is not None and float(np.median(lengths.values)) > 0:
        steps = float(series.steps[-1] - series.steps[0])
        a_row = steps / float(np.median(lengths.values)) / (len(series) - 1)
    else:
        return 1.0
    window = patient.number("stats_window_size") or WINDOW
    return max(1.0, window / a_row) if a_row > 0 else 1.0


def _begins_at_nothing(patient: Patient, role: Role, series: Series) -> bool:
    """Whether answers are scored against the model that training began with: then all margins were 0.

    The first row reports steps that were done already, and a fast learner is past its start by then.
    """
    if role.metric != FROM_NOTHING or not patient.algorithm.startswith(AGAINST_REFERENCE):
        return False
    apart = float(np.median(np.diff(series.steps))) if len(series) > 1 else 0.0
    return float(series.steps[0]) <= FIRST_ROWS * max(1.0, apart)


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


def _behind_first_windows(
    patient: Patient, series: Series, values: FloatArray
) -> FloatArray | None:
    """What is behind SB3's mean of the last hundred episodes, in a run that had not many more of them.

    Such a mean is one since the start at first, and says little about where the run is now. Later on
    its rows can be taken apart as long as their episodes fill the window evenly.
    """
    counts = _episodes(patient, series) if _is_of_window(patient, series) else None
    if counts is None:
        return None
    window = patient.number("stats_window_size") or WINDOW
    each = float(counts[0])
    evenly = each > 0 and window % each == 0 and bool((np.diff(counts) == each).all())
    if counts[-1] > (MANY_MORE if evenly else FAR_MORE) * window:
        return None
    return behind_window(values, counts, window)


def _episodes(patient: Patient, series: Series) -> FloatArray | None:
    """How many episodes there were by each row; None if the log does not tell."""
    played = patient.find("progress/episodes")
    if played is not None:
        return played.values if np.array_equal(played.steps, series.steps) else None
    lengths = patient.find(LENGTH)
    if lengths is None or not lengths.values.min() > 0:
        return None
    if np.ptp(lengths.values) > 0:
        return _episodes_so_far(series, lengths)
    counted: FloatArray = np.floor(series.steps / lengths.values[0])
    return counted


def _episodes_so_far(series: Series, lengths: Series) -> FloatArray | None:
    """All steps by the mean length of all episodes, which it is until the window is full.

    Only where that gives whole numbers: event files do not hold the count that the table has.
    """
    if not np.array_equal(lengths.steps, series.steps):
        return None
    counted: FloatArray = series.steps / lengths.values
    whole: FloatArray = np.round(counted)
    near = np.abs(counted - whole) <= WHOLE
    return whole if near.all() and whole[-1] <= WINDOW else None


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


def _came_to_the_usual_most(values: FloatArray) -> bool:
    """Whether it began far below 1 and is at exactly 1 in nearly all rows: there is no more to gain."""
    if len(values) < MIN_TOPS or float(values.max()) != USUAL_MOST:
        return False
    return bool(
        values[0] <= USUAL_MOST / 2 and share_at(values, USUAL_MOST, tolerance=0.0) >= AT_TOP
    )


def _ceiling(patient: Patient, role: Role, values: FloatArray) -> tuple[float | None, bool]:
    """The most this outcome can be, or the mark it should reach, if task or log give it away."""
    if role.ceiling is not None:
        return role.ceiling, False
    finite = values[np.isfinite(values)]
    if role.kind in (*PAID, "score") and _came_to_the_usual_most(finite):
        return USUAL_MOST, False
    if role.kind == "return":
        if not len(finite):
            return None, True
        titles = (*titles_of(patient.run), patient.run.project)
        task = patient.setting("env_id") or named_in(titles, finite)
        return solved_at(task, float(finite.min()), float(finite.max())), True
    if role.kind == "reward" and patient.kind == "llm-rl":
        tops = patient.find("reward/score_max", "reward/max")
        if tops is not None and len(tops) >= MIN_TOPS:
            top = float(tops.values.max())
            bound = share_at(tops.values, top, tolerance=1e-9 * abs(top)) >= AT_TOP
            if bound and top > 0 and float(values.min()) < top:
                return top, False
    return None, False
