"""How the outcome of a run does: the question before all others.

Low entropy, a tiny KL, a clip fraction of 0, vanishing gradients and a useless critic are also what
success looks like. So the outcome comes first, and symptoms are read in its light.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

import numpy as np

from runvitals.model import FloatArray, Series
from runvitals.signals.crossing import share_at
from runvitals.signals.robust import (
    level,
    monotone,
    noise,
    running_median,
    spread,
    wander,
)
from runvitals.signals.trend import Trend, trend

if TYPE_CHECKING:
    from runvitals.rules.patient import Patient

State = Literal["warming", "improving", "converged", "degrading", "stalled", "unknown"]

LEAST_POINTS = 12
LEAST_TO_FALL = 24  # points before a steady fall is one, and not the dip of a start
SPARSE = 30  # a held-out series with fewer points does not speak alone
MOST = 1e100  # beyond it numbers are no outcome, and their squares none at all
NEVER = 0.02  # a rate of success that is none
LEAST_RISE = 0.05  # of the ceiling
MOST_POINTS = 240  # longer series are thinned out by means of blocks

# what to trust first: held-out before training, success before reward; the ceiling where there is one
CANDIDATES: tuple[tuple[str, float | None], ...] = (
    ("eval/success_rate", 1.0),
    ("eval/mean_at_n", 1.0),
    ("eval/pass_at_k", 1.0),
    ("eval/win_rate", 1.0),
    ("eval/supervised/accuracy", 1.0),
    ("eval/preference/accuracy", 1.0),
    ("eval/rm/accuracy", 1.0),
    ("eval/score_mean", None),
    ("eval/lm/sequence_accuracy", 1.0),
    ("eval/lm/token_accuracy", 1.0),
    ("eval/return_mean", None),
    ("outcome/success_rate", 1.0),
    ("outcome/win_rate", 1.0),
    ("outcome/elo", None),
    ("outcome/score_mean", None),
    ("outcome/return_mean", None),
    ("reward/score_mean", None),
    ("reward/mean", None),
    ("eval/loss", None),
    ("eval/lm/loss", None),
    ("eval/supervised/error", None),
    ("preference/accuracy", 1.0),
    ("rm/accuracy", 1.0),
    ("lm/loss", None),
)
HELD_OUT = "eval/"
TRAINING = ("outcome/", "reward/", "preference/", "rm/", "lm/")
LOWER_IS_BETTER = frozenset({"eval/loss", "eval/lm/loss", "eval/supervised/error", "lm/loss"})

# the mean return at which Gymnasium calls a task solved
SOLVED_AT = {
    "CartPole-v0": 195.0,
    "CartPole-v1": 475.0,
    "MountainCar-v0": -110.0,
    "MountainCarContinuous-v0": 90.0,
    "Acrobot-v1": -100.0,
    "LunarLander-v2": 200.0,
    "LunarLander-v3": 200.0,
    "LunarLanderContinuous-v2": 200.0,
    "LunarLanderContinuous-v3": 200.0,
    "BipedalWalker-v3": 300.0,
    "BipedalWalkerHardcore-v3": 300.0,
    "CarRacing-v2": 900.0,
    "CarRacing-v3": 900.0,
    "FrozenLake-v1": 0.7,
    "FrozenLake8x8-v1": 0.85,
    "Taxi-v3": 8.0,
}


@dataclass(frozen=True)
class Course:
    """The way of a series in which more is better, and what is chance in it."""

    start: float  # the first few points
    opening: float  # the first tenth
    best: float
    best_after: float  # the best level once a fifth is over
    now: float  # the level at the end
    floor: float  # what four of five levels of the second half are above
    upper: float  # what two of five are above
    noise: float  # from point to point
    jitter: float  # how far the series wanders around its slow course
    reach: float  # how far slow wandering could take its level by chance
    calm: float  # the same for its second half alone
    early: float  # level of the first third
    change: float  # level of the last third against that of the first
    gain: float  # the same in standard errors
    effect: float  # the same in units of the noise around the curve
    begins: int  # index in the series from which the level stays nearer to the end than to the best
    best_index: int
    whole: Trend
    late: Trend  # of the second half

    @property
    def height(self) -> float:
        """From the start to the best."""
        return self.best - self.start

    @property
    def lost(self) -> float:
        """The share of the height that is gone at the end."""
        return max(0.0, (self.best - self.now) / self.height) if self.height > 0 else 0.0

    def has_height(self, times: float) -> bool:
        """Whether the height is so many times its wandering, and more than a slow wanderer's chance.

        Windows over many episodes wander slowly and far. What grows by half is no chance of that
        kind, and a series that then stands still is no wanderer.
        """
        size, clear = abs(self.start), times * self.jitter
        if self.height > 0 and self.height >= max(clear, 0.5 * size):
            return True
        least = 0.1 * size if self.height >= 5.0 * self.reach else math.inf
        if self.height >= 15.0 * self.calm:
            least = min(least, 0.12 * size)
        above = self.best - self.opening
        return above > 0 and above >= max(clear, least)

    @property
    def rose(self) -> bool:
        """Whether it rose clearly at some time, whatever came after."""
        steady = self.whole.up and self.gain >= 1.0
        lasting = self.gain >= 4.0 and self.effect >= 1.0 and self.change >= 0.05 * abs(self.start)
        lifted = self.floor - self.start >= max(0.5 * abs(self.start), 3.0 * self.noise) > 0
        return self.has_height(6.0) or steady or lasting or lifted

    @property
    def leans_up(self) -> bool:
        """Whether it is more likely than not that it rose, though that is not beyond doubt."""
        return (
            self.effect >= 3.0 and self.gain >= 0.9 and self.now - self.start >= 3.0 * self.jitter
        )

    @property
    def never_rose(self) -> bool:
        """Whether it stayed at its start or below, and its noise is small enough to tell.

        That is a claim of its own: a rise that is too small to be called one is no standstill.
        """
        creeps = self.whole.p < 0.05 and self.whole.slope > 0 and self.whole.effect > 0.25
        creeps = creeps or self.change > max(0.25 * abs(self.early), 0.4 * self.jitter)
        swings = self.upper - self.start >= max(0.5 * abs(self.start), 5.0 * self.noise) > 0
        creeps = creeps or swings
        low = max(2.0 * self.jitter, 0.5 * abs(self.early))
        creeps = creeps or self.early - self.start >= low > 0
        if abs(self.change) < 0.01 * abs(self.start) and self.height < 0.05 * abs(self.start):
            return not self.whole.up
        return not (self.rose or creeps or self.late.up) and self.gain < 2.0

    @property
    def crashed(self) -> bool:
        """Whether most of a clear and large rise is gone at the end."""
        far = self.height >= max(5.0 * self.reach, abs(self.start)) and self.has_height(4.0)
        if self.lost >= 0.8 and far:
            return True
        return self.lost >= 0.5 and self.has_height(8.0)

    @property
    def sank(self) -> bool:
        """Whether it fell far below where it began, at once, and stayed there."""
        below = self.start - self.best_after
        return below >= max(0.25 * abs(self.start), 6.0 * self.jitter, 2.0 * self.reach) > 0

    @property
    def is_gone(self) -> bool:
        """Whether nothing is left of a level above zero that it began with."""
        return self.start > 0 and self.best_after <= 0.1 * self.start

    @property
    def falls(self) -> bool:
        """Whether it has got worse, clearly and by an amount that matters."""
        sunk = min(-self.change, self.early - self.now)
        size = abs(self.early)
        certain = self.gain <= -4.0 or (self.gain <= -3.0 and self.late.down)
        clear = (certain and sunk >= 0.05 * size) or (self.whole.down and sunk >= 0.2 * size)
        plunge = self.late.down and self.early - self.now >= max(10.0 * self.jitter, 0.5 * size)
        if plunge and self.change < 0:
            return True
        return clear and sunk >= 3.0 * self.jitter and self.effect <= -2.0 and not self.late.up


@dataclass(frozen=True)
class Outcome:
    """The series that says best whether the run does what it is for. More is better in `values`."""

    series: Series
    values: FloatArray
    metric: str
    held_out: bool
    ceiling: float | None
    state: State
    independent: bool  # not the very reward that is optimised
    way: Course | None  # None if there are too few points


def find_outcome(patient: Patient) -> Outcome | None:
    """The most trustworthy outcome with enough points, or the most trustworthy one there is.

    A sparse held-out series is read together with the training outcome: the run does well if either
    does and the other does not degrade. Of a run that never succeeds the return says more.
    """
    found = [
        (metric, ceiling, series)
        for metric, ceiling in CANDIDATES
        if (series := patient.find(metric)) is not None
    ]
    if not found:
        return None
    enough = [entry for entry in found if len(entry[2]) >= LEAST_POINTS]
    first = _outcome(patient, *(enough or found)[0])
    if first.metric.endswith("success_rate") and float(first.values.max()) <= NEVER:
        finer = [entry for entry in enough if entry[0].endswith("return_mean")]
        return _by_return(first, [_outcome(patient, *entry) for entry in finer])
    if not first.held_out or len(first.series) >= SPARSE:
        return first
    dense = [
        _outcome(patient, *entry)
        for entry in enough
        if entry[0].startswith(TRAINING) and len(entry[2]) >= SPARSE
    ]
    if first.state in ("stalled", "warming"):
        for training in dense:
            if training.state == "degrading":
                return training
    return replace(first, state=_together(first, dense[0].state)) if dense else first


def _by_return(never: Outcome, paid: list[Outcome]) -> Outcome:
    """The return of a run that never succeeds, if it says anything; the held-out one if it falls."""
    for one in paid:
        if one.held_out and one.state == "degrading":
            return one
    last = paid[-1] if paid else None
    if last is None or last.way is None:
        return never
    return last if last.state in ("improving", "degrading") or last.way.never_rose else never


def _together(held_out: Outcome, training: State) -> State:
    """The state of a run by its sparse held-out series and its dense training series."""
    if held_out.state == "warming" or held_out.way is None:
        return training
    if "degrading" in (held_out.state, training):
        return "degrading" if held_out.state == "degrading" else "stalled"
    if held_out.way.sank or held_out.way.is_gone:
        return "degrading"
    return training if training in ("improving", "converged") else held_out.state


def _outcome(patient: Patient, metric: str, ceiling: float | None, series: Series) -> Outcome:
    values = -series.values if metric in LOWER_IS_BETTER else series.values
    if ceiling is None:
        ceiling = _found_ceiling(patient, metric, values)
    way = course(values) if len(values) >= LEAST_POINTS else None
    return Outcome(
        series=series,
        values=values,
        metric=metric,
        held_out=metric.startswith(HELD_OUT),
        ceiling=ceiling,
        state=_state(values, ceiling, way),
        independent=not metric.startswith("reward/"),
        way=way,
    )


def _found_ceiling(patient: Patient, metric: str, values: FloatArray) -> float | None:
    """The most this outcome can be, if the task or the log gives it away."""
    if metric.endswith("return_mean"):
        name = patient.setting("env_id")
        return SOLVED_AT.get(name) if isinstance(name, str) else None
    if metric.startswith("reward/") and patient.kind == "llm-rl":
        tops = patient.find("reward/score_max", "reward/max")
        if tops is not None and len(tops) >= LEAST_POINTS:
            top = float(tops.values.max())
            bound = share_at(tops.values, top, tolerance=1e-9 * abs(top)) >= 0.8
            if bound and top > 0 and float(values.min()) < top:
                return top
    return None


def state_of(values: FloatArray, ceiling: float | None = None) -> State:
    """What became of an outcome in which more is better; at 90 % of its ceiling it has converged."""
    return _state(values, ceiling, course(values) if len(values) >= LEAST_POINTS else None)


def _state(values: FloatArray, ceiling: float | None, way: Course | None) -> State:
    if way is None:
        return "warming"
    if _at_ceiling(values, ceiling):
        return "converged"
    small = ceiling is not None and way.height < LEAST_RISE * ceiling  # too little to be lost
    if way.crashed and not small:
        return "degrading"
    if len(values) >= LEAST_TO_FALL and (way.falls or way.sank):
        return "degrading"
    if way.late.up and way.lost < 0.5:
        return "improving"
    return "converged" if way.rose and way.lost <= 0.4 else "stalled"


def _at_ceiling(values: FloatArray, ceiling: float | None) -> bool:
    """Whether the end of a series is at its ceiling: a known one, or one that it keeps touching."""
    late = values[-max(3, len(values) // 5) :]
    if ceiling is not None and level(late) >= (0.9 if ceiling > 0 else 1.0) * ceiling:
        return True
    top = float(values.max())
    varied = float(values.min()) < top
    return top > 0 and varied and share_at(late, top, tolerance=1e-9 * top) >= 0.5


def course(values: FloatArray) -> Course:
    """The way of a series in which more is better; it needs `LEAST_POINTS` finite points."""
    values = np.asarray(values, np.float64)
    values = np.clip(values[np.isfinite(values)], -MOST, MOST)
    thin = thinned(values)
    n = len(thin)
    width = 3 if n < 30 else int(np.clip(n // 12, 5, 10)) | 1
    third = max(3, n // 3)
    levels = running_median(thin, width)[width - 1 :]
    jitter = wander(thin)
    start, now = _start(thin, jitter), float(np.median(thin[-max(3, n // 10) :]))
    at = int(np.argmax(levels))
    best = max(float(levels[at]), start)
    above = np.flatnonzero(levels > (best + now) / 2)
    begins = min(int(above[-1]) + width if len(above) else 0, n - 1)
    early = float(np.median(thin[:third]))
    change = float(np.median(thin[-third:])) - early
    error = 1.25 * _by_chance(thin, third)
    around = max(spread(thin - monotone(thin)), noise(thin))
    endless = math.copysign(math.inf, change) if change else 0.0
    scale = len(values) / n
    return Course(
        start=start,
        opening=float(np.median(thin[: max(3, n // 10)])),
        best=best,
        best_after=float(levels[len(levels) // 5 :].max()),
        now=now,
        floor=float(np.quantile(levels[len(levels) // 2 :], 0.2)),
        upper=float(np.quantile(levels[len(levels) // 2 :], 0.6)),
        noise=noise(thin),
        jitter=jitter,
        reach=_by_chance(thin, width),
        calm=_by_chance(thin[n // 2 :], width),
        early=early,
        change=change,
        gain=change / error if error > 0 else endless,
        effect=change / around if around > 0 else endless,
        begins=min(int(begins * scale), len(values) - 1),
        best_index=min(int((at + width - 1) * scale), len(values) - 1),
        whole=trend(thin),
        late=trend(thin[n // 2 :]),
    )


def _start(values: FloatArray, jitter: float) -> float:
    """The level of the first points; the very first alone if all the rest jumped far above it."""
    first = float(values[0])
    jumped = first < values[1:].min() and float(np.median(values)) - first >= 4.0 * jitter
    return first if jumped else float(np.median(values[:3]))


def thinned(values: FloatArray) -> FloatArray:
    """At most 240 points: means of blocks, for returns of single episodes are seldom normal."""
    if len(values) <= MOST_POINTS:
        return values
    return np.array([block.mean() for block in np.array_split(values, MOST_POINTS)])


def _by_chance(values: FloatArray, points: int) -> float:
    """How far chance moves the mean of so many points against the mean of as many others, far away.

    Taken from the differences of neighbours, which no trend disturbs: noise from point to point
    makes them alternate, slow wandering (a window of a hundred episodes, say) does not. A series
    that wanders for as long as it is gets what a random walk would do.
    """
    steps = np.diff(values)
    steps = steps - np.median(steps)
    size = spread(steps)
    if not size > 0:
        return 0.0
    steps = np.clip(steps / size, -4.0, 4.0)
    lag_1 = float(steps[1:] @ steps[:-1]) / max(float(steps @ steps), 1e-12)
    rho = min(max(1.0 + 2.0 * lag_1 + 4.0 / len(values), 0.0), 0.99)
    steady = 0.5 / (1.0 - rho)  # the variance of such a series
    independent = max(1.0, points * (1.0 - rho) / (1.0 + rho))
    walk = len(values) * (1.0 if points * 3 < len(values) else 0.45)
    return size * math.sqrt(min(2.0 * steady / independent, walk))
