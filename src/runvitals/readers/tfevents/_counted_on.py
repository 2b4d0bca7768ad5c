"""Event files of one process that started its step counter over: the steps are counted on."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np

from runvitals.model import FloatArray, IntArray
from runvitals.readers.log import Blocks
from runvitals.readers.rows.restarts import counted_on


@dataclass
class CountedOn:
    """Shifts the steps of each stretch; `starts` is 0 while no counter was seen to start over.

    Some tags are written more rarely than others, so that the time says of which stretch a point is.
    """

    starts: int = 0
    _on: bool | None = None  # decided by the first blocks
    _tag: str = ""  # goes by this tag, which is written most often
    _bounds: list[float] = field(
        default_factory=list
    )  # times at which the stretches but the first begin
    _firsts: list[int] = field(default_factory=list)  # steps at which they begin
    _lasts: list[int] = field(default_factory=lambda: [0])  # highest steps of all stretches
    _newest: tuple[int, float] = (0, 0.0)

    def apply(self, blocks: Blocks) -> Blocks:
        """Blocks of one tag each, counted on; as they are if no counter starts over."""
        if self._on is None and blocks:
            self._on = self._starts_over(blocks)
        if not self._on:
            return blocks
        for _, block in blocks:
            if block.names[0] == self._tag:
                self._note(block.steps, block.times)
        self.starts = len(self._bounds)
        lasts = np.array(self._lasts, np.int64)
        for _, block in blocks:
            np.maximum.at(lasts, self._stretches(block.times), block.steps)
        self._lasts = lasts.tolist()
        gaps = lasts[:-1] + np.maximum(0, 1 - np.array(self._firsts, np.int64))
        shifts = np.array([0, *np.cumsum(gaps)])
        return [
            (segment, replace(block, steps=block.steps + shifts[self._stretches(block.times)]))
            for segment, block in blocks
        ]

    def _stretches(self, times: FloatArray) -> IntArray:
        found: IntArray = np.searchsorted(self._bounds, times, side="right")
        return found

    def _starts_over(self, blocks: Blocks) -> bool:
        """Whether the counter of the tag that is written most often starts over as training goes on."""
        if len({segment for segment, _ in blocks}) != 1:
            return False
        most = max((block for _, block in blocks), key=len)
        if not (most.steps[1:] < most.steps[:-1]).any():
            return False
        alike = [
            block.values[:, 0]
            for _, block in blocks
            if block.steps is most.steps or np.array_equal(block.steps, most.steps)
        ]
        if not (np.diff(most.times) >= 0).all() or counted_on(most.steps, alike) is None:
            return False
        self._tag = most.names[0]
        return True

    def _note(self, steps: IntArray, times: FloatArray) -> None:
        """Note where the stretches begin: half-way in time between the points before and behind."""
        all_steps, all_times = np.append(self._newest[0], steps), np.append(self._newest[1], times)
        for place in np.flatnonzero(all_steps[1:] < all_steps[:-1]):
            self._bounds.append(float(all_times[place] + all_times[place + 1]) / 2)
            self._firsts.append(int(all_steps[place + 1]))
            self._lasts.append(0)
        self._newest = int(all_steps[-1]), float(all_times[-1])
