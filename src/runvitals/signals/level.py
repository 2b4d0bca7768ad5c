"""The level behind a noisy series, with its uncertainty: the one reading that every judgement uses.

A row is a level plus noise. The level is a constant plus a smooth curve (a Gaussian process with a
Matern-3/2 kernel, written in cosines) of time or of log time, since learning slows down. It may jump
once, since runs also break from one row to the next. The noise may be autocorrelated, as running means
are, and may grow or fade in the course of the run. How smooth, how large, how long a memory: each
possibility is a model that is weighted by its evidence, and levels are drawn from the mixture. Every
question about the series is then the share of draws that say yes.

A series is read as at most 72 block means, so the cost does not grow with its length. No level lies
outside the values that were logged.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np

from runvitals.model.row import FloatArray, IntArray
from runvitals.signals.robust import median

MAX_BLOCKS = 72
COSINES = 14  # a level can turn within about 10% of the run; faster changes are jumps or noise
MARGIN = 0.25  # of the run: the cosines reach this far beyond both ends, and do not bend there
LOG_TIME = 100.0  # the curve is a function of t or of log(1 + 100 t)
LENGTH_SCALES = (0.2, 1.0)  # of the run
SIGNAL_TO_NOISE = (0.5, 3.0, 18.0)  # spread of the level over the noise of one row
MEMORIES = (0.0, 3.0, 15.0)  # rows over which the noise is autocorrelated
MAX_MEMORY = 0.2  # of the run: what lasts longer is part of the level
FADING = (-3.0, 0.0, 3.0)  # logarithm of the noise at the end over that at the start
# chance, before looking, that the level is constant; that it jumps
FLAT_PRIOR, JUMP_PRIOR = 0.2, 0.2
JUMP_SIZE = 20.0  # usual size of a jump, in noises of one row
MIN_SIDE = 3  # rows on both sides of a jump, fewer in short series: a lone row is noise
FREE = 100.0  # variance of a constant that may be anything
NOISE_SHAPE, NOISE_SCALE = 0.5, 0.03  # weak inverse-gamma prior, in variances of the series
OUTLIER, MAX_OUTLIERS = 8.0, 0.02  # deviations from its neighbours; and of the rows, at most
DRAWS = 256
MAX_KEPT = 32  # levels that are kept, so that rules, verdict and vitals read a series once
END_SHARE = 0.1  # of the blocks: the end and the best are means of this many


class Level:
    """Draws of the level that could have made the rows; made when they are first asked for."""

    def __init__(self, values: FloatArray, *, logs: bool) -> None:
        self._values, self._logs = values, logs
        self.points = len(values)

    @property
    def rows(self) -> IntArray:
        """How many rows each block has."""
        return np.diff(_block_edges(self.points))

    @property
    def paths(self) -> FloatArray:
        """The level by draw and block."""
        return self._read[0]

    @property
    def noise(self) -> float:
        """The standard deviation of one row around the level."""
        return self._read[1]

    @cached_property
    def _read(self) -> tuple[FloatArray, float]:
        if not self._logs:
            return self._levels(self._values)
        paths, noise = self._levels(-np.log(-self._values))
        return -np.exp(-paths), noise

    def _levels(self, values: FloatArray) -> tuple[FloatArray, float]:
        values = _without_outliers(values)
        means = np.add.reduceat(values, _block_edges(len(values))[:-1]) / self.rows
        middle, spread = float(means.mean()), float(means.std())
        if spread <= 1e-12 * float(np.abs(means).max()) or len(means) < 4:
            level = means if len(means) < 4 else np.full(len(means), middle)
            return np.tile(level, (DRAWS, 1)), spread
        design = _design(len(values))
        paths, noise = _drawn(design, (means - middle) / spread)
        paths *= spread
        paths += middle
        np.clip(paths, values.min(), values.max(), out=paths)
        return paths, noise * spread

    @cached_property
    def _means(self) -> FloatArray:
        width = max(1, int(self.paths.shape[1] * END_SHARE))
        total = np.concatenate([np.zeros((DRAWS, 1)), self.paths.cumsum(axis=1)], axis=1)
        means: FloatArray = (total[:, width:] - total[:, :-width]) / width
        return means

    @property
    def start(self) -> FloatArray:
        """The first level of each draw."""
        return self.paths[:, 0]

    @property
    def end(self) -> FloatArray:
        """The mean of the last tenth of each draw."""
        return self._means[:, -1]

    @cached_property
    def best(self) -> FloatArray:
        """The level of each draw in the tenth in which the series was probably highest."""
        return self._means[:, int(self._means.mean(axis=0).argmax())]

    @cached_property
    def best_block(self) -> int:
        """The block with which the best level was reached."""
        width = self.paths.shape[1] - self._means.shape[1]
        return int(self._means.mean(axis=0).argmax() + width)

    @cached_property
    def curve(self) -> FloatArray:
        """The mean level at each row."""
        return np.repeat(self.paths.mean(axis=0), self.rows)

    def at(self, share: float) -> FloatArray:
        """The level of each draw when this share of the run was done."""
        block = int(np.searchsorted(np.cumsum(self.rows), share * self.points))
        return self.paths[:, min(block, self.paths.shape[1] - 1)]

    def rose(self, by: float, *, since: float = 0.0) -> float:
        """The chance that the end is above the start (or a later share of the run) by this much."""
        starts = [self.at(since)] if since else [self.start, self._means[:, 0]]  # or first tenth
        return max(chance(self.end - start > by) for start in starts)

    def lost(self, share: float, by: float) -> float:
        """The chance that this share of a gain is gone again, where both are at least this much."""
        gain, gone = self.best - self.start, self.best - self.end
        # a gain that dwarfs its own best, since it began far worse, hides no fall
        weighed = np.clip(2 * np.abs(self.best), 0.6 * gain, gain)
        return chance((gain > by) & (gone > np.maximum(share * weighed, by)))


def chance(holds: np.ndarray) -> float:
    """The share of draws in which something holds."""
    return float(np.mean(holds))


def read_level(values: FloatArray, *, logs: bool = False) -> Level:
    """The levels that could have made at least one finite value; the same values are read once.

    `logs`: all are below 0 and read in logarithms: of a turned loss, ratios count.

    >>> level = read_level(np.linspace(0.0, 1.0, 30))
    >>> level.rose(by=0.5), level.lost(0.25, by=0.1)
    (1.0, 0.0)
    """
    return _level(np.ascontiguousarray(values, np.float64).tobytes(), logs)


@lru_cache(maxsize=MAX_KEPT)
def _level(row_bytes: bytes, logs: bool) -> Level:
    return Level(np.frombuffer(row_bytes), logs=logs)


def _drawn(design: _Design, rows: FloatArray) -> tuple[FloatArray, float]:
    """Levels of all models, each as often as its evidence asks for, and the median noise of a row."""
    blocks, share = len(rows), len(design.inverse) // len(design.whitening)
    power = np.repeat(np.square(design.whitening @ rows).sum(axis=1), share)
    fit = design.projection @ rows  # (m, cosines)
    reach = np.repeat(design.jump_projection @ rows, share, axis=0)
    reach -= (fit[:, None] @ design.shared)[:, 0]
    left = (power - np.square(fit).sum(axis=1))[:, None] - reach**2 / design.jump_power
    left = np.maximum(left, 0.0) / 2 + NOISE_SCALE
    evidence = (design.evidence - (NOISE_SHAPE + blocks / 2) * np.log(left)).ravel()
    weight = np.cumsum(np.exp(evidence - evidence.max()))
    picked = np.searchsorted(weight, (np.arange(DRAWS) + 0.5) / DRAWS * weight[-1])
    model, place = np.divmod(picked.clip(0, len(weight) - 1), blocks)
    gammas, normals = _randomness(blocks)
    noise = np.sqrt(left[model, place] / gammas)[:, None]
    own = design.jump_power[model, place, None]
    size = reach[model, place, None] / own + noise * normals[:, -1:] / np.sqrt(own)
    fit = fit[model] - size * design.shared[model, :, place] + noise * normals[:, :-1]
    cosines = np.einsum("dk,dkj->dj", fit, design.inverse[model])
    in_log_time = (model // (share // 2) % 2 == 1)[:, None]
    straight, warped = (cosines @ curve.T for curve in design.curves)
    paths = np.where(in_log_time, warped, straight)
    paths += size * design.jumps[place]
    return paths, median(noise[:, 0])


@dataclass(frozen=True)
class _Design:
    """All that does not depend on the values: for kinds of noise (k), models (m) and jumps (j).

    A model is a kind of noise, a curve of time or of log time, and how smooth and how large it is.
    """

    curves: FloatArray  # (2, blocks, cosines)
    jumps: FloatArray  # (j, blocks): 0 before a place and 1 from it on; the first has no jump
    whitening: FloatArray  # (k, blocks, blocks): makes the noise white
    inverse: FloatArray  # (m, cosines, cosines): inverse Cholesky factor of the precision
    projection: FloatArray  # (m, cosines, blocks): from the values to the fit
    jump_projection: FloatArray  # (k, j, blocks)
    shared: FloatArray  # (m, cosines, j): what each jump shares with the cosines
    jump_power: FloatArray  # (m, j): what it has left
    evidence: FloatArray  # (m, j): the part that does not depend on the values


@lru_cache(maxsize=6)  # of 1.3 MB each
def _design(n: int) -> _Design:
    edges = _block_edges(n)
    time = (edges[:-1] + edges[1:]) / 2 / n
    waves = np.pi / (1 + 2 * MARGIN) * np.arange(COSINES, dtype=np.float64)
    warped = np.log1p(LOG_TIME * time) / np.log1p(LOG_TIME)
    curves = np.stack([np.cos((t[:, None] + MARGIN) * waves) for t in (time, warped)])
    priors, chances = _priors(waves)
    memories = [memory for memory in MEMORIES if memory <= MAX_MEMORY * n]
    whitening, density = _whitening(np.diff(edges), time, memories)
    white = whitening[:, None] @ curves
    jumps = np.triu(np.ones((len(time), len(time))))
    jumps[0] = 0.0
    white_jumps = whitening @ jumps.T
    at = np.arange(COSINES)
    precision = (white.transpose(0, 1, 3, 2) @ white)[:, :, None] + np.zeros((len(priors), 1, 1))
    precision[..., at, at] += 1 / priors
    root = np.linalg.cholesky(precision)
    inverse = np.linalg.inv(root)
    fit = inverse @ white.transpose(0, 1, 3, 2)[:, :, None]  # (k, 2, p, cosines, blocks)
    models = (-1, COSINES, len(time))
    shared = (fit @ white_jumps[:, None, None]).reshape(models)
    power = np.repeat(np.square(white_jumps).sum(axis=1), 2 * len(priors), axis=0)
    power = np.maximum(power - np.square(shared).sum(axis=1), 0.0) + JUMP_SIZE**-2.0
    evidence = density[:, None, None] + chances - np.log(root[..., at, at]).sum(axis=-1)
    alone = np.minimum(edges[:-1], n - edges[:-1]) < min(MIN_SIDE, 1 + n // 10)
    jump_chances = np.where(alone, 1e-9, JUMP_PRIOR) / (len(time) - 1)
    jump_chances[0] = 1 - JUMP_PRIOR
    return _Design(
        curves,
        jumps,
        whitening,
        inverse.reshape(-1, COSINES, COSINES),
        (fit @ whitening[:, None, None]).reshape(models),
        white_jumps.transpose(0, 2, 1) @ whitening,
        shared,
        power,
        evidence.reshape(-1, 1) + np.log(jump_chances) - np.log(power * JUMP_SIZE**2) / 2,
    )


def _priors(waves: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Variances of the cosines, and the prior weight of each; the first stands for a flat level."""
    spectra = np.array([(3 / length**2 + waves**2) ** -2.0 for length in LENGTH_SCALES])
    spectra *= 2 / spectra[:, 1:].sum(axis=1, keepdims=True)
    sizes = [ratio**2 * spectra for ratio in SIGNAL_TO_NOISE]
    priors = np.concatenate([np.full((1, COSINES), 1e-9), *sizes])
    priors[:, 0] = FREE
    chances = np.full(len(priors), (1 - FLAT_PRIOR) / (len(priors) - 1))
    chances[0] = FLAT_PRIOR
    return priors, np.log(chances) - np.log(priors).sum(axis=1) / 2


