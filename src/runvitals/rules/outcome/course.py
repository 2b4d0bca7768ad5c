"""The course of one outcome: where it began, its best, where it is now, and what that amounts to."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np

from runvitals.model import FloatArray
from runvitals.rules.outcome.roles import Kind
from runvitals.signals.levels import (
    LEVELS,
    Level,
    Levels,
    blocks_of,
    deviation,
    is_two_valued,
    levels,
    turns,
)
from runvitals.signals.rank import chance_of_order, order_of_hits
from runvitals.signals.robust import finite

Shape = Literal["few", "constant", "high", "rose", "lost", "worse", "flat", "unsure"]

MAX_VALUE = 1e100  # beyond it numbers are not an outcome, and their squares none at all
MIN_POINTS = 5  # points of which five in order are not chance: 1 in 120 (Kendall, exact)
MIN_OF_SET = 3  # evaluations of one and the same set
LARGE = 5.0  # times what matters, for so few: 10 % of a loss, 15 points of a rate (judgement)
MIN_FLAT = 10  # points; fewer leave room for nearly any course (sketch of block means)
OF_FEW = (
    4.0  # so that 20 points need a fifth more, and 5 nearly twice as much (measured, see tests)
)
AS_LIKELY = 0.5  # chance of so steady a rise: no more pairs rise than fall
# Times what matters, that many points may have gained at most, if nothing says that they rise: neither
# the change, which is less than chance makes, nor their order. A tenth of a return (judgement).
SMALL, NOT_LIKELY = 2.0, 0.1
MANY = 30  # points, after which no gain at all is a standstill, however noisy (judgement)
MIN_TO_SWAY = 12  # from here on levels and errors speak; below, only exact tests of order
BLOCKS = 16  # means of which the order is tested: long enough to be nearly independent
# Standard errors that make a change clear. Measured on series without any, up to a lag-1
# correlation of 0.5: at most 2 % of them from 20 points on; see tests.
CLEAR_RISE, CLEAR, CLEAR_FALL = 3.0, 4.0, 5.0
IN_ORDER = 0.01  # chance of so steady an order, with which a smaller change is clear
LEANS, LEANS_DOWN = 1.5, 2.5  # standard errors that such an order needs beside it; a fall, more
# A change that is likely by itself, and an order that is: together they are no chance either.
LIKELY_ORDER, LIKELY, LIKELY_DOWN = 0.05, 2.0, 3.5
# Of what the rows stray: less is seen only in a thousand of them, and is a small effect (Cohen: 0.2).
SLIGHT = 0.3
NOTHING: dict[Kind, float] = {"rate": 0.1}  # what never was more has nothing to lose (judgement)
FLOOR, MIN_AT_FLOOR = 0.1, 5  # of all points, and so many, at exactly the lowest value at first
OF_BATCHES = (
    0.25  # of its size: a training loss that fell so far in three rows, in order (judgement)
)
WITHIN = (
    1.645  # standard errors: a one-sided interval of 95 %, which has to lie within what matters
)
# The least change worth the name, by kind: a share of its ceiling or of its size. (judgement; a loss of
# a model with nothing to learn wanders by less than 1 %)
MATTERS: dict[Kind, float] = {
    "rate": 0.03,
    "score": 0.05,
    "return": 0.05,
    "reward": 0.02,
    "margin": 0.05,
    "loss": 0.02,
}
ORDERLY, LARGE_SHARE = 1, 0.25  # turns, and a share of the size: see `chance_of` (judgement)
BEYOND_ALL = (
    20.0  # standard errors near by; means of 100 episodes wander by less (measured, see tests)
)
FALL_MATTERS = 2.0  # times as much for a fall below the start
# A margin that began at 0 has no size of its own to compare with: a fifth of a nat at the usual beta of
# 0.1, where one answer has become a fifth likelier than the other (judgement).
NO_MARGIN = 0.02
LOST, COLLAPSED = 0.25, 0.6  # of the rise: a warning, and nothing much left (asked for so)
# Of its best, that a loss on one and the same set has got worse, however far it had fallen before: GL_5
# of Prechelt (1998), Early stopping - but when?; a little less if it rises row after row (his UP_4).
PAST_BEST, PAST_BEST_IN_ORDER, MIN_IN_ORDER = 0.05, 0.03, 4
MIN_AFTER = 6  # points after the best, of which the order is tested (judgement)
FEW_AT_FIRST = (
    50  # a fiftieth of the rows, which a small rise may not owe itself to alone (judgement)
)
HALF = 0.5  # of the rise: so much is not lost by wandering, if the course is orderly (judgement)
HIGH = 0.9  # of a ceiling: nothing much left to gain
STEADY, MIN_STEADY = 0.05, 4  # chance of such an order in the second half, from four means on
MIN_LATE = 3  # points of the second half; its thirds are compared
OF_THREE = 0.17  # that of three in order is 1 in 6, the least there is
SWINGS, BACK = 3, 0.5  # turns, each by half of all that the level covers: no way, only swings
WIDE = (
    0.75  # of its size, that the level then covers (judgement: less may be a slow rise and noise)
)
MIN_QUICK, QUICK = 2, 48  # rows in a mean, and such means in a run, in which quick swings show
BEYOND_NOISE = 7.0  # standard errors of such a mean; 48 means of pure noise cover 4.5 +- 0.6
CLOSE = 2.0  # times what matters, that evaluations of one set lie apart at most, to be called flat
NO_LEAN = 0.3  # chance of an order like theirs: nothing says that they rise (judgement)
# Standard deviations of the order of hits and misses: by chance 1 in 200, either way.
HITS_IN_ORDER = 2.6
LAST = 5  # a fifth of the series is its end
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


def more(points: int) -> float:
    """What few points add to every threshold: their noise is known badly itself."""
    return 1.0 + OF_FEW / points


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
    bound = 1.0 if kind == "rate" else None if target else ceiling
    matters = _matters(kind, read, bound) if least is None else least
    if begins_at is not None and kind == "margin":
        matters = max(matters, NO_MARGIN)
    if begins_at is None and _owed_to_the_first_rows(values, read, matters, overlap):
        read = levels(values[read.start.points :], overlap)
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
    shape = _shape(
        values,
        read,
        matters,
        up,
        down,
        widest,
        high,
        ordered,
        asked=asked,
        fixed_set=fixed_set,
        of_batches=kind == "loss",
        past_best=past,
        overlap=overlap,
        nothing=NOTHING.get(kind, -math.inf),
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


def _shape(
    values: FloatArray,
    read: Levels,
    matters: float,
    up: float,
    down: float,
    widest: float,
    high: float | None,
    ordered: float,
    *,
    asked: bool,
    fixed_set: bool,
    of_batches: bool,
    past_best: float,
    overlap: float,
    nothing: float,
) -> Shape:
    n = len(values)
    start, best, now = read.start, read.best, read.now
    if n < MIN_POINTS:
        if n < MIN_OF_SET:
            return "few"
        if fixed_set:
            return _shape_of_few(values, matters, None if asked else high, past_best)
        return "rose" if of_batches and _falls_far(-values) else "few"
    if values.max() - values.min() <= 1e-9 * max(abs(start.value), 1e-300):
        return "high" if high is not None and now.value >= high else "constant"
    gain, rise, fall = now.value - start.value, best.value - start.value, best.value - now.value
    chance, top = chance_of(read, start, now), chance_of(read, best, now)
    factor = more(n)
    is_high = high is not None and now.value >= high
    if is_high and not asked:
        return "high"
    much = max(matters, LOST * rise)  # of a fall from the best
    if rise > 0:
        much = min(much, past_best)
    rose_once = rise >= max(matters, CLEAR * factor * chance_of(read, start, best)) > 0
    rose_once &= best.value > nothing
    lasting = now.points >= 2 or n < MIN_TO_SWAY
    lasting |= best.value - float(values[-2:].max()) >= much  # no noise, and still falling
    if fall < HALF * rise:  # a dip may be wandering, however orderly the rise
        top = math.hypot(best.error, now.error)
    sure = (CLEAR if fall >= HALF * rise else CLEAR_FALL) * factor * top
    if rose_once and fall >= max(much, sure) and lasting:
        return "lost"
    far = fall >= max(matters, LOST * rise)
    if rose_once and far and _falls_in_order(values, read.best_index, overlap):
        return "lost"
    if past_best < math.inf and rise >= matters and _gets_worse_in_order(values):
        return "lost"
    least = FALL_MATTERS * matters
    if -gain >= least and (
        (-gain >= CLEAR_FALL * factor * chance and n >= MIN_TO_SWAY)
        or (-gain >= LIKELY_DOWN * factor * chance and n >= MIN_TO_SWAY and down <= LIKELY_ORDER)
        or (down <= IN_ORDER and -gain >= _leans(n) * chance)
        or ordered <= -HITS_IN_ORDER
    ):
        return "worse"
    if is_high:  # a mark that the user set may be low: it hides no fall
        return "high"
    slight = SLIGHT * deviation(values)
    size = max(abs(start.value), abs(now.value))
    if gain >= max(LARGE_SHARE * size, CLEAR_FALL * factor * chance):
        slight = matters  # single episodes of games of chance stray far more than play can gain
    if gain >= max(matters, slight) and (
        (gain >= CLEAR_RISE * factor * chance and n >= MIN_TO_SWAY)
        or (gain >= LIKELY * factor * chance and n >= MIN_TO_SWAY and up <= LIKELY_ORDER)
        or (up <= IN_ORDER and gain >= LEANS * chance)
        or ordered >= HITS_IN_ORDER
    ):
        return "rose"
    if fixed_set and np.ptp(values) <= CLOSE * matters and up >= NO_LEAN and down > IN_ORDER:
        return "flat"  # every evaluation of one set says about the same
    if _leaves_its_floor(values):  # by how little does not matter: it has found what lifts it
        return "unsure"
    if n >= MIN_FLAT and _is_flat(read, matters, up, widest, slight, of_batches=of_batches):
        return "flat"
    return "unsure"


def _leaves_its_floor(values: FloatArray) -> bool:
    """Whether it began at exactly its lowest value, row after row, and its last fifth lies above."""
    low = float(values.min())
    above = np.flatnonzero(values > low)
    least = max(MIN_AT_FLOOR, FLOOR * len(values))
    if not len(above) or above[0] < least:
        return False
    late = values[-max(MIN_AT_FLOOR, len(values) // LAST) :]
    return bool(late.min() > low)


def _falls_in_order(values: FloatArray, best: int, overlap: float) -> bool:
    """Whether what came after the best falls in order, for at least a fifth of the run.

    How far neighbours stray from each other says little then: they stray because they fall.
    """
    after = values[best + 1 :]
    blocks = min(BLOCKS, int(len(after) / overlap))  # rows that share episodes fall together
    if blocks < MIN_AFTER or len(after) < len(values) // LAST:
        return False
    means = after if len(after) <= blocks else block_means(after, blocks)
    return chance_of_order(means)[1] <= IN_ORDER


def _gets_worse_in_order(loss: FloatArray) -> bool:
    """Whether a loss on one set, turned so that more is better, left its best row after row.

    For at least a fifth of all rows: in a long series a few in order are what noise does.
    """
    best = int(np.argmax(loss))
    if best == 0 or len(loss) - 1 - best < max(MIN_IN_ORDER, len(loss) // LAST):
        return False
    in_order = bool((np.diff(loss[best:]) < 0).all())
    return in_order and loss[best] - loss[-1] >= PAST_BEST_IN_ORDER * abs(float(loss[best]))


def _shape_of_few(
    values: FloatArray, matters: float, high: float | None, past_best: float
) -> Shape:
    """Three or four evaluations of one set: a large change in unbroken order is not noise."""
    if high is not None and values.min() >= high:
        return "high"
    if np.ptp(values) == 0 and math.isinf(past_best):
        return "constant"  # a rate, to the last digit; losses are rounded to fewer
    steps = np.diff(values)
    best = int(np.argmax(values))
    large = LARGE * matters
    if (steps > 0).all() and values[-1] - values[0] >= large:
        return "rose"
    if (steps < 0).all() and values[0] - values[-1] >= large:
        return "worse"
    turned = 0 < best < len(values) - 1 and (steps[best:] < 0).all()
    much = min(max(large, LOST * (values[best] - values[0])), past_best)
    if turned and values[best] - values[-1] >= much:
        return "lost"
    return "few"


def _falls_far(loss: FloatArray) -> bool:
    """Whether each row of a training loss is lower than the one before, and the last far lower."""
    return bool((np.diff(loss) < 0).all() and loss[-1] <= (1.0 - OF_BATCHES) * loss[0])


def _leans(n: int) -> float:
    """Standard errors that a fall in order needs: slow wandering falls in order too, if it is long."""
    return LEANS * more(n) if n < MIN_TO_SWAY else LEANS_DOWN


def _is_flat(
    read: Levels, matters: float, up: float, widest: float, slight: float, *, of_batches: bool
) -> bool:
    """Whether all that the change may be is less than would matter, or less than the series strays.

    `widest`: what the change may be at most, however far the series strays; `slight`: what is too
    little for a rise.

    Of many points in which nothing leans upwards the change may be twice what matters. Losses of
    batches are left out: fine-tuning gains little of them, and that little is all there is to learn.

    Many points of which the last are no better than the first, and no more of which rise than fall, are
    enough as well: wherever the noise would have let it end, it has not got better.
    """
    gain = read.now.value - read.start.value
    chance = chance_of(read, read.start, read.now)
    most = gain + WITHIN * chance
    if most <= matters:
        return True
    many = len(read.curve) >= MANY
    if many and not of_batches and most <= SMALL * matters and up >= NOT_LIKELY and gain < chance:
        return True
    if gain <= 0 and up >= AS_LIKELY and many:
        return most <= max(widest, LARGE * matters)
    if up <= IN_ORDER or gain >= WITHIN * chance:
        return False
    size = max(abs(read.start.value), abs(read.now.value))
    if many and not of_batches and gain < chance and most <= min(slight, widest):
        return True  # less than would be called a rise, even if its level is next to nothing
    return most <= min(read.strays, widest, LARGE_SHARE * size)


def chance_of(read: Levels, one: Level, other: Level) -> float:
    """How far chance moves two levels apart, one standard deviation.

    Slow wandering counts, unless the course is too orderly and too large for that: it turns at most
    once, and the two levels differ by a quarter of their size, or by far more than neighbours do.
    """
    size = max(abs(read.start.value), abs(read.best.value), abs(read.now.value))
    near, apart = math.hypot(one.near, other.near), abs(one.value - other.value)
    if read.turns <= ORDERLY and (apart >= LARGE_SHARE * size or apart >= BEYOND_ALL * near):
        return near
    return math.hypot(one.error, other.error)


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


def block_means(values: FloatArray, blocks: int) -> FloatArray:
    """The series cut into this many pieces of about one length, and the mean of each."""
    edges, widths = blocks_of(len(values), min(blocks, len(values)))
    return np.asarray(np.add.reduceat(values, edges[:-1]) / widths, np.float64)
