"""Keeps a bounded part of a stream of rollouts: whole groups from every stretch of the run.

Which groups are kept is decided by a checksum of their name, so that it does not depend on the order in
which they come, and two readers of the same run keep the same ones.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, field
from heapq import heappop, heappush
from zlib import crc32

from runvitals.model import Asked, Digest, Rollout, Run, Stretch
from runvitals.rollouts.record import rollout_of

MAX_STRETCHES = 64  # of a run, and up to twice as many: the steps of one are judged together
MAX_KEPT = 32  # rollouts of a stretch: a share of them is known to within 0.09
MAX_OF_GROUP = 16
MAX_PROMPTS = 2_000
MAX_CELLS = 40_000  # scores of a prompt at a step, of all prompts together
MAX_PROMPT = 300  # characters
MAX_TEXT = 16_000  # characters of a text that is kept: its beginning and its end


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
    shown: Stretch | None = None

    def add(self, one: Rollout) -> None:
        self.first, self.last = min(self.first, one.step), max(self.last, one.step)
        self.count += 1
        self.shown = None
        if self.best is None or _reward(one) > _reward(self.best):
            self.best = one.shortened(MAX_TEXT)
        if self.longest is None or one.characters > self.longest.characters:
            self.longest = one.shortened(MAX_TEXT)
        name = f"{one.step}/{one.group}"
        self._keep((crc32(name.encode("utf-8", "replace")), name), [one])

    def _keep(self, key: tuple[int, str], rollouts: list[Rollout]) -> None:
        if self.kept >= MAX_KEPT and key not in self.groups and key > max(self.groups):
            return
        group = self.groups.setdefault(key, [])
        new = rollouts[: MAX_OF_GROUP - len(group)]
        group += [one.shortened(MAX_TEXT) for one in new]
        self.kept += len(new)
        while self.kept > MAX_KEPT and len(self.groups) > 1:
            self.kept -= len(self.groups.pop(max(self.groups)))

    def join(self, other: _Open) -> None:
        """Take in the stretch that follows."""
        self.first, self.last = min(self.first, other.first), max(self.last, other.last)
        self.count += other.count
        self.shown = None
        if other.best is not None and (
            self.best is None or _reward(other.best) > _reward(self.best)
        ):
            self.best = other.best
        if other.longest is not None and (
            self.longest is None or other.longest.characters > self.longest.characters
        ):
            self.longest = other.longest
        for key, rollouts in other.groups.items():
            self._keep(key, rollouts)

    def closed(self) -> Stretch:
        if self.shown is None:
            kept = tuple(one for key in sorted(self.groups) for one in self.groups[key])
            extremes = tuple(one for one in (self.best, self.longest) if one is not None)
            self.shown = Stretch(self.first, self.last, self.count, kept, extremes)
        return self.shown


class _Prompts:
    """The scores of the prompts with the lowest checksums; both sides keep up to the same one."""

    def __init__(self) -> None:
        self._found: dict[tuple[int, bool], _Scores] = {}
        self._checksums: list[int] = []  # a heap, the highest first
        self._cells = 0
        self._limit = 2**32
        self._last: tuple[str, int] = ("", 0)

    def add(self, one: Rollout) -> None:
        if not one.prompt:
            return
        if one.prompt != self._last[0]:  # the samples of a group follow each other
            same = " ".join(one.prompt.lower().split())
            self._last = (one.prompt, crc32(same.encode("utf-8", "replace")))
        checksum = self._last[1]
        if checksum > self._limit:
            return
        score = one.reward if math.isnan(one.correct) else one.correct
        key = (checksum, one.held_out)
        if key not in self._found:
            if (checksum, not one.held_out) not in self._found:
                heappush(self._checksums, -checksum)
            self._found[key] = _Scores(one.prompt[-MAX_PROMPT:], one.id)
        cells = self._found[key].by_step
        self._cells += one.step not in cells
        count, total, top = cells.get(one.step, (0, 0.0, -math.inf))
        known = not math.isnan(score)
        cells[one.step] = (
            (count + 1, total + score, max(top, score)) if known else (count, total, top)
        )
        while len(self._found) > MAX_PROMPTS or (self._cells > MAX_CELLS and len(self._found) > 2):
            self._drop_highest()

    def _drop_highest(self) -> None:
        highest = -heappop(self._checksums)
        for side in (False, True):
            gone = self._found.pop((highest, side), None)
            self._cells -= 0 if gone is None else len(gone.by_step)
        self._limit = highest - 1

    def closed(self) -> tuple[Asked, ...]:
        return tuple(
            Asked(one.prompt, checksum, one.sample, held_out, dict(sorted(one.by_step.items())))
            for (checksum, held_out), one in sorted(self._found.items())
        )


@dataclass
class _Scores:
    prompt: str
    sample: str
    by_step: dict[int, tuple[int, float, float]] = field(default_factory=dict)


def digest_of(run: Run) -> Digest | None:
    """The digest of the samples that a run has logged; None if it has none that a model wrote."""
    if run.read_samples is None:
        return None
    rollouts = map(rollout_of, run.read_samples())
    digest = digested(one for one in rollouts if one is not None)
    return digest if digest.stretches else None


def digested(rollouts: Iterable[Rollout]) -> Digest:
    """A bounded part of these, whatever their number."""
    digester = Digester()
    for one in rollouts:
        digester.add(one)
    return digester.digest()


class Digester:
    """Takes rollouts in one by one and keeps a bounded part of them.

    Of evaluations only the prompts are kept, except in a run that has no other texts.
    """

    def __init__(self) -> None:
        self._trained = _Stretches()
        self._held_out = _Stretches()
        self._prompts = _Prompts()

    def add(self, one: Rollout) -> None:
        """Take in one more."""
        self._prompts.add(one)
        if not one.held_out:
            self._trained.add(one)
        elif not self._trained.open:
            self._held_out.add(one)

    def digest(self) -> Digest:
        """What is kept now. Stretches that nothing was added to are the same objects as before."""
        stretches = self._trained if self._trained.open else self._held_out
        return Digest(stretches.closed(), self._prompts.closed())


class _Stretches:
    """Stretches of steps, which become twice as wide whenever there are too many."""

    def __init__(self) -> None:
        self._width = 1
        self.open: dict[int, _Open] = {}

    def add(self, one: Rollout) -> None:
        place = one.step // self._width
        if place not in self.open:
            self.open[place] = _Open(one.step, one.step)
        self.open[place].add(one)
        while len(self.open) > 2 * MAX_STRETCHES:
            self._width *= 2
            self.open = _in_pairs(self.open)

    def closed(self) -> tuple[Stretch, ...]:
        return tuple(self.open[place].closed() for place in sorted(self.open))


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
