"""What episodes come to: return, length, success, over a window and as a moving average.

These trackers hold plain floats, on the host, one call per finished episode or environment step.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np

from runvitals.metrics._types import Array, ShapeError
from runvitals.metrics.naming import Naming, rename
from runvitals.metrics.running import Ema
from runvitals.model import ConfigError, FloatArray
from runvitals.model.text import labelled

# what is logged of an episode, in this order; some have a moving average too
_SMOOTHED = (
    "outcome/return_mean", "outcome/episode_length_mean", "outcome/success_rate", "outcome/win_rate",
)  # fmt: skip
_PLAIN = ("outcome/termination_rate", "outcome/return_discounted_mean")


@dataclass(slots=True)
class EpisodeTracker:
    """Return, length and success of the newest `window` episodes, ready to log.

    Feed finished episodes to `add`, or every step of a vector of environments to `step`. The window
    hides a collapse until it is full of new episodes, so `outcome/episode_count` says how many are
    behind the numbers, and the moving averages follow faster or slower as `decay` says.

    >>> tracker = EpisodeTracker(window=100)
    >>> tracker.add(10.0, 5, success=True); tracker.add(0.0, 20, success=False)
    >>> found = tracker.metrics()
    >>> found["outcome/return_mean"], found["outcome/success_rate"]
    (5.0, 0.5)
    """

    window: int = 100
    decay: float = 0.99
    gamma: float | None = None
    episodes: int = 0
    best: float = -math.inf
    _newest: dict[str, deque[float]] = field(default_factory=dict)
    _emas: dict[str, Ema] = field(default_factory=dict)
    _running: dict[str, FloatArray] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.window < 1:
            raise ConfigError(f"window must be at least 1, got {self.window!r}")

    def add(
        self,
        episode_return: float,
        length: float,
        *,
        success: bool | float | None = None,
        win: bool | float | None = None,
        terminated: bool | None = None,
        discounted: float | None = None,
    ) -> None:
        """Record one finished episode. `terminated` is false if a time limit cut it."""
        self.episodes += 1
        told = (episode_return, length, success, win, terminated, discounted)
        for name, x in zip((*_SMOOTHED, *_PLAIN), told, strict=True):
            if x is not None:
                self._newest.setdefault(name, deque(maxlen=self.window)).append(float(x))
                if name in _SMOOTHED:
                    self._emas.setdefault(name, Ema(decay=self.decay)).update(float(x))
        returns = self._newest["outcome/return_mean"]
        if len(returns) == self.window:
            self.best = max(self.best, sum(returns) / len(returns))

    def step(
        self,
        rewards: Array,
        terminated: Array,
        truncated: Array | None = None,
        *,
        success: Array | None = None,
        win: Array | None = None,
    ) -> int:
        """Take one step of all environments, (n,) each; how many episodes ended in it.

        `success` and `win` are read where an episode ends.
        """
        r = np.atleast_1d(np.asarray(rewards, dtype=np.float64))
        dead = np.atleast_1d(np.asarray(terminated)).astype(bool)
        cut = np.zeros_like(dead) if truncated is None else np.atleast_1d(truncated).astype(bool)
        for name, x in (("terminated", dead), ("truncated", cut)):
            if x.shape != r.shape:
                raise ShapeError(name, x.shape, "rewards", r.shape)
        if not self._running:
            self._running = {name: np.zeros(r.shape) for name in ("return", "length", "discounted")}
        elif self._running["return"].shape != r.shape:
            raise ShapeError("rewards", r.shape, "earlier steps", self._running["return"].shape)
        if self.gamma is not None:
            self._running["discounted"] += self.gamma ** self._running["length"] * r
        self._running["return"] += r
        self._running["length"] += 1
        ended = np.flatnonzero(dead | cut)
        for i in ended:
            self.add(
                float(self._running["return"][i]),
                float(self._running["length"][i]),
                success=None if success is None else float(np.atleast_1d(success)[i]),
                win=None if win is None else float(np.atleast_1d(win)[i]),
                terminated=bool(dead[i]),
                discounted=None if self.gamma is None else float(self._running["discounted"][i]),
            )
        for x in self._running.values():
            x[ended] = 0.0
        return len(ended)

    def metrics(self, names: Naming = "canonical") -> dict[str, float]:
        """The window's numbers, and the moving averages with the label `smoothing=ema`.

        Success, wins, terminations and discounted returns appear once one was recorded. NaN before
        the first episode; standard deviations are unbiased.
        """
        returns = self._newest.get("outcome/return_mean", ())
        found = _spread(returns, "outcome/return_", median=True)
        lengths = self._newest.get("outcome/episode_length_mean", ())
        found |= _spread(lengths, "outcome/episode_length_")
        found["outcome/episode_count"] = float(len(returns))
        found["progress/episodes"] = float(self.episodes)
        if self.best > -math.inf:
            found["outcome/return_best"] = self.best
        for name in (*_SMOOTHED[2:], *_PLAIN):
            if values := self._newest.get(name):
                found[name] = sum(values) / len(values)
        for name, ema in self._emas.items():
            found[labelled(name, smoothing="ema")] = ema.value
        return rename(found, names, "episodes")


def _spread(values: Iterable[float], prefix: str, *, median: bool = False) -> dict[str, float]:
    x = np.fromiter(values, np.float64)
    some = x.size > 0
    found = {
        f"{prefix}mean": float(x.mean()) if some else math.nan,
        f"{prefix}std": float(x.std(ddof=1)) if x.size > 1 else math.nan,
        f"{prefix}min": float(x.min()) if some else math.nan,
        f"{prefix}max": float(x.max()) if some else math.nan,
    }
    if median:
        found[f"{prefix}median"] = float(np.median(x)) if some else math.nan
    return found
