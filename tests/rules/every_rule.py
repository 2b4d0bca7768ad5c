"""Runs that every rule has to cope with: of every kind of training, healthy, odd and broken."""

from __future__ import annotations

import re
import warnings
from collections.abc import Mapping, Sequence
from math import inf, nan
from typing import Any

import numpy as np
from tests.rules.policy.curves import wandering

from runvitals import catalog
from runvitals.model import Hit, Run
from runvitals.model.row import FloatArray
from runvitals.rules.patient import Patient
from runvitals.rules.registry import Rule, rules
from runvitals.testing import make_run

N = 80
ALGORITHMS = ("PPO", "DQN", "GRPO", "DPO", "Reward model", "SFT")
METRICS = (*catalog.METRICS, *(f"eval/{end}" for end in ("lm/loss", "rm/accuracy", "rm/loss")))
NUMBER_THAT_IS_NONE = re.compile(r"(?<![\w/])-?(nan|inf)(?![\w/])", re.IGNORECASE)


def rising(low: float, high: float) -> FloatArray:
    """What a run is for: it gets better, and then holds."""
    return high + (low - high) * np.exp(-np.arange(N) / (0.25 * N))


# levels at which nobody would look twice, and the few curves that have to move
PANELS: dict[str, dict[str, float | FloatArray]] = {
    "PPO": {
        "outcome/return_mean": rising(20.0, 200.0),
        "outcome/episode_length_mean": rising(20.0, 200.0),
        "policy/entropy": rising(1.38, 0.9),
        "policy/approx_kl": 0.008,
        "policy/clip_fraction": 0.1,
        "policy/grad_norm": 0.4,
        "policy/ratio_max": 1.6,
        "value/loss": 3.0,
        "value/explained_variance": 0.8,
        "advantage/std": 1.5,
        "throughput/env_steps_per_s": 1500.0,
        "system/process_memory_gb": 2.0,
    },
    "DQN": {
        "outcome/return_mean": rising(-200.0, -90.0),
        "value/loss": 0.4,
        "value/q_mean": rising(-5.0, -40.0),
        "explore/epsilon": rising(1.0, 0.05),
        "throughput/env_steps_per_s": 900.0,
    },
    "GRPO": {
        "reward/mean": rising(0.2, 0.7),
        "reward/std": 0.3,
        "reward/zero_std_fraction": 0.2,
        "eval/success_rate": rising(0.2, 0.65),
        "policy/entropy": rising(1.0, 0.6),
        "policy/kl_ref": rising(0.001, 0.04),
        "policy/approx_kl": 0.002,
        "policy/grad_norm": 0.3,
        "length/response_mean": 320.0,
        "length/response_clip_ratio": 0.02,
        "mismatch/prob_diff_mean": 0.004,
        "time/generation_s": 30.0,
        "time/reward_s": 3.0,
        "time/policy_update_s": 25.0,
        "throughput/mfu": 0.45,
    },
    "DPO": {
        "preference/loss": rising(0.693, 0.5),
        "preference/accuracy": rising(0.5, 0.76),
        "preference/margin": rising(0.0, 0.8),
        "eval/preference/accuracy": rising(0.5, 0.72),
        "optim/grad_norm": 4.0,
    },
    "Reward model": {
        "rm/loss": rising(0.693, 0.52),
        "rm/accuracy": rising(0.5, 0.75),
        "rm/margin": rising(0.0, 0.9),
        "eval/rm/accuracy": rising(0.5, 0.71),
        "optim/grad_norm": 2.0,
    },
    "SFT": {
        "lm/loss": rising(2.4, 1.4),
        "lm/token_accuracy": rising(0.5, 0.68),
        "eval/lm/loss": rising(2.4, 1.5),
        "optim/grad_norm": 0.8,
        "throughput/tokens_per_s": 21_000.0,
    },
}


def healthy(algorithm: str, seed: int = 0, points: int = N, noise: float = 0.05) -> Run:
    """A run that learns, all else wandering around a usual level; only its first points."""
    series = {}
    for place, (metric, course) in enumerate(PANELS[algorithm].items()):
        wander = wandering(N, seed=100 * seed + place)
        levels = np.broadcast_to(np.asarray(course, float), (N,))
        series[metric] = (levels * np.exp(noise * wander))[:points]
        if metric.endswith(("accuracy", "_rate", "epsilon")):
            series[metric] = np.minimum(series[metric], 1.0)
    return make_run(series, algorithm=algorithm, every=100, total_steps=100 * N)


def _mixed(values: Sequence[float]) -> Mapping[int, float]:
    order = np.random.default_rng(0).permutation(len(values))
    return {int(step): float(value) for step, value in zip(order, values, strict=True)}


NOISE = wandering(40)
ODD: dict[str, Any] = {
    "nothing but nan": [nan] * 40,
    "nothing but infinities": [inf, -inf] * 20,
    "gaps": [nan, 0.3] * 20,
    "one point": [0.5],
    "two points": [0.5, 0.1],
    "a constant": [0.3] * 40,
    "zeros": [0.0] * 40,
    "minus one": [-1.0] * 40,
    "huge": 1e300 * np.abs(NOISE),
    "huge of both signs": [1.7e308, -1.7e308] * 20,
    "tiny": 1e-300 * NOISE,
    "one giant": [0.1] * 20 + [1e30] + [0.1] * 19,
    "noise": NOISE,
    "steps in disorder": _mixed(NOISE),
    "steps below zero": dict(zip(range(-20, 20), NOISE.tolist(), strict=True)),
    "steps far apart": dict(zip(range(0, 40 * 10**15, 10**15), NOISE.tolist(), strict=True)),
}
ODD_SETTINGS: dict[str, Any] = {
    "text": "a lot",
    "a number as text": "1e-3",
    "none": None,
    "a list": [0.1, 0.2],
    "a mapping": {"value": 1},
    "true": True,
    "zero": 0,
    "negative": -3,
    "huge": 10**400,
    "nan": nan,
    "infinite": inf,
}


def hits(rule: Rule, patient: Patient) -> list[Hit]:
    """What a rule says; a warning of NumPy is an error."""
    if rule.missing(patient) is not None:
        return []
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        return rule.hits(patient)


def all_hits(run: Run) -> dict[str, list[Hit]]:
    """What every rule says about a run, by code."""
    patient = Patient(run)
    return {code: hits(rule, patient) for code, rule in rules().items()}


def alarms(run: Run) -> list[str]:
    """Codes and messages of warnings and worse."""
    return [
        f"{code}: {hit.message}"
        for code, found in all_hits(run).items()
        for hit in found
        if (hit.severity or rules()[code].severity) != "notice"
    ]
