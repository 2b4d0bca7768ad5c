"""What can go wrong with PPO on classic control: the list, then those that falsify what it learns from.

Faults of the environments are in `envs/world.py`.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from runvitals.lab.contract import Sickness
from runvitals.lab.nn import Array
from runvitals.lab.pages import faults

JUMP_AT = 0.6  # when the learning rate jumps, as a share of the run

FAULTS = faults(
    """
lr-x100 (P01): learning rate far too high
  expect: KL001, KL002; accept: ENT001, REW003, DATA007; doses: 10, 100, 1000
  sets: learning_rate *= dose
lr-zero (P02): learning rate 0
  expect: POL002; accept: KL003, DATA007; sets: learning_rate = 0.0
lr-tiny (P03): learning rate far too low
  expect: KL003, CLIP002; accept: ENT004, REW005; doses: 0.01, 0.001, 0.0001
  sets: learning_rate *= dose
lr-jump (P04): the schedule makes the learning rate jump at 60% of the run
  expect: LR001; accept: KL002, REW003; doses: 30, 150, 1000; late: no
epochs-50 (P05): too many epochs over each batch, and nothing that stops them
  expect: KL001, CLIP001; accept: VAL003; doses: mild 20, clear 50
  sets: epochs = int(dose), target_kl = None
entropy-bonus-high (P06): entropy bonus so high that it outweighs the task
  expect: ENT004; accept: REW005, CLIP002; doses: 0.1, 0.5, 2.0; sets: entropy_coef = dose
entropy-bonus-negative (P07): entropy bonus with the wrong sign
  expect: ENT001, DATA007; doses: -0.02, -0.1, -0.5; sets: entropy_coef = dose
reward-scale (P08): rewards far too large, and not normalised
  expect: REW012; accept: VAL001, VAL004; doses: 30, 1000, 30000
advantage-sign (P09): advantages with the wrong sign
  expect: REW011; accept: REW003, ENT001
reward-sign (P10): rewards with the wrong sign
  expect: REW011; accept: REW001
advantages-raw (P11): large rewards, and advantages that are not normalised
  expect: ADV002, REW012; accept: KL002; doses: 10, 100, 1000; sets: normalize_advantages = False
terminal-mask-missing (P12): values are bootstrapped across the end of episodes
  expect: VAL004; accept: VAL001, VAL006; tasks: cartpole, acrobot, coin-grid
  doses: mild 0.5, clear 1.0  # share of the ends that are missed
returns-not-reversed (P13): advantages are summed up forwards in time
  expect: VAL003, REW005
rewards-shuffled (P14): rewards are shuffled within the batch
  expect: VAL002, REW005; accept: ENT004; doses: mild 0.3, clear 1.0  # share of the rows
targets-shuffled (P14): advantages and returns belong to other rows of the batch than the
    observations
  expect: VAL002, REW005; accept: ENT004, VAL003; doses: 0.5, 0.9, 1.0  # share of the rows
observations-zero (P15): observations are lost and read as zeros
  expect: VAL003, ENT004; accept: REW005, POL005; doses: mild 0.7, clear 1.0  # share of the steps
observations-frozen (P16): the state is not updated: the policy sees an old observation
  expect: REW005; accept: VAL003, POL005; doses: mild 0.7, clear 1.0  # share of the steps
observations-scale (P17): observations are a thousand times too large
  expect: VAL001, REW005; doses: 30, 1000, 30000
gamma-zero (P18): the discount leaves nothing of the future
  expect: DATA007; accept: REW005, REW011; doses: mild 0.7, clear 0.0; sets: gamma = dose
value-coef-zero (P19): the critic is not trained
  expect: VAL002, VAL003; accept: DATA007; doses: mild 0.0001, clear 0.0; sets: value_coef = dose
returns-shifted (P20): a constant is added to the critic's targets
  expect: VAL004; accept: VAL001; doses: 20, 500, 10000
clip-tiny (P21): clip range far too small
  expect: CLIP001; accept: KL003, DATA007; doses: 0.01, 0.001, 0.0001; sets: clip_range = dose
clip-wide (P22): hardly any clipping, a high learning rate, and no stop by KL
  expect: KL001; accept: REW003; sets: clip_range = 0.9, learning_rate *= dose, target_kl = None
  doses: 3, 10, 30  # times the learning rate
