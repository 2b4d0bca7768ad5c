"""The level behind a noisy series, with its uncertainty: the one reading that every judgement uses.

A row is a level plus noise. The level is a constant plus a smooth curve (a Gaussian process with a
Matern-3/2 kernel, written in cosines) of time or of log time, since learning slows down. It may jump
once, since runs also break from one row to the next. The noise may
be autocorrelated, as running means are, and may be louder in one part of the run than in another. How
smooth, how large, how long a memory: each possibility is weighted by its evidence, and levels are
drawn from the mixture. Every question about the series is then the share of draws that say yes.

A series is read as at most 72 block means, so the cost does not grow with its length.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import Protocol

import numpy as np

from runvitals.model.row import FloatArray, IntArray

MAX_BLOCKS = 72
COSINES = 20  # a level can turn within about 7% of the run
MARGIN = (
    0.25  # of the run: the cosines reach this far beyond both ends, so that they do not bend there
)
LOG_TIME = 100.0  # the curve is a function of t or of log(1 + 100 t)
LENGTH_SCALES = (0.1, 0.4, 1.6)  # of the run
MIN_ROWS_PER_LENGTH = 4  # faster changes than this are noise
SIGNAL_TO_NOISE = (0.3, 1.2, 5.0, 20.0)  # spread of the level over the noise of one row
MEMORIES = (0.0, 2.0, 10.0, 50.0)  # rows over which the noise is autocorrelated
MAX_MEMORY = 0.2  # of the run: what lasts longer is part of the level
MAX_UNEVEN_MEMORY = 2.0  # rows; louder and quieter parts are told from a level only by quick noise
MIN_LOUDNESS = 0.4  # of the mean noise, in the quietest part
FLAT_PRIOR, JUMP_PRIOR = (
    0.3,
    0.1,
)  # chance, before looking, that the level is constant; that it jumps
JUMP_SIZE = 5.0  # usual size of a jump, in noises of one row
FREE = 100.0  # variance of a constant that may be anything
NOISE_SHAPE, NOISE_SCALE = 1.0, 0.1  # weak inverse-gamma prior, in variances of the series
OUTLIER = 8.0  # deviations from its four neighbours, of a lone row that is not read
MAX_OUTLIERS = 0.02  # of the rows
DRAWS = 256
MAX_KEPT = 32  # levels that are kept, so that rules, verdict and vitals read a series once
END_SHARE = 0.1  # of the blocks: the end and the best are means of this many


@dataclass(frozen=True)
class Level:
    """Draws of the level that could have made the rows: `paths[draw, block]`."""

    paths: FloatArray
    rows: IntArray  # in each block
    noise: float  # standard deviation of one row
    points: int

    @cached_property
    def _means(self) -> FloatArray:
        width = max(1, int(self.paths.shape[1] * END_SHARE))
        total = np.cumsum(np.pad(self.paths, ((0, 0), (1, 0))), axis=1)
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
        return self.paths[:, min(block, len(self.rows) - 1)]

    def rose(self, by: float, *, since: float = 0.0) -> float:
        """The chance that the end is above the start (or a later share of the run) by this much."""
        return _share(self.end - self.at(since) > by)

    def lost(self, share: float, by: float) -> float:
        """The chance that the end is below the best by this share of the gain, and by this much."""
        gain = self.best - self.start
        return _share(self.best - self.end > np.maximum(share * gain, by))

    def above(self, limit: float, *, for_share: float = 0.5) -> float:
        """The chance that the level was above a limit for more than this share of the run."""
        return _share((self.paths > limit) @ self.rows / self.points > for_share)

    def below(self, limit: float, *, for_share: float = 0.5) -> float:
        """The chance that the level was below a limit for more than this share of the run."""
        return _share((self.paths < limit) @ self.rows / self.points > for_share)


def _share(holds: np.ndarray) -> float:
    return float(np.mean(holds))


def read_level(values: FloatArray) -> Level:
    """The levels that could have made at least one finite value; the same values are read once.

    >>> level = read_level(np.linspace(0.0, 1.0, 30))
    >>> level.rose(by=0.5), level.lost(0.25, by=0.1)
    (1.0, 0.0)
    """
    return _read(np.ascontiguousarray(values, np.float64).tobytes())


@lru_cache(maxsize=MAX_KEPT)
def _read(row_bytes: bytes) -> Level:
    values = _without_outliers(np.frombuffer(row_bytes))
    design = _design(len(values))
    means = np.add.reduceat(values, design.edges[:-1]) / design.rows
    middle, spread = float(means.mean()), float(means.std())
    if spread <= 1e-12 * float(np.abs(means).max()) or len(means) < 4:
        paths = (
            np.tile(means, (DRAWS, 1)) if len(means) < 4 else np.full((DRAWS, len(means)), middle)
        )
        return Level(paths, design.rows, spread, len(values))
    standardised = (means - middle) / spread
    short = tuple(memory for memory in design.memories if memory <= MAX_UNEVEN_MEMORY)
    loudness = _loudness(values, design.edges)
    smooth = _Smooth(design.even, design, standardised)
    families: list[_Family] = [smooth, _Jumping(smooth, design, standardised)]
    if np.ptp(loudness) > 0:
        families.append(_Smooth(_models(design, short, loudness), design, standardised))
    paths, noise = _drawn(families, len(standardised))
    return Level(paths * spread + middle, design.rows, noise * spread, len(values))


def _drawn(families: Sequence[_Family], blocks: int) -> tuple[FloatArray, float]:
    """Levels of all families, each as often as its evidence asks for, and the median noise of a row."""
    evidence = np.concatenate([family.evidence for family in families])
    weight = np.cumsum(np.exp(evidence - evidence.max()))
    picked = np.searchsorted(weight, (np.arange(DRAWS) + 0.5) / DRAWS * weight[-1])
    picked = picked.clip(0, len(weight) - 1)
    gammas, normals = _randomness(blocks)
    noise = np.sqrt(np.concatenate([family.left for family in families])[picked] / gammas)
    paths = np.empty((DRAWS, blocks))
    first = 0
    for family in families:
        mine = (picked >= first) & (picked < first + len(family.evidence))
        if mine.any():
            paths[mine] = family.draw(picked[mine] - first, noise[mine], normals[mine])
        first += len(family.evidence)
    return paths, float(np.median(noise))


class _Family(Protocol):
    """Models of one kind, weighed by the rows."""

    evidence: FloatArray
    left: FloatArray  # half of the squared residuals

    def draw(self, models: IntArray, noise: FloatArray, normals: FloatArray) -> FloatArray:
        """One level for each of these models."""


@dataclass(frozen=True)
class _Models:
    """All that does not depend on the rows, for each kind of noise and curve (k) and prior (p)."""

    sd: FloatArray  # (k, blocks)
    neighbour: FloatArray  # (k, blocks - 1): autocorrelation with the block before
    white: FloatArray  # (k, blocks, cosines): the cosines, whitened
    precision: FloatArray  # (k, p, cosines, cosines)
    evidence: FloatArray  # (k, p): its part that does not depend on the rows
    inverse: FloatArray | None = None  # (k, p, cosines, cosines): inverse Cholesky factors


@dataclass(frozen=True)
class _Design:
    """Blocks, cosines and models of even noise, for a number of rows."""

    edges: IntArray
    rows: IntArray
    curves: FloatArray  # (2, blocks, cosines): of time, and of log time
    priors: FloatArray  # (p, cosines): variances of the cosines; the first has no curve
    memories: tuple[float, ...]

    @cached_property
    def even(self) -> _Models:
        """Models whose noise is as loud in every part of the run."""
        models = _models(self, self.memories, np.ones(len(self.rows)))
        root = _factor(models.precision)
        evidence = models.evidence - _log_diagonal(root)
        return replace(models, evidence=evidence, inverse=_inverse(root))

    @cached_property
    def jumps(self) -> FloatArray:
        """(places, blocks): 0 before a place and 1 from it on."""
        blocks = len(self.rows)
        return np.triu(np.ones((blocks, blocks)))[1:]

    @cached_property
    def white_jumps(self) -> FloatArray:
        """(k, places, blocks): the jumps, whitened as the rows are."""
        even = self.even
        columns = np.tile(self.jumps.T, (len(even.sd), 1, 1))
        return _whitened(columns, even.sd, even.neighbour).transpose(0, 2, 1)

    @cached_property
    def with_jump(self) -> tuple[FloatArray, FloatArray]:
        """What each jump shares with the cosines, and the power it has left, for each model."""
        even = self.even
        assert even.inverse is not None
        both = even.white.transpose(0, 2, 1) @ self.white_jumps.transpose(0, 2, 1)
        shared = (even.inverse @ both[:, None]).reshape(-1, COSINES, len(self.jumps))
        power = np.square(self.white_jumps).sum(axis=2)
        power = np.repeat(power, len(self.priors), axis=0) - np.square(shared).sum(axis=1)
        return shared, np.maximum(power, 0.0)


@lru_cache(maxsize=12)
def _design(n: int) -> _Design:
    edges = _block_edges(n)
    time = (edges[:-1] + edges[1:]) / 2 / n
    waves = np.pi * np.arange(COSINES) / (1 + 2 * MARGIN)
    warped = np.log1p(LOG_TIME * time) / np.log1p(LOG_TIME)
    curves = np.stack([np.cos((t[:, None] + MARGIN) * waves) for t in (time, warped)])
    lengths = [s for s in LENGTH_SCALES if s * n >= MIN_ROWS_PER_LENGTH] or [LENGTH_SCALES[-1]]
    spectra = np.array([(3 / s**2 + waves**2) ** -2.0 for s in lengths])
    spectra[:, 0] = 0.0
    spectra *= 2 / spectra.sum(axis=1, keepdims=True)
    sizes = [ratio**2 * spectra for ratio in SIGNAL_TO_NOISE]
    priors = np.concatenate([np.full((1, COSINES), 1e-9), *sizes])
    priors[:, 0] = FREE
    memories = tuple(m for m in MEMORIES if m <= MAX_MEMORY * n)
    return _Design(edges, np.diff(edges), curves, priors, memories)


def _models(design: _Design, memories: tuple[float, ...], loudness: FloatArray) -> _Models:
    noise = [_noise_of_means(design.rows, memory) for memory in memories]
    sd = np.sqrt(np.repeat([variance for variance, _ in noise], 2, axis=0)) * loudness
    neighbour = np.repeat([shared for _, shared in noise], 2, axis=0)
    white = _whitened(np.tile(design.curves, (len(memories), 1, 1)), sd, neighbour)
    precision = (white.transpose(0, 2, 1) @ white)[:, None] + np.zeros((len(design.priors), 1, 1))
    at = np.arange(COSINES)
    precision[..., at, at] += 1 / design.priors
    smooth = (1 - FLAT_PRIOR) / (len(design.priors) - 1)
    chances = np.array([FLAT_PRIOR] + [smooth] * (len(design.priors) - 1))
    by_prior = np.log(chances) - np.log(design.priors).sum(axis=1) / 2
    evidence = _density(sd, neighbour)[:, None] + by_prior
    return _Models(sd, neighbour, white, precision, evidence)


def _density(sd: FloatArray, neighbour: FloatArray) -> FloatArray:
    """The log density of whitening."""
    density: FloatArray = -np.log(sd).sum(axis=1) - np.log1p(-(neighbour**2)).sum(axis=1) / 2
    return density


def _factor(matrices: FloatArray) -> FloatArray:
    roots: FloatArray = np.linalg.cholesky(matrices).astype(np.float64, copy=False)
    return roots


def _inverse(roots: FloatArray) -> FloatArray:
    inverse: FloatArray = np.linalg.inv(roots).astype(np.float64, copy=False)
    return inverse


def _log_diagonal(root: FloatArray) -> FloatArray:
    logs: FloatArray = np.log(np.diagonal(root, axis1=-2, axis2=-1)).sum(axis=-1)
    return logs


def _whitened(values: FloatArray, sd: FloatArray, neighbour: FloatArray) -> FloatArray:
    """Rows of independent noise of variance 1, from autocorrelated rows of these deviations."""
    axes = (..., *(None,) * (values.ndim - sd.ndim))
    white = values / sd[axes]
    later = (white[:, 1:] - neighbour[axes] * white[:, :-1]) / np.sqrt(1 - neighbour[axes] ** 2)
    return np.concatenate([white[:, :1], later], axis=1)


class _Smooth:
    """Constants and smooth curves."""

    def __init__(self, models: _Models, design: _Design, rows: FloatArray) -> None:
        self._models, self._design = models, design
        self.white = _whitened(np.tile(rows, (len(models.sd), 1)), models.sd, models.neighbour)
        projected = np.einsum("knc,kn->kc", models.white, self.white)
        power = np.einsum("kn,kn->k", self.white, self.white)[:, None]
        evidence, self._roots = models.evidence, None
        if models.inverse is not None:
            fit = np.einsum("kpij,kj->kpi", models.inverse, projected)
            left = power - np.einsum("kpi,kpi->kp", fit, fit)
        else:  # the rows as one more column of the matrix: its factor holds the fit and what it leaves
            both = np.empty((*models.evidence.shape, COSINES + 1, COSINES + 1))
            both[..., :COSINES, :COSINES] = models.precision
            both[..., COSINES, :COSINES] = both[..., :COSINES, COSINES] = projected[:, None]
            both[..., COSINES, COSINES] = power + 1e-9
            root = _factor(both)
            self._roots, fit = root[..., :COSINES, :COSINES], root[..., COSINES, :COSINES]
            left = root[..., COSINES, COSINES] ** 2
            evidence = evidence - _log_diagonal(self._roots)
        self.fit = fit.reshape(-1, COSINES)
        left = np.maximum(left, 0.0) / 2 + NOISE_SCALE
        self.left = left.ravel()
        self.evidence = (evidence - (NOISE_SHAPE + len(rows) / 2) * np.log(left)).ravel()

    def draw(
        self,
        models: IntArray,
        noise: FloatArray,
        normals: FloatArray,
        less: FloatArray | float = 0.0,
    ) -> FloatArray:
        used, which = np.unique(models, return_inverse=True)
        if self._roots is None:
            assert self._models.inverse is not None
            inverse = self._models.inverse.reshape(-1, COSINES, COSINES)[used]
        else:
            inverse = _inverse(self._roots.reshape(-1, COSINES, COSINES)[used])
        fit = self.fit[models] - less + noise[:, None] * normals[:, :COSINES]
        cosines = np.einsum("dk,dkj->dj", fit, inverse[which])
        straight, warped = self._design.curves
        on_log_time = (models // len(self._design.priors)) % 2 == 1  # the two curves alternate
        paths: FloatArray = np.where(on_log_time[:, None], cosines @ warped.T, cosines @ straight.T)
        return paths


class _Jumping:
    """The same models with one jump: for each of them, a place (j) and a size."""

    def __init__(self, smooth: _Smooth, design: _Design, rows: FloatArray) -> None:
        self._smooth, self._jumps = smooth, design.jumps
        shared, own = (
            design.with_jump
        )  # of a jump with the cosines (m, c, j), and its own power (m, j)
        reach = np.einsum("kjn,kn->kj", design.white_jumps, smooth.white)
        reach = np.repeat(reach, len(design.priors), axis=0)
        reach = reach - np.einsum("mcj,mc->mj", shared, smooth.fit)
        power = own + 1 / JUMP_SIZE**2
        left = np.maximum(smooth.left[:, None] - reach**2 / power / 2, NOISE_SCALE)
        gained = (NOISE_SHAPE + len(rows) / 2) * (np.log(smooth.left)[:, None] - np.log(left))
        chance = JUMP_PRIOR / (1 - JUMP_PRIOR) / len(self._jumps)
        evidence = smooth.evidence[:, None] + gained - np.log(power * JUMP_SIZE**2) / 2
        self.left, self.evidence = left.ravel(), (evidence + np.log(chance)).ravel()
        self._shared, self._reach, self._power = shared, reach, power

    def draw(self, models: IntArray, noise: FloatArray, normals: FloatArray) -> FloatArray:
        model, place = np.divmod(models, len(self._jumps))
        power = self._power[model, place]
        size = self._reach[model, place] / power + noise * normals[:, -1] / np.sqrt(power)
        less = size[:, None] * self._shared[model, :, place]
        paths: FloatArray = self._smooth.draw(model, noise, normals, less)
        return paths + np.asarray(size[:, None] * self._jumps[place], np.float64)


@lru_cache(maxsize=MAX_BLOCKS)
def _randomness(blocks: int) -> tuple[FloatArray, FloatArray]:
    """The same random numbers every time: a judgement must not change from one look to the next."""
    random = np.random.default_rng(blocks)
    return (
        random.gamma(NOISE_SHAPE + blocks / 2, size=DRAWS),
        random.standard_normal((DRAWS, COSINES + 1)),
    )


def _without_outliers(values: FloatArray) -> FloatArray:
    """The values with lone rows far from their four neighbours moved to the median of the five."""
    if len(values) < 5:
        return values
    wide = np.pad(values, 2, mode="edge")
    windows = np.lib.stride_tricks.sliding_window_view(wide, 5)
    middle = np.partition(windows, 2, axis=1)[:, 2]
    off = np.abs(values - middle)
    most = OUTLIER * max(1.4826 * float(np.median(off)), 0.1 * float(values.std()))
    far = off > most
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


def _loudness(values: FloatArray, edges: IntArray) -> FloatArray:
    """How noisy each part of the run is: running medians of steps between rows, with mean square 1."""
    blocks = len(edges) - 1
    even = np.ones(blocks)
    if blocks < 12:
        return even
    steps = np.abs(np.diff(values, prepend=values[1]))
    steps = np.add.reduceat(steps, edges[:-1]) / np.diff(edges)
    width = 2 * max(2, blocks // 12) + 1
    padded = np.pad(steps, width // 2, mode="reflect")
    loud = np.median(np.lib.stride_tricks.sliding_window_view(padded, width), axis=1)
    if not loud.any():
        return even
    loud = loud / loud.max()  # or the squares of tiny numbers would be 0
    loud = np.maximum(loud / np.sqrt(np.mean(loud**2)), MIN_LOUDNESS)
    scaled: FloatArray = loud / np.sqrt(np.mean(loud**2))
    return scaled
