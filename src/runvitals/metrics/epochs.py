"""Epoch summaries: averages, variance, and the change since the epoch before."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np

from runvitals.metrics._arrays import Array


@dataclass(slots=True)
class EpochTracker:
    """Collects rewards and losses of an epoch; `finish` gives its summary and starts the next.

    Both trends are positive when things improve: the reward's rise, and the loss's fall. They are
    NaN in the first epoch.

    >>> epoch = EpochTracker()
    >>> epoch.add(rewards=[0.0, 1.0], loss=2.0); first = epoch.finish()
    >>> epoch.add(rewards=[1.0, 1.0], loss=1.5)
    >>> found = epoch.finish()
    >>> found["Epoch/RewardTrend"], found["Epoch/LossTrend"], found["Epoch/RewardVariance"]
    (0.5, 0.5, 0.0)
    """

    _rewards: list[float] = field(default_factory=list)
    _losses: list[float] = field(default_factory=list)
    _tokens: float = 0.0
    _reward_before: float = math.nan
    _loss_before: float = math.nan

    def add(
        self, *, rewards: Array | None = None, loss: float | None = None, api_tokens: float = 0.0
    ) -> None:
        """Take one batch: its rewards (host values), its loss, tokens sent to a teacher."""
        if rewards is not None:
            self._rewards += np.ravel(np.asarray(rewards, dtype=np.float64)).tolist()
        if loss is not None:
            self._losses.append(float(loss))
        self._tokens += api_tokens

    def finish(self) -> dict[str, float]:
        """The epoch's numbers, under the names of the TensorBoard reference; then starts anew."""
        r, losses = np.asarray(self._rewards), np.asarray(self._losses)
        reward = float(r.mean()) if r.size else math.nan
        loss = float(losses.mean()) if losses.size else math.nan
        found = {
            "Epoch/AvgReward": reward,
            "Epoch/AvgLoss": loss,
            "Epoch/RewardVariance": float(r.var(ddof=1)) if r.size > 1 else math.nan,
            "Epoch/RewardTrend": reward - self._reward_before,
            "Epoch/LossTrend": self._loss_before - loss,
            "Epoch/APITokens": self._tokens,
            "Epoch/NumSamples": float(r.size),
        }
        self._reward_before, self._loss_before = reward, loss
        self._rewards, self._losses, self._tokens = [], [], 0.0
        return found
