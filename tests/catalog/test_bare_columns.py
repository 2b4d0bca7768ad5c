"""Bare columns of loops that no known tool wrote: the other columns decide, or nobody does."""

import pytest

from runvitals.catalog import guess_framework, resolve, resolve_all


def read(text, **context):
    """What each column of a log is; columns are given as words."""
    found = resolve_all(text.split(), **context)
    return {name: one.metric for name, one in found.items()}


RETURN = "outcome/return_mean"


@pytest.mark.parametrize(
    ("columns", "name", "expected"),
    [
        # One row an episode.
        ("episode reward loss epsilon", "reward", RETURN),
        ("episode reward loss epsilon", "loss", "value/loss"),
        ("episode reward loss epsilon", "epsilon", "explore/epsilon"),
        ("episode total_reward avg_reward steps", "total_reward", RETURN),
        ("episode total_reward avg_reward steps", "avg_reward", RETURN),
        ("step episode total_reward avg_reward", "avg_reward", RETURN),
        ("episode return policy_loss entropy", "return", RETURN),
        ("episode reward score loss", "score", "outcome/score_mean"),
        ("n_episodes mean_reward lr", "mean_reward", RETURN),
        ("step mean_reward ep_len", "mean_reward", RETURN),
        ("step mean_reward ep_len fps", "fps", "throughput/env_steps_per_s"),
        ("step ep_reward episode_length sps", "sps", "throughput/env_steps_per_s"),
        # Q learning.
        ("step total_reward epsilon loss", "total_reward", RETURN),
        ("step return td_loss q_value", "td_loss", "value/loss"),
        ("step reward loss epsilon q_value", "loss", "value/loss"),
        ("step reward loss epsilon q_value", "q_value", "value/q_mean"),
        ("step reward loss epsilon eval_reward", "eval_reward", "eval/return_mean"),
        # A policy and its critic.
        ("update mean_reward policy_loss value_loss entropy", "policy_loss", "policy/loss"),
        ("update mean_reward policy_loss value_loss entropy", "entropy", "policy/entropy"),
        ("update reward policy_loss value_loss loss", "loss", "optim/loss"),
        ("step reward policy_loss value_loss kl", "kl", "policy/approx_kl"),
        ("step reward actor_loss critic_loss entropy", "entropy", "policy/entropy"),
        ("step reward actor_loss critic_loss alpha entropy", "alpha", "policy/entropy_coef"),
        ("step episode_reward q1_loss actor_loss eval_return", "eval_return", "eval/return_mean"),
        # A language model.
        ("step loss reward kl entropy response_len", "reward", "reward/mean"),
        ("step loss reward kl entropy response_len", "kl", "policy/kl_ref"),
        ("step loss reward kl entropy response_len", "loss", "optim/loss"),
        ("step loss reward kl entropy response_len", "entropy", "policy/entropy"),
        ("step reward policy_loss value_loss response_len", "policy_loss", "policy/loss"),
        ("step loss avg_reward num_tokens_generated eval_reward", "eval_reward", "eval/score_mean"),
        ("step train_loss val_loss perplexity tokens lr", "train_loss", "lm/loss"),
        # A reward that stands in for another.
        ("step proxy gold kl", "proxy", "reward/score_mean"),
        ("step proxy gold kl", "gold", "eval/score_mean"),
        ("step proxy gold kl", "kl", "policy/kl_ref"),
        ("step proxy_reward gold_reward", "gold_reward", "eval/score_mean"),
        ("step score gold_score kl loss", "gold_score", "eval/score_mean"),
        # Columns named after their data.
        ("step train val val_perplexity", "train", "lm/loss"),
        ("step train val val_ppl", "val", "eval/loss"),
        # One row an action: this is the reward of a single step.
        ("episode step state action reward done", "reward", "reward/mean"),
        ("timestep reward epsilon", "reward", "reward/mean"),
        # Something else is the return.
        ("episode reward episode_reward loss", "reward", "reward/mean"),
        ("step reward raw_reward response_len", "reward", "reward/mean"),
        ("step loss reward_chosen reward_rejected", "loss", "preference/loss"),
        # Neither.
        ("iter loss val_loss", "loss", "optim/loss"),
        ("step train_loss val_loss norm lr", "norm", "optim/grad_norm"),
    ],
)
def test_the_other_columns_decide(columns, name, expected):
    assert read(columns).get(name) == expected
    siblings = [one for one in columns.split() if one != name]
    assert resolve(name, siblings=siblings).metric == expected


@pytest.mark.parametrize(
    ("columns", "name"),
    [
        ("step loss kl", "kl"),
        ("step loss entropy", "entropy"),
        # PPO's epsilon is a clip range.
        ("episode reward policy_loss approx_kl epsilon", "epsilon"),
        # Of data, but of what: a loss or an accuracy?
        ("step train val", "val"),
        ("step train val epsilon reward", "train"),
        ("step weight norm", "norm"),
    ],
)
def test_what_stays_open_is_nothing(columns, name):
    assert name not in read(columns)


def test_a_window_becomes_a_label():
    found = resolve_all(["episode", "reward", "avg_reward_100", "epsilon"])["avg_reward_100"]
    assert (found.metric, dict(found.labels)) == (RETURN, {"window": "100"})


def test_a_hint_of_the_algorithm_decides():
    columns = "episode reward loss epsilon"
    assert read(columns, algorithm="DQN")["reward"] == RETURN
    assert read(columns, algorithm="GRPO")["reward"] == "reward/mean"


def test_a_prefix_of_training_changes_nothing():
    assert read("episode train/reward epsilon loss")["train/reward"] == RETURN


@pytest.mark.parametrize(
    "columns",
    [
        "step mean_reward policy_loss value_loss",
        "episode reward score loss",
        "episode mean_reward min_reward max_reward",
        "step episode_return entropy entropy_loss policy_loss",
    ],
)
def test_no_tool_is_guessed_from_words_that_everybody_uses(columns):
    assert guess_framework(columns.split()).id is None


def test_the_columns_of_a_reward_trainer_are_still_told():
    names = "loss accuracy margin min_reward mean_reward max_reward num_tokens epoch grad_norm"
    assert guess_framework(names.split()).id == "trl"
    assert read(names)["mean_reward"] == "rm/score_mean"