def _whitening(
    rows: IntArray, time: FloatArray, memories: list[float]
) -> tuple[FloatArray, FloatArray]:
    """For each kind of noise of block means: the matrix that makes it white, and its log density."""
    matrices, densities = [], []
    later, seen = np.arange(1, len(rows)), np.cumsum(rows)
    for memory in memories:
        variance, neighbour = _noise_of_means(rows, memory)
        fresh = 1 / np.sqrt(1 - neighbour**2)
        if memory == 0:
            loud = [np.exp(fading * (time - 0.5)) for fading in FADING]
        else:  # the first rows of a running mean are means of fewer
            loud = [np.ones(len(rows)), np.sqrt(np.maximum(memory / seen, 1.0))]
        for loudness in loud:
            sd = np.sqrt(variance / np.mean(loudness**2)) * loudness
            matrix = np.diag(np.concatenate([[1.0], fresh]) / sd)
            matrix[later, later - 1] = -neighbour * fresh / sd[:-1]
            matrices.append(matrix)
            densities.append(np.log(fresh).sum() - np.log(sd).sum())
    return np.array(matrices), np.array(densities)


@lru_cache(maxsize=MAX_BLOCKS)
def _randomness(blocks: int) -> tuple[FloatArray, FloatArray]:
    """The same random numbers every time: a judgement must not change from one look to the next."""
    random = np.random.default_rng(blocks)
    return (
        random.gamma(NOISE_SHAPE + blocks / 2, size=DRAWS),
        random.standard_normal((DRAWS, COSINES + 1)),
    )


