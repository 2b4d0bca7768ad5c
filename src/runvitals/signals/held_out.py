"""Evaluations: few points, each with the noise of a finite set. Is the last one really worse?"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from runvitals.model.row import FloatArray
from runvitals.signals.robust import finite, median, noise, wander

MIN_POINTS = 5
MANY = 12
# Standard errors that the last may lie below the best of many, and by how much more few points ask for:
# together 2% of series without wandering fall so far (by simulation)
CLEAR, OF_FEW = 4.0, 4.0
PAIRS_BELOW, PAIR, TRIPLE = 9, 2, 3  # points: with fewer, levels are means of two, not of three
ROWS = 50  # that tell of how many examples they are shares
OFF, ROUNDED = 0.01, 6e-5  # of one example; for each example, what four digits round off
LEAST_VARIANCE = 0.25  # over the number of examples: a share of 0 or 1 is not certain either
MAX_POINTS = 200  # longer series are thinned out
MAX_SAMPLES = 2000  # beyond that the noise of a share hardly matters
USUAL_ERROR, MAX_ERROR = 0.0275, 0.05  # of a share whose set is of unknown size; of one that tells


class Drop(NamedTuple):
    """The fall from the best level to the last, each the mean of two or three evaluations in a row."""

    best_index: int
    best: float
    now: float
    lowest: float  # of all levels
    size: float  # best - now
    error: float  # of the difference of two levels, one standard deviation
    swing: float  # the largest fall before the best, or rise after it: what the series does anyway
    points: int

    @property
    def sure(self) -> bool:
        """True if noise, drift and the choice of the best of many hardly explain such a fall."""
        beyond_noise = self.size > CLEAR * (1.0 + OF_FEW / self.points) * self.error
        return beyond_noise and self.size > 2.0 * self.swing

    @property
    def share(self) -> float:
        """Of the range that the levels have covered."""
        covered = self.best - self.lowest
        return self.size / covered if covered > 0 else 0.0


def drop_from_best(values: FloatArray, *, share: bool = False) -> Drop | None:
    """What became of the best level of an evaluation in which more is better.

    `share`: the values are shares of a finite set of examples (accuracy, success rate), whose size is
    told from the values themselves. None with fewer than 5 evaluations.

    False alarms of `sure`: at most 2% of series without wandering, and none in a thousand for shares;
    up to 7% of up to 8 points and 20% of 20 points at a lag-1 correlation of 0.8, 1% of 100 points.
    """
    values = finite(values)
    if len(values) < MIN_POINTS:
        return None
    values, every = _thinned(values)
    n = len(values)
    width = PAIR if n < PAIRS_BELOW else TRIPLE
    levels = np.convolve(values, np.full(width, 1.0 / width), mode="valid")
    before = levels[:-width] if len(levels) > width else levels[:1]
    at = int(np.argmax(before))
    best, now = float(before[at]), float(levels[-1])
    error = evaluation_noise(values, share=share) * math.sqrt(2.0 / width)
    swing = max(_largest_fall(levels[: at + 1]), _largest_fall(-levels[at:]))
    return Drop(
        (at + width - 1) * every, best, now, float(levels.min()), best - now, error, swing, n
    )


def _thinned(values: FloatArray) -> tuple[FloatArray, int]:
    """Means of blocks if there are more points than evaluations usually are, and the block's size."""
    every = -(-len(values) // MAX_POINTS)
    if every <= 1:
        return values, 1
    whole = len(values) // every * every
    return values[len(values) - whole :].reshape(-1, every).mean(axis=1), every


def _largest_fall(levels: FloatArray) -> float:
    return float((np.maximum.accumulate(levels) - levels).max())


def evaluation_noise(values: FloatArray, *, share: bool = False) -> float:
    """How far chance moves one evaluation: by its neighbours, or by the size of the set."""
    values, _ = _thinned(finite(values))
    found = noise(values) if len(values) > 1 else 0.0
    if len(values) >= MANY:
        found = max(found, wander(values))
    return max(found, sampling_error(values)) if share else found


def sampling_error(values: FloatArray) -> float:
    """Of a share of a finite set of examples; 0 if the set is large or the values are no such shares.

    >>> round(sampling_error(np.array([0.5, 0.52, 0.54])), 3)
    0.071
    """
    values = finite(values)
    if not len(values) or values.min() < 0 or values.max() > 1:
        return 0.0
    counts = np.arange(1, MAX_SAMPLES + 1)
    rows = values[:: max(1, len(values) // ROWS)]
    off = np.abs(rows[:, None] * counts - np.round(rows[:, None] * counts)).max(axis=0)
    fitting = np.flatnonzero(off <= OFF + ROUNDED * counts)
    if not len(fitting) or counts[fitting[0]] > MAX_SAMPLES // 2:
        return 0.0
    samples = float(counts[fitting[0]])
    middle = median(values)
    return math.sqrt(max(middle * (1.0 - middle), LEAST_VARIANCE / samples) / samples)


def chance_limit(values: FloatArray, *, chance: float = 0.5) -> float:
    """The highest share that is still what guessing gives on a set of this size.

    Two sampling errors above `chance`, since every evaluation asks the same set: more evaluations do
    not make it larger. The size is told from the values; a set of unknown size gets a usual one, and
    one too small to tell (below 100 examples) too.

    False alarms: a judge that is right in 65% of all cases is held for a guesser in at most 8% of
    sets of 128 examples, one that is right in 70% in less than 1%.

    >>> round(chance_limit(np.array([64.0, 70.0, 61.0]) / 128), 3)
    0.588
    """
    error = sampling_error(values)
    return chance + 2.0 * (error if 0.0 < error <= MAX_ERROR else USUAL_ERROR)
