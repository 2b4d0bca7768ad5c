"""What kind of training a run is, from its algorithm in any spelling."""

import pytest

from runvitals.catalog.definitions.kinds import algorithm_key, kind_of
from runvitals.testing import make_run


@pytest.mark.parametrize(
    ("algorithm", "kind"),
    [
        ("ppo_continuous_action", "on-policy"),
        ("REINFORCE", "on-policy"),
        ("dqn_atari", "off-policy"),
        ("deepq", "off-policy"),
        ("TD3 or DDPG", "off-policy"),
        ("IMPALA", "off-policy"),
        ("SimPO", "preference"),
        ("Dr. GRPO", "llm-rl"),
        ("reward model", "reward-model"),
        ("pre-training", "sft"),
        ("MyPPO", "on-policy"),
        ("my own", "unknown"),
        (None, "unknown"),
    ],
)
def test_the_algorithm_tells_the_kind(algorithm, kind):
    assert kind_of(make_run({"progress/step": [1.0]}, algorithm=algorithm)) == kind


def test_ppo_with_responses_is_that_of_language_models():
    run = make_run({"length/response_mean": [100.0]}, algorithm="ppo")

    assert kind_of(run) == "llm-rl"


@pytest.mark.parametrize("algorithm", ["PPO", "REINFORCE", None])
def test_a_tool_for_language_models_tells_what_its_reward_is_of(algorithm):
    run = make_run({"reward/mean": [0.5]}, algorithm=algorithm)
    run.framework = "teacher-tuner"

    assert kind_of(run) == "llm-rl"


def test_a_judge_that_is_logged_beside_its_policy_is_not_what_is_trained():
    judge = {"rm/accuracy": [0.9], "rm/loss": [0.2]}

    assert kind_of(make_run(judge)) == "reward-model"
    assert kind_of(make_run({**judge, "reward/mean": [0.5]})) == "llm-rl"


def test_an_algorithm_has_one_key():
    spellings = ["DQN", "dqn", "dqn_jax", "Deep Q-Network"]

    assert {algorithm_key(make_run({"progress/step": [1.0]}, algorithm=s)) for s in spellings} == {
        "DQN"
    }
