"""How high a noisy series stands at its start, at its best and now, and how sure that is.

Levels are means, so that shares and 0/1 data are read rightly; single wild points are moved to their
neighbours first. How far chance moves a mean is measured on the series itself, for windows of every
length: by the second differences of neighbouring means, which no steady rise disturbs, and which slow
wandering does.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from runvitals.model.row import FloatArray, IntArray
from runvitals.signals.roughness import Wander, bend, outlasts, wander_of

MAX_POINTS = 240  # longer series are read as means of blocks
HITS, MIN_BLOCKS = 8, 24  # hits and misses are counted by eights, if there are enough of them
FEW = 8  # values, by which most series are told from hits and misses
MEAN_OF_ALL = 0.7979  # mean of |z| for a normal z
MIN_AROUND = 10  # points, to see how far a stretch strays by itself
MIN_DIFFERENCES = 6  # to measure noise at a scale; beyond that it is carried on
AGREE = 3.0  # standard errors within which a longer window still says the same as a shorter one
SHRINKS = math.sqrt(1 / 2)  # what twice as many independent points leave of an error
OF_BEND = math.sqrt(
    6.0
)  # of noise: the deviation of a second difference, 1 + 4 + 1 times its square
FARTHER = 4  # widths: the farthest that a mean is compared with its like
LAST = 3  # points: the last one and the two before it
MIN_TO_CALM = 5  # points: with fewer nobody knows which one is wild
STEEP = (
    0.5  # of a jump, by which its neighbours differ themselves: a steep course, not a wild point
)
SINGLE_BELOW = 6  # points: with fewer, each is a window of the curve
MAX_END = 5  # a fifth of the series at most makes its start, another its end
WILD = 8.0  # noises off both neighbours, which agree: a single wild point
ROUNDING = 1e-6  # of its size: what 32 bits round off is not noise
# Of means over r rows, a step to the next one is (new row - oldest row) / r. If the rows stray by s,
# the second difference has the variance 4 s² / r², and `bend` divides by 6, that of white noise: so
# s² = 6/4 r² bend².
BENT = 1.5
TURN = 0.3  # of the range of a curve: less is not a turn of its course (judgement)
WILDER = 2.0  # times as far as the whole series: an end that strays by itself (judgement)
QUARTERS = 4  # of a window; if they rise or fall in order, the series moves on (judgement)
STILL = 0.1  # of all that the series covered: within this a window stands still (judgement)
LEVELS = 12  # windows in which the course between start and end is read


class Level(NamedTuple):
    """A mean, its standard error, and the number of points it was taken of."""

    value: float
    error: float  # with slow wandering
    points: int
    near: float  # without it: where the course is too orderly to be wandering

    def at_least(self, error: float) -> Level:
        """The same, less sure than it seems."""
        return self._replace(error=max(self.error, error), near=max(self.near, error))


class Levels(NamedTuple):
    """The levels of a series in which more is better."""

    start: Level
    best: Level
    now: Level
    best_index: int  # of the point at whose end the best level was reached
    noise: float  # how far one point strays by chance
    strays: float  # standard deviation of all points, single wild ones calmed
    curve: FloatArray  # the smooth level at each point
    turns: int  # how often it turns round


def turns(curve: FloatArray, share: float = TURN) -> int:
    """How often a curve turns round, and goes back by so much of its range.

    >>> turns(np.array([0.0, 1.0, 0.0])), turns(np.array([0.0, 0.5, 1.0]))
    (1, 0)
    """
    least = share * float(np.ptp(curve))
    if not least > 0:
        return 0
    found, way = 0, 0
    low = high = float(curve[0])
    for value in curve.tolist():
        if value < low:
            low = value
        elif value > high:
            high = value
        if way >= 0 and high - value >= least:
            found += way
            way, low = -1, value
        elif way <= 0 and value - low >= least:
            found -= way
            way, high = 1, value
    return found


class Hits(NamedTuple):
    """Of a series of hits and misses: what a miss is, how much more a hit is, and how many are a block.

    Where hits are rare most blocks have none, and are alike: neighbours do not show how far chance
    moves them, but their number does (binomial, with one hit and one miss more than were seen).
    """

    miss: float
    more: float
    size: int

    def error(self, mean: float, blocks: int) -> float:
        """How far chance moves the mean of so many blocks."""
        tried = blocks * self.size
        hits = min(max((mean - self.miss) / self.more, 0.0), 1.0) * tried
        share = (hits + 1.0) / (tried + 2.0)
        return self.more * math.sqrt(share * (1.0 - share) / tried)


class Errors(NamedTuple):
    """How far chance moves the mean of 1, 2, 4, 8, ... neighbouring points, one standard deviation.

    `far`: slow wandering counts, as it does between two ends of a series. `near`: only what is seen
    between neighbouring windows.
    """

    far: FloatArray
    near: FloatArray


def errors_of_means(values: FloatArray) -> Errors:
    """Measured on the series itself."""
    n = len(values)
    sums = np.concatenate([[0.0], np.cumsum(values)])
    far: list[float] = []
    near: list[float] = []
    wander = wander_of(values)
    width = 1
    while width <= max(1, n // 2):
        means = (sums[width:] - sums[:-width]) / width
        strays = _strays(means, width, wander)
        if not strays and not far:
            strays = [float(np.abs(np.diff(values)).max()) if n > 1 else 0.0]
        if width == 1 and n > 1 and is_two_valued(values):
            # of hits and misses most neighbours are alike, and trimming would leave only those
            strays[0] = max(strays[0], math.sqrt(float(np.square(np.diff(values)).mean()) / 2.0))
        if strays:
            # A series that swings to and fro bends more than it strays: no mean is off by more than
            # all of them are.
            most = deviation(means) if n > 2 else math.inf
            _carry_on(near, min(strays[0], most))
            _carry_on(far, min(max(strays), most))
        else:
            _carry_on(near, None)
            _carry_on(far, None)
        width *= 2
    # longer means never are less sure than shorter ones: what shakes them shakes those too
    return Errors(*(np.maximum.accumulate(np.array(one)[::-1])[::-1] for one in (far, near)))


def _carry_on(found: list[float], measured: float | None) -> None:
    """Add the error at the next scale; where it cannot be measured, go on as between the last two."""
    if measured is not None:
        found.append(max(measured, found[-1] * SHRINKS if found else 0.0))
        return
    # Twice as many independent points shrink it by sqrt(1/2), those of a wandering series by less: it
    # never shrinks faster than the former, and never grows.
    ratio = found[-1] / found[-2] if len(found) > 1 and found[-2] > 0 else SHRINKS
    found.append(found[-1] * min(1.0, max(SHRINKS, ratio)))


def _strays(means: FloatArray, width: int, wander: Wander | None) -> list[float]:
    """How far such means stray from the line between two others, one before and one after.

    First near by, then farther off: a series that wanders slowly is alike near by. Where two steps in
    the curve bend more of it than is trimmed, it is no more than a series as rough as this one wanders.
    Empty if the series is too short for that.
    """
    found: list[float] = []
    for distance in (width, 2 * width, FARTHER * width):
        bends = len(means) - 2 * distance
        if bends < 1 or (bends < MIN_DIFFERENCES * width and (found or width > 1)):
            break
        here = bend(means, distance)
        if wander is not None and not outlasts(bends, steps=2, reach=2 * distance + width):
            here = min(here, wander.most(width))
        found.append(here)
    return found


def is_two_valued(values: FloatArray) -> bool:
    """Whether these are hits and misses."""
    if len(set(values[:FEW].tolist())) > 2:  # most are not, and these few show it
        return False
    low, high = values.min(), values.max()
    return bool(low < high and np.all((values == low) | (values == high)))


def error_of_mean(errors: Sequence[float], points: int) -> float:
    """The same for a mean of any number of points."""
    if not len(errors):
        return 0.0
    place = min(math.log2(max(points, 1)), len(errors) - 1.0)
    low = int(place)
    high = min(low + 1, len(errors) - 1)
    return errors[low] + (place - low) * (errors[high] - errors[low])


class Overlap(NamedTuple):
    """Of rows that each are a mean over a window of episodes, which stay in several rows in turn.

    Neighbours are alike then, and the series wanders without any cause. How far a single episode strays
    is told by the steps from row to row, and that tells how far chance moves a mean of rows: one of w
    rows holds the episodes of r + w - 1 of them. The first rows are means of those since the start.
    """

    rows: float  # in which an episode stays
    strays: float  # how far a row is off the line between its neighbours

    def error(self, width: int, *, at_start: bool = False) -> float:
        """How far chance moves the mean of so many rows."""
        held = width if at_start else self.rows + width - 1.0
        return math.sqrt(BENT * self.rows**2 * self.strays**2 / held)


def _overlapping(values: FloatArray, rows: float) -> Overlap:
    """How far episodes stray, by all rows or by those whose window is full; the less of both is nearer.

    Until it is full a window holds fewer episodes, and each of them moves its mean farther; of a few
    rows the bend of the course itself may be most. Both only add to what is measured.
    """
    strays, full = bend(values, 1), values[math.ceil(rows) :]
    if len(full) >= MIN_DIFFERENCES + 2:
        strays = min(strays, bend(full, 1))
    return Overlap(rows, strays)


def levels(values: FloatArray, overlap: float = 1.0) -> Levels:
    """Start, best and end of a series of finite values; at least one.

    `overlap`: the number of rows that an episode stays in, where each row is a mean over a window.
    """
    values = np.asarray(values, np.float64)
    n = len(values)
    size = -(-n // MAX_POINTS)
    counted: Hits | None = None
    if is_two_valued(values):
        size = max(size, min(HITS, n // MIN_BLOCKS))
        counted = Hits(float(values.min()), float(np.ptp(values)), size)
    edges, widths = blocks_of(n, -(-n // size))
    thin = values if size == 1 else np.add.reduceat(values, edges[:-1]) / widths
    measured = errors_of_means(thin)
    calm = calmed(thin, float(measured.near[0]))
    if calm is not thin:
        thin, measured = calm, errors_of_means(calm)
    errors, near = measured.far.tolist(), measured.near.tolist()
    at_first, at_last = _wilder(thin)
    start = _end(thin, near, errors, at_first, counted)
    now = _end(thin[::-1], near, errors, at_last, counted, strays_by_itself=True)
    over = _overlapping(thin, overlap / size) if overlap > size and len(thin) > 2 else None
    if over is not None:
        start = start.at_least(over.error(start.points, at_start=True))
        now = now.at_least(over.error(now.points))
    curve = _curve(thin, start, now)
    width = _width(len(thin))
    at = int(np.argmax(curve))
    least = counted.error(float(curve[at]), width) if counted is not None else 0.0
    best = Level(
        float(curve[at]),
        max(error_of_mean(errors, width), least),
        width,
        max(error_of_mean(near, width), least),
    )
    # Points often stray more around the best than elsewhere, as returns do the higher they are. What
    # the whole series shows would make a lucky peak look sure, and every end after it a fall.
    best = best.at_least(_by_itself(thin, at, width) / math.sqrt(width))
    if over is not None:
        best = best.at_least(over.error(best.points))
    # a run that still rises is at its best now: nothing was lost since
    for end in (start, now):
        if end.value >= best.value:
            best = end
    return Levels(
        start,
        best,
        now,
        min(int(edges[at + 1]) - 1, n - 1),
        errors[0] * math.sqrt(size),
        deviation(thin),
        curve if size == 1 else np.repeat(curve, widths),
        turns(curve),
    )


@lru_cache(maxsize=256)
def blocks_of(n: int, blocks: int) -> tuple[IntArray, IntArray]:
    """Where to cut n points into this many blocks of about one length, and how many points each has."""
    edges = np.linspace(0, n, blocks + 1).astype(np.int64)
    widths = np.diff(edges)
    edges.flags.writeable = widths.flags.writeable = False  # they are handed out again
    return edges, widths


def deviation(values: FloatArray) -> float:
    """The standard deviation: that of NumPy, which takes longer to ask than to compute."""
    n = len(values)
    off = values - np.add.reduce(values) / n
    return math.sqrt(np.add.reduce(off * off) / n)


def _wilder(values: FloatArray) -> tuple[float, float]:
    """By how much the surroundings of the first and of the last point stray more than the whole series.

    At least 1. Returns of single episodes stray the more, the higher they are.
    """
    n = len(values)
    width = max(MIN_AROUND, n // MAX_END)
    if n < 2 * width:
        return 1.0, 1.0
    bends = np.abs(values[2:] - 2.0 * values[1:-1] + values[:-2])
    usual = bend(values, 1) * OF_BEND * MEAN_OF_ALL
    if not usual > 0:
        return 1.0, 1.0
    # a single wild point is none of its surroundings' fault
    sums = np.cumsum(np.minimum(bends, WILD * usual))
    first, last = float(sums[width - 1]), float(sums[-1] - sums[-1 - width])
    return max(1.0, first / width / usual), max(1.0, last / width / usual)


def calmed(values: FloatArray, noise: float) -> FloatArray:
    """The series with each single wild point moved to its neighbours; a low first point stays.

    The first point of a series may be that of an untrained model, far below all others. One far above
    them is an accident, and so is a single last one far off until others follow it.
    """
    n = len(values)
    if n < MIN_TO_CALM:
        return values
    if not noise > ROUNDING * float(np.abs(values).max()):
        return values
    before, after = values[:-2], values[2:]
    middle = values[1:-1]
    nearest = np.where(np.abs(middle - before) < np.abs(middle - after), before, after)
    wild = np.abs(middle - nearest) > WILD * noise
    wild &= np.abs(before - after) < STEEP * np.abs(middle - nearest)
    result = values.copy()
    result[1:-1][wild] = (before + after)[wild] / 2
    # Neighbours that are far apart themselves (half of the jump) show a course that is steep, not wild.
    near = (result[1] + result[2]) / 2
    off = result[0] - near
    odd = off > WILD * noise and result[0] > result[1:].max()
    odd = bool(odd and abs(result[1] - result[2]) < STEEP * off)  # else it falls on from there
    if odd:
        result[0] = near
    earlier, later, last = result[-LAST:].tolist()
    near = (earlier + later) / 2
    off = abs(last - near)
    if off > WILD * noise and abs(earlier - later) < STEEP * off:
        result[-1], odd = near, True
    return result if odd or wild.any() else values


def _end(
    values: FloatArray,
    near: list[float],
    errors: list[float],
    wilder: float,
    counted: Hits | None = None,
    *,
    strays_by_itself: bool = False,
) -> Level:
    """The level at the beginning of an array: of the longest window that shorter ones agree with.

    `strays_by_itself`: where it strays more than the whole series, shorter windows may differ by that
    much. Not so at the start, where a model that learns fast is in another place soon. A window in
    which the series moves on all the time is none in which it stands: its level is that of a shorter
    one, however far the whole course bends.
    """
    longest = max(1, len(values) // MAX_END)
    sums = np.cumsum(values[:longest]).tolist()
    low, high = -math.inf, math.inf
    width = points = 1
    value, least, most = sums[0], 0.0, deviation(values)
    times = wilder if strays_by_itself and wilder >= WILDER else 1.0
    least_way, rows = STILL * float(np.ptp(values)), 0.0
    if strays_by_itself and longest >= MIN_AROUND:
        rows = deviation(np.diff(values[:longest]))
    while width <= longest:
        if rows > 0 and _moves_on(values[:width], least_way, rows):
            break
        mean, error = sums[width - 1] / width, times * error_of_mean(near, width)
        fewest = counted.error(mean, width) if counted is not None else 0.0
        error = max(error, fewest)
        # Each window has to agree with all shorter ones, not only with the last: small shifts in one
        # direction would otherwise add up to another level.
        low, high = max(low, mean - AGREE * error), min(high, mean + AGREE * error)
        if low > high:
            break
        value, points, least = mean, width, fewest
        width = longest if width < longest < 2 * width else 2 * width
    far = min(wilder * error_of_mean(errors, points), most)  # chance moves no end farther than that
    return Level(value, max(far, least), points, max(wilder * error_of_mean(near, points), least))


def _moves_on(window: FloatArray, least: float, rows: float) -> bool:
    """Whether the quarters of a window rise or fall in order, by so much and by more than noise does.

    `rows`: how far neighbouring points are apart.
    """
    n = len(window) // QUARTERS
    if n < QUARTERS:
        return False
    means = window[: n * QUARTERS].reshape(QUARTERS, n).mean(axis=1)
    steps = np.diff(means)
    if not ((steps > 0).all() or (steps < 0).all()):
        return False
    return abs(float(means[-1] - means[0])) >= max(least, AGREE * rows / math.sqrt(n))


def _by_itself(values: FloatArray, at: int, width: int) -> float:
    """How far single points stray around one of them: of the highest the more, in many series."""
    around = values[max(0, at - width) : at + width + 1]
    if len(around) < MIN_AROUND:
        return 0.0
    return math.sqrt(float(np.square(np.diff(around)).mean()) / 2.0)


def _width(n: int) -> int:
    """Points in a window of the curve."""
    return max(1 if n < SINGLE_BELOW else 2, n // LEVELS)


def _curve(values: FloatArray, start: Level, now: Level) -> FloatArray:
    """The mean around each point; towards the ends, where no window fits, the level of the end."""
    n, width = len(values), _width(len(values))
    sums = np.concatenate([[0.0], np.cumsum(values)])
    means = (sums[width:] - sums[:-width]) / width
    before = (width - 1) // 2
    after = n - len(means) - before
    curve = np.empty(n)
    curve[:before], curve[before : n - after], curve[n - after :] = means[0], means, means[-1]
    curve[: min(start.points, before)] = start.value
    curve[n - min(now.points, after) :] = now.value
    return curve
