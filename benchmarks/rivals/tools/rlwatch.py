"""rlwatch: the detectors that `monitor.log_step()` runs, fed step by step as in its manual mode."""

from __future__ import annotations

from benchmarks.rivals.log import GRAD_NORM, KL, LLM_RL, REWARD, Log, rows

PACKAGE = "rlwatch==0.5.1"
SCOPE = "GRPO and PPO of language models"
NEEDS = (*REWARD, "policy/entropy")
NAMES = {
    "entropy": ("policy/entropy",),
    "kl_divergence": KL,
    "reward_mean": REWARD,
    "reward_std": ("reward/std", "reward/score_std"),
    "advantage_std": ("advantage/std",),
    "loss": ("policy/loss_total", "optim/loss", "policy/loss"),
    "grad_norm": GRAD_NORM,
}


def in_scope(log: Log) -> bool:
    return log.kind in LLM_RL


def ask(log: Log) -> list[str]:
    from rlwatch.config import load_config
    from rlwatch.detectors import DetectorSuite

    suite = DetectorSuite(load_config())
    alerts = []
    for row in rows(log.named(NAMES)):
        step = int(row.pop("step"))
        alerts += suite.check_step(step, **row)
    return [alert.detector for alert in alerts]
