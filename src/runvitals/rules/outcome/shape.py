"""What the course of one outcome amounts to: risen, lost, worse, flat, or unsure."""

from __future__ import annotations

import math
from typing import Literal, NamedTuple

import numpy as np

from runvitals.model import FloatArray
from runvitals.signals.hump import Hump, hump
from runvitals.signals.levels import Level, Levels, blocks_of, deviation
from runvitals.signals.rank import chance_of_order

Shape = Literal["few", "constant", "high", "rose", "lost", "worse", "flat", "unsure"]

MIN_POINTS = 5  # points of which five in order are not chance: 1 in 120 (Kendall, exact)
MIN_OF_SET = 3  # evaluations of one and the same set
LARGE = 5.0  # times what matters, for so few: 10% of a loss, 15 points of a rate (judgement)
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
# correlation of 0.5: at most 2% of them from 20 points on; see tests.
CLEAR_RISE, CLEAR, CLEAR_FALL = 3.0, 4.0, 5.0
IN_ORDER = 0.01  # chance of so steady an order, with which a smaller change is clear
LEANS, LEANS_DOWN = 1.5, 2.5  # standard errors that such an order needs beside it; a fall, more
# A change that is likely by itself, and an order that is: together they are no chance either.
LIKELY_ORDER, LIKELY, LIKELY_DOWN = 0.05, 2.0, 3.5
# Of what the rows stray: less is seen only in a thousand of them, and is a small effect (Cohen: 0.2).
SLIGHT = 0.3
FLOOR, MIN_AT_FLOOR = 0.1, 5  # of all points, and so many, at exactly the lowest value at first
OF_BATCHES = (
    0.25  # of its size: a training loss that fell so far in three rows, in order (judgement)
)
WITHIN = 1.645  # standard errors: a one-sided interval of 95%, which has to lie within what matters
ORDERLY, LARGE_SHARE = 1, 0.25  # turns, and a share of the size: see `chance_of` (judgement)
BEYOND_ALL = (
    20.0  # standard errors near by; means of 100 episodes wander by less (measured, see tests)
)
FALL_MATTERS = 2.0  # times as much for a fall below the start
OF_SPARE = 3.0  # so that one row to spare needs four times as much, and ten a third more (measured)
LOST, COLLAPSED = 0.25, 0.6  # of the rise: a warning, and nothing much left (asked for so)
# Of its best, that a loss on one and the same set has got worse, however far it had fallen before: GL_5
# of Prechelt (1998), Early stopping - but when?; a little less if it rises row after row (his UP_4).
PAST_BEST, PAST_BEST_IN_ORDER, MIN_IN_ORDER = 0.05, 0.03, 4
PAST_BEST_OF_FEW, MIN_OF_FEW = (
    0.1,
    2,
)  # of its best, in this many rows that each got worse (judgement)
TWICE = 2.0  # the largest slip that it came back from (judgement)
MIN_AFTER = 6  # points after the best, of which the order is tested (judgement)
HALF = 0.5  # of the rise: so much is not lost by wandering, if the course is orderly (judgement)
HIGH = 0.9  # of a ceiling: nothing much left to gain
CLOSE = 2.0  # times what matters, that evaluations of one set lie apart at most, to be called flat
NO_LEAN = 0.3  # chance of an order like theirs: nothing says that they rise (judgement)
# Standard deviations of the order of hits and misses: by chance 1 in 200, either way.
HITS_IN_ORDER = 2.6
MIN_WINDOWS = 3  # a fifth each: where it began, its best, and its end (judgement)
FEW_AT_END = 3  # rows that may be one of many drops (judgement)
QUARTER = 4
LAST = 5  # a fifth of the series is its end


