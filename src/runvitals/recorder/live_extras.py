"""Numbers that a live run derives from what it is told: timings, rates, the parts of a reward."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from contextlib import AbstractContextManager
from typing import Any

from runvitals.metrics.running import EpochTracker
from runvitals.recorder.complaints import Complaints
from runvitals.recorder.pending import PendingValues, Timing


class RecordsExtras(ABC):
    """A run that takes timings, counts and reward breakdowns; none of the calls raises."""

    _complaints: Complaints
    _pending: PendingValues
    _step: int

    @abstractmethod
    def _contained(self, what: str) -> AbstractContextManager[None]: ...

    @abstractmethod
    def log(self, values: Mapping[str, Any], step: int | None = None) -> None:
        """Record numbers by name."""

    def timer(self, stage: str, tokens: float | None = None) -> AbstractContextManager[Timing]:
        """Time a stage: `timing_s/<stage>` is added to the next `log`.

        With tokens (given here or set on the object that `with` yields) also
        `timing_per_token_ms/<stage>`.
        """
        return self._pending.timer(stage, tokens)

    def count(self, **amounts: float) -> None:
        """Add to `env_steps`, `updates`, `tokens`, `samples`, `episodes` or a counter of your own.

        Totals (`progress/...`) and rates (`throughput/..._per_s`) are added to the next `log`.
        """
        with self._contained("counters"):
            self._pending.count(amounts)

    def log_reward_breakdown(
        self,
        total: Any,
        parts: Mapping[str, Any],
        penalties: Mapping[str, Any] | None = None,
        step: int | None = None,
        *,
        name: str = "reward",
    ) -> None:
        """Record a reward with what it is made of: total = sum of parts - sum of penalties.

        A total that does not add up is logged all the same, and warned about.
        """
        with self._contained(f"the breakdown of {name}"):
            penalties = penalties or {}
            self.log({name: total, **parts, **penalties}, step)
            numbers = [float(v) for v in (total, *parts.values(), *penalties.values())]
            plus, minus = numbers[1 : 1 + len(parts)], numbers[1 + len(parts) :]
            expected = sum(plus) - sum(minus)
            scale = max(map(abs, numbers), default=0.0)
            # room for parts that were summed in 32 bits (judgement)
            if abs(numbers[0] - expected) > 1e-4 * scale + 1e-9:
                self._complaints.say(
                    f"breakdown {name}",
                    f"{name} is {numbers[0]:g} at step {self._step}, but its parts add up to "
                    f"{expected:g}; is a part missing, or a penalty given as a part?",
                )

    def epoch(self) -> EpochTracker:
        """A tracker of epoch averages and trends; log what its `end()` gives."""
        return EpochTracker()
