"""Controllers that steer the weight of the KL penalty. They hold plain floats, on the host."""

from __future__ import annotations

import math
from dataclasses import dataclass

from runvitals.metrics._arrays import positive_number


@dataclass(slots=True)
class AdaptiveKL:
    """A KL coefficient that follows a target, as in Ziegler et al. 2019; read `value`.

        value *= 1 + clip(kl / target - 1, -0.2, 0.2) * samples / horizon

    `target` must be in the unit of the KL that is fed in: TRL feeds sums over a response (6),
    veRL means per token (0.1). NaN changes nothing; infinity pushes as hard as the limit allows.

    >>> control = AdaptiveKL(0.2, target=6.0, horizon=10_000)
    >>> round(control.update(12.0, samples=256), 6)
    0.201024
    """

    value: float
    target: float
    horizon: float = 10_000
    limit: float = 0.2

    def __post_init__(self) -> None:
        positive_number("target", self.target)
        positive_number("horizon", self.horizon)

    def update(self, kl: float, samples: int = 1) -> float:
        """Take the KL of the last batch and how many samples it had; the new coefficient."""
        kl = float(kl)
        if not math.isnan(kl):
            error = min(max(kl / self.target - 1.0, -self.limit), self.limit)
            self.value *= 1.0 + error * samples / self.horizon
        return self.value


@dataclass(slots=True)
class FixedKL:
    """A KL coefficient that stays; the same interface as the ones that move.

    >>> FixedKL(0.1).update(99.0)
    0.1
    """

    value: float

    def update(self, kl: float, samples: int = 1) -> float:
        """The coefficient, unchanged."""
        del kl, samples
        return self.value


@dataclass(slots=True)
class StepKL:
    """A KL coefficient that jumps, as in the PPO paper and RLlib; read `value`.

    Times `up` when the KL is above `high` times the target, times `down` when below `low` times it.

    >>> control = StepKL(0.2, target=0.01)
    >>> round(control.update(0.03), 6), round(control.update(0.001), 6)
    (0.3, 0.15)
    """

    value: float
    target: float
    high: float = 2.0
    low: float = 0.5
    up: float = 1.5
    down: float = 0.5

    def __post_init__(self) -> None:
        positive_number("target", self.target)

    def update(self, kl: float, samples: int = 1) -> float:
        """Take the KL of the last batch; the new coefficient. NaN changes nothing."""
        del samples
        kl = float(kl)
        if kl > self.high * self.target:
            self.value *= self.up
        elif kl < self.low * self.target:
            self.value *= self.down
        return self.value
