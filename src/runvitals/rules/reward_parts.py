"""The parts of a reward, and the role that each has by what it does, whatever it is called."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from runvitals.model import Series
from runvitals.model.row import FloatArray
from runvitals.signals.late import TENTH, early_mean, late_mean
from runvitals.signals.pairs import aligned, aligned_all, rank_correlation
from runvitals.signals.trend import trend

if TYPE_CHECKING:
    from runvitals.rules.patient import Patient

UNNAMED = re.compile(r"^(?:\w+/)?rewards?/[^/]+(?:/mean)?$", re.I)
# Words only excuse: a part with such a name is the goal, or is not meant to be.
GOAL = re.compile(
    r"accura|correct|success|solve[sd]?\b|exact|pass@|win_?rate|absolute|\bextrinsic", re.I
)
ASIDE = re.compile(
    r"format|length|penalt|xml|tag|think|brevity|repeti|diversity|bonus|shap|delta|change"
    r"|intrinsic|curiosity|\brnd\b|\bicm\b|\bgail\b|novelty",
    re.I,
)

BLOCKS = 10  # of rows: what moves the total from block to block is not noise of single batches
CLEAR_RISE = 0.1  # of the scale of a part (judgement)
STILL = 0.05  # of the scale of a part (judgement)
KEPT = 0.6  # of the rise (judgement)
LITTLE = 0.1  # judgement: a part that pays less than a tenth of what it can is not learned
SOLVED = 0.85  # of the most a part can be (judgement)
MIN_FIT = 20  # changes from row to row, to measure weights by
PER_PART = 4  # and so many for each part
FITS = 0.95  # of the changes of the total that the parts account for: then it is made of them
NEGLIGIBLE = 0.05  # of the largest weight, and of the movement of the total: as good as nothing
SURE = 2.0  # standard errors that a measured weight may be off
TOTALS = ("reward/score_mean", "reward/mean")


@dataclass(frozen=True)
class Part:
    """One part of the reward and how it moves."""

    series: Series
    weight: float = 1.0

    @property
    def name(self) -> str:
        """What it is called in the log."""
        return name_of(self.series)

    @cached_property
    def scale(self) -> float:
        """The most it can pay: 1 for what lies between 0 and 1, else the most it paid.

        What goes below 0 is not a share: a change from one update to the next stays near 0 forever.
        """
        values = self.series.values
        is_share = float(values.min()) >= 0.0 and float(values.max()) <= 1.0
        return 1.0 if is_share else float(np.abs(values).max())

    @cached_property
    def start(self) -> float:
        """The mean of the first tenth."""
        return early_mean(self.series.values, TENTH)

    @cached_property
    def now(self) -> float:
        """The mean of the last fifth."""
        return late_mean(self.series.values)

    @property
    def is_constant(self) -> bool:
        """Whether it never moved."""
        return float(np.ptp(self.series.values)) == 0

    @property
    def only_punishes(self) -> bool:
        """Whether it never pays anything."""
        return float(self.series.values.max()) <= 0

    @cached_property
    def rose(self) -> bool:
        """Whether it rose clearly, and kept most of it."""
        best = float(_blocks(self.series.values).max())
        gain = self.now - self.start
        clear = gain >= max(CLEAR_RISE * self.scale, KEPT * (best - self.start))
        return clear and trend(self.series.values).up

    @cached_property
    def gained(self) -> bool:
        """Whether it rose at all, by more than standing still."""
        return self.now - self.start > STILL * self.scale and trend(self.series.values).up

    @cached_property
    def fell(self) -> bool:
        """Whether it pays, and now clearly less than at the start."""
        lost = self.start - self.now > STILL * self.scale
        return lost and not self.only_punishes and trend(self.series.values).down

    @property
    def stands_still(self) -> bool:
        """Whether it gained nothing to speak of, and has room to."""
        gain = self.now - self.start
        return gain <= STILL * self.scale and self.now < SOLVED * self.scale

    @property
    def hardly_pays(self) -> bool:
        """Whether it stands still near nothing."""
        return self.stands_still and not self.only_punishes and self.now <= LITTLE * self.scale


def _blocks(values: FloatArray) -> FloatArray:
    return np.array([block.mean() for block in np.array_split(values, min(BLOCKS, len(values)))])


def name_of(series: Series) -> str:
    """What a part is called in the log."""
    return series.labels.get("component", series.name)


def parts_of(patient: Patient, least: int) -> list[Part]:
    """Logged parts with at least this many points; where none is known, what is filed under reward."""
    known = patient.all("reward/component_mean")
    if not known:
        known = [
            series.finite()
            for name in patient.run.names()
            if UNNAMED.match(name)
            and (series := patient.raw(name)) is not None
            and series.metric is None
        ]
    known = [series for series in known if len(series) >= least]
    weights = configured_weights(patient, known)
    return [Part(series, weights.get(name_of(series), 1.0)) for series in known]


def configured_weights(patient: Patient, parts: Sequence[Series]) -> dict[str, float]:
    """The weights that were logged, or that the settings give by name or in the order of the parts.

    Settings in an order are believed only if the total is the sum of the parts with these weights: logs
    need not keep the order in which a script named them.
    """
    weights = {name_of(s): float(s.values[-1]) for s in patient.all("reward/component_weight")}
    if weights or not parts:
        return weights
    told = patient.setting("reward_weights")
    if isinstance(told, Mapping):
        return {str(name): float(one) for name, one in told.items() if isinstance(one, int | float)}
    if not isinstance(told, list | tuple) or len(told) != len(parts):
        return {}
    total = patient.find(*TOTALS)
    if total is None or not all(isinstance(one, int | float) for one in told):
        return {}
    _, sums, *pieces = aligned_all(total, *parts)
    if len(sums) < BLOCKS:
        return {}
    rest = sums - sum(weight * piece for weight, piece in zip(told, pieces, strict=True))
    size = max(float(np.abs(sums).max()), float(np.ptp(sums)))
    if float(np.abs(rest).mean()) > NEGLIGIBLE * size:
        return {}
    return {name_of(part): float(weight) for part, weight in zip(parts, told, strict=True)}


def unpaid(patient: Patient, least: int) -> list[Part]:
    """Parts that are logged beside the reward and do not count in it: what training does not push up.

    By the weights that log or settings give, else by how the total moves: where the parts account for
    its changes from row to row, the weight of each can be measured. A part that never moves has none
    that could be.
    """
    total = patient.find(*TOTALS)
    parts = parts_of(patient, least)
    if total is None or len(parts) < 2:
        return []
    told = configured_weights(patient, [part.series for part in parts])
    if told:
        found = [part for part in parts if told.get(part.name) == 0.0]
    else:
        found = _without_effect(parts, total)
    return found if len(found) < len(parts) else []


def _without_effect(parts: list[Part], total: Series) -> list[Part]:
    """The parts whose weight, by a least squares fit to changes from row to row, is next to nothing."""
    parts = [part for part in parts if not part.is_constant]
    _, sums, *pieces = aligned_all(total, *(part.series for part in parts))
    moves = np.diff(sums)
    if len(parts) < 2 or len(moves) < max(MIN_FIT, PER_PART * len(parts)):
        return []
    terms = np.diff(np.stack(pieces), axis=1).T
    widths = terms.std(axis=0)
    if not moves.std() > 0 or not (widths > 0).all():
        return []
    fit, _, rank, _ = np.linalg.lstsq(terms / widths, moves, rcond=1e-6)
    rest = moves - terms / widths @ fit
    if rank < len(parts) or float(rest @ rest) > (1.0 - FITS) * float(moves @ moves):
        return []
    scatter = float(rest @ rest) / (len(moves) - len(parts))
    squares = np.linalg.inv((terms / widths).T @ (terms / widths)).diagonal()
    most = np.abs(fit) + SURE * np.sqrt(scatter * squares)  # that each may move the total
    weights = np.abs(fit) / widths
    little = (most <= NEGLIGIBLE * moves.std()) & (most / widths <= NEGLIGIBLE * weights.max())
    return [part for part, nothing in zip(parts, little, strict=True) if nothing]


def movers(parts: list[Part], total: Series) -> dict[str, float]:
    """How much of the movement of the total each part accounts for: shares of covariance, by name."""
    moves = {}
    for part in parts:
        _, sums, pieces = aligned(total, part.series)
        if len(sums) < BLOCKS:
            continue
        a, b = _blocks(sums), _blocks(pieces)
        moves[part.name] = part.weight * float(np.mean((a - a.mean()) * (b - b.mean())))
    whole = sum(abs(move) for move in moves.values())
    return {name: move / whole for name, move in moves.items()} if whole > 0 else {}


def follows(total: Series, part: Part) -> float:
    """The rank correlation of the total with a part."""
    _, sums, pieces = aligned(total, part.series)
    return rank_correlation(sums, pieces)
