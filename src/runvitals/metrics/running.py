"""Running statistics that people log beside the raw number: moving averages, windows, epochs."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Iterable

import numpy as np

from runvitals.model import ConfigError


class Ema:
    """Exponential moving average that is right from the first value on; read `value`.

    Give one of `alpha` (the weight of a new value), `decay` (1 - alpha) and `half_life` (in values).
    Early values are not dragged towards 0: the weights are normalised. With `debias=False` it is the
    plain recursion, started at the first value. NaN is passed over.

    >>> win_rate = Ema(alpha=0.1)
    >>> [round(win_rate.update(x), 3) for x in (1.0, 0.0, 0.0)]
    [1.0, 0.474, 0.299]
    """

    def __init__(
        self,
        *,
        alpha: float | None = None,
        decay: float | None = None,
        half_life: float | None = None,
        debias: bool = True,
    ) -> None:
        if sum(given is not None for given in (alpha, decay, half_life)) != 1:
            raise ConfigError(
                "give Ema one of alpha, decay and half_life", hint="Ema(half_life=100)"
            )
        if half_life is not None:
            decay = 0.5 ** (1.0 / half_life) if half_life > 0 else None
        elif alpha is not None:
            decay = 1.0 - alpha
        if decay is None or not 0.0 <= decay < 1.0:
            raise ConfigError("alpha must be above 0 and at most 1, decay at least 0 and below 1")
        self.decay = decay
        self.debias = debias
        self._total = 0.0
        self._weight = 0.0

    @property
    def alpha(self) -> float:
        """The weight of a new value."""
        return 1.0 - self.decay

    @property
    def value(self) -> float:
        """The average so far, NaN before the first value."""
        return self._total / self._weight if self._weight else math.nan

    def update(self, value: float) -> float:
        """Take a value in and give the average."""
        value = float(value)
        if not math.isnan(value):
            if self.debias or self._weight == 0.0:
                self._total = self.decay * self._total + value
                self._weight = self.decay * self._weight + 1.0
            else:
                self._total = self.decay * self._total + (1.0 - self.decay) * value
        return self.value


class Window:
    """Mean and quantiles of the last `size` values.

    >>> speed = Window(size=3)
    >>> for tokens_per_s in (10.0, 20.0, 30.0, 40.0): speed.update(tokens_per_s)
    >>> speed.mean, speed.quantile(0.5)
    (30.0, 30.0)
    """

    def __init__(self, size: int = 100) -> None:
        if size < 1:
            raise ConfigError(f"a window of {size} values holds nothing")
        self._values: deque[float] = deque(maxlen=size)

    def update(self, *values: float) -> None:
        """Take values in; the oldest fall out."""
        self._values.extend(map(float, values))

    def __len__(self) -> int:
        return len(self._values)

    @property
    def mean(self) -> float:
        """NaN while empty."""
        return float(np.mean(self._values)) if self._values else math.nan

    @property
    def p99(self) -> float:
        """The 99th percentile."""
        return self.quantile(0.99)

    def quantile(self, q: float) -> float:
        """Linear between neighbours; NaN while empty."""
        return float(np.quantile(self._values, q)) if self._values else math.nan


class EpochTracker:
    """Averages over an epoch, and how they moved since the one before.

    Both trends are positive when things get better: `Epoch/RewardTrend` is this epoch's reward minus
    the last one's, `Epoch/LossTrend` the last one's loss minus this epoch's. The first epoch has none.

    >>> epochs = EpochTracker()
    >>> epochs.update(reward=[0.2, 0.4], loss=2.0); _ = epochs.end()
    >>> epochs.update(reward=[0.5, 0.5], loss=1.5, api_tokens=300)
    >>> second = epochs.end()
    >>> round(second["Epoch/RewardTrend"], 3), second["Epoch/LossTrend"], second["Epoch/NumSamples"]
    (0.2, 0.5, 2.0)
    """

    def __init__(self) -> None:
        self._last_reward: float | None = None
        self._last_loss: float | None = None
        self._begin()

    def _begin(self) -> None:
        self._rewards: list[float] = []
        self._losses: list[float] = []
        self._samples = 0
        self._tokens = 0

    def update(
        self,
        *,
        reward: float | Iterable[float] | None = None,
        loss: float | Iterable[float] | None = None,
        samples: int | None = None,
        api_tokens: int = 0,
    ) -> None:
        """Take a batch in. `samples` defaults to the number of rewards."""
        rewards = _as_floats(reward)
        self._rewards.extend(rewards)
        self._losses.extend(_as_floats(loss))
        self._samples += len(rewards) if samples is None else samples
        self._tokens += api_tokens

    def end(self) -> dict[str, float]:
        """The epoch's numbers, ready to log; the next epoch begins."""
        values: dict[str, float] = {}
        if self._rewards:
            reward = float(np.mean(self._rewards))
            values["Epoch/AvgReward"] = reward
            if len(self._rewards) > 1:
                values["Epoch/RewardVariance"] = float(np.var(self._rewards, ddof=1))
            if self._last_reward is not None:
                values["Epoch/RewardTrend"] = reward - self._last_reward
            self._last_reward = reward
        if self._losses:
            loss = float(np.mean(self._losses))
            values["Epoch/AvgLoss"] = loss
            if self._last_loss is not None:
                values["Epoch/LossTrend"] = self._last_loss - loss
            self._last_loss = loss
        values["Epoch/APITokens"] = float(self._tokens)
        values["Epoch/NumSamples"] = float(self._samples)
        self._begin()
        return values


def _as_floats(values: float | Iterable[float] | None) -> list[float]:
    if values is None:
        return []
    return [float(x) for x in np.ravel(np.asarray(values, dtype=np.float64))]
