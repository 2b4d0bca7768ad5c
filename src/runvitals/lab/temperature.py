"""What steers a scheduling policy from outside: temperature, entropy, KL weight, size of its steps.

All four are asked once per update, take the settings that hold then, and can be put into a
checkpoint: `asdict(controller)` is all there is to them.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from runvitals.lab.scheduler_learner import SchedulerConfig


PRESSURE_MEMORY = 0.8  # of the smoothed pressures, per update
NORM_MEMORY = 0.9  # of the usual gradient norm
REWARD_MEMORY = 0.9  # of the reward in which stagnation is looked for
WORTHWHILE = 0.002  # a better reward counts from here


@dataclass
class TemperatureController:
    """Cools the policy when the cluster is under pressure, and heats it in pulses on stagnation.

    Pressure is how far load exceeds half the capacity and latency its target; both are smoothed.
    """

    current: float = 1.0
    base: float = 1.0
    qps_pressure: float = 0.0
    latency_pressure: float = 0.0
    reward: float = math.nan  # smoothed
    best_reward: float = -math.inf
    updates_since_best: int = 0
    pulse_left: int = 0

    @property
    def is_pulsing(self) -> bool:
        """Whether a pulse is under way."""
        return self.pulse_left > 0

    def update(
        self, now: SchedulerConfig, *, utilisation: float, latency: float, reward: float
    ) -> float:
        """The temperature until the next update. Latency is given as a share of its target."""
        self.qps_pressure = _smooth(self.qps_pressure, max(0.0, utilisation - 0.5))
        self.latency_pressure = _smooth(self.latency_pressure, max(0.0, latency - 1.0))
        self.base = now.base_temperature
        suppression = (
            now.qps_sensitivity * self.qps_pressure
            + now.latency_sensitivity * self.latency_pressure
        )
        calm = self.base * math.exp(-min(suppression, 50.0))
        self.current = min(max(calm, now.min_temperature), now.max_temperature)
        self._look_for_stagnation(now, reward)
        if self.is_pulsing:
            self.current *= now.pulse_factor
        return self.current

    def _look_for_stagnation(self, now: SchedulerConfig, reward: float) -> None:
        if math.isnan(self.reward):
            self.reward = reward
        self.reward = REWARD_MEMORY * self.reward + (1.0 - REWARD_MEMORY) * reward
        self.updates_since_best += 1
        if self.reward > self.best_reward + WORTHWHILE:
            self.best_reward = self.reward
            self.updates_since_best = 0
        if self.is_pulsing:
            self.pulse_left -= 1
            self.updates_since_best = 0  # patience counts from the end of a pulse
        elif now.pulse_patience and self.updates_since_best >= now.pulse_patience:
            self.pulse_left = now.pulse_updates
            self.best_reward = self.reward

    def metrics(self) -> dict[str, float]:
        """Under the names that the scheduler logs."""
        return {
            "temperature": self.current,
            "current_temperature": self.current,
            "temp_current_temperature": self.current,
            "temp_base_temperature": self.base,
            "temp_qps_pressure_ema": self.qps_pressure,
            "temp_latency_pressure_ema": self.latency_pressure,
            "temp_is_pulsing": float(self.is_pulsing),
        }


def _smooth(old: float, new: float) -> float:
    return PRESSURE_MEMORY * old + (1.0 - PRESSURE_MEMORY) * new


@dataclass
class EntropyRegulator:
    """Raises the entropy bonus while the entropy is below its floor, and lets it fall back after."""

    coef: float = 0.0
    emergency: bool = False
    interventions: int = 0
    updates_since: int = 0

    def update(self, entropy: float, *, floor: float, base: float, most: float) -> float:
        """The weight of the bonus until the next update; with a floor of 0 always `base`."""
        self.updates_since += 1
        self.emergency = entropy < floor
        if self.emergency:
            self.coef = min(max(self.coef, base, 1e-3) * 1.3, most)
            self.interventions += 1
            self.updates_since = 0
        else:
            self.coef = base + 0.9 * max(0.0, self.coef - base)
        return self.coef

    def metrics(self) -> dict[str, float]:
        """Under the names that the scheduler logs."""
        return {
            "entropy_coef": self.coef,
            "entropy_emergency_mode": float(self.emergency),
            "entropy_interventions": float(self.interventions),
            "entropy_steps_since_intervention": float(self.updates_since),
        }


@dataclass
class StepRegulator:
    """Takes smaller steps on larger minibatches after a sudden gradient spike, then recovers.

    A norm that stays high becomes the usual one after some updates, and is then not a spike.
    """

    usual: float = math.nan  # smoothed gradient norm
    spiking: bool = False
    spikes: int = 0
    level: int = 0
    calm_updates: int = 0

    def update(self, now: SchedulerConfig, grad_norm: float) -> bool:
        """Whether the norm of this update is a spike; the steps of the next one are adapted."""
        if not now.grad_spike_factor:
            return False
        before = now.max_grad_norm if math.isnan(self.usual) else self.usual
        limit = max(now.max_grad_norm, now.grad_spike_factor * before)
        self.spiking = grad_norm > limit
        self.usual = NORM_MEMORY * before + (1.0 - NORM_MEMORY) * min(grad_norm, limit)
        if self.spiking:
            self.spikes += 1
            self.level = min(self.level + 1, now.spike_levels)
            self.calm_updates = 0
        elif self.level:
            self.calm_updates += 1
            if self.calm_updates >= now.spike_recovery:
                self.level -= 1
                self.calm_updates = 0
        return self.spiking

    def lr_scale(self, now: SchedulerConfig) -> float:
        """What the learning rate is multiplied by."""
        return float(now.spike_lr_factor**self.level)

    def batch_scale(self, now: SchedulerConfig) -> int:
        """What the minibatch size is multiplied by."""
        return int(now.spike_batch_factor**self.level)


def adapted_kl_coef(coef: float, kl: float, *, target: float, least: float, most: float) -> float:
    """Half as much when the policy moved far less than wanted, twice as much when far more.

    >>> adapted_kl_coef(0.1, 0.05, target=0.02, least=0.001, most=10.0)
    0.2
    """
    if kl > 1.5 * target:
        coef *= 2.0
    elif kl < target / 1.5:
        coef /= 2.0
    return min(max(coef, least), most)