class Evidence(NamedTuple):
    """What the shape of a course is told by. More is better in `values`."""

    values: FloatArray
    read: Levels
    matters: float  # the least change worth the name
    up: float  # chance of so steady a rise, and of so steady a fall
    down: float
    ordered: (
        float  # of hits and misses: standard deviations by which they come later than by chance
    )
    high: float | None  # where nothing much is left to gain, or what the user wants
    asked: bool  # the user does
    widest: float  # what a change may be at most, however far the series strays, to be called flat
    past_best: float  # of a loss on one set: how far it has to leave its best
    nothing: float  # what never was more has nothing to lose
    fixed_set: bool  # each point is of one and the same set of examples
    of_batches: bool  # a loss
    overlap: float  # rows in which an episode stays

    @property
    def points(self) -> int:
        """How many there are."""
        return len(self.values)

    @property
    def gain(self) -> float:
        """From the start to now."""
        return self.read.now.value - self.read.start.value

    @property
    def rise(self) -> float:
        """From the start to the best."""
        return self.read.best.value - self.read.start.value

    @property
    def fall(self) -> float:
        """From the best to now."""
        return self.read.best.value - self.read.now.value

    @property
    def chance(self) -> float:
        """How far chance moves the gain, one standard deviation."""
        return chance_of(self.read, self.read.start, self.read.now)

    @property
    def sways(self) -> bool:
        """Whether there are enough points for levels and their errors to speak."""
        return self.points >= MIN_TO_SWAY

    @property
    def is_high(self) -> bool:
        """Whether nothing much is left to gain."""
        return self.high is not None and self.read.now.value >= self.high


def shape_of(seen: Evidence) -> Shape:
    """What a course amounts to: the first that is so. Only a natural ceiling hides a fall."""
    values = seen.values
    if seen.points < MIN_POINTS:
        return _of_few_rows(seen)
    if values.max() - values.min() <= 1e-9 * max(abs(seen.read.start.value), 1e-300):
        return "high" if seen.is_high else "constant"
    if seen.is_high and not seen.asked:
        return "high"
    if _is_lost(seen):
        return "lost"
    if _is_worse(seen):
        return "worse"
    if seen.is_high:  # a mark that the user set may be low: it hides no fall
        return "high"
    slight = _too_slight(seen)
    if _rose(seen, slight):
        return "rose"
    close = np.ptp(values) <= CLOSE * seen.matters
    if seen.fixed_set and close and seen.up >= NO_LEAN and seen.down > IN_ORDER:
        return "flat"  # every evaluation of one set says about the same
    if _leaves_its_floor(values):  # by how little does not matter: it has found what lifts it
        return "unsure"
    return "flat" if seen.points >= MIN_FLAT and _is_flat(seen, slight) else "unsure"


def _of_few_rows(seen: Evidence) -> Shape:
    if seen.points < MIN_OF_SET:
        return "few"
    if seen.fixed_set:
        high = None if seen.asked else seen.high
        return _shape_of_few(seen.values, seen.matters, high, seen.past_best)
    return "rose" if seen.of_batches and _falls_far(-seen.values) else "few"


def _is_lost(seen: Evidence) -> bool:
    """Whether much of a clear rise is gone: beyond chance and lastingly, or in order."""
    read, values, rise, fall = seen.read, seen.values, seen.rise, seen.fall
    in_order = _gets_worse_in_order(values) if seen.past_best < math.inf else False
    if in_order and rise >= seen.matters:
        return True
    if seen.of_batches and _stays_below_its_best(values, seen.matters):
        return True
    few = seen.points <= MANY and not seen.of_batches
    if few and read.best.value > seen.nothing and _turned_round(seen):
        return True
    clear = CLEAR * more(seen.points) * chance_of(read, read.start, read.best)
    if not rise >= max(seen.matters, clear) > 0 or not read.best.value > seen.nothing:
        return False
    much = max(seen.matters, LOST * rise)
    if fall >= much and _falls_in_order(values, read.best_index, seen.overlap):
        return True
    if rise > 0:
        much = min(much, seen.past_best)
    lasting = read.now.points >= 2 or not seen.sways
    lasting |= read.best.value - float(values[-2:].max()) >= much  # no noise, and still falling
    errors, chance = CLEAR, chance_of(read, read.best, read.now)
    if fall < HALF * rise:  # a dip may be wandering, however orderly the rise
        errors, chance = CLEAR_FALL, math.hypot(read.best.error, read.now.error)
    if not lasting or fall < max(much, errors * more(seen.points) * chance):
        return False
    return not _came_back_from_as_low(values, read)


