"""The points of several logs of one run as one table, nothing lost and nothing twice."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np

from runvitals.model import IntArray, PointTable, RowBlock
from runvitals.model.points.merge import EMPTY, Arrays, Clock
from runvitals.readers.joining.same_run import likeness, partners, same_points
from runvitals.readers.log import Blocks, Log


@dataclass
class _Owner:
    """A log, and the names that are taken from it."""

    log: Log
    prefix: str
    names: set[str] = field(default_factory=set)


@dataclass
class Combined:
    """Logs are taken in the order of their word: each adds what those before it did not say.

    A series that is already there, under its name or as another logger spells it, gives the times that
    were unknown and the points that were missing.
    """

    table: PointTable = field(default_factory=PointTable)
    shift: int = 0  # added to the segments of points that come later
    _owners: list[_Owner] = field(default_factory=list)
    _clocks: list[tuple[str, Log, str]] = field(default_factory=list)  # name here, log, name there
    _undated: set[str] = field(default_factory=set)
    _lent: dict[str, IntArray] = field(default_factory=dict)  # steps that another log told first

    def take(self, log: Log, prefix: str = "", *, more: bool = True) -> set[str]:
        """Take in a log, with `more` also its further points of known series; gives its new names."""
        owner = _Owner(log, prefix)
        self._owners.append(owner)
        if len(self._owners) == 1 and not prefix:
            self.table = log.points
            owner.names = set(log.points.names())
            return owner.names
        doubled: set[str] = set()
        same = likeness(self.table, log.points, prefix) == "same"
        for mine, theirs in partners(self.table, log.points, prefix):
            known = same or mine == f"{prefix}{theirs}"
            if known and self._learn(mine, log, theirs, more=more and same):
                doubled.add(theirs)
        owner.names = set(self.table.adopt(log.points, prefix, without=doubled))
        if self._clocks:
            self._undated = self.table.undated()
            self._set_times()
        return owner.names

    def go_on(self, earlier: PointTable) -> None:
        """Make this a later life of the run that the other table holds."""
        self.shift = earlier.continue_with(self.table)
        self.table = earlier

    def _learn(self, mine: str, log: Log, theirs: str, *, more: bool) -> bool:
        """Take what the same series in another log has beyond ours; False if it is not the same."""
        rank = self.table.ranks(mine)[0]
        own, other = self.table.column(mine, rank), log.points.column(theirs)
        if not same_points(own, other):
            return False
        self._clocks.append((mine, log, theirs))
        if more:
            extra = ~np.isin(other[0], own[0])
            if extra.any():
                points: Arrays = (other[0][extra], other[1][extra], other[2][extra])
                self.table.supplement(mine, rank, points)
                self._lent[mine] = np.append(self._lent.get(mine, EMPTY[0]), points[0])
        return True

    def _set_times(self) -> None:
        """Fill in times: a series' own from the log that has them, else those of its steps."""
        if not self._undated or not self._clocks:
            return
        for mine, log, theirs in self._clocks:
            if mine in self._undated:
                self._set(mine, _known(log.points.clock(theirs)))
        self._undated = self.table.undated(self._undated)
        if self._undated:
            whole = self._whole()
            for name in self._undated:
                self._set(name, whole)

    def _set(self, name: str, clock: Clock) -> None:
        for rank in self.table.ranks(name):
            self.table.set_times(name, rank, clock)

    def _whole(self) -> Clock:
        """When each step was logged, as all series tell whose logs agree."""
        clocks = [_known(log.points.clock(name)) for _, log, name in self._clocks]
        clocks += [_known(self.table.clock(name)) for name, _, _ in self._clocks]
        clocks = [clock for clock in clocks if len(clock[0])]
        if not clocks:
            return EMPTY[:2]
        steps = np.concatenate([clock[0] for clock in clocks])
        times = np.concatenate([clock[1] for clock in clocks])
        order = np.lexsort((times, steps))
        steps, times = steps[order], times[order]
        last = np.append(steps[1:] != steps[:-1], True)
        return steps[last], times[last]

    def follow(self, read: list[tuple[Log, Blocks]]) -> None:
        """Take in what was appended to the logs; each name stays with the log it came from."""
        known = set(self.table.names())
        for owner in self._owners:
            blocks = next((blocks for log, blocks in read if log is owner.log), [])
            dates = any(log is owner.log for _, log, _ in self._clocks)
            twice = {theirs for _, log, theirs in self._clocks if log is owner.log}
            for segment, block in blocks:
                fresh = {f"{owner.prefix}{name}" for name in block.names if name not in twice}
                owner.names |= fresh - known
                kept = [
                    i
                    for i, name in enumerate(block.names)
                    if f"{owner.prefix}{name}" in owner.names
                ]
                if dates:
                    owner.log.points.add(block, segment)
                if kept:
                    mine = block.select(kept, owner.prefix)
                    for part in self._not_lent(mine):
                        self.table.add(part, segment + self.shift)
                    known |= set(mine.names)
                    if bool(np.isnan(block.times).any()):
                        self._undated |= set(mine.names)
        if any(blocks for _, blocks in read):
            self._set_times()

    def _not_lent(self, block: RowBlock) -> Iterator[RowBlock]:
        """The points of a block that no other log of the run was quicker to tell.

        A logger writes its files one after the other: a run that is opened in between has a row from
        the one that will come from the other a moment later.
        """
        lent = {i for i, name in enumerate(block.names) if name in self._lent}
        others = [i for i in range(len(block.names)) if i not in lent]
        if others:
            yield block.select(others)
        for i in lent:
            new = ~np.isin(block.steps, self._lent[block.names[i]])
            if new.any():
                values = block.values[new, i : i + 1]
                yield RowBlock(
                    (block.names[i],), block.steps[new], block.times[new], values, block.rank
                )


def _known(clock: Clock) -> Clock:
    steps, times = clock
    finite = np.isfinite(times)
    return (steps, times) if finite.all() else (steps[finite], times[finite])
