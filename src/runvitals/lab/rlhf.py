"""Reinforcement learning of a tiny language model: GRPO, and PPO as it is used with human feedback.

To be read from top to bottom: the settings, the training loop, then the pieces it uses. What can be
learned and what can go wrong is listed in `rlhf_faults.py`; prompts, start model and generation are
in `rlhf_rollout.py`, rewards in `rlhf_rewards.py`, and what is logged, under verl's names, in
`rlhf_metrics.py`. Each step generates responses with a copy of the weights (the generator), scores
them, and updates the policy from them. A run takes a few seconds on one core.

    with rv.init(project="lab", config=asdict(config)) as run:
        result = train(config, run)
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from runvitals.lab.contract import HEALTHY, LATE, Recorder, Sickness, Trained, Trainer
from runvitals.lab.lm import SequenceNet, judge, push
from runvitals.lab.nn import Adam, Array, clip_norm, norm
from runvitals.lab.puzzles import (
    PAD,
    VOCABULARY,
    Puzzle,
    Puzzles,
    Tokens,
    decode,
    is_right,
    lengths,
)
from runvitals.lab.rlhf_faults import (
    GRPO_FAULTS,
    GRPO_TASKS,
    GRPO_VARIANTS,
    PPO_FAULTS,
    PPO_TASKS,
    PPO_VARIANTS,
    TRL_NAMES,
    TRL_SHORT_NAMES,
)
from runvitals.lab.rlhf_metrics import (
    Ranks,
    agent_metrics,
    group_metrics,
    length_metrics,
    mean_over,
    mismatch_metrics,
    prompt_lengths,
    reward_metrics,
    speed_metrics,
    spread,
    validation_metrics,
)
from runvitals.lab.rlhf_rewards import RewardModel, Scored, reward_model, verify
from runvitals.lab.rlhf_rollout import (
    TOOL_TASK,
    Flags,
    Tool,
    Written,
    generate,
    last_words,
    room_of,
    start_model,
    task_of,
    without,
)
from runvitals.metrics import AdaptiveKL, gae_tokens, group_advantages, whiten
from runvitals.model import ConfigError

TASKS = GRPO_TASKS
FAULTS = (*GRPO_FAULTS, *(fault for fault in PPO_FAULTS if fault not in GRPO_FAULTS))
VARIANTS = GRPO_VARIANTS
LOG_RATIO_LIMIT = 20.0  # beyond it a ratio says nothing but "very different"


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


class World(NamedTuple):
    """What a run is about, and what does not change while it goes on."""

    task: Puzzle
    room: int  # columns for a response
    reference: SequenceNet
    judges: tuple[RewardModel, ...]  # the reward model, and the one that takes its place


class Batch(NamedTuple):
    """Responses with all that the updates need to know of each of their tokens."""

    prompts: Tokens
    responses: Tokens
    own: Flags  # tokens that the model wrote itself
    log_probs: Array  # by the policy before the updates
    ref_log_probs: Array
    advantages: Array
    returns: Array
    values: Array


# the training


@np.errstate(over="ignore", invalid="ignore", divide="ignore")  # a sick run may overflow
def train(config: RLHFConfig, run: Recorder, sick: Sickness = HEALTHY) -> Trained:
    """Train a language model and log everything through `run`."""
    seeds = np.random.SeedSequence(config.seed).spawn(7)
    data_rng, text_rng, batch_rng, val_rng, score_rng, fault_rng, weights_rng = map(
        np.random.default_rng, seeds
    )
    sick.at(0.0)
    world = make_world(config, sick)
    columns = world.task.prompt_width + world.room
    policy, generator = (SequenceNet(columns, VOCABULARY, weights_rng) for _ in range(2))
    policy.copy_from(world.reference)
    send_weights(generator, policy)
    reference = world.reference
    stranger = SequenceNet(columns, VOCABULARY, weights_rng, output_gain=1.0)
    critic = SequenceNet(columns, 1, weights_rng)
    optimizer, critic_optimizer = Adam(policy.params), Adam(critic.params)
    kl_control = AdaptiveKL(config.kl_coef, config.target_kl_ref, config.kl_horizon)
    kl_coef_set = config.kl_coef

    ppo = config.algorithm == "ppo"
    ranks = Ranks(config.ranks)
    started = time.perf_counter()
    own_seconds, synced_at = 0.0, 0
    run.progress(total_steps=config.total_steps, step=0)
    for _ in range(config.critic_warmup_steps):
        warm_critic(critic, critic_optimizer, generator, world, config, sick, text_rng)

    for iteration in range(config.total_steps):
        step = iteration + 1
        sick.at(iteration / config.total_steps)
        now = sick.settings(config)
        learning_rate = scheduled(now, iteration)
        limit = min(now.max_response_length, world.room)
        slowness = np.ones(config.ranks)
        slowness[-1] = sick("slow-rank", otherwise=1.0)
        if now.kl_coef != kl_coef_set:
            kl_coef_set = kl_control.value = now.kl_coef
        before = [params.copy() for params in policy.params]
        age = iteration - synced_at  # of the generator's weights, in steps
        slept = 0.0
        ranks.begin()

        with run.timer("step") as whole:
            with run.timer("gen") as gen:
                began = time.perf_counter()
                pool = np.arange(len(world.task.train.prompts))
                if dose := sick("prompts-all-solved"):
                    pool = easiest(config.task, config.base_seed)[: int(dose)]
                prompts = now.batch_size // now.group_size
                chosen = pool[data_rng.integers(0, len(pool), prompts)]
                rows = world.task.train.take(np.repeat(chosen, now.group_size))
                rows = truncated(rows, now.max_prompt_length)
                written = generate(
                    generator,
                    rows,
                    limit,
                    text_rng,
                    temperature=sick("rollout-temperature", otherwise=now.temperature),
                    tool=tool_of(now, sick),
                    runs_on=sick("end-token-ignored"),
                )
                if dose := sick("rollouts-failing"):
                    written = without(written, fault_rng.random(len(written.tokens)) < dose)
                gen.tokens = float(lengths(written.tokens).sum())
                if dose := sick("generation-slows"):
                    time.sleep(dose * sick.progress * (time.perf_counter() - began))
                ranks.share(time.perf_counter() - began, slowness, by_load=False)

            asked = prompt_lengths(rows.prompts)
            sizes = asked + lengths(written.tokens)
            tokens = float(sizes.sum())
            lopsided = sick("one-rank-overloaded")
            even = now.balance_batch and not lopsided
            ranks.deal(sizes, balanced=even, first_share=lopsided)

            with run.timer("reward"):
                key = rows.answers
                if dose := sick("prompts-unsolvable"):
                    wrong = fault_rng.random(prompts) < dose
                    shifted = np.roll(key, now.group_size, axis=0)
                    key = np.where(np.repeat(wrong, now.group_size)[:, None], shifted, key)
                scored = score(world, written, rows.prompts, key, now, sick, fault_rng)
                if dose := sick("reward-sleeps"):
                    slept = dose * (own_seconds or time.perf_counter() - began)
                    time.sleep(slept)

            with run.timer("old_log_prob", tokens) as old:
                log_probs = judge(policy, rows.prompts, written.tokens).log_probs * written.own
            with run.timer("ref", tokens):
                compared = stranger if sick("reference-random") else reference
                ref = judge(compared, rows.prompts, written.tokens).log_probs * written.own
            values = np.zeros_like(log_probs)
            if ppo:
                with run.timer("values", tokens):
                    values = values_of(critic, rows.prompts, written.tokens)[0] * written.own

            with run.timer("adv", tokens):
                kl = (log_probs - ref) * written.own
                penalty = kl_control.value * kl if ppo else np.zeros_like(kl)
                advantages, returns = advantages_of(
                    scored.total, penalty, values, written.own, now, sick
                )
                batch = Batch(
                    rows.prompts,
                    written.tokens,
                    written.own,
                    log_probs,
                    ref,
                    advantages,
                    returns,
                    values,
                )

            critic_seen: dict[str, float] = {}
            if ppo:
                with run.timer("update_critic", tokens):
                    began = time.perf_counter()
                    critic_seen = update_critic(critic, critic_optimizer, batch, now, batch_rng)
                    ranks.share(time.perf_counter() - began, slowness)
            with run.timer("update_actor", tokens) as update:
                began = time.perf_counter()
                seen = update_actor(policy, optimizer, batch, now, learning_rate, batch_rng, sick)
                ranks.share(time.perf_counter() - began, slowness)
            with run.timer("update_weights"):
                if step % int(sick("weights-synced-rarely", otherwise=1.0)) == 0:
                    send_weights(generator, policy)
                    synced_at = step

        own_seconds = max(0.0, whole.seconds - slept)
        run.count(
            tokens=tokens,
            samples=now.batch_size,
            episodes=now.batch_size,
            updates=seen["optim/updates_per_iteration"],
        )
        rewards = scored.total - penalty.sum(axis=1)
        metrics = {
            "training/global_step": float(step),
            "training/epoch": step * prompts / len(world.task.train.prompts),
            **seen,
            "actor/lr": learning_rate,
            "lr_scheduler/last_lr": learning_rate,
            "policy/clip_range": now.clip_range,
            "policy/entropy_coef": now.entropy_coef,
            "policy/logprob_mean": mean_over(log_probs, written.own),
            "policy/logprob_ref_mean": mean_over(ref, written.own),
            "policy/kl_ref_sequence": float(kl.sum(axis=1).mean()),
            "policy/entropy_sequence": -float(log_probs.sum(axis=1).mean()),
            "optim/param_norm": norm(policy.params),
            "optim/update_norm": norm([a - b for a, b in zip(policy.params, before, strict=True)]),
            "training/off_policy/trajectory_staleness/mean": float(age),
            **reward_metrics(scored, rewards, advantages[written.own]),
            **spread("critic/returns", returns[written.own]),
            **length_metrics(asked, written, now.max_prompt_length, limit),
            **mismatch_metrics(log_probs, written),
            **ranks.metrics(),
            **speed_metrics(
                policy,
                int(tokens),
                {
                    "step": whole.seconds,
                    "update_actor": update.seconds,
                    "old_log_prob": old.seconds,
                },
                epochs=now.epochs_per_batch,
                ranks=config.ranks,
            ),
        }
        if now.group_size > 1:
            metrics |= group_metrics(scored, now.group_size)
        if config.task == TOOL_TASK:
            metrics |= agent_metrics(written, asked)
        if config.reward == "model":
            metrics |= {
                "rm/score_mean": float(scored.total.mean()),
                "rm/score_std": float(scored.total.std()),
                "rm/accuracy": reward_model_of(world, sick).held_out_accuracy,
            }
        if ppo:
            error = returns - values
            metrics |= {
                **critic_seen,
                **value_metrics(values[written.own], returns[written.own], error[written.own]),
                "critic/kl": mean_over(kl, written.own),
                "critic/kl_coeff": kl_control.value,
                "reward/kl_penalty_mean": -float(penalty.sum(axis=1).mean()),
                "critic/lr": now.critic_learning_rate,
                "optim/loss": seen["actor/loss"] + now.value_coef * critic_seen["critic/vf_loss"],
            }
            kl_control.update(float(kl.sum(axis=1).mean()), now.batch_size)
        else:
            metrics |= {"actor/kl_coef": now.kl_coef}

        if iteration % config.val_every == 0 or step == config.total_steps:
            with run.timer("testing"):
                metrics |= validate(generator, world, now, sick, val_rng)
        run.log(metrics, step)
        if iteration % config.samples_every == 0:
            run.log_histogram("critic/score", scored.total, step)
            run.log_histogram("critic/advantages", advantages[written.own], step)
            run.log_samples(samples_of(rows, written, scored), step)
        run.progress(step=step)

    return Trained(
        score=final_score(policy, world, config, score_rng),
        steps=config.total_steps,
        seconds=time.perf_counter() - started,
    )


def make_world(config: RLHFConfig, sick: Sickness) -> World:
    """Load what the settings name."""
    task, seed = config.task, config.base_seed
    judges: tuple[RewardModel, ...] = ()
    if config.reward == "model":
        bias = sick("reward-model-likes-length")
        judges = (reward_model(task, seed, version=0, length_bias=bias, label_noise=0.0),)
    if judges and sick("reward-model-swapped"):
        judges += (reward_model(task, seed, version=1, length_bias=0.0, label_noise=0.5),)
    return World(task_of(task), room_of(task), start_model(task, seed), judges)


@lru_cache(maxsize=8)
def easiest(task: str, seed: int) -> NDArray[np.int64]:
    """Training rows, those first whose right answers the start model finds likeliest."""
    rows = task_of(task).train
    likely = judge(start_model(task, seed), rows.prompts, rows.answers).log_probs.sum(axis=1)
    order: NDArray[np.int64] = np.argsort(-likely, kind="stable")
    return order


def scheduled(now: RLHFConfig, iteration: int) -> float:
    """The learning rate of a step: it warms up, then stays or falls in a straight line."""
    rate = now.learning_rate * min(1.0, (iteration + 1) / max(1, now.warmup_steps))
    if now.lr_schedule == "linear":
        rate *= 1.0 - iteration / now.total_steps
    return rate


def send_weights(generator: SequenceNet, policy: SequenceNet) -> None:
    """Give the generator the policy's weights, in half precision as fast engines hold them."""
    for theirs, mine in zip(generator.params, policy.params, strict=True):
        theirs[:] = mine.astype(np.float16)


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