grad-clip-tiny (P23): gradients are clipped to next to nothing
  expect: GRAD002; accept: KL003; doses: 0.001, 1e-05, 1e-07; sets: max_grad_norm = dose
log-probs-sharper (P24): old log-probabilities come from a sharper policy than the one that acted
  expect: POL004; accept: POL003, KL001; doses: 1.2, 2.0, 5.0
optimizer-step-missing (P25): the optimiser never takes its step
  expect: POL002; accept: KL003, ENT004
reward-constant (P26): the reward is 0 whatever happens
  expect: REW004; accept: ADV001
reward-noise (P27): noise many times as large as the reward
  expect: REW005; accept: VAL003, REW007; doses: 3, 20, 100  # times the mean size of a reward
coin-farming (P28): a bonus on the way pays more than the goal
  expect: REW001; accept: REW010; doses: 0.1, 0.3, 1.0; tasks: coin-grid
coin-farming-unseen (P29): a bonus on the way pays more than the goal, and success is not logged
  expect: DATA002; doses: 0.1, 0.3, 1.0; tasks: coin-grid; late: no
episode-cap (P30): episodes are cut off long before the task can be done
  expect: LEN006; accept: REW005; doses: 0.2, 0.04, 0.02  # share of the task's own limit
dynamics-flip (P31): actions begin to work the other way round at 40% of the run
  expect: REW003; accept: VAL001, LEN006; late: no
  doses: mild 0.5, clear 1.0  # share of the actions
inf-observation (P32): one observation is infinite, once
  expect: NUM001
batch-tiny (P33): a batch of few steps, trained on as one
  expect: VAL003, REW005; doses: 128, 64, 32; late: no
target-kl-tiny (P34): a limit on the KL that stops every update at once
  expect: DATA007, KL003; accept: KL001; doses: 0.0001, 1e-05, 1e-06; sets: target_kl = dose
mask-one-action (P35): the action mask leaves a single action
  expect: POL005, ENT002; tasks: cartpole, acrobot, coin-grid
  doses: 0.5, 0.9, 1.0  # share of the steps
resume-bare (X06): resumed without the state of optimiser and normaliser
  expect: DATA005; accept: LR001, KL002; late: no; resume_at: 0.5
  doses: clear 1.0, gross 2.0  # 2: the normaliser also believes to know it all
  tasks: pendulum, acrobot  # those that have a normaliser
""",
    changes={
        "batch-tiny": lambda _, dose: {
            "num_envs": 4,
            "rollout_steps": int(dose) // 4,
            "minibatches": 1,
        },
    },
)


class Tampering:
    """Falsifies what the learner is given. Without a fault, everything passes through as it is."""

    def __init__(self, sick: Sickness, rng: np.random.Generator) -> None:
        self._sick = sick
        self._rng = rng

    def learning_rate(self, rate: float) -> float:
        """What the schedule says, until it jumps."""
        if (factor := self._sick("lr-jump")) and self._sick.progress >= JUMP_AT:
            return rate * factor
        return rate

    def rewards(self, raw: Array, normalized: Array) -> Array:
        """What the advantages are made from."""
        sick = self._sick
        if sick("reward-scale") or sick("advantages-raw"):
            return raw  # the scale is wrong because nothing sets it right
        if share := sick("rewards-shuffled"):
            mixed = self._shuffled(normalized.ravel(), share)
            return mixed.reshape(normalized.shape)
        return normalized

    def terminated(self, terminated: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Which steps ended an episode for good."""
        if share := self._sick("terminal-mask-missing"):
            return terminated & (self._rng.random(terminated.shape) >= share)
        return terminated

    def targets(self, advantages: Array, returns: Array) -> tuple[Array, Array]:
        """What the policy and the critic are taught, one number per step."""
        sick = self._sick
        if sick("advantage-sign"):
            advantages = -advantages
        returns = returns + np.float32(sick("returns-shifted"))
        if share := sick("targets-shuffled"):
            order = self._shuffled(np.arange(len(returns)), share)
            advantages, returns = advantages[order], returns[order]
        return advantages, returns

    def _shuffled(self, rows: NDArray[Any], share: float) -> NDArray[Any]:
        """The rows, a share of them in each other's places."""
        mixed = rows.copy()
        moved = np.flatnonzero(self._rng.random(len(rows)) < share)
        mixed[moved] = rows[self._rng.permutation(moved)]
        return mixed
