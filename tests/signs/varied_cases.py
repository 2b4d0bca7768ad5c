# ruff: noqa: E501
"""The signs of the founding documents for `varied_logs`: one per line."""

from __future__ import annotations

import re
from typing import Any

from tests.signs import varied_plays as go
from tests.signs.varied_healthy import (
    CLEANRL,
    SB3,
    TRL_GRPO,
    TRL_PPO,
    dpo,
    ppo,
    reward_model,
    rlhf,
    scheduler,
    teacher,
    verl,
)
from tests.signs.varied_logs import BAD, MAKES, Case, Make
from tests.signs.varied_plays import Play


def _edges(makes: tuple[Make, ...], *onsets: float) -> tuple[Make, ...]:
    return tuple(
        Make(m.rows, m.noise, onsets[i % len(onsets)], m.every, m.loud)
        for i, m in enumerate(makes)
        if m.rows > 100
    )


def _cases(
    document: str, healthy: Play, names: tuple[dict[str, str], ...], rows: tuple[Any, ...]
) -> list[Case]:
    found = []
    for name, play, targets, *more in rows:
        extra = more[0] if more else {}
        key = "codes" if re.fullmatch("[A-Z]+[0-9]{3}", targets[0]) else "targets"
        found.append(
            Case(document, name, healthy, play, **{key: tuple(targets)}, also_names=names, **extra)
        )
    return found


OK, FLAT, FALLS = ("ok",), ("flat",), ("falls",)
NEVER: dict[str, tuple[str, ...]] = {"harm": ()}
ALWAYS = {"modes": OK, "harm": OK}