def _without_outliers(values: FloatArray) -> FloatArray:
    """The values with lone rows far from both neighbours, or last, moved to the median of the three."""
    if len(values) < 5:
        return values
    wide = np.concatenate([values[:1], values, values[-2:-1]])  # what is first may well be far off
    middle = np.clip(values, np.minimum(wide[:-2], wide[2:]), np.maximum(wide[:-2], wide[2:]))
    most = OUTLIER * max(median(np.abs(np.diff(values))), 0.1 * float(values.std()))
    far = np.abs(values - middle) > most
    # rows that are often far off are part of the series, as rare successes are
    return np.where(far, middle, values) if 0 < far.mean() <= MAX_OUTLIERS else values


def _block_edges(n: int) -> IntArray:
    """Where blocks begin: single rows first, where most is learned, then growing, then equal ones."""
    if n <= MAX_BLOCKS:
        return np.arange(n + 1)
    equal = int(np.ceil(n / (MAX_BLOCKS - 20)))
    growing = np.minimum(2.0 ** np.arange(24), equal).astype(int).cumsum()
    first = growing[: int(np.searchsorted(np.diff(growing), equal)) + 1]
    first = first[first < n]
    rest = np.arange(n, first[-1] + equal // 2, -equal)[::-1]
    return np.concatenate([[0], first, rest])


def _noise_of_means(rows: IntArray, memory: float) -> tuple[FloatArray, FloatArray]:
    """Variance of block means of AR(1) noise, and the correlation of neighbouring means."""
    size = rows.astype(np.float64)
    if memory == 0:
        return 1 / size, np.zeros(len(size) - 1)
    rho = np.exp(-1 / memory)
    decayed = 1 - rho**size
    variance = ((1 + rho) / (1 - rho) - 2 * rho * decayed / (size * (1 - rho) ** 2)) / size
    shared = rho * decayed[1:] * decayed[:-1] / ((1 - rho) ** 2 * size[1:] * size[:-1])
    return variance, np.minimum(shared / np.sqrt(variance[1:] * variance[:-1]), 0.98)
