"""Reinforcement learning of a tiny language model: GRPO, and PPO as it is used with human feedback.

The training loop and the pieces that it alone uses. Settings and rewards are in `rlhf_world.py`, what
can be learned and what can go wrong in `rlhf_faults.py`, prompts, start model and generation in
`rlhf_rollout.py`, updates in `rlhf_update.py`, and what is logged, under verl's names, in
`rlhf_metrics.py`. Each step generates responses with a copy of the weights (the generator), scores
them, and updates the policy from them. A run takes a few seconds on one core.
"""

from __future__ import annotations

import time

import numpy as np

from runvitals.lab import rlhf_faults, rlhf_metrics, rlhf_update
from runvitals.lab import rlhf_world as worlds
from runvitals.lab.contract import HEALTHY, Recorder, Sickness, Trained, Trainer
from runvitals.lab.lm import SequenceNet, judge
from runvitals.lab.measures import mean_over, spread
from runvitals.lab.nn import Adam, generators, norm
from runvitals.lab.puzzles import VOCABULARY, is_right, lengths, readable
from runvitals.lab.rlhf_rollout import TOOL_TASK, generate, last_words, without
from runvitals.metrics import AdaptiveKL

# the training


@np.errstate(over="ignore", invalid="ignore", divide="ignore")  # a sick run may overflow
def train(config: worlds.RLHFConfig, run: Recorder, sick: Sickness = HEALTHY) -> Trained:
    """Train a language model and log everything through `run`."""
    data_rng, text_rng, batch_rng, val_rng, score_rng, fault_rng, weights_rng = generators(
        config.seed, 7
    )
    sick.at(0.0)
    world = worlds.make_world(config, sick)
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
    ranks = rlhf_metrics.Ranks(config.ranks)
    started = time.perf_counter()
    own_seconds, synced_at = 0.0, 0
    run.progress(total_steps=config.total_steps, step=0)
    for _ in range(config.critic_warmup_steps):
        warm_critic(critic, critic_optimizer, generator, world, config, sick, text_rng)

    for iteration in range(config.total_steps):
        step = iteration + 1
        sick.at(iteration / config.total_steps)
        now = sick.settings(config)
        learning_rate = now.learning_rate * min(1.0, step / max(1, now.warmup_steps))
        if now.lr_schedule == "linear":
            learning_rate *= 1.0 - iteration / now.total_steps
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
                    pool = worlds.easiest(config.task, config.base_seed)[: int(dose)]
                prompts = now.batch_size // now.group_size
                chosen = pool[data_rng.integers(0, len(pool), prompts)]
                rows = world.task.train.take(np.repeat(chosen, now.group_size))
                rows = worlds.truncated(rows, now.max_prompt_length)
                heat = sick("rollout-temperature", otherwise=now.temperature)
                tool, runs_on = worlds.tool_of(now, sick), sick("end-token-ignored")
                written = generate(
                    generator, rows, limit, text_rng, temperature=heat, tool=tool, runs_on=runs_on
                )
                if dose := sick("rollouts-failing"):
                    written = without(written, fault_rng.random(len(written.tokens)) < dose)
                gen.tokens = float(lengths(written.tokens).sum())
                if dose := sick("generation-slows"):
                    time.sleep(dose * sick.progress * (time.perf_counter() - began))
                ranks.share(time.perf_counter() - began, slowness, by_load=False)

            asked = lengths(rows.prompts)
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
                scored = worlds.score(world, written, rows.prompts, key, now, sick, fault_rng)
                if dose := sick("reward-sleeps"):
                    slept = dose * (own_seconds or time.perf_counter() - began)
                    time.sleep(slept)

            said = rows.prompts, written.tokens
            with run.timer("old_log_prob", tokens) as old:
                log_probs = judge(policy, *said).log_probs * written.own
            with run.timer("ref", tokens):
                compared = stranger if sick("reference-random") else reference
                ref = judge(compared, *said).log_probs * written.own
            values = np.zeros_like(log_probs)
            if ppo:
                with run.timer("values", tokens):
                    values = rlhf_update.values_of(critic, *said)[0] * written.own

            with run.timer("adv", tokens):
                kl = (log_probs - ref) * written.own
                penalty = kl_control.value * kl if ppo else np.zeros_like(kl)
                advantages, returns = rlhf_update.advantages_of(
                    scored.total, penalty, values, written.own, now, sick
                )
                batch = rlhf_update.ResponseBatch(
                    *said, written.own, log_probs, ref, advantages, returns, values
                )

            critic_seen: dict[str, float] = {}
            if ppo:
                with run.timer("update_critic", tokens):
                    began = time.perf_counter()
                    critic_seen = rlhf_update.update_critic(
                        critic, critic_optimizer, batch, now, batch_rng
                    )
                    ranks.share(time.perf_counter() - began, slowness)
            with run.timer("update_actor", tokens) as update:
                began = time.perf_counter()
                seen = rlhf_update.update_actor(
                    policy, optimizer, batch, now, learning_rate, batch_rng, sick
                )
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
        took = {"step": whole.seconds, "update_actor": update.seconds, "old_log_prob": old.seconds}
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
            **rlhf_metrics.reward_metrics(scored, rewards, advantages[written.own]),
            **spread("critic/returns/", returns[written.own], "mean max min"),
            **rlhf_metrics.length_metrics(asked, written, now.max_prompt_length, limit),
            **rlhf_metrics.mismatch_metrics(log_probs, written),
            **ranks.metrics(),
            **rlhf_metrics.speed_metrics(
                policy, int(tokens), took, epochs=now.epochs_per_batch, ranks=config.ranks
            ),
        }
        if now.group_size > 1:
            metrics |= rlhf_metrics.group_metrics(scored, now.group_size)
        if config.task == TOOL_TASK:
            metrics |= rlhf_metrics.agent_metrics(written, asked)
        if config.reward == "model":
            metrics |= {
                **spread("rm/score_", scored.total, "mean std"),
                "rm/accuracy": worlds.reward_model_of(world, sick).held_out_accuracy,
            }
        if ppo:
            error = returns - values
            metrics |= {
                **critic_seen,
                **rlhf_update.value_metrics(
                    values[written.own], returns[written.own], error[written.own]
                ),
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
            texts = {"prompt": rows.prompts, "completion": written.tokens, "reward": scored.total}
            right, few = is_right(last_words(written), rows.answers), max(1, len(asked) // 6)
            run.log_samples(readable(range(0, len(asked), few), **texts, right=right), step)
        run.progress(step=step)

    score = final_score(policy, world, config, score_rng)
    return Trained(score, config.total_steps, time.perf_counter() - started)


def send_weights(generator: SequenceNet, policy: SequenceNet) -> None:
    """Give the generator the policy's weights, in half precision as fast engines hold them."""
    for theirs, mine in zip(generator.params, policy.params, strict=True):
        theirs[:] = mine.astype(np.float16)


# the critic's start


def warm_critic(
    critic: SequenceNet,
    optimizer: Adam,
    generator: SequenceNet,
    world: worlds.PuzzleWorld,
    now: worlds.RLHFConfig,
    sick: Sickness,
    rng: np.random.Generator,
) -> None:
    """Teach the critic what the start model earns on one batch; the policy stays as it is."""
    train = world.task.train
    some = train.take(rng.integers(0, len(train.prompts), now.batch_size))
    rows = worlds.truncated(some, now.max_prompt_length)
    limit = min(now.max_response_length, world.room)
    written = generate(generator, rows, limit, rng, tool=worlds.tool_of(now, sick))
    scored = worlds.score(world, written, rows.prompts, rows.answers, now, sick, rng)
    nothing = np.zeros(written.own.shape, np.float32)
    said = rows.prompts, written.tokens
    values = rlhf_update.values_of(critic, *said)[0] * written.own
    returns = (scored.total[:, None] * written.own).astype(np.float32)
    batch = rlhf_update.ResponseBatch(
        *said, written.own, nothing, nothing, nothing, returns, values
    )
    rlhf_update.update_critic(critic, optimizer, batch, now, rng)


# evaluation


def validate(
    model: SequenceNet,
    world: worlds.PuzzleWorld,
    now: worlds.RLHFConfig,
    sick: Sickness,
    rng: np.random.Generator,
) -> dict[str, float]:
    """Try held-out prompts several times with the generator; the accuracy is true in any case."""
    count = min(now.val_prompts, len(world.task.held_out.prompts))
    rows = world.task.held_out.take(np.repeat(np.arange(count), now.val_tries))
    rows = worlds.truncated(rows, now.max_prompt_length)
    limit = min(now.max_response_length, world.room)
    tool = worlds.tool_of(now, sick)
    written = generate(model, rows, limit, rng, tool=tool, runs_on=sick("end-token-ignored"))
    scored = worlds.score(world, written, rows.prompts, rows.answers, now, sick, rng)
    right = is_right(last_words(written), rows.answers)
    return rlhf_metrics.validation_metrics(
        now.task, written, scored, right, now.val_tries, multi_turn=tool is not None
    )


def final_score(
    model: SequenceNet,
    world: worlds.PuzzleWorld,
    config: worlds.RLHFConfig,
    rng: np.random.Generator,
) -> float:
    """Share of right answers to held-out prompts, sampled, with everything around the model healthy."""
    count = min(config.score_prompts, len(world.task.held_out.prompts))
    rows = world.task.held_out.take(np.repeat(np.arange(count), 4))
    healthy = worlds.RLHFConfig(task=config.task)
    written = generate(model, rows, world.room, rng, tool=worlds.tool_of(healthy))
    return float(is_right(last_words(written), rows.answers).mean())


GRPO = Trainer(
    "grpo", "GRPO: a tiny language model learns puzzles from groups of answers", "grpo",
    worlds.RLHFConfig, train, rlhf_faults.GRPO_TASKS, rlhf_faults.GRPO_FAULTS,
    rlhf_faults.GRPO_VARIANTS, "verl", dialects={"trl-short": rlhf_faults.TRL_SHORT_NAMES},
)  # fmt: skip
RLHF_PPO = Trainer(
    "rlhf-ppo", "PPO with a critic and a KL penalty on a tiny language model", "ppo",
    worlds.RLHFPPOConfig, train, rlhf_faults.PPO_TASKS, rlhf_faults.PPO_FAULTS,
    rlhf_faults.PPO_VARIANTS, "verl",
    dialects={"trl": rlhf_faults.TRL_NAMES, "trl-short": rlhf_faults.TRL_SHORT_NAMES},
)  # fmt: skip
