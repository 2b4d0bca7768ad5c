"""Names become metrics, or nothing."""

import importlib.util
import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from runvitals import catalog
from runvitals.catalog import (
    METRICS,
    algorithm_of,
    guess_framework,
    metric,
    resolve,
    resolve_all,
    suggest,
)

_HERE = Path(__file__).parent


def _load(name):
    spec = importlib.util.spec_from_file_location(f"catalog_{name}", _HERE / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


NAMES = _load("seed_names").NAMES


def what(name, **context):
    found = resolve(name, **context)
    return found and found.metric


@pytest.mark.parametrize(("document", "tool", "name"), NAMES)
def test_every_name_of_the_documents_resolves(document, tool, name):
    found = resolve(name, framework=tool)

    assert found is not None
    assert metric(found.metric) is not None


@pytest.mark.parametrize("name", sorted(METRICS))
def test_a_canonical_name_is_itself(name):
    assert what(name) == name


def test_eval_in_front_of_any_metric_is_its_evaluation_version():
    assert what("eval/preference/margin") == "eval/preference/margin"
    assert metric("eval/preference/margin").category == "eval"
    assert metric("eval/no/such") is None


@pytest.mark.parametrize(
    "name",
    [
        "kl",
        "loss",
        "reward",
        "entropy",
        "accuracy",
        "lr",
        "acc",
        "score",
        "value",
        "return",
        "ratio",
        "beta",
        "alpha",
        "steps",
        "epoch",
        "throughput",
        "mean_reward",
        "total_loss",
    ],
)
def test_an_ambiguous_name_alone_is_nothing(name):
    assert resolve(name) is None


@pytest.mark.parametrize(
    ("name", "framework", "algorithm", "expected"),
    [
        ("kl", "trl", "GRPO", "policy/kl_ref"),
        ("kl", "trl", "KTO", "preference/kl"),
        ("kl", "torchtune", "PPO", "policy/kl_ref_sequence"),
        ("loss", "trl", "SFT", "lm/loss"),
        ("loss", "TRL", "dpo", "preference/loss"),
        ("loss", "trl", None, "optim/loss"),
        ("loss", "transformers", None, "optim/loss"),
        ("train/loss", "sb3", "DQN", "value/loss"),
        ("train/loss", "Stable-Baselines3 (with sb3-contrib)", "PPO", "optim/loss"),
        ("train/loss", "sb3", None, None),
        ("loss", "axolotl", "DPO", "preference/loss"),
        ("rewards/chosen", "ms-swift", "RM", "rm/score_chosen_mean"),
        ("actor/ppo_kl", "veRL", None, "policy/kl_old"),
        ("progress/tokens", "prime-rl", None, "data/tokens_per_step"),
    ],
)
def test_tool_and_algorithm_decide(name, framework, algorithm, expected):
    assert what(name, framework=framework, algorithm=algorithm) == expected


@pytest.mark.parametrize(
    ("siblings", "name", "expected"),
    [
        (["rollout/ep_rew_mean", "time/fps", "train/clip_range"], "train/loss", "optim/loss"),
        (
            ["rollout/ep_rew_mean", "rollout/exploration_rate", "time/fps"],
            "train/loss",
            "value/loss",
        ),
        (
            [
                "rewards/chosen",
                "rewards/rejected",
                "rewards/margins",
                "logps/chosen",
                "num_tokens",
                "mean_token_accuracy",
                "rewards/accuracies",
                "logits/chosen",
                "grad_norm",
            ],
            "loss",
            "preference/loss",
        ),
        (
            ["mean_token_accuracy", "num_tokens", "entropy", "grad_norm", "learning_rate", "epoch"],
            "loss",
            "lm/loss",
        ),
        (
            [
                "frac_reward_zero_std",
                "completions/mean_length",
                "completions/clipped_ratio",
                "reward",
                "clip_ratio/low_mean",
                "num_tokens",
                "step_time",
            ],
            "kl",
            "policy/kl_ref",
        ),
        (
            [
                "frac_reward_zero_std",
                "completions/mean_length",
                "completions/clipped_ratio",
                "reward",
                "clip_ratio/low_mean",
                "num_tokens",
                "step_time",
            ],
            "reward_std",
            "reward/std",
        ),
        (
            ["completion_length", "reward", "kl", "rewards/format", "clip_ratio"],
            "reward_std",
            "reward/group_std_mean",
        ),
    ],
    ids=["sb3 ppo", "sb3 dqn", "trl dpo", "trl sft", "trl grpo kl", "trl new", "trl old"],
)
def test_the_other_names_of_the_run_decide(siblings, name, expected):
    assert what(name, siblings=siblings) == expected
    assert resolve_all([*siblings, name])[name].metric == expected


@pytest.mark.parametrize(
    ("name", "framework", "logged", "canonical"),
    [
        ("train/entropy_loss", "sb3", -0.69, 0.69),
        ("ppo_actor/update/approx_kl/avg", "areal", -0.02, 0.02),
        ("perf/mfu", "prime-rl", 41.0, 0.41),
        ("train/lr(1e-3)", "verl", 0.5, 0.0005),
        ("policy/sqrt_kl", "trlx", 3.0, 9.0),
        ("dynamic_filtering_pass_rate", "openrlhf", 75.0, 0.25),
        ("fully_async/partial/max_partial_span", "verl", 2.0, 3.0),
        ("diagnostics/rms_value/var", "rl_games", 4.0, 2.0),
        ("% time spent exploring", "baselines", 5.0, 0.05),
        ("train/approx_kl", "sb3", 0.01, 0.01),
    ],
)
def test_sign_and_scale_are_corrected(name, framework, logged, canonical):
    found = resolve(name, framework=framework)

    assert found.apply(logged) == pytest.approx(canonical)
    assert found.apply(np.array([logged, np.nan]))[0] == pytest.approx(canonical)
    assert found.is_identity is (logged == canonical)


def test_a_square_root_of_a_negative_value_is_nan():
    found = resolve("diagnostics/rms_value/var", framework="rl_games")
    assert math.isnan(found.apply(-1.0))


@pytest.mark.parametrize(
    ("name", "framework", "expected", "labels"),
    [
        (
            "val-core/gsm8k/acc/mean@8",
            None,
            "eval/mean_at_n",
            {"dataset": "gsm8k", "metric": "acc", "n": "8"},
        ),
        (
            "val-core/openai/gsm8k/acc/best@16/mean",
            None,
            "eval/best_at_n",
            {"dataset": "openai/gsm8k", "metric": "acc", "n": "16"},
        ),
        (
            "rewards/format_reward/mean",
            "trl",
            "reward/component_mean",
            {"component": "format_reward"},
        ),
        ("losses/qf2_loss", "cleanrl", "value/loss", {"critic": "2"}),
        ("Epoch/AvgReward", "teacher-tuner", "reward/mean", {"window": "epoch"}),
        (
            "Performance/Generation_P99TokensPerSec",
            "teacher-tuner",
            "throughput/generation_tokens_per_s",
            {"stat": "p99"},
        ),
        (
            "Scoring/CodeQuality",
            "teacher-tuner",
            "reward/component_weight",
            {"component": "CodeQuality"},
        ),
        ("timing_s/agent_loop/tool_calls/max", "verl", "time/tool_calls_s", {"stat": "max"}),
        ("balance_penalty", "vidur", "reward/component_mean", {"component": "balance_penalty"}),
    ],
)
def test_labels_keep_series_apart(name, framework, expected, labels):
    found = resolve(name, framework=framework)
    assert (found.metric, dict(found.labels)) == (expected, labels)


@pytest.mark.parametrize(
    ("name", "context", "expected"),
    [
        ("eval_loss", {"framework": "trl"}, "eval/loss"),
        (
            "eval_rewards/margins",
            {"framework": "trl", "algorithm": "DPO"},
            "eval/preference/margin",
        ),
        (
            "eval/rewards/accuracies",
            {"framework": "trl", "algorithm": "DPO"},
            "eval/preference/accuracy",
        ),
        ("eval/mean_reward", {"framework": "sb3"}, "eval/return_mean"),
        (
            "train/rewards/chosen",
            {"framework": "trl", "algorithm": "DPO"},
            "preference/chosen_reward",
        ),
        ("train/loss", {"framework": "trl", "algorithm": "GRPO"}, "policy/loss_total"),
        ("train/train_loss", {"framework": "trl"}, "optim/loss_run_mean"),
        ("eval/loss", {"framework": "trl", "algorithm": "DPO"}, "eval/loss"),
        ("val/loss", {"framework": "verl"}, "eval/loss"),
        ("ray/tune/env_runners/episode_return_mean", {"framework": "rllib"}, "outcome/return_mean"),
        ("critic_score_mean", {"framework": "verl"}, "reward/score_mean"),
    ],
)
def test_prefixes_of_trackers_are_understood(name, context, expected):
    assert what(name, **context) == expected


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("MyTrainer/ApproxKL", "policy/approx_kl"),
        ("algo/clip_fraction", "policy/clip_fraction"),
        ("rollout/EpRewMean", "outcome/return_mean"),
        ("stats/explained-variance", "value/explained_variance"),
        ("agent_0/episode_length_mean", "outcome/episode_length_mean"),
        ("evaluation/ep_return_max", "eval/return_max"),
        ("losses/value_fn/loss/extra", None),
        ("my/very/own/number", None),
    ],
)
def test_unknown_tools_are_read_by_words_or_not_at_all(name, expected):
    assert what(name) == expected


