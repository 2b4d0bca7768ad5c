"""rldoctor: per-step records through its own name table, then all detectors."""

from __future__ import annotations

from benchmarks.rivals.log import GRAD_NORM, KL, LEARNING_RATE, LLM_RL, REWARD, Log, rows

PACKAGE = "rldoctor==0.2.0"
SCOPE = "GRPO, RLVR and PPO of language models"
NEEDS = (*REWARD, "policy/entropy")
NAMES = {
    "reward": REWARD,
    "reward_std": ("reward/std", "reward/score_std"),
    "reward/max": ("reward/max", "reward/score_max"),
    "reward/min": ("reward/min", "reward/score_min"),
    "eval_score": ("eval/mean_at_n", "eval/success_rate", "eval/score_mean", "eval/return_mean"),
    "frac_reward_zero_std": ("reward/zero_std_fraction",),
    "advantages_mean": ("advantage/mean",),
    "advantages_std": ("advantage/std",),
    "entropy": ("policy/entropy",),
    "kl": KL,
    "clip_ratio/region_mean": ("policy/clip_fraction",),
    "clip_ratio/low_mean": ("policy/clip_fraction_low",),
    "clip_ratio/high_mean": ("policy/clip_fraction_high",),
    "grad_norm": GRAD_NORM,
    "learning_rate": LEARNING_RATE,
    "policy_loss": ("policy/loss",),
    "completions/mean_length": ("length/response_mean",),
    "completions/max_length": ("length/response_max",),
    "completions/clipped_ratio": ("length/response_clip_ratio",),
    "prompt_length": ("length/prompt_mean",),
    "explained_variance": ("value/explained_variance",),
    "throughput": ("throughput/tokens_per_s",),
    "step_time": ("time/step_s",),
}
SETTINGS = {
    "algorithm": "algorithm",
    "group_size": "num_generations",
    "batch_size": "batch_size",
    "max_response_length": "max_response_length",
    "kl_coef": "kl_coef",
    "entropy_coef": "entropy_coef",
    "clip_range": "clip_eps_low",
    "clip_range_high": "clip_eps_high",
    "learning_rate": "learning_rate",
}


def in_scope(log: Log) -> bool:
    return log.kind in LLM_RL


def ask(log: Log) -> list[str]:
    from rl_doctor.detectors.base import Severity
    from rl_doctor.diagnosis import diagnose
    from rl_doctor.ingest.base import run_from_records

    components = {f"rewards/{name}/mean": points for name, points in log.components.items()}
    config = {SETTINGS[key]: value for key, value in log.settings.items() if key in SETTINGS}
    found = diagnose(run_from_records(rows({**log.named(NAMES), **components}), config=config))
    return [one.detector for one in found.findings if one.severity >= Severity.WARNING]
