"""rlprobe: step records as its recorder would have written them, then the whole catalog."""

from __future__ import annotations

import math

from benchmarks.rivals.log import GRAD_NORM, KL, LEARNING_RATE, LLM_RL, REWARD, Log, rows

PACKAGE = "rlprobe==0.1.0"
SCOPE = "GRPO and PPO of language models"
NEEDS = (*REWARD, "policy/entropy")
NAMES = {
    "reward_mean": REWARD,
    "reward_std": ("reward/std", "reward/score_std"),
    "reward_min": ("reward/min", "reward/score_min"),
    "reward_max": ("reward/max", "reward/score_max"),
    "kl_mean": KL,
    "kl_max": ("policy/kl_ref_max",),
    "entropy_mean": ("policy/entropy",),
    "logprob_mean": ("policy/logprob_mean",),
    "ratio_mean": ("policy/ratio_mean",),
    "clip_fraction": ("policy/clip_fraction",),
    "adv_mean": ("advantage/mean",),
    "adv_std": ("advantage/std",),
    "adv_zero_frac": ("advantage/zero_fraction",),
    "group_reward_std_mean": ("reward/group_std_mean",),
    "zero_variance_group_frac": ("reward/zero_std_fraction",),
    "value_loss": ("value/loss",),
    "value_explained_variance": ("value/explained_variance",),
    "value_clip_fraction": ("value/clip_fraction",),
    "loss": ("policy/loss_total", "optim/loss", "policy/loss"),
    "lr": LEARNING_RATE,
    "grad_norm": GRAD_NORM,
    "completion_len_mean": ("length/response_mean",),
    "completion_len_max": ("length/response_max",),
    "repetition_rate": ("length/repetition_fraction",),
    "truncation_rate": ("length/response_clip_ratio",),
    "step_time_s": ("time/step_s",),
    "generation_time_s": ("time/generation_s",),
    "optimization_time_s": ("time/policy_update_s",),
}


def in_scope(log: Log) -> bool:
    return log.kind in LLM_RL


def ask(log: Log) -> list[str]:
    from rlprobe.doctor.engine import diagnose_view
    from rlprobe.doctor.runview import RunView
    from rlprobe.schemas import RunManifest, StepRecord

    parts = {f"component {name}": points for name, points in log.components.items()}
    records = []
    for row in rows({**log.named(NAMES), **parts}):
        step = int(row.pop("step"))
        components = {
            name: row.pop(f"component {name}")
            for name in log.components
            if f"component {name}" in row
        }
        records.append(
            StepRecord(
                step=step,
                reward_components=components,
                nan_count=sum(math.isnan(value) for value in row.values()),
                inf_count=sum(math.isinf(value) for value in row.values()),
                **{name: value for name, value in row.items() if math.isfinite(value)},
            )
        )
    manifest = RunManifest(
        run_id="run", created_at="2026-01-01T00:00:00", algorithm=log.algorithm.lower() or "unknown"
    )
    found = diagnose_view(RunView(manifest, records))
    return [one.signature_id for one in found if one.severity in ("warn", "critical")]
