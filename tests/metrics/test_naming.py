"""The naming tables say what the catalog says."""

from __future__ import annotations

import numpy as np
import pytest

from runvitals import catalog, metrics
from runvitals.metrics import naming

LABELS = {
    "section": "val-aux",
    "dataset": "math",
    "metric": "acc",
    "n": 8,
    "part": "mean",
    "component": "format",
    "stage": "gen",
    "action": 1,
}
# One optimiser: trainers with a single model say `optim/`, ours say whose it is.
TWINS = {
    "policy/grad_norm": "optim/grad_norm",
    "rm/grad_norm": "optim/grad_norm",
    "policy/learning_rate": "optim/learning_rate",
}
FRAMEWORKS = {
    "verl": ["verl"],
    "trl": ["trl", "verl"],
    "sb3": ["stable-baselines3"],
    "seed": ["glossary", "trl", "vidur-ppo-scheduler", "teacher-tuner", "verl"],
}
ALGORITHMS = {
    "ppo": ["PPO"],
    "dpo": ["DPO", "ORPO", "KTO"],
    "rm": ["Reward"],
    "sft": ["SFT"],
    "": ["GRPO", "PPO", "PPO-legacy", "REINFORCE with KL"],
}


def rows():
    for names, families in naming._TABLES.items():
        for family, table in families.items():
            for canonical, theirs in table.items():
                for name in theirs:
                    if name != "{component}":
                        yield names, family, canonical, name.format(**LABELS)


def meanings(names, family, name):
    for framework in FRAMEWORKS[names]:
        for algorithm in ALGORITHMS.get(family, ALGORITHMS[""]):
            found = catalog.resolve(name, framework=framework, algorithm=algorithm)
            if found is not None:
                yield found


@pytest.mark.parametrize("names", FRAMEWORKS)
def test_the_catalog_reads_our_names_as_we_mean_them(names):
    wrong, unknown, total = [], [], 0
    for _, family, canonical, name in (r for r in rows() if r[0] == names):
        total += 1
        plain = naming.split_labels(canonical)[0]
        found = list(meanings(names, family, name))
        if not found:
            unknown.append(name)
        elif not any(f.metric in (plain, TWINS.get(plain)) for f in found):
            wrong.append((name, plain, sorted({f.metric for f in found})))

    assert wrong == []
    assert len(unknown) <= 0.05 * total, unknown


def test_signs_agree_with_the_catalog():
    found = metrics.rename({"policy/entropy": 0.69}, "sb3")

    read = catalog.resolve("train/entropy_loss", framework="sb3", algorithm="PPO")

    assert read is not None
    assert read.apply(found["train/entropy_loss"]) == pytest.approx(0.69)


def test_every_canonical_name_is_in_the_catalog(rng):
    shape = (6, 8)
    a, b, c = rng.normal(-1, 0.5, (3, *shape))
    mask = np.ones(shape)
    n = rng.integers(1, 9, 6)
    tracker = metrics.EpisodeTracker(window=1, gamma=0.9)
    tracker.add(1.0, 2, success=1, win=1, terminated=True, discounted=0.5)
    shape_ = metrics.TransformerShape(layers=2, hidden=64, heads=4, ffn=256, vocab=1000)
    found = {
        **metrics.ppo_health(
            a,
            b,
            c,
            mask,
            ref_logprobs=b,
            rollout_logprobs=b,
            entropy=c,
            values=a,
            old_values=b,
            returns=c,
            rewards=n,
            scores=n,
            reward_components={"x": n},
            prompt_lengths=n,
            finished=n > 2,
            turns=n,
            max_prompt_length=5,
            ranks=2,
            dual_clip=3.0,
            value_clip=0.2,
            kl_coef=0.1,
            entropy_coef=0.1,
            value_coef=0.1,
            grad_norm=1.0,
            learning_rate=1.0,
        ),
        **metrics.grpo_health(a, b, n, mask, group_size=2),
        **metrics.dpo_health(a[0], b[0], c[0], c[0], beta=0.1, grad_norm=1.0, learning_rate=1.0),
        **metrics.dpo_health(-n, -n - 1.0, method="orpo"),
        **metrics.kto(a[0], b[0], mask[0]),
        **metrics.reward_model_health(a[0], b[0], center=0.1, grad_norm=1.0),
        **metrics.sft_health(rng.normal(size=(4, 3)), [0, 1, 2, 0], grad_norm=1.0),
        **metrics.validation(["m"] * 4, list("aabb"), {"acc": [1, 0, 1, 1]}, correct_at=1.0),
        **metrics.rollout_mismatch(a, b, low=0.5, high=2.0),
        **metrics.turn_stats(n, limit=5, tool_calls=n, tool_failures=n, tokens=n),
        **metrics.length_stats(n, correct=n > 2, finished=n > 1),
        **metrics.action_distribution(n, 3),
        **metrics.continuous_action_stats(a),
        **metrics.expert_load_violation(n),
        **metrics.timing_stats({"gen": 1.0, "mystery": 1.0}, tokens=10),
        **metrics.throughput_stats(
            seconds=1.0, tokens=1, steps=1, updates=1, samples=1, episodes=1, devices=1
        ),
        **metrics.mfu_stats(shape_, n, training_seconds=1.0, inference_seconds=1.0, peak=1e12),
        **metrics.SpeedTracker().metrics(),
        **tracker.metrics(),
    }

    names = {naming.split_labels(name)[0] for name in found}

    assert sorted(n for n in names if catalog.metric(n) is None) == []