def test_agents_stay_apart():
    found = resolve_all(["agent_0/success_rate", "agent_1/success_rate"])
    assert [dict(one.labels) for one in found.values()] == [{"agent": "0"}, {"agent": "1"}]


def test_a_known_name_without_a_general_meaning_is_nothing():
    assert resolve("rollout_corr/rollout_log_ppl", framework="verl") is None


def test_the_tool_is_guessed_from_the_names():
    guess = guess_framework(["actor/pg_loss", "critic/score/mean", "timing_s/gen", "my/own"])

    assert guess.id == "verl"
    assert guess.confidence > 0.5
    assert "actor/pg_loss" in guess.evidence
    assert guess_framework(["foo", "bar"]).id is None
    assert guess_framework([]).id is None


def test_the_algorithm_is_guessed_from_the_names():
    names = [
        "rollout/ep_rew_mean",
        "time/fps",
        "train/ent_coef",
        "train/ent_coef_loss",
        "train/critic_loss",
        "train/actor_loss",
    ]
    assert algorithm_of(names, "stable-baselines3", {}).id == "SAC"
    names = [
        "rollout/exploration_rate",
        "time/fps",
        "rollout/ep_rew_mean",
        "train/loss",
        "train/n_updates",
    ]
    assert algorithm_of(names, "stable-baselines3", {}).id == "DQN"


