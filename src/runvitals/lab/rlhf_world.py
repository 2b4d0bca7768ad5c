"""What a language-model run is about: its settings, the task, the reference and the rewards."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from runvitals.lab.contract import HEALTHY, LATE, Sickness
from runvitals.lab.lm import SequenceNet, judge
from runvitals.lab.puzzles import (
    PAD,
    Puzzle,
    Puzzles,
    Tokens,
    lengths,
)
from runvitals.lab.rlhf_rewards import RewardModel, Scored, reward_model, verify
from runvitals.lab.rlhf_rollout import (
    TOOL_TASK,
    Tool,
    Written,
    room_of,
    start_model,
    task_of,
)
from runvitals.model import ConfigError


@dataclass(frozen=True)
class RLHFConfig:
    """All that decides how a run goes. A step is one batch of responses, and the updates from it."""

    algorithm: Literal["grpo", "ppo"] = "grpo"
    task: str = "sorting"
    reward: Literal["verifier", "model"] = "verifier"
    seed: int = 0
    base_seed: int = 0  # which start model
    total_steps: int = 120
    batch_size: int = 192  # responses per step
    group_size: int = 8  # responses to one prompt
    minibatch_size: int = 48  # responses per update
    epochs_per_batch: int = 2
    learning_rate: float = 1e-3
    critic_learning_rate: float = 3e-3
    lr_schedule: Literal["constant", "linear"] = "constant"  # linear: straight down to 0
    warmup_steps: int = 5
    max_grad_norm: float = 1.0
    clip_range: float = 0.2
    clip_range_vf: float = 0.5
    value_coef: float = 1.0
    entropy_coef: float = 0.0
    kl_coef: float = 0.01  # GRPO: of the KL in the loss; PPO: of the KL in the reward, at first
    target_kl_ref: float = 1.5  # nats per response at which PPO's controller aims
    kl_horizon: float = 4_000.0  # responses over which the controller acts
    gamma: float = 1.0
    gae_lambda: float = 0.95
    temperature: float = 1.0
    max_prompt_length: int = 10
    max_response_length: int = 12
    correct_weight: float = 1.0
    format_weight: float = 0.1
    prompt_offset: float = (
        0.0  # by how much prompts of a batch differ in reward, whatever is answered
    )
    critic_warmup_steps: int = (
        0  # batches from which the critic alone learns, before the first step
    )
    tool_failure_rate: float = 0.1
    ranks: int = 4  # devices that the batch is dealt out to, on paper
    balance_batch: bool = True  # so that all of them have the same number of tokens
    val_every: int = 5  # steps between two validations
    val_prompts: int = 128
    val_tries: int = 4  # responses to each of them
    samples_every: int = 10  # steps between two looks at samples
    score_prompts: int = 512  # held-out prompts behind the final score, each tried four times

    def __post_init__(self) -> None:
        if self.batch_size % self.group_size:
            raise ConfigError(
                f"{self.batch_size} responses do not split into groups of {self.group_size}"
            )
        if self.algorithm not in ("grpo", "ppo"):
            raise ConfigError(f"no algorithm {self.algorithm!r}", hint="grpo or ppo")


@dataclass(frozen=True)
class RLHFPPOConfig(RLHFConfig):
    """The same settings as one starts PPO with: one response per prompt, and smaller steps."""

    algorithm: Literal["grpo", "ppo"] = "ppo"
    group_size: int = 1
    learning_rate: float = 8e-4
    kl_coef: float = 0.02


class PuzzleWorld(NamedTuple):
    """What a run is about, and what does not change while it goes on."""

    task: Puzzle
    room: int  # columns for a response
    reference: SequenceNet
    judges: tuple[RewardModel, ...]  # the reward model, and the one that takes its place


def make_world(config: RLHFConfig, sick: Sickness) -> PuzzleWorld:
    """Load what the settings name."""
    task, seed = config.task, config.base_seed
    judges: tuple[RewardModel, ...] = ()
    if config.reward == "model":
        bias = sick("reward-model-likes-length")
        judges = (reward_model(task, seed, version=0, length_bias=bias, label_noise=0.0),)
    if judges and sick("reward-model-swapped"):
        judges += (reward_model(task, seed, version=1, length_bias=0.0, label_noise=0.5),)
    return PuzzleWorld(task_of(task), room_of(task), start_model(task, seed), judges)


@lru_cache(maxsize=8)
def easiest(task: str, seed: int) -> NDArray[np.int64]:
    """Training rows, those first whose right answers the start model finds likeliest."""
    rows = task_of(task).train
    likely = judge(start_model(task, seed), rows.prompts, rows.answers).log_probs.sum(axis=1)
    order: NDArray[np.int64] = np.argsort(-likely, kind="stable")
    return order


def truncated(rows: Puzzles, longest: int) -> Puzzles:
    """Prompts of which only the end is left where they are too long."""
    cut = rows.prompts.shape[1] - longest
    if cut <= 0:
        return rows
    prompts = rows.prompts.copy()
    prompts[:, :cut] = PAD
    return rows._replace(prompts=prompts)


def tool_of(now: RLHFConfig, sick: Sickness = HEALTHY) -> Tool | None:
    """The tool of the task, if it has one."""
    if now.task != TOOL_TASK:
        return None
    return Tool(sick("tool-broken", otherwise=now.tool_failure_rate))


def score(
    world: PuzzleWorld,
    written: Written,
    prompts: Tokens,
    key: Tokens,
    now: RLHFConfig,
    sick: Sickness,
    rng: np.random.Generator,
) -> Scored:
    """The reward of each response, as the user's reward function gives it."""
    if now.reward == "model":
        liked = reward_model_of(world, sick)(prompts, written.tokens)
        if (dose := sick("reward-model-swapped")) and sick.progress >= LATE:
            liked = liked - dose
        scored = Scored(liked, {"model": liked}, np.zeros(len(liked), np.bool_))
    else:
        scored = verify(
            written,
            key,
            correct_weight=now.correct_weight,
            format_weight=now.format_weight,
            anywhere=bool(sick("answer-anywhere")),
        )
    total, parts, right = scored
    if now.prompt_offset:
        asked = prompts[:, -2]  # the last character of the question
        parts["prompt"] = now.prompt_offset * (asked - asked.mean()) / max(1, np.ptp(asked))
        total = total + parts["prompt"]
    if dose := sick("reward-per-token"):
        parts["length"] = dose * lengths(written.tokens) / now.max_response_length
        total = total + parts["length"]
    if sick("verifier-dead") and sick.progress >= LATE:
        total, right = np.zeros_like(total), np.zeros_like(right)
        parts = {name: np.zeros_like(part) for name, part in parts.items()}
    if sick("reward-sign"):
        total = -total
    if sick("reward-constant"):
        total = np.ones_like(total)
    if dose := sick("reward-noise"):
        total = total + dose * rng.standard_normal(len(total))
    return Scored(total, parts, right)


def reward_model_of(world: PuzzleWorld, sick: Sickness) -> RewardModel:
    """The reward model in use."""
    return world.judges[-1 if sick.progress >= LATE else 0]
