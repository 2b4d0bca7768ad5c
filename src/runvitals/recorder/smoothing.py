"""Running statistics that people log beside the raw number: EMA, windows, epochs, speed."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Iterable

import numpy as np

from runvitals.model import ConfigError


class Ema:
    """Exponential moving average without the start-up bias: the first value is the first average.

    >>> win_rate = Ema(alpha=0.1)
    >>> [round(win_rate.update(x), 3) for x in (1.0, 0.0, 0.0)]
    [1.0, 0.474, 0.299]
    """

    def __init__(self, *, alpha: float | None = None, half_life: float | None = None) -> None:
        if (alpha is None) == (half_life is None):
            raise ConfigError("give Ema either alpha or half_life", hint="Ema(half_life=100)")
        if half_life is not None:
            alpha = 1.0 - 0.5 ** (1.0 / half_life) if half_life > 0 else None
        if alpha is None or not 0.0 < alpha <= 1.0:
            raise ConfigError("alpha must be above 0 and at most 1, half_life above 0")
        self.alpha = alpha
        self.value = math.nan
        self._sum = 0.0
        self._weight = 0.0

    def update(self, value: float) -> float:
        """Take a value in and give the average; NaN is passed over."""
        value = float(value)
        if not math.isnan(value):
            self._sum += self.alpha * (value - self._sum)
            self._weight += self.alpha * (1.0 - self._weight)
            self.value = self._sum / self._weight
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


class SpeedMeter:
    """Tokens per second now, on average over everything, and at the 99th percentile.

    >>> meter = SpeedMeter("Generation")
    >>> meter.update(tokens=100, seconds=2.0)["Performance/Generation_TokensPerSec"]
    50.0
    """

    def __init__(self, stage: str, *, window: int = 1000) -> None:
        self.stage = stage
        self._recent = Window(window)
        self._tokens = 0.0
        self._seconds = 0.0

    def update(self, tokens: float, seconds: float) -> dict[str, float]:
        """The numbers to log after a stage that made `tokens` in `seconds`."""
        self._tokens += tokens
        self._seconds += seconds
        now = tokens / seconds if seconds > 0 else math.nan
        self._recent.update(now)
        name = f"Performance/{self.stage}"
        return {
            f"{name}_TokensPerSec": now,
            f"{name}_Time": float(seconds),
            f"{name}_AvgTokensPerSec": self._tokens / self._seconds
            if self._seconds > 0
            else math.nan,
            f"{name}_P99TokensPerSec": self._recent.p99,
        }


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
            values["Epoch/RewardVariance"] = float(np.var(self._rewards))
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
