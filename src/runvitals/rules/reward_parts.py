"""The parts of a reward, and the role that each has by what it does, whatever it is called."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from runvitals.model import Series
from runvitals.rules.outcome.course import Course, course

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
LITTLE = 0.1  # of what a part can pay: below it is not learned (judgement)


@dataclass(frozen=True)
class RewardPart:
    """One part of the reward and how it moves."""

    series: Series

    @property
    def name(self) -> str:
        """What it is called in the log."""
        return self.series.labels.get("component", self.series.name)

    @cached_property
    def scale(self) -> float:
        """The most it can pay: 1 for what lies between 0 and 1, else the most it paid.

        What goes below 0 is not a share: a change from one update to the next stays near 0 forever.
        """
        values = self.series.values
        is_share = float(values.min()) >= 0.0 and float(values.max()) <= 1.0
        return 1.0 if is_share else float(np.abs(values).max())

    @property
    def is_constant(self) -> bool:
        """Whether it never moved."""
        return float(np.ptp(self.series.values)) == 0

    @cached_property
    def course(self) -> Course:
        """How it went, its scale being the ceiling."""
        return course(self.series.values / max(self.scale, 1e-12), "rate", ceiling=1.0)

    @property
    def now(self) -> float:
        """Its level at the end."""
        return self.course.now * self.scale

    @property
    def start(self) -> float:
        """Its level at the start."""
        return self.course.start * self.scale

    @property
    def stands_still(self) -> bool:
        """Whether it gained next to nothing of what it can pay, and has room to."""
        course = self.course
        return not (course.good or course.leans_up) and course.change <= LITTLE

    @property
    def hardly_pays(self) -> bool:
        """Whether it stands still near nothing."""
        pays = float(self.series.values.max()) > 0
        return self.stands_still and pays and self.course.now <= LITTLE


def parts_of(patient: Patient, least: int) -> list[RewardPart]:
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
    return [RewardPart(series) for series in known if len(series) >= least]
