"""The course of one outcome: where it began, its best, where it is now, and what that amounts to."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from runvitals.model import FloatArray
from runvitals.rules.outcome.roles import Kind
from runvitals.rules.outcome.shape import (
    BLOCKS,
    CLEAR,
    FALL_MATTERS,
    HIGH,
    LARGE,
    LARGE_SHARE,
    LOST,
    MANY,
    MIN_POINTS,
    PAST_BEST,
    WITHIN,
    Evidence,
    Shape,
    block_means,
    chance_of,
    more,
    shape_of,
)
from runvitals.signals.levels import LEVELS, Level, Levels, deviation, is_two_valued, levels, turns
from runvitals.signals.rank import chance_of_order, order_of_hits
from runvitals.signals.robust import finite

MAX_VALUE = 1e100  # beyond it numbers are not an outcome, and their squares none at all
NOTHING: dict[Kind, float] = {"rate": 0.1}  # what never was more has nothing to lose (judgement)
# The least change worth the name, by kind: a share of its ceiling or of its size. (judgement; a loss of
# a model with nothing to learn wanders by less than 1%)
MATTERS: dict[Kind, float] = {
    "rate": 0.03,
    "score": 0.05,
    "return": 0.05,
    "reward": 0.02,
    "margin": 0.05,
    "loss": 0.02,
}
# A margin that began at 0 has no size of its own to compare with: a fifth of a nat at the usual beta of
# 0.1, where one answer has become a fifth likelier than the other (judgement).
NO_MARGIN = 0.02
FEW_AT_FIRST = (
    50  # a fiftieth of the rows, which a small rise may not owe itself to alone (judgement)
)
STEADY, MIN_STEADY = 0.05, 4  # chance of such an order in the second half, from four means on
MIN_LATE = 3  # points of the second half; its thirds are compared
OF_THREE = 0.17  # that of three in order is 1 in 6, the least there is
RAN_AWAY = 1.5  # times its start: a loss that has left where training works (judgement)
SWINGS, BACK = 3, 0.5  # turns, each by half of all that the level covers: no way, only swings
WIDE = (
    0.75  # of its size, that the level then covers (judgement: less may be a slow rise and noise)
)
MIN_QUICK, QUICK = 2, 48  # rows in a mean, and such means in a run, in which quick swings show
BEYOND_NOISE = 7.0  # standard errors of such a mean; 48 means of pure noise cover 4.5 +- 0.6
STILL = 0.1  # of the whole gain, in the second half, for "still improves"


@dataclass(frozen=True)
class Course:
    """How a series went in which more is better. Levels are means with their standard errors."""

    points: int
    start: float
    best: float
    now: float
    change_error: float  # how far chance moves the change, one standard deviation
    height_error: float  # and the height
    now_error: float
    best_error: float
    best_index: int  # of the point with which the best level was reached
    begins: int  # index from which on the level is nearer to the end than to the best
    noise: float  # how far one point strays by chance
    matters: float  # the least change worth the name
    rising: bool  # still so at the end
    shape: Shape
    swings: bool  # far up and down again and again, and nothing says that it gains by that
    curve: FloatArray  # the level at each point

    @property
    def change(self) -> float:
        """From the start to now."""
        return self.now - self.start

    @property
    def height(self) -> float:
        """From the start to the best."""
        return self.best - self.start

    @property
    def lost(self) -> float:
        """The share of the height that is gone now."""
        return max(0.0, (self.best - self.now) / self.height) if self.height > 0 else 0.0

    @property
    def rose(self) -> bool:
        """Whether it is clearly higher than at the start, or was before it lost that again."""
        return self.shape in ("rose", "lost") or (self.shape == "high" and self.is_clear_rise)

    @property
    def is_clear_rise(self) -> bool:
        """Whether the best is clearly above the start, by an amount that matters."""
        return self.rises_by(CLEAR)

    def rises_by(self, errors: float) -> bool:
        """Whether the best is this many standard errors above the start, by an amount that matters."""
        least = errors * more(self.points) * self.height_error
        return self.height >= max(self.matters, least) > 0

    @property
    def never_rose(self) -> bool:
        """Whether it can be said that it stayed where it began, or below."""
        return self.shape in ("flat", "constant", "worse")

    def gained_at_most(self, share: float) -> bool:
        """Whether it stayed where it began, or has many points and gained no more than that, surely."""
        if self.never_rose:
            return True
        most = self.change + WITHIN * self.change_error
        return self.shape == "unsure" and self.points >= MANY and most <= share

    @property
    def falls(self) -> bool:
        """Whether it is clearly worse than it was: at the start, or at its best."""
        return self.shape in ("lost", "worse")


def course(
    values: FloatArray,
    kind: Kind = "return",
    *,
    ceiling: float | None = None,
    target: bool = False,
    asked: bool = False,
    fixed_set: bool = False,
    overlap: float = 1.0,
    begins_at: float | None = None,
    least: float | None = None,
) -> Course:
    """The course of at least one finite value.

    `least`: the least change worth the name, on a scale without a zero to compare with.

    `begins_at`: where it began for certain, before the first row; then that is its start.

    `target`: the ceiling is a mark, and no bound; `asked`: the user wants all of it. `fixed_set`: each
    point is of one and the same set of examples, so that three of them say something already.
    `overlap`: the number of rows in which an episode stays, where each is a mean over a window.
    """
    values = np.maximum(np.minimum(finite(values), MAX_VALUE), -MAX_VALUE)
    read = levels(values, overlap)
    if begins_at is not None:
        known = Level(begins_at, 0.0, 1, 0.0)
        read = read._replace(start=known, best=max(read.best, known, key=lambda one: one.value))
    if kind == "loss" and begins_at is None and _left_its_first_row(-values):
        read = read._replace(start=Level(float(values[0]), 0.0, 1, 0.0))
    bound = 1.0 if kind == "rate" else None if target else ceiling
    matters = _matters(kind, read, bound) if least is None else least
    if kind == "margin":
        matters = max(matters, NO_MARGIN)
    if begins_at is None and _owed_to_the_first_rows(values, read, matters, overlap):
        read = _without_first_rows(values, read.start.points, overlap)
    blocks = max(1, min(BLOCKS, int(len(values) / overlap)))
    means = values if len(values) <= blocks else block_means(values, blocks)
    up, down = chance_of_order(means)
    ordered = order_of_hits(values) if is_two_valued(values) else 0.0
    # the loss of single batches strays far more than it gains in all
    widest = LARGE * matters if kind == "loss" else math.inf
    past = PAST_BEST * abs(float(values.max())) if kind == "loss" and fixed_set else math.inf
    if ceiling:
        widest = FALL_MATTERS * matters
    high = ceiling
    if ceiling is not None and not asked and not (target and ceiling <= 0):
        high = HIGH * ceiling
    shape = shape_of(
        Evidence(
            values=values,
            read=read,
            matters=matters,
            up=up,
            down=down,
            ordered=ordered,
            high=high,
            asked=asked,
            widest=widest,
            past_best=past,
            nothing=NOTHING.get(kind, -math.inf),
            fixed_set=fixed_set,
            of_batches=kind == "loss",
            overlap=overlap,
        )
    )
    return Course(
        points=len(values),
        start=read.start.value,
        best=read.best.value,
        now=read.now.value,
        change_error=chance_of(read, read.start, read.now),
        height_error=chance_of(read, read.start, read.best),
        now_error=read.now.error,
        best_error=read.best.error,
        best_index=read.best_index,
        begins=_begins(read),
        noise=read.noise,
        matters=matters,
        rising=_still_rises(values, read),
        shape=shape,
        swings=shape in ("unsure", "flat") and _swings(values, read),
        curve=read.curve,
    )


def _owed_to_the_first_rows(
    values: FloatArray, read: Levels, matters: float, overlap: float
) -> bool:
    """Whether a small rise is over after the very first rows, and all that comes later gains nothing.

    First rows are means of few episodes, or of none that was finished. A model that learns fast gains
    far more than a quarter of its level in them.
    """
    n, first = len(values), read.start.points
    gain = read.now.value - read.start.value
    size = max(abs(read.start.value), abs(read.now.value))
    if n < FEW_AT_FIRST or first > n // FEW_AT_FIRST or not matters <= gain < LARGE_SHARE * size:
        return False
    rest = levels(values[first:], overlap)
    return rest.now.value - rest.start.value < min(matters, rest.best.value - rest.start.value)


def _left_its_first_row(loss: FloatArray) -> bool:
    """Whether every later row of a loss lies far above the first one, as after steps too large."""
    return len(loss) >= MIN_POINTS and float(loss[1:].min()) >= RAN_AWAY * float(loss[0]) > 0


def _without_first_rows(values: FloatArray, first: int, overlap: float) -> Levels:
    """The levels of the rest. The curve goes back to the first row, so that rows keep their places."""
    rest = levels(values[first:], overlap)
    curve = np.concatenate([np.full(first, rest.curve[0]), rest.curve])
    return rest._replace(curve=curve, best_index=rest.best_index + first)


def _swings(values: FloatArray, read: Levels) -> bool:
    """Whether it goes up and down as widely as it is high, and does not end much higher.

    Slow swings show in the level, quick ones in means of few rows. Both have to cover far more than
    noise does, which moves neighbouring rows apart as much as any others.
    """
    gain = read.now.value - read.start.value
    if gain > max(chance_of(read, read.start, read.now), LOST * float(np.ptp(read.curve))):
        return False
    rows = deviation(np.diff(values)) / math.sqrt(2.0)  # how far one row strays from the next
    n = len(values)
    if _turns_widely(read.curve, rows / math.sqrt(max(1, n // LEVELS))):
        return True
    width = max(MIN_QUICK, n // QUICK)
    means = block_means(values, n // width)
    return n >= MANY and _turns_widely(means, rows / math.sqrt(width))


def _turns_widely(curve: FloatArray, chance: float) -> bool:
    covered = float(np.ptp(curve))
    size = max(abs(float(curve.min())), abs(float(curve.max())))
    if covered < max(WIDE * size, BEYOND_NOISE * chance):
        return False
    return turns(curve, BACK) >= SWINGS


def _matters(kind: Kind, read: Levels, ceiling: float | None) -> float:
    size = ceiling
    if size is None:
        size = max(abs(read.start.value), abs(read.best.value), abs(read.now.value))
        if kind == "loss":
            size = abs(read.start.value)
    return MATTERS[kind] * size


def _still_rises(values: FloatArray, read: Levels) -> bool:
    """Whether the second half goes on rising, by a tenth of all that was gained."""
    late = values[len(values) // 2 :]
    if len(late) < MIN_LATE:
        return False
    means = late if len(late) <= BLOCKS // 2 else block_means(late, BLOCKS // 2)
    third = max(1, len(means) // MIN_LATE)
    gained = float(means[-third:].mean() - means[:third].mean())
    steady = chance_of_order(means)[0] <= (STEADY if len(means) >= MIN_STEADY else OF_THREE)
    return steady and gained >= STILL * max(read.now.value - read.start.value, 0.0) and gained > 0


def _begins(read: Levels) -> int:
    """From where on the level stays nearer to the end than to the best."""
    above = np.flatnonzero(read.curve > (read.best.value + read.now.value) / 2)
    return min(int(above[-1]) + 1 if len(above) else 0, len(read.curve) - 1)
