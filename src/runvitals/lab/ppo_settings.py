"""What PPO can be set to, the tasks it can learn, healthy runs that look odd, and what can go wrong.

Faults of the environments are in `envs/world.py`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from runvitals.lab.contract import Sickness
from runvitals.lab.envs.base import check_env
from runvitals.lab.envs.cartpole import CartPole
from runvitals.lab.nn import Array
from runvitals.lab.pages import dialect, faults, tasks, variants
from runvitals.model import ConfigError


@dataclass(frozen=True)
class PPOConfig:
    """All that decides how a run goes. Steps are environment steps, over all environments."""

    env: str = CartPole.name
    env_options: Mapping[str, float] = field(default_factory=dict)
    seed: int = 0
    total_steps: int = 200_000
    num_envs: int = 16
    rollout_steps: int = 128  # per environment, between two updates
    epochs: int = 10
    minibatches: int = 32  # of 64 steps: small enough that BLAS keeps to one thread
    learning_rate: float = 2e-4
    anneal_learning_rate: bool = True  # in a straight line down to 0
    adam_eps: float = 1e-5
    gamma: float = 0.99
    gae_lambda: float = 0.95
    normalize_observations: bool = False  # by running mean and spread
    normalize_rewards: bool = False  # by the running spread of the discounted return
    normalize_advantages: bool = True
    reward_noise: float = 0.0  # spread of what is added to each reward
    clip_range: float = 0.2
    value_clip_range: float | None = None  # None: the plain squared error
    entropy_coef: float = 0.001
    value_coef: float = 0.5
    max_grad_norm: float = 0.5
    target_kl: float | None = 0.02  # an update stops when the KL passes 1.5 times this
    hidden: tuple[int, ...] = (64, 64)
    start_std: float = 0.6  # of the actions, where they are real numbers
    success_return: float = 475.0  # a mean return from which on the task counts as solved
    window: int = 100  # episodes behind the outcome metrics
    log_rows: int = 250  # at most; with more iterations than that, some are not logged
    eval_every: int = 8  # logged rows between two evaluations
    eval_episodes: int = 16
    score_episodes: int = 50  # behind the final score

    @property
    def batch(self) -> int:
        """Environment steps between two updates."""
        return self.num_envs * self.rollout_steps

    def __post_init__(self) -> None:
        check_env(self.env)
        if self.batch % self.minibatches:
            raise ConfigError(
                f"{self.batch} steps do not split into {self.minibatches} minibatches of one size",
                hint="num_envs * rollout_steps must be a multiple of minibatches",
            )
        if self.total_steps < self.batch:
            raise ConfigError(
                f"total_steps={self.total_steps} is less than one rollout of {self.batch}"
            )


TASKS = tasks(
    "mean return of 50 episodes",
    """
cartpole (400): balance a pole on a cart
  score: mean return of 50 episodes, at most 500
  sets: env="CartPole-v1", total_steps=102_400, num_envs=8, minibatches=16, epochs=6,
    learning_rate=1e-3, eval_every=5
acrobot (-120): swing a two-link arm up to a line
  score: mean return of 50 episodes, minus the steps it took
  sets: env="Acrobot-v1", total_steps=102_400, num_envs=16, rollout_steps=64, minibatches=16, epochs=4,
    learning_rate=1e-3, normalize_observations=True, success_return=-100.0, eval_every=5
pendulum (-300): swing a pendulum up and hold it there
  score: mean return of 50 episodes, at most 0
  sets: env="Pendulum-v1", total_steps=102_400, num_envs=16, rollout_steps=64, minibatches=16, epochs=8,
    learning_rate=2e-3, gamma=0.95, normalize_observations=True, normalize_rewards=True, target_kl=None,
    entropy_coef=0.0, success_return=-250.0, window=48, eval_every=5
coin-grid (0.9): find the way through a small maze
  score: success rate of 50 episodes
  sets: env="CoinGrid-v0", total_steps=40_960, num_envs=16, rollout_steps=32, minibatches=8, epochs=4,
    learning_rate=5e-4, anneal_learning_rate=False, entropy_coef=0.01, success_return=0.85, eval_every=5
""",
)
VARIANTS = variants("""
solved-early: continues long after the task is solved
  sets: total_steps=163_840; tasks: cartpole, coin-grid
slow-learner: learns with small steps, and is not done at the end
  sets: learning_rate=1e-4, total_steps=61_440; learns: no; tasks: cartpole
annealed-to-zero: the learning rate goes down to 0
  sets: anneal_learning_rate=True; tasks: coin-grid
no-annealing: the learning rate stays what it is
  sets: anneal_learning_rate=False; tasks: cartpole
sparse-noisy-reward: no reward but at the goal, and noise on top of it
  sets: env_options={"step_cost": 0.0}, reward_noise=0.1; tasks: coin-grid
resumed: stopped in the middle and resumed, with all its state
  resume_at: 0.5
short-run: a first try that is over before anything is learned
  sets: total_steps=14_336, log_rows=14; learns: no
metrics-missing: nothing is logged of the critic and the optimiser
  hides: value/*, returns/*, optim/*, advantage/*, policy/ratio*, policy/*norm
few-logs: only some iterations are logged
  sets: log_rows=25, eval_every=3
large-batch: four times as many steps between two updates
  sets: num_envs=32, total_steps=163_840; tasks: cartpole
many-envs: many environments and short rollouts
  sets: num_envs=64, rollout_steps=16; tasks: cartpole, pendulum, coin-grid
kl-stop-off: nothing stops an update early
  sets: target_kl=None; tasks: cartpole, coin-grid
kl-stop-tight: updates are often stopped early
  sets: target_kl=0.005; tasks: cartpole, coin-grid
few-epochs: two passes over each batch
  sets: epochs=2; tasks: coin-grid
high-entropy: is kept random on purpose
  sets: entropy_coef=0.02; tasks: cartpole, coin-grid
lambda-one: plain returns, hence noisy advantages
  sets: gae_lambda=1.0; tasks: cartpole, coin-grid
small-network: one small layer
  sets: hidden=(16,); tasks: cartpole, coin-grid
normalized: observations and rewards are normalised
  sets: normalize_observations=True, normalize_rewards=True; tasks: cartpole
""")
# other names for what is logged here
GLOSSARY = dialect("""
outcome/return_mean = avg_reward; outcome/return_mean{window=rollout} = avg_return;
outcome/win_rate = win_rate; outcome/success_rate = success_rate;
outcome/episode_length_mean = episode_length; policy/loss = policy_loss; value/loss = value_loss;
policy/entropy = entropy; policy/approx_kl = approx_kl; policy/clip_fraction = clip_fraction;
value/explained_variance = explained_variance; throughput/rollout_steps_per_s = steps_per_second;
throughput/updates_per_s{stage=update} = updates_per_second;
throughput/updates_per_s{window=run} = updates/sec; optim/learning_rate = current_lr;
policy/clip_range = clip_epsilon; outcome/distance_to_goal = distance_to_goal;
outcome/collision_rate = collision_rate
""")
# what is not logged by somebody who looks at the return alone
UNSEEN = tuple(
    "outcome/success_rate outcome/win_rate win_rate_ema outcome/termination_rate eval/success_rate "
    "outcome/distance_to_goal outcome/collision_rate reward/component_mean".split()
)


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
        }
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
