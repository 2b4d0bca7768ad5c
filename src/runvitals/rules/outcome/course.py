"""The course of one outcome: levels with their uncertainty, and the chances of what matters."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal

import numpy as np

from runvitals.model import FloatArray
from runvitals.rules.outcome.roles import Kind
from runvitals.signals.level import Level, chance, read_level

Shape = Literal["few", "constant", "high", "rose", "lost", "worse", "flat", "unsure"]

MAX_VALUE = 1e100  # larger numbers are cut: their squares are infinite
# The smallest change that matters: 2% of a loss, 0.03 of a rate, else this share of the level.
MATTERS_OF_LOSS, MATTERS_OF_RATE, MATTERS_OF_LEVEL = 0.02, 0.03, 0.05
MATTERS_OF_NOISE = 0.2  # where units are unknown: at least this share of the noise of one row
LARGE = 2.0  # times what matters: a loss that alarms
GIVEN_BACK, COLLAPSED = 0.25, 0.6  # of the gain: lost again, and nothing much left
# chance to say something good, or anything bad of few rows; to say something bad of ENOUGH
SURE, LIKELY = 0.9, 0.6
DOUBT = 0.5  # chance of half a fall, from which on a rise is not praised
# a gain that is less likely than this after ENOUGH rows has not come; fewer rows have to be surer
UNLIKELY = 0.35
ENOUGH, FEW = 15, 4  # rows
NEAR_CEILING = 0.1  # of the ceiling: nothing much left to gain


@dataclass(frozen=True)
class Course:
    """How a series went in which more is better."""

    points: int
    kind: Kind
    level: Level
    matters: float  # the smallest change that matters
    shape: Shape
    chances: dict[str, float] = field(default_factory=dict)

    @cached_property
    def start(self) -> float:
        """The level it began at."""
        return float(np.median(self.level.start))

    @cached_property
    def best(self) -> float:
        """Its best level."""
        return max(self.start, self.now, float(np.median(self.level.best)))

    @cached_property
    def now(self) -> float:
        """Its level at the end."""
        return float(np.median(self.level.end))

    @property
    def best_index(self) -> int:
        """The point with which the best level was reached."""
        ends = np.cumsum(self.level.rows)
        return min(int(ends[min(self.level.best_block, len(ends) - 1)]), self.points) - 1

    @property
    def begins(self) -> int:
        """The point from which on the level stays nearer to the end than to the best."""
        above = np.flatnonzero(self.level.curve > (self.best + self.now) / 2)
        return min(int(above[-1]) + 1 if len(above) else 0, self.points - 1)

    @property
    def change(self) -> float:
        """From the start to now."""
        return self.now - self.start

    @property
    def lost(self) -> float:
        """The share of its gain that is gone now."""
        gain = self.best - self.start
        return max(0.0, (self.best - self.now) / gain) if gain > 0 else 0.0

    @property
    def rose(self) -> bool:
        """It is clearly higher than at the start, or was before it lost that again."""
        return self.shape in ("rose", "lost") or (
            self.shape == "high" and self.chances["rise"] > SURE
        )

    @property
    def rising(self) -> bool:
        """A gain that matters in the last third is likelier than not."""
        return self.chances.get("still", 0.0) > 0.5

    @property
    def leans_up(self) -> bool:
        """A gain that matters is likelier than not."""
        return self.chances.get("rise", 0.0) > 0.5

    @property
    def doubtful(self) -> bool:
        """Nobody can tell, but a gain that matters is unlikelier than not."""
        return self.shape == "unsure" and not self.leans_up

    @property
    def never_rose(self) -> bool:
        """It stayed where it began, or below."""
        return self.shape in ("flat", "constant", "worse")

    @property
    def falls(self) -> bool:
        """It is clearly worse than it was: at the start, or at its best."""
        return self.shape in ("lost", "worse")

    @property
    def good(self) -> bool:
        """It rose or is high, and has lost nothing since."""
        return self.shape in ("rose", "high")

    @property
    def speaks(self) -> bool:
        """It says something."""
        return self.shape not in ("few", "unsure")


def course(
    values: FloatArray,
    kind: Kind = "return",
    *,
    ceiling: float | None = None,
    asked: bool = False,
    held_out: bool = False,
) -> Course:
    """The course of at least one finite value, turned so that more is better.

    `ceiling`: the most it can be, or a mark to reach; `asked`: the user set it, and wants all of it.
    `held_out`: a loss on other data than is trained on is lost where it rises, however far it fell.
    """
    values = np.clip(values[np.isfinite(values)], -MAX_VALUE, MAX_VALUE)
    low, high = float(values.min()), float(values.max())
    level = read_level(values, logs=kind == "loss" and high < 0)
    start, end = level.start, level.end
    matters = _matters(kind, level)
    much = LARGE * matters
    given_back = 0.0 if held_out and kind == "loss" else GIVEN_BACK
    # from here on nothing much is left to gain, unless the user asked for all of it
    near = ceiling if ceiling is None or asked else ceiling - NEAR_CEILING * abs(ceiling)
    chances = {
        "rise": level.rose(by=matters),
        "high": 0.0 if near is None else chance(end >= near),
        "lost": level.lost(given_back, by=much),
        "gained": chance(level.best - start > matters),  # by the best, kept or not
        "worse": chance(start - end > much),
        "still": level.rose(by=matters, since=2 / 3),
    }
    chances["doubt"] = level.lost(given_back / 2, by=matters)
    constant = high - low <= 1e-9 * max(abs(low), abs(high))
    shape = _shape(chances, len(values), constant=constant)
    return Course(len(values), kind, level, matters, shape, chances)


def _matters(kind: Kind, level: Level) -> float:
    if kind == "rate":
        return MATTERS_OF_RATE
    start, end = abs(float(np.median(level.start))), abs(float(np.median(level.end)))
    if kind == "loss":
        return max(MATTERS_OF_LOSS * end, 1e-12)  # what a large first loss hides still matters
    return max(MATTERS_OF_LEVEL * max(start, end), MATTERS_OF_NOISE * level.noise, 1e-12)


def _shape(chances: dict[str, float], points: int, *, constant: bool) -> Shape:
    """What the chances amount to."""
    likely = LIKELY if points >= ENOUGH else SURE
    if points < FEW - 1:
        return "few"
    if constant:
        return "high" if chances["high"] > SURE else "constant" if points > FEW else "few"
    falls = chances["lost"] > (0.5 if points >= ENOUGH else likely) or chances["worse"] > likely
    if falls:
        return "lost" if chances["lost"] > chances["worse"] or chances["gained"] > 0.5 else "worse"
    if chances["high"] > SURE:
        return "high"
    if chances["rise"] > SURE and points >= FEW and max(chances["doubt"], chances["worse"]) < DOUBT:
        return "rose"
    if 2 * points >= ENOUGH and chances["rise"] < UNLIKELY * min(1.0, points / ENOUGH) ** 2:
        return "flat"
    return "unsure" if points >= FEW else "few"
