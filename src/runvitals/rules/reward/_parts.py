"""The parts of a reward, and the role that each has by what it does, whatever it is called."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from runvitals.model import Series
from runvitals.model.row import FloatArray
from runvitals.rules.patient import Patient
from runvitals.signals.late import TENTH, early_mean, late_mean
from runvitals.signals.pairs import aligned, rank_correlation
from runvitals.signals.trend import trend

UNNAMED = re.compile(r"^(?:\w+/)?rewards?/[^/]+(?:/mean)?$", re.I)
# Words only excuse: a part with such a name is the goal, or is not meant to be.
GOAL = re.compile(r"accura|correct|success|solve[sd]?\b|exact|pass@|win_?rate|absolute", re.I)
ASIDE = re.compile(
    r"format|length|penalt|xml|tag|think|brevity|repeti|diversity|bonus|shap|delta|change", re.I
)

BLOCKS = 10  # of rows: what moves the total from block to block is not noise of single batches
CLEAR_RISE = 0.1  # of the scale of a part (judgement)
STILL = 0.05  # of the scale of a part (judgement)
KEPT = 0.6  # of the rise (judgement)
LITTLE = 0.1  # judgement: a part that pays less than a tenth of what it can is not learned
SOLVED = 0.85  # of the most a part can be (judgement)


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

        What goes below 0 is not a share: a change from one update to the next stays near 0 for ever.
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
    weights = {name_of(s): float(s.values[-1]) for s in patient.all("reward/component_weight")}
    return [Part(s, weights.get(name_of(s), 1.0)) for s in known if len(s) >= least]


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
