"""Which rollouts to show: by step, reward and words, by prompt, and two of them side by side."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Literal

from runvitals.model import ConfigError, Rollout
from runvitals.rollouts.measures import FAULTS

Change = tuple[Literal["same", "gone", "new"], str]


@dataclass(frozen=True)
class Between:
    """A range with either end open."""

    low: float = -math.inf
    high: float = math.inf

    @classmethod
    def parse(cls, text: str, option: str) -> Between:
        """`20:40`, `20:`, `:40`, or `20` for that alone.

        >>> Between.parse("20:", "--step")
        Between(low=20.0, high=inf)
        """
        low, colon, high = text.partition(":")
        try:
            first = float(low) if low else -math.inf
            last = (float(high) if high else math.inf) if colon else first
        except ValueError:
            raise ConfigError(
                f"{option} must be a number or a range such as 20:40, got {text!r}"
            ) from None
        return cls(first, last)

    def __contains__(self, value: float) -> bool:
        return self.low <= value <= self.high


@dataclass(frozen=True)
class Wanted:
    """What the rollouts to show have in common."""

    steps: Between = Between()
    rewards: Between = Between()
    words: re.Pattern[str] | None = None
    fault: str | None = None  # a metric of `FAULTS`
    id: str | None = None

    def holds(self, one: Rollout) -> bool:
        """True if a rollout is wanted. Without a reward it is in no range of rewards."""
        any_reward = self.rewards == Between()
        return (
            one.step in self.steps
            and (any_reward or one.reward in self.rewards)
            and (self.words is None or bool(self.words.search(f"{one.prompt}\n{one.completion}")))
            and (self.fault is None or FAULTS[self.fault](one))
            and (self.id is None or one.id == self.id)
        )


def faults_of(one: Rollout) -> list[str]:
    """The faults of a text by their short names, as in `garbage`."""
    return [short(metric) for metric, fault in FAULTS.items() if fault(one)]


def short(metric: str) -> str:
    """The name of a fault as people type it.

    >>> short("text/tool_loop_share")
    'tool-loop'
    """
    return metric.removeprefix("text/").removesuffix("_share").replace("_", "-")


def counterparts(
    rollouts: Iterable[Rollout], early: int, late: int
) -> tuple[Rollout, Rollout] | None:
    """Two rollouts of one prompt, at two steps; None if no prompt was sampled at both."""
    sides: dict[int, dict[str, Rollout]] = {early: {}, late: {}}
    for one in rollouts:
        if one.step in sides:
            sides[one.step].setdefault(one.prompt, one)
    shared = [prompt for prompt in sides[early] if prompt in sides[late]]
    return (sides[early][shared[0]], sides[late][shared[0]]) if shared else None


def difference(before: str, after: str) -> Iterator[Change]:
    """The words of two texts in order: in both, only before, or only after."""
    old, new = before.split(), after.split()
    for tag, a, b, c, d in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if tag == "equal":
            yield "same", " ".join(old[a:b])
            continue
        if b > a:
            yield "gone", " ".join(old[a:b])
        if d > c:
            yield "new", " ".join(new[c:d])
