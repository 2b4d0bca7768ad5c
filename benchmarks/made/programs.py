"""What is made: a trainer in a world with some settings, perhaps with a fault; and what came of it.

No run is labelled by intention. Each maker measures the finished policy or model itself, on the clean
task, and `label_of` compares that with what the world allows. A fault that did no harm is `harmless`;
a run without a fault that did not get there, or a result in between, is `unclear`.
"""

from __future__ import annotations

import hashlib
import zlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

Part = Literal["look", "hold"]
Label = Literal["healthy", "sick", "harmless", "unclear"]

ENOUGH = 0.9  # of the way from poor to good: the task counts as learned (judgement)
HOPELESS = 0.5  # up to this share a fault has done harm; between the two nobody should say
LOST = 0.25  # of the best level, given away by the end: harm as well, however good the rest is


@dataclass(frozen=True)
class World:
    """An environment or a data set; all runs in it belong to one part."""

    name: str
    part: Part  # `hold`: only totals are ever looked at
    poor: float  # what a random policy or an untrained model gets
    good: float  # what a finished one gets; below `poor` where less is better


@dataclass(frozen=True)
class Program:
    """One trainer, one world, one setting; runs of it differ in their seed only."""

    maker: str  # the file in this folder
    algorithm: str
    world: World
    variant: str  # what is special about it: the fault, or the way in which it is awkward
    fault: bool = False
    expected: tuple[str, ...] = ()  # rules that name the fault
    settings: Mapping[str, Any] = field(default_factory=dict)
    seeds: tuple[int, ...] = (0,)
    enough: float = ENOUGH  # less for runs that are short on purpose

    @property
    def name(self) -> str:
        """In one word."""
        return f"{self.maker}-{self.algorithm}-{self.world.name}-{self.variant}".lower()

    @property
    def made_by(self) -> str:
        """Changes when the program does, so that its runs are made again."""
        told = repr((self.name, sorted(self.settings.items()), self.world.name))
        return hashlib.sha256(told.encode()).hexdigest()[:12]


def program_of(
    maker: str,
    algorithm: str,
    world: World,
    variant: str,
    expected: tuple[str, ...],
    seeds: int,
    settings: dict[str, Any],
    *,
    seeded: str = "",
) -> Program:
    """A program that has a fault if rules are expected to name one; `enough` may be among its settings.

    Its seeds follow from its name, which `seeded` begins, so that programs rarely share their noise.
    """
    first = zlib.crc32(f"{seeded}{algorithm}{world.name}{variant}".encode()) % 90 + 10
    return Program(
        maker,
        algorithm,
        world,
        variant,
        fault=bool(expected),
        expected=expected,
        enough=settings.pop("enough", ENOUGH),
        settings=settings,
        seeds=tuple(range(first, first + seeds)),
    )


@dataclass(frozen=True)
class Outcome:
    """What the finished policy or model is worth, measured by its maker on the clean task."""

    measure: str
    end: float
    best: float | None = None  # on the same scale, during training; None: not measured
    harmed: bool | None = None  # where the damage is not in `end`: the maker's own finding
    why: str = ""  # what `harmed` rests on
    onset: int | None = None  # the step from which on the fault acts


def share_of(world: World, value: float) -> float:
    """How far along the way from poor to good; not a number counts as nothing."""
    share = (value - world.poor) / (world.good - world.poor)
    return share if share == share else -1.0


def label_of(program: Program, outcome: Outcome) -> Label:
    """The label of a finished run, from what came of it."""
    share = share_of(program.world, outcome.end)
    best = share if outcome.best is None else max(share, share_of(program.world, outcome.best))
    harmed = share <= HOPELESS or best - share > LOST
    if outcome.harmed is not None:
        harmed = outcome.harmed
    if not program.fault:
        return "healthy" if share >= program.enough and not outcome.harmed else "unclear"
    if harmed:
        return "sick"
    return "harmless" if share >= program.enough or outcome.harmed is False else "unclear"
