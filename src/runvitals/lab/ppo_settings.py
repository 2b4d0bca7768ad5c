"""What PPO can be set to, the tasks it can learn, and healthy runs of it that look odd."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from runvitals.lab.envs.base import check_env
from runvitals.lab.envs.cartpole import CartPole
from runvitals.lab.pages import tasks, variants
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
GLOSSARY = {  # other names for what is logged here
    "outcome/return_mean": "avg_reward",
    "outcome/return_mean{window=rollout}": "avg_return",
    "outcome/win_rate": "win_rate",
    "outcome/success_rate": "success_rate",
    "outcome/episode_length_mean": "episode_length",
    "policy/loss": "policy_loss",
    "value/loss": "value_loss",
    "policy/entropy": "entropy",
    "policy/approx_kl": "approx_kl",
    "policy/clip_fraction": "clip_fraction",
    "value/explained_variance": "explained_variance",
    "throughput/rollout_steps_per_s": "steps_per_second",
    "throughput/updates_per_s{stage=update}": "updates_per_second",
    "throughput/updates_per_s{window=run}": "updates/sec",
    "optim/learning_rate": "current_lr",
    "policy/clip_range": "clip_epsilon",
    "outcome/distance_to_goal": "distance_to_goal",
    "outcome/collision_rate": "collision_rate",
}
UNSEEN = (  # what is not logged by somebody who looks at the return alone
    "outcome/success_rate",
    "outcome/win_rate",
    "win_rate_ema",
    "outcome/termination_rate",
    "outcome/distance_to_goal",
    "outcome/collision_rate",
    "eval/success_rate",
    "reward/component_mean",
)