def _turned_round(seen: Evidence) -> bool:
    """Whether few rows go up and then down again by far more than they stray from such a course.

    How far neighbours differ says little there: they differ because they rise and fall. Without a row
    to spare nothing says how far they stray; then half of the rise has to be gone.
    """
    course = hump(seen.values)
    least = max(LOST * course.rise, FALL_MATTERS * seen.matters)
    if course.rise < LARGE * seen.matters or course.fall < least:
        return False
    if seen.fall < LOST * seen.rise:  # tops and ends of such a course stray farther than levels do
        return False
    if not course.spare:
        lasts = course.after >= (1 if seen.fixed_set else MIN_OF_FEW)
        return lasts and course.fall >= HALF * course.rise
    if course.after < MIN_OF_FEW:
        return False
    return min(course.rise, course.fall) >= _errors_beside(course)


def _errors_beside(course: Hump) -> float:
    """How far a course has to move to be clear of what its rows stray by; nothing without a spare."""
    return CLEAR * (1.0 + OF_SPARE / course.spare) * course.noise if course.spare else math.inf


def _stays_below_its_best(loss: FloatArray, matters: float) -> bool:
    """Whether the last fifth of a loss, turned, lies below all rows of its best fifth, and far so.

    Of two sets of five rows chance parts one in 252 so; that is counted beside the size of the fall.
    """
    few = max(MIN_POINTS, len(loss) // LAST)
    if len(loss) < MIN_WINDOWS * few:
        return False
    means = np.convolve(loss, np.ones(few) / few, mode="valid")
    best = int(np.argmax(means[: len(means) - few]))
    window, end = loss[best : best + few], loss[-few:]
    rise = float(means[best] - loss[:few].mean())
    fall = float(means[best] - end.mean())
    far = rise >= LARGE * matters and fall >= LOST * rise
    return far and float(end.max()) < float(window.min())


def _came_back_from_as_low(values: FloatArray, read: Levels) -> bool:
    """Whether as few rows as its end has were as low before, on the way up, and it rose beyond them.

    What is noisier the higher it is drops now and then; single rows at the end do not tell a fall from
    such a drop.
    """
    few = max(1, read.now.points)
    half = (read.start.value + read.best.value) / 2
    reached = np.flatnonzero(values >= half)
    end = len(values) - few
    if few > FEW_AT_END or not len(reached) or end - reached[0] < few:
        return False
    early = values[reached[0] : end]
    means = np.convolve(early, np.ones(few) / few, mode="valid")
    low = np.flatnonzero(means <= read.now.value)
    return bool(len(low)) and float(early[low[0] + few :].max(initial=-np.inf)) >= read.best.value


def _is_worse(seen: Evidence) -> bool:
    """Whether it is clearly below its start."""
    fell, chance = -seen.gain, seen.chance
    if fell < FALL_MATTERS * seen.matters:
        return False
    errors = CLEAR_FALL if seen.down > LIKELY_ORDER else LIKELY_DOWN
    if seen.sways and fell >= errors * more(seen.points) * chance:
        return True
    if seen.down <= IN_ORDER and fell >= _leans(seen.points) * chance:
        return True
    return seen.ordered <= -HITS_IN_ORDER


def _too_slight(seen: Evidence) -> float:
    """What is too little for a rise, beside how far the rows stray."""
    size = max(abs(seen.read.start.value), abs(seen.read.now.value))
    clear = CLEAR_FALL * more(seen.points) * seen.chance
    if seen.gain >= max(LARGE_SHARE * size, clear):
        return seen.matters  # single episodes of games of chance stray far more than play can gain
    return SLIGHT * deviation(seen.values)


def _rose(seen: Evidence, slight: float) -> bool:
    """Whether it is clearly above its start."""
    gain, chance = seen.gain, seen.chance
    if gain < max(seen.matters, slight):
        return False
    errors = CLEAR_RISE if seen.up > LIKELY_ORDER else LIKELY
    if seen.sways and gain >= errors * more(seen.points) * chance:
        return True
    if seen.up <= IN_ORDER and gain >= LEANS * chance:
        return True
    if seen.up <= LIKELY_ORDER and gain >= BEYOND_ALL * chance:
        return True  # few rows that soon reached where they could go stand there in no order
    if not seen.sways and seen.up <= LIKELY_ORDER and gain >= LARGE * seen.matters:
        return gain >= _errors_beside(hump(seen.values))
    return seen.ordered >= HITS_IN_ORDER


def more(points: int) -> float:
    """What few points add to every threshold: their noise is known badly itself."""
    return 1.0 + OF_FEW / points


def _is_flat(seen: Evidence, slight: float) -> bool:
    """Whether all that the change may be is less than would matter, or less than the series strays.

    `slight`: what is too little for a rise.

    Of many points in which nothing leans upwards the change may be twice what matters. Losses of
    batches are left out: fine-tuning gains little of them, and that little is all there is to learn.

    Many points of which the last are no better than the first, and no more of which rise than fall, are
    enough as well: wherever the noise would have let it end, it has not got better.
    """
    read, matters, up, widest = seen.read, seen.matters, seen.up, seen.widest
    gain, chance = seen.gain, seen.chance
    most = gain + WITHIN * chance
    if most <= matters:
        return True
    many = len(read.curve) >= MANY
    if (
        many
        and not seen.of_batches
        and most <= SMALL * matters
        and up >= NOT_LIKELY
        and gain < chance
    ):
        return True
    if gain <= 0 and up >= AS_LIKELY and many:
        return most <= max(widest, LARGE * matters)
    if up <= IN_ORDER or gain >= WITHIN * chance:
        return False
    size = max(abs(read.start.value), abs(read.now.value))
    if many and not seen.of_batches and gain < chance and most <= min(slight, widest):
        return True  # less than would be called a rise, even if its level is next to nothing
    return most <= min(read.strays, widest, LARGE_SHARE * size)


def ends_on_top(values: FloatArray) -> bool:
    """Whether the last few of sixteen means lie above all others: after a long dip it may only begin.

    Chance does that to the last two, three or four of them in 1 of 90 cases.
    """
    if len(values) < BLOCKS:
        return False
    means = block_means(values, BLOCKS)
    ends = range(2, BLOCKS // QUARTER + 1)
    return any(float(means[-n:].min()) > float(means[:-n].max()) for n in ends)


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

    For at least a fifth of all rows: in a long series a few in order are what noise does. Two rows are
    enough of a few that go far, and single ones may be out of order if chance does not make the rest.
    """
    best = int(np.argmax(loss))
    after = len(loss) - 1 - best
    if best == 0 or after < max(MIN_OF_FEW, len(loss) // LAST):
        return False
    top = abs(float(loss[best]))
    left = float(loss[best] - loss[-1])
    if bool((np.diff(loss[best:]) < 0).all()):
        if after >= MIN_IN_ORDER:
            return left >= PAST_BEST_IN_ORDER * top
        slipped = float(-np.diff(loss[: best + 1]).min(initial=0.0))  # and came back from it
        return left >= max(PAST_BEST_OF_FEW * top, TWICE * slipped)
    if after < MIN_AFTER:
        return False
    few = max(2, after // QUARTER)
    lasting = float(loss[best : best + few].mean() - loss[-few:].mean())
    strays = float(np.diff(loss[best:]).std()) / math.sqrt(few)  # the best row is one that strayed
    if lasting < max(PAST_BEST * top, CLEAR_RISE * strays):
        return False
    later = loss[best + 1 :]  # neighbours are alike, so that of many the means of a few are tested
    means = later if len(later) < 2 * MIN_AFTER else block_means(later, MIN_AFTER)
    return chance_of_order(means)[1] <= IN_ORDER


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


def block_means(values: FloatArray, blocks: int) -> FloatArray:
    """The series cut into this many pieces of about one length, and the mean of each."""
    edges, widths = blocks_of(len(values), min(blocks, len(values)))
    return np.asarray(np.add.reduceat(values, edges[:-1]) / widths, np.float64)
