"""Are we wasting time? Rates from counts and seconds, on the host."""

from __future__ import annotations

import math
import time
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import numpy as np

from runvitals.model.text import labelled

# our name of each stage, and that of veRL where it is another
_STAGES = {
    stage: f"time/{names.split()[0]}_s"
    for names in (
        "step, generation gen, reward, old_logprob old_log_prob, ref_logprob ref, value values, "
        "advantage adv, policy_update update_actor, value_update update_critic, "
        "weight_sync update_weights, checkpoint save_checkpoint, eval testing, data, tool_calls"
    ).split(", ")
    for stage in names.split()
}


def rate(count: float, seconds: float) -> float:
    """`count` per second; NaN when no time has passed.

    >>> rate(100, 4.0)
    25.0
    """
    return float(count) / float(seconds) if seconds > 0 else math.nan


def steps_per_second(steps: float, seconds: float) -> float:
    """SPS: environment steps per second of the last stretch; a drop means a bottleneck.

    Feed differences, not totals since the start: those show half of a slow-down or less.

    >>> steps_per_second(2048, 0.5)
    4096.0
    """
    return rate(steps, seconds)


def updates_per_second(updates: float, seconds: float) -> float:
    """Optimiser updates per second; low with an idle GPU means batches too small or data too slow.

    >>> updates_per_second(10, 4.0)
    2.5
    """
    return rate(updates, seconds)


def tokens_per_second(tokens: float, seconds: float, *, devices: int = 1) -> float:
    """Tokens per second, and per device where `devices` is given: the core efficiency number.

    >>> tokens_per_second(1_000_000, 10.0, devices=8)
    12500.0
    """
    return rate(tokens, seconds) / devices if devices > 0 else math.nan


def per_token_ms(seconds: float, tokens: float) -> float:
    """Milliseconds per token of one stage, comparable across runs; NaN without tokens.

    >>> per_token_ms(2.0, 1000)
    2.0
    """
    return 1000.0 * seconds / tokens if tokens > 0 else math.nan


def timing_stats(
    stages: Mapping[str, float], *, tokens: float | Mapping[str, float] | None = None
) -> dict[str, float]:
    """Seconds of each stage under its canonical name, and milliseconds per token.

    Stages go by veRL's names (`gen`, `reward`, `old_log_prob`, `ref`, `adv`, `update_actor`, ...)
    or by ours; others become `time/stage_s` with a label. `tokens` is the number that each stage
    handled, one for all or one per stage: generation counts response tokens, the rest all tokens.

    >>> timing_stats({"gen": 3.0, "warp": 1.0}, tokens={"gen": 1000})
    {'time/generation_s': 3.0, 'time/per_token_ms{stage=gen}': 3.0, 'time/stage_s{stage=warp}': 1.0}
    """
    found: dict[str, float] = {}
    for stage, seconds in stages.items():
        found[_STAGES.get(stage) or labelled("time/stage_s", stage=stage)] = float(seconds)
        n = tokens.get(stage) if isinstance(tokens, Mapping) else tokens
        if n is not None and stage != "step":
            found[labelled("time/per_token_ms", stage=stage)] = per_token_ms(seconds, n)
    return found


def throughput_stats(
    *,
    seconds: float,
    tokens: float | None = None,
    steps: float | None = None,
    updates: float | None = None,
    samples: float | None = None,
    episodes: float | None = None,
    devices: int | None = None,
) -> dict[str, float]:
    """All rates of one stretch of training at once, for what was counted in it.

    >>> throughput_stats(seconds=2.0, steps=2048, updates=4)["throughput/env_steps_per_s"]
    1024.0
    """
    found = {"time/step_s": float(seconds)}
    for name, count in (
        ("throughput/env_steps_per_s", steps),
        ("throughput/updates_per_s", updates),
        ("throughput/samples_per_s", samples),
        ("throughput/episodes_per_s", episodes),
        ("throughput/tokens_per_s", tokens),
    ):
        if count is not None:
            found[name] = rate(count, seconds)
    if tokens is not None:
        found["data/tokens_per_step"] = float(tokens)
        if devices is not None:
            each = tokens_per_second(tokens, seconds, devices=devices)
            found["throughput/tokens_per_s_per_device"] = each
    return found


@dataclass(slots=True)
class SpeedTracker:
    """The latest, the mean and the 99th percentile of a rate over the run.

    The mean is total count over total seconds. The percentile covers the newest `window` rates; of
    a speed, P99 is the best case: far above the mean, the speed is uneven.

    >>> speed = SpeedTracker()
    >>> speed.add(100, 1.0); speed.add(300, 1.0)
    >>> speed.last, speed.mean, round(speed.percentile(99), 3)
    (300.0, 200.0, 298.0)
    """

    window: int = 10_000
    count: float = 0.0
    seconds: float = 0.0
    _rates: deque[float] = field(default_factory=deque)

    def add(self, count: float, seconds: float) -> None:
        """Record one stretch of work; stretches without duration are counted without a rate."""
        self.count += count
        self.seconds += seconds
        if seconds > 0:
            self._rates.append(count / seconds)
            if len(self._rates) > self.window:
                self._rates.popleft()

    @property
    def last(self) -> float:
        """The newest rate, NaN before the first."""
        return self._rates[-1] if self._rates else math.nan

    @property
    def mean(self) -> float:
        """Total count over total seconds, NaN before the first."""
        return rate(self.count, self.seconds)

    def percentile(self, p: float = 99.0) -> float:
        """The given percentile of the newest rates, NaN before the first."""
        return float(np.percentile(np.fromiter(self._rates, float), p)) if self._rates else math.nan

    def metrics(self, name: str = "throughput/tokens_per_s") -> dict[str, float]:
        """The three under one canonical name, the mean and P99 with a label `stat`."""
        return {
            name: self.last,
            labelled(name, stat="mean"): self.mean,
            labelled(name, stat="p99"): self.percentile(99.0),
        }


class SpeedMeter:
    """Tokens per second of one stage, ready to log: now, on average, and at the 99th percentile.

    >>> meter = SpeedMeter("Generation")
    >>> meter.update(tokens=100, seconds=2.0)["Performance/Generation_TokensPerSec"]
    50.0
    """

    def __init__(self, stage: str, *, window: int = 10_000) -> None:
        self.stage = stage
        self.speed = SpeedTracker(window=window)

    def update(self, tokens: float, seconds: float) -> dict[str, float]:
        """The numbers to log after a stage that made `tokens` in `seconds`."""
        self.speed.add(tokens, seconds)
        name = f"Performance/{self.stage}"
        return {
            f"{name}_TokensPerSec": rate(tokens, seconds),
            f"{name}_Time": float(seconds),
            f"{name}_AvgTokensPerSec": self.speed.mean,
            f"{name}_P99TokensPerSec": self.speed.percentile(99.0),
        }


@dataclass(slots=True)
class Stopwatch:
    """Seconds since it was made or last read; `lap()` reads and restarts.

    >>> ticks = iter([0.0, 2.5, 4.0])
    >>> watch = Stopwatch(lambda: next(ticks))
    >>> watch.lap(), watch.lap()
    (2.5, 1.5)
    """

    clock: Callable[[], float] = time.perf_counter
    _since: float = field(init=False)

    def __post_init__(self) -> None:
        self._since = self.clock()

    def lap(self) -> float:
        """Seconds since the last reading."""
        now = self.clock()
        passed, self._since = now - self._since, now
        return passed
