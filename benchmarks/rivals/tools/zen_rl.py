"""zen-rl: its five rules over the tags it would read from Stable-Baselines3's event files."""

from __future__ import annotations

from benchmarks.rivals.log import Log

PACKAGE = "zen-rl==0.1.0"
SCOPE = "PPO with the tags of Stable-Baselines3"
NEEDS = ("outcome/return_mean",)
NAMES = {
    "rollout/ep_rew_mean": ("outcome/return_mean",),
    "train/approx_kl": ("policy/approx_kl",),
    "train/entropy_loss": ("policy/entropy",),
    "train/policy_gradient_loss": ("policy/loss",),
}
NEGATED = ("train/entropy_loss",)  # the tag is the negative entropy


def in_scope(log: Log) -> bool:
    return log.kind == "on-policy" and "PPO" in log.algorithm.upper()


def ask(log: Log) -> list[str]:
    from zen.detect.rules import detect
    from zen.vlak import group, rank

    return [issue["mode"] for issue in group(rank(detect(tags(log))))]


def tags(log: Log) -> dict[str, list[tuple[int, float]]]:
    """What its reader makes of an event file."""
    found = {}
    for name, (steps, values) in log.named(NAMES).items():
        sign = -1.0 if name in NEGATED else 1.0
        found[name] = [(step, sign * value) for step, value in zip(steps, values, strict=True)]
    return found