CASES = [
    *_cases("000", ppo, ({}, SB3, CLEANRL), (
        ("return up, wins flat", go.return_up(0.3, 0.3), ("REW001",), ALWAYS),
        ("return up, wins nearly flat", go.return_up(0.018, 0.066), ("REW001",), ALWAYS),
        ("wins rise and stall", go.plateau, ("REW005",), ALWAYS | {"words": BAD}),
        ("entropy collapses early, outcome stalls", go.collapsed_entropy_plateau, ("ENT001",), ALWAYS),
        ("entropy collapses early", go.sinks("entropy", 0.15, 0.02), ("entropy",)),
        ("losses fall, outcome flat", go.losses_fall, ("REW006", "REW005"), {"modes": FLAT}),
        ("policy loss explodes", go.times("policy_loss", 100, 4000), ("policy_loss",)),
        ("policy loss flat", go.flat_loss, ("policy_loss", "approx_kl", "clip_fraction"), {"modes": FLAT}),
        ("value loss x5 to x60", go.times("value_loss", 5, 60), ("value_loss",)),
        ("value loss x60 to x500", go.times("value_loss", 60, 500), ("value_loss",)),
        ("value loss drifts up", go.drifts("value_loss", 6, 60), ("value_loss",), {"modes": ("flat", "falls")}),
        ("value loss huge", go.huge, ("value_loss",)),
        ("gradients x50 to x500 for a third", go.third("grad_norm", 50, 500), ("grad_norm",)),
        ("gradient spikes", go.spikes("grad_norm", 15, 200), ("grad_norm",)),
        ("KL high", go.lies("approx_kl", at=(0.08, 0.3)), ("approx_kl",)),
        ("KL spikes", go.spikes("approx_kl", 0.2, 1.5), ("approx_kl",)),
        ("KL near zero", go.lies("approx_kl", at=(3e-5, 1e-7)), ("approx_kl",), {"modes": ("ok", "flat"), "makes": tuple(Make(m.rows, m.noise, 0.0, m.every) for m in MAKES)}),
        ("clip fraction high", go.lies("clip_fraction", at=(0.38, 0.6)), ("clip_fraction",)),
        ("SPS drops", go.slow, ("PERF001",)),
        ("SPS drops early or at the end", go.slow, ("PERF001",), {"makes": _edges(MAKES, 0.12, 0.95)}),
        ("updates per second low", go.lies("updates_per_second", at=(0.06, 0.01)), ("PERF002",), NEVER | {"says": "batch"}),
        ("episode length x2 to x5", go.times("episode_length", 2, 5), ("episode_length",)),
        ("episode length x0.5 to x0.2", go.times("episode_length", 0.5, 0.2), ("episode_length",)),
    )),
    *_cases("001", rlhf, ({}, TRL_PPO), (
        ("reward std explodes", go.times("env/reward_std", 6, 40), ("env/reward_std",)),
        ("reward std drifts", go.drifts("env/reward_std", 8, 40), ("env/reward_std",)),
        ("reward tails", go.tails("env/reward_dist"), ("REW007",), {"makes": MAKES[:3] + MAKES[4:6]}),
        ("advantage tails", go.tails("ppo/policy/advantages"), ("ADV002",), {"makes": MAKES[:3] + MAKES[4:6]}),
        ("advantages skewed", go.skew, ("ADV002", "ADV001"), {"makes": MAKES[:3] + MAKES[4:6]}),
        ("advantages off centre", go.lies("ppo/policy/advantages_mean", at=(0.5, 3)), ("ppo/policy/advantages_mean",)),
        ("KL to the reference climbs", go.drifts("objective/kl", 30, 300), ("objective/kl",)),
        ("KL penalty dominates", go.lies("ppo/mean_non_score_reward", at=(-3, -10)), ("ppo/mean_non_score_reward",)),
        ("entropy collapses early", go.sinks("ppo/policy/entropy", 0.12, 0.02), ("ENT001",)),
        ("clip fraction above 0.2", go.lies("ppo/policy/clipfrac", at=(0.28, 0.5)), ("ppo/policy/clipfrac",)),
        ("KL above 0.05", go.lies("ppo/policy/approxkl", at=(0.08, 0.3)), ("ppo/policy/approxkl",)),
        ("ratio above 200", go.spikes("ppo/policy/ratio", 300, 5000), ("ppo/policy/ratio",)),
        ("value variance unstable", go.times("ppo/val/var", 30, 1000), ("ppo/val/var",)),
        ("value variance gone", go.times("ppo/val/var", 1e-3, 1e-5), ("ppo/val/var",)),
        ("value error grows", go.times("ppo/val/error", 8, 60), ("ppo/val/error", "ppo/loss/value")),
        ("explained variance near zero", go.lies("ppo/val/var_explained", at=(0.05, 0.005)), ("ppo/val/var_explained",)),
        ("value clip fraction high", go.lies("ppo/val/clipfrac", at=(0.35, 0.7)), ("ppo/val/clipfrac",)),
        ("returns change scale", go.times("ppo/returns/var", 25, 1000), ("ppo/returns/var",)),
        ("critic loss spikes", go.spikes("ppo/loss/value", 30, 200, 5), ("ppo/loss/value",)),
        ("critic loss NaN", go.nan, ("ppo/loss/value",), {"harm": ("ok", "flat", "falls")}),
        ("policy loss explodes", go.times("ppo/loss/policy", 100, 4000), ("ppo/loss/policy",)),
        ("total loss explodes", go.times("ppo/loss/total", 100, 1000), ("ppo/loss/total",)),
        ("query length drifts", go.drifts("tokens/queries_len_mean", 2, 4), ("tokens/queries_len_mean",)),
        ("response length drifts", go.drifts("tokens/responses_len_mean", 2, 4), ("tokens/responses_len_mean",)),
        ("length spread explodes", go.times("tokens/responses_len_std", 4, 12), ("tokens/responses_len_std",)),
        ("log-probs shift", go.apart, ("objective/logprobs", "objective/ref_logprobs")),
    )),
    *_cases("002", scheduler, (), (
        ("KL above target", go.lies("approx_kl", at=(0.03, 0.08)), ("approx_kl",)),
        ("high KL, low reward", go.lies("approx_kl", at=(0.06, 0.3)), ("KL007", "KL001"), {"modes": ("flat", "falls")}),
        ("entropy below floor", go.lies("entropy", at=(0.4, 0.1)), ("entropy",)),
        ("clip fraction above 0.3", go.lies("clipfrac", at=(0.38, 0.6)), ("clipfrac",)),
        ("clip fraction zero, slow learning", go.lies("clipfrac", at=(0.004, 0.0004)), ("CLIP002",), {"modes": FLAT, "makes": tuple(Make(m.rows, m.noise, 0.0, m.every) for m in MAKES)}),
        ("gradients above max", go.lies("pg_grad_norm", at=(1.6, 6)), ("pg_grad_norm",)),
        ("gradient spikes", go.spikes("pg_grad_norm", 6, 50), ("pg_grad_norm",)),
        ("temperature high", go.lies("current_temperature", "temp_current_temperature", at=(2.5, 4)), ("TEMP001",)),
        ("temperature low", go.lies("current_temperature", "temp_current_temperature", at=(0.4, 0.1)), ("TEMP001",)),
        ("pulses without stagnation", go.pulses, ("TEMP002",), {"modes": OK, "harm": ()}),
        ("cold and collapsed", go.cold, ("TEMP003",)),
        ("latency suppresses", go.latency, ("TEMP003",)),
        ("balance penalty high", go.penalised, ("LOAD003",)),
        ("one replica", go.one_replica, ("LOAD004",)),
        ("total negative", go.negative_total, ("REW010",)),
        ("reward without throughput", go.reward_not_service, ("REW002",), ALWAYS),
    )),
    *_cases("003", verl, ({}, TRL_GRPO), (
        *(
            (f"evaluation stalls after {after:.0%}", go.evaluation_stalls(after), ("EVAL002",), ALWAYS)
            for after in (0.0, 0.2, 0.4, 0.6)
        ),
        ("validation falls", go.validation_falls, ("EVAL001", "EVAL002"), ALWAYS),
        ("actor loss blows up", go.times("actor/pg_loss", 100, 4000), ("actor/pg_loss",)),
        ("gradients x10", go.times("actor/grad_norm", 10, 60), ("actor/grad_norm",)),
        ("gradients x50 to x500 for a third", go.third("actor/grad_norm", 50, 500), ("actor/grad_norm",)),
        ("gradient spikes", go.spikes("actor/grad_norm", 4, 50), ("actor/grad_norm",)),
        ("entropy collapses early", go.sinks("actor/entropy", 0.15, 0.02), ("ENT001",)),
        ("KL spikes", go.spikes("actor/ppo_kl", 0.2, 1), ("actor/ppo_kl",)),
        ("KL high", go.lies("actor/ppo_kl", at=(0.1, 0.3)), ("actor/ppo_kl",)),
        ("KL near zero", go.lies("actor/ppo_kl", at=(1e-5, 1e-7)), ("actor/ppo_kl",), {"modes": ("ok", "flat"), "makes": tuple(Make(m.rows, m.noise, 0.0, m.every) for m in MAKES)}),
        ("clip fraction high", go.lies("actor/pg_clipfrac", at=(0.35, 0.6)), ("actor/pg_clipfrac",)),
        ("loss, KL and gradient spike with the rate", go.joint_spike, ("LR001", "KL002", "GRAD001")),
        ("values drift", go.drifts("critic/value/mean", 15, 80), ("critic/value/mean",)),
        ("values jump", go.times("critic/value/mean", 12, 40), ("critic/value/mean",)),
        ("advantages flip", go.flips, ("critic/advantages/mean",)),
        ("advantages collapse", go.times("critic/advantages/std", 0.03, 1e-4), ("critic/advantages/std",)),
        ("advantages extreme", go.times("critic/advantages/std", 15, 150), ("critic/advantages/std",)),
        ("critic loss never falls", go.critic_never_falls, ("critic/loss",), {"modes": ("flat", "falls")}),
        ("responses cut off", go.share("response_length/clip_ratio", 0.25, 0.7), ("LEN001",)),
        ("prompts cut off", go.share("prompt_length/clip_ratio", 0.15, 0.5), ("LEN002",)),
        ("rollouts aborted", go.share("response/aborted_ratio", 0.15, 0.5), ("LEN004",)),
        ("reward up, length collapses", go.brief, ("LEN003",), {"modes": ("ok", "flat"), "harm": FLAT}),
        ("turns explode", go.lies("num_turns/max", at=(20, 80)), ("num_turns/max",)),
        ("load imbalance", go.lies("global_seqlen/minmax_diff", at=(60000, 140000)), ("LOAD001",), {"harm": ("ok", "flat", "falls")}),
        ("load imbalance, mild", go.lies("global_seqlen/minmax_diff", at=(28000, 40000)), ("LOAD001",), NEVER),
        ("steps are slow", go.slow_steps, ("PERF001",)),
        ("tool calls are slow", go.tools, ("PERF003", "PERF001"), {"says": "tool_calls"}),
        ("MFU low", go.lies("perf/mfu/actor", at=(0.25, 0.08)), ("perf/mfu/actor",), NEVER),
        ("out of memory ahead, percent logged", go.oom(True), ("SYS001",), NEVER | {"says": "global_seqlen/max"}),
        ("out of memory ahead, lengths only", go.oom(False), ("SYS001",), NEVER | {"says": "global_seqlen/max"}),
        ("scores jump between versions", go.another_judge, ("RM005",), {"modes": ("ok", "flat"), "harm": ()}),
        ("good judge, policy flat", go.good_judge, ("RM003",), {"modes": FLAT}),
    )),
    *_cases("003", dpo, (), (
        ("margins grow, validation does not", go.margins_only, ("DPO002",), ALWAYS),
        ("99% and evaluation flat", go.perfect_pairs, ("DPO002",), ALWAYS),
        ("preference loss stuck", go.pairs_stuck, ("DPO001",), ALWAYS),
    )),
    *_cases("003", reward_model, (), (
        ("margin goes to zero", go.margin_gone, ("RM002", "RM001"), ALWAYS),
        ("validation does not follow", go.judge_overfits, ("RM004",), ALWAYS),
        ("judge's gradient spikes", go.spikes("rm/grad_norm", 40, 400), ("rm/grad_norm",), {"modes": OK, "harm": ()}),
    )),
    *_cases("004", teacher, (), (
        ("KL penalty owns the loss", go.kl_owns, ("KL006",)),
        ("reward below 0.7 and stuck", go.below_target, ("REW005",), ALWAYS),
        ("reward variance above 0.01", go.lies("Epoch/RewardVariance", "Train/RewardVariance", at=(0.02, 0.1)), ("Epoch/RewardVariance", "Train/RewardVariance")),
        ("reward trend negative", go.falling_rewards, ("REW008", "REW003"), ALWAYS),
        ("reward trend swings", go.swings, ("REW008",), {"modes": ("ok", "flat"), "harm": FLAT}),
        ("loss trend negative", go.loss_turns, ("Epoch/LossTrend", "Epoch/AvgLoss", "Train/Loss")),
        ("loss trend not settling", go.loss_swings, ("Epoch/LossTrend", "Epoch/AvgLoss", "Train/Loss")),
        ("generation below one token", go.lies("Performance/Generation_TokensPerSec", at=(0.7, 0.2)), ("PERF005",)),
        ("generation speed drops", go.times("Performance/Generation_TokensPerSec", 0.4, 0.12), ("Performance/Generation_TokensPerSec",)),
        ("backpropagation speed drops", go.times("Performance/Backprop_TokensPerSec", 0.5, 0.15), ("Performance/Backprop_TokensPerSec",)),
        ("memory above 90%", go.memory, ("SYS001",), NEVER),
        ("GPU below 50%", go.lies("System/GPU_Utilization", at=(40, 12)), ("SYS002",), NEVER),
        ("weights change", go.weights, ("DATA009",), NEVER),
        ("API tokens grow", go.drifts("Epoch/APITokens", 2, 4), ("SYS004",), NEVER),
    )),
]  # fmt: skip
