"""Keeps a bounded part of a stream of rollouts: whole groups from every stretch of the run.

Which groups are kept is decided by a checksum of their name, so that it does not depend on the order in
which they come, and two readers of the same run keep the same ones.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, field
from zlib import crc32

from runvitals.model import Digest, Rollout, Run, Stretch
from runvitals.rollouts.record import rollout_of

MAX_STRETCHES = 64  # of a run, and up to twice as many: the steps of one are judged together
MAX_KEPT = 32  # rollouts of a stretch: a share of them is known to within 0.09
MAX_OF_GROUP = 16


@dataclass
class _Open:
    """A stretch that is still being filled."""

    first: int
    last: int
    count: int = 0
    kept: int = 0
    groups: dict[tuple[int, str], list[Rollout]] = field(default_factory=dict)
    best: Rollout | None = None
    longest: Rollout | None = None

    def add(self, one: Rollout) -> None:
        self.first, self.last = min(self.first, one.step), max(self.last, one.step)
        self.count += 1
        if self.best is None or _reward(one) > _reward(self.best):
            self.best = one
        if self.longest is None or len(one.completion) > len(self.longest.completion):
            self.longest = one
        name = f"{one.step}/{one.group}"
        self._keep((crc32(name.encode("utf-8", "replace")), name), [one])

    def _keep(self, key: tuple[int, str], rollouts: list[Rollout]) -> None:
        if self.kept >= MAX_KEPT and key not in self.groups and key > max(self.groups):
            return
        group = self.groups.setdefault(key, [])
        new = rollouts[: MAX_OF_GROUP - len(group)]
        group += new
        self.kept += len(new)
        while self.kept > MAX_KEPT and len(self.groups) > 1:
            self.kept -= len(self.groups.pop(max(self.groups)))

    def join(self, other: _Open) -> None:
        """Take in the stretch that follows."""
        self.first, self.last = min(self.first, other.first), max(self.last, other.last)
        self.count += other.count
        if other.best is not None and (
            self.best is None or _reward(other.best) > _reward(self.best)
        ):
            self.best = other.best
        for key, rollouts in other.groups.items():
            self._keep(key, rollouts)

    def closed(self) -> Stretch:
        kept = tuple(one for key in sorted(self.groups) for one in self.groups[key])
        extremes = tuple(one for one in (self.best, self.longest) if one is not None)
        return Stretch(self.first, self.last, self.count, kept, extremes)


def digest_of(run: Run) -> Digest | None:
    """The digest of the samples that a run has logged; None if it has none that a model wrote."""
    if run.read_samples is None:
        return None
    rollouts = map(rollout_of, run.read_samples())
    digest = digested(one for one in rollouts if one is not None)
    return digest if digest.stretches else None


def digested(rollouts: Iterable[Rollout]) -> Digest:
    """A bounded part of these, whatever their number. Those of evaluations are left out."""
    width, open_ = 1, dict[int, _Open]()
    for one in rollouts:
        if one.held_out:
            continue
        place = one.step // width
        if place not in open_:
            open_[place] = _Open(one.step, one.step)
        open_[place].add(one)
        while len(open_) > 2 * MAX_STRETCHES:
            width *= 2
            open_ = _in_pairs(open_)
    return Digest(tuple(open_[place].closed() for place in sorted(open_)))


def _in_pairs(open_: dict[int, _Open]) -> dict[int, _Open]:
    joined: dict[int, _Open] = {}
    for place in sorted(open_):
        if place // 2 in joined:
            joined[place // 2].join(open_[place])
        else:
            joined[place // 2] = open_[place]
    return joined


def _reward(one: Rollout) -> float:
    return -math.inf if math.isnan(one.reward) else one.reward