# rewards


def score(
    world: World,
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


def reward_model_of(world: World, sick: Sickness) -> RewardModel:
    """The reward model in use."""
    return world.judges[-1 if sick.progress >= LATE else 0]


# advantages


def advantages_of(
    scores: Array, penalty: Array, values: Array, own: Flags, now: RLHFConfig, sick: Sickness
) -> tuple[Array, Array]:
    """Advantages and returns per token."""
    if now.algorithm == "grpo":
        each = group_advantages(scores, group_size=now.group_size, eps=1e-6)
        if dose := sick("advantage-over-zero"):
            groups = scores.reshape(-1, now.group_size)
            off = groups - groups.mean(axis=1, keepdims=True)
            each = (off / (groups[:, :2].std(axis=1, keepdims=True) + dose)).ravel()
        advantages = returns = each[:, None] * own
    else:
        rewards = -penalty
        last = np.maximum(own.shape[1] - 1 - own[:, ::-1].argmax(axis=1), 0)
        rewards[np.arange(len(rewards)), last] += scores
        advantages, returns = gae_tokens(rewards, values, own, gamma=now.gamma, lam=now.gae_lambda)
        returns = returns + sick("returns-shifted") * own
        advantages = whiten(advantages, own) if own.any() else advantages
    if sick("advantage-sign"):
        advantages = -advantages
    return advantages.astype(np.float32), returns.astype(np.float32)


# updates


def update_actor(
    policy: SequenceNet,
    optimizer: Adam,
    batch: Batch,
    now: RLHFConfig,
    learning_rate: float,
    rng: np.random.Generator,
    sick: Sickness,
) -> dict[str, float]:
    """Some epochs over one batch; metrics are means over the minibatches, each before its step."""
    seen: dict[str, list[float]] = {}
    for rows in minibatches(len(batch.prompts), now, rng):
        prompts, responses, own, old, ref, advantages, *_ = (part[rows] for part in batch)
        judged = judge(policy, prompts, responses)
        count = max(1, int(own.sum()))
        log_ratio = np.clip(judged.log_probs - old, -LOG_RATIO_LIMIT, LOG_RATIO_LIMIT) * own
        ratio = np.exp(log_ratio)
        plain = ratio * advantages
        clipped = np.clip(ratio, 1.0 - now.clip_range, 1.0 + now.clip_range) * advantages
        pull = -plain * (plain <= clipped)  # nothing flows where the clip holds
        entropy = float((judged.entropy * own).sum() / count)
        pg_loss = -float((np.minimum(plain, clipped) * own).sum() / count)
        loss = pg_loss - now.entropy_coef * entropy
        if now.algorithm == "grpo":  # the KL is part of the loss, by the k3 estimator
            gap = np.clip(ref - judged.log_probs, -LOG_RATIO_LIMIT, LOG_RATIO_LIMIT) * own
            kl_loss = float((np.exp(gap) - gap - 1.0).sum() / count)
            pull = pull + now.kl_coef * (1.0 - np.exp(gap))
            loss += now.kl_coef * kl_loss
            seen.setdefault("actor/kl_loss", []).append(kl_loss)
        weights = (pull * own / count).astype(np.float32)
        push(policy, judged, responses, weights, -now.entropy_coef * own / count)
        grad_norm = clip_norm(policy.grads, now.max_grad_norm)
        if not sick("optimizer-step-missing"):
            optimizer.step(policy.grads, learning_rate)
        for name, value in (
            ("actor/loss", loss),
            ("actor/pg_loss", pg_loss),
            ("actor/entropy", entropy),
            ("actor/entropy_loss", entropy),
            ("actor/grad_norm", grad_norm),
            ("actor/ppo_kl", -mean_over(log_ratio, own)),
            ("actor/approx_kl", mean_over(ratio - 1.0 - log_ratio, own)),
            ("actor/pg_clipfrac", mean_over(clipped < plain, own)),
            ("policy/ratio_mean", mean_over(ratio, own)),
            ("policy/ratio_std", float(ratio[own].std()) if own.any() else float("nan")),
            ("policy/ratio_min", float(ratio.min())),
            ("policy/ratio_max", float(ratio.max())),
            ("optim/grad_clip_fraction", float(grad_norm > now.max_grad_norm)),
        ):
            seen.setdefault(name, []).append(value)
    extremes = {"policy/ratio_min": np.min, "policy/ratio_max": np.max}
    metrics = {name: float(extremes.get(name, np.mean)(each)) for name, each in seen.items()}
    return metrics | {"optim/updates_per_iteration": float(len(seen["actor/loss"]))}


def minibatches(
    count: int, now: RLHFConfig, rng: np.random.Generator
) -> list[NDArray[np.integer[Any]]]:
    """The rows of each minibatch, all epochs after one another; every epoch in a new order."""
    starts = range(now.minibatch_size, count, now.minibatch_size)
    orders = [rng.permutation(count) for _ in range(now.epochs_per_batch)]
    return [rows for order in orders for rows in np.split(order, list(starts))]


def values_of(critic: SequenceNet, prompts: Tokens, responses: Tokens) -> tuple[Array, Any]:
    """What the critic expects before each token of the responses, and its reading."""
    reading = critic.read(np.concatenate([prompts, responses], axis=1)[:, :-1])
    return reading.outputs[:, prompts.shape[1] - 1 :, 0], reading


def update_critic(
    critic: SequenceNet,
    optimizer: Adam,
    batch: Batch,
    now: RLHFConfig,
    rng: np.random.Generator,
) -> dict[str, float]:
    """Some epochs of squared error against the returns; a value may not run far from its old one."""
    seen: dict[str, list[float]] = {}
    for rows in minibatches(len(batch.prompts), now, rng):
        own, returns, old = batch.own[rows], batch.returns[rows], batch.values[rows]
        count = max(1, int(own.sum()))
        values, reading = values_of(critic, batch.prompts[rows], batch.responses[rows])
        errors = values - returns
        bounded = np.clip(values, old - now.clip_range_vf, old + now.clip_range_vf) - returns
        held = np.abs(bounded) > np.abs(errors)  # the clip decides, and is flat
        loss = 0.5 * mean_over(np.maximum(np.square(errors), np.square(bounded)), own)
        grad = np.zeros_like(reading.outputs)
        grad[:, batch.prompts.shape[1] - 1 :, 0] = now.value_coef * errors * ~held * own / count
        critic.backward(reading, grad)
        grad_norm = clip_norm(critic.grads, now.max_grad_norm)
        optimizer.step(critic.grads, now.critic_learning_rate)
        for name, value in (
            ("critic/vf_loss", loss),
            ("critic/loss", loss),
            ("critic/vf_clipfrac", mean_over(held, own)),
            ("critic/vpred_mean", mean_over(values, own)),
            ("critic/grad_norm", grad_norm),
        ):
            seen.setdefault(name, []).append(value)
    return {name: float(np.mean(each)) for name, each in seen.items()}


def warm_critic(
    critic: SequenceNet,
    optimizer: Adam,
    generator: SequenceNet,
    world: World,
    now: RLHFConfig,
    sick: Sickness,
    rng: np.random.Generator,
) -> None:
    """Teach the critic what the start model earns on one batch; the policy stays as it is."""
    train = world.task.train
    rows = truncated(
        train.take(rng.integers(0, len(train.prompts), now.batch_size)), now.max_prompt_length
    )
    written = generate(
        generator, rows, min(now.max_response_length, world.room), rng, tool=tool_of(now, sick)
    )
    scored = score(world, written, rows.prompts, rows.answers, now, sick, rng)
    nothing = np.zeros(written.own.shape, np.float32)
    values = values_of(critic, rows.prompts, written.tokens)[0] * written.own
    returns = (scored.total[:, None] * written.own).astype(np.float32)
    batch = Batch(
        rows.prompts, written.tokens, written.own, nothing, nothing, nothing, returns, values
    )
    update_critic(critic, optimizer, batch, now, rng)


def value_metrics(values: Array, returns: Array, errors: Array) -> dict[str, float]:
    """How well the critic had foreseen the returns, before its update."""
    variance = float(returns.var()) if returns.size else float("nan")
    explained = 1.0 - float(errors.var()) / variance if variance > 0 else float("nan")
    return {
        **spread("critic/values", values),
        "critic/value/mean": spread("value", values)["value/mean"],
        "critic/vf_explained_var": explained,
        "value/var": float(values.var()),
        "value/error": float(np.square(errors).mean()),
        "returns/var": variance,
    }


# evaluation


def validate(
    model: SequenceNet, world: World, now: RLHFConfig, sick: Sickness, rng: np.random.Generator
) -> dict[str, float]:
    """Try held-out prompts several times with the generator; the accuracy is true in any case."""
    count = min(now.val_prompts, len(world.task.held_out.prompts))
    rows = world.task.held_out.take(np.repeat(np.arange(count), now.val_tries))
    rows = truncated(rows, now.max_prompt_length)
    limit = min(now.max_response_length, world.room)
    tool = tool_of(now, sick)
    written = generate(model, rows, limit, rng, tool=tool, runs_on=sick("end-token-ignored"))
    return validation_metrics(
        now.task,
        written,
        score(world, written, rows.prompts, rows.answers, now, sick, rng),
        is_right(last_words(written), rows.answers),
        now.val_tries,
        multi_turn=tool is not None,
    )


def final_score(
    model: SequenceNet, world: World, config: RLHFConfig, rng: np.random.Generator
) -> float:
    """Share of right answers to held-out prompts, sampled, with everything around the model healthy."""
    count = min(config.score_prompts, len(world.task.held_out.prompts))
    rows = world.task.held_out.take(np.repeat(np.arange(count), 4))
    healthy = RLHFConfig(task=config.task)
    written = generate(model, rows, world.room, rng, tool=tool_of(healthy))
    return float(is_right(last_words(written), rows.answers).mean())


def samples_of(rows: Puzzles, written: Written, scored: Scored) -> list[dict[str, Any]]:
    """A few responses to read."""
    right = is_right(last_words(written), rows.answers)
    return [
        {
            "prompt": decode(rows.prompts[i]),
            "completion": decode(written.tokens[i]),
            "reward": float(scored.total[i]),
            "right": bool(right[i]),
        }
        for i in range(0, len(right), max(1, len(right) // 6))
    ]


GRPO = Trainer(
    "grpo",
    "GRPO: a tiny language model learns puzzles from groups of answers",
    "grpo",
    RLHFConfig,
    train,
    GRPO_TASKS,
    GRPO_FAULTS,
    GRPO_VARIANTS,
    framework="verl",
    dialects={"trl-short": TRL_SHORT_NAMES},
)
RLHF_PPO = Trainer(
    "rlhf-ppo",
    "PPO with a critic and a KL penalty on a tiny language model",
    "ppo",
    RLHFPPOConfig,
    train,
    PPO_TASKS,
    PPO_FAULTS,
    PPO_VARIANTS,
    framework="verl",
    dialects={"trl": TRL_NAMES, "trl-short": TRL_SHORT_NAMES},
)