def test_near_names_are_suggested():
    assert "policy/approx_kl" in suggest("policy/aprox_kl")
    assert suggest("") == [] or isinstance(suggest(""), list)
    assert len(suggest("policy loss", 3)) == 3


@pytest.mark.parametrize(
    "hint", ["sb3", "SB3", "stable baselines3", "Stable-Baselines3 (with sb3-contrib)"]
)
def test_hints_are_forgiving(hint):
    assert catalog.find_framework(hint) == "stable-baselines3"


def test_an_unknown_hint_is_no_hint():
    assert what("train/clip_fraction", framework="nobody's tool") == "policy/clip_fraction"


@settings(max_examples=300, deadline=None)
@given(st.text(max_size=80))
def test_no_string_breaks_it(name):
    found = resolve(name)
    assert found is None or metric(found.metric) is not None
    resolve(name, framework="verl")
    suggest(name, 1)


@pytest.mark.parametrize(
    "name",
    [
        "",
        "/",
        "x" * 10_000,
        "a/" * 5_000,
        "{}",
        "{name}",
        "\x00",
        "损失",
        "loss\n",
        "(" * 50,
        "[a-z]+",
        "%s%n",
        "…",
        "eval/",
        "eval_",
        "val/",
        "train/",
        " ",
    ],
)
def test_odd_names_are_survived(name):
    for framework in (None, "verl", "keras", "rsl-rl", "transformers"):
        found = resolve(name, framework=framework)
        assert found is None or metric(found.metric) is not None
    resolve_all([name, "loss"])
    suggest(name)


def test_ten_thousand_names_of_one_pattern():
    names = [f"val-aux/set{i}/acc/mean@{n}" for i in range(2_000) for n in (1, 2, 4, 8, 16)]

    found = resolve_all(names)

    assert len(found) == 10_000


@pytest.mark.parametrize(
    "names",
    [
        ("rewards/accuracy", "eval/rewards/accuracy"),
        ("rewards/margins", "rewards/accuracy", "eval/rewards/margins"),
    ],
)
def test_pairs_of_an_unknown_tool_are_understood_with_their_evaluation(names):
    found = resolve_all(names)

    assert all(found[name].metric.removeprefix("eval/").startswith("preference/") for name in names)
    assert {n for n in names if found[n].metric.startswith("eval/")} == {
        n for n in names if n.startswith("eval/")
    }
