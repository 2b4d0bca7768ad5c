"""Which algorithm it is, from settings, names and titles, in any spelling."""

import pytest

from runvitals.catalog import algorithm_of, plain_algorithm
from runvitals.catalog.definitions.algorithms import named_in

HF = "loss grad_norm learning_rate epoch"
CLEANRL = "charts/episodic_return charts/episodic_length charts/SPS"
SB3 = "rollout/ep_rew_mean rollout/ep_len_mean time/fps time/total_timesteps train/learning_rate"
PAIRS = (
    "rewards/chosen rewards/rejected rewards/accuracies rewards/margins logps/chosen logps/rejected "
    "logits/chosen logits/rejected"
)


def algorithm(names, tool, config=None, **more):
    return algorithm_of(names.split(), tool, config or {}, **more).id


@pytest.mark.parametrize(
    ("spelling", "plain"),
    [
        ("dqn", "DQN"),
        ("dqn_atari", "DQN"),
        ("Deep Q-Network", "DQN"),
        ("Double DQN", "DDQN"),
        ("PPO (a2c_continuous, a2c_discrete)", "PPO"),
        ("ppo2", "PPO"),
        ("gae", "PPO"),
        ("reinforce_plus_plus", "REINFORCE++"),
        ("GRPOTrainer", "GRPO"),
        ("reward_modeling", "reward model"),
        ("rm", "reward model"),
        ("KL in reward", None),
        ("validation", None),
        ("", None),
    ],
)
def test_an_algorithm_has_one_plain_name(spelling, plain):
    assert plain_algorithm(spelling) == plain


def test_a_title_that_names_two_algorithms_names_none_for_sure():
    assert named_in("ppo_vs_sac") == {"PPO", "SAC"}
    assert named_in("reward_v2/policy") == set()
    assert algorithm("a b", None, called=["ppo_vs_sac"]) is None
    assert algorithm("a b", None, called=["DQN_2", "ppo_vs_sac"]) == "DQN"


@pytest.mark.parametrize(
    ("names", "tool", "expected"),
    [
        (f"{CLEANRL} charts/epsilon losses/td_loss losses/q_values", "cleanrl", "DQN"),
        (f"{CLEANRL} losses/td_loss losses/q_values", "cleanrl", "DQN"),
        (f"{CLEANRL} losses/qf1_values losses/qf2_values losses/qf1_loss losses/qf2_loss "
         "losses/qf_loss losses/actor_loss", "cleanrl", "TD3"),
        (f"{CLEANRL} losses/qf1_values losses/qf1_loss losses/actor_loss", "cleanrl", "DDPG"),
        (f"{CLEANRL} losses/qf1_values losses/qf2_values losses/qf1_loss losses/qf2_loss "
         "losses/qf_loss losses/actor_loss losses/alpha losses/alpha_loss", "cleanrl", "SAC"),
        (f"{CLEANRL} charts/learning_rate losses/value_loss losses/policy_loss losses/entropy "
         "losses/approx_kl losses/clipfrac losses/explained_variance", "cleanrl", "PPO"),
        (f"{SB3} train/actor_loss train/critic_loss train/n_updates", "stable-baselines3",
         "TD3 or DDPG"),
        (f"{SB3} train/actor_loss train/critic_loss train/ent_coef train/n_updates",
         "stable-baselines3", "SAC"),
        (f"{SB3} train/loss rollout/exploration_rate train/n_updates", "stable-baselines3", "DQN"),
        (f"{SB3} train/policy_loss train/value_loss train/entropy_loss train/n_updates "
         "train/explained_variance", "stable-baselines3", "A2C"),
        (f"{HF} {PAIRS}", "trl", "DPO"),
        (f"{HF} {PAIRS} nll_loss log_odds_ratio log_odds_chosen", "trl", "ORPO"),
        (f"{HF} rewards/chosen rewards/rejected rewards/margins logps/chosen logps/rejected kl "
         "logits/chosen logits/rejected", "trl", "KTO"),
        (f"{HF} {PAIRS} sft_loss odds_ratio_loss", "llamafactory", "ORPO"),
        (f"{HF} min_reward mean_reward max_reward accuracy margin num_tokens", "trl",
         "reward model"),
        (f"{HF} mean_token_accuracy num_tokens entropy", "trl", "SFT"),
        (HF, "transformers", "SFT"),
        (f"{HF} token_acc memory(GiB)", "ms-swift", "SFT"),
        ("objective/kl objective/entropy objective/scores policy/approxkl_avg policy/clipfrac_avg "
         "loss/policy_avg val/ratio lr episode epoch", "trl", "RLOO"),
        ("test/reward train/reward train/length train/episode update/loss", "tianshou", "DQN"),
        ("episode_reward_mean episode_len_mean info/learner/default_policy/learner_stats/mean_q "
         "info/learner/default_policy/mean_td_error timesteps_total", "rllib", "DQN"),
        (f"{HF} eval_loss eval_accuracy eval_f1", "transformers", None),
        ("info/learner/default_policy/kl info/learner/default_policy/cur_kl_coeff "
         "info/learner/default_policy/vf_loss info/learner/default_policy/policy_loss", "rllib",
         "PPO"),
        ("test/reward train/reward update/agent-0/loss update/agent-0/loss/clip "
         "update/agent-0/loss/vf update/agent-0/loss/ent", "tianshou", "PPO"),
    ],
)  # fmt: skip
def test_the_names_tell_the_algorithm(names, tool, expected):
    assert algorithm(names, tool) == expected


def test_a_setting_comes_before_the_names():
    setting = ("algorithm.adv_estimator", "gae")
    group = f"{HF} reward reward_std completions/mean_length frac_reward_zero_std"

    assert algorithm("actor/pg_loss critic/rewards/mean", "verl", setting=setting) == "PPO"
    assert algorithm(group, "trl") == "GRPO"
    assert algorithm(group, "trl", {"normalize_advantages": True}) == "RLOO"
    assert algorithm(group, "trl", called=["rloo-qwen"]) == "RLOO"
    assert algorithm(HF, "llamafactory", {"stage": "pt"}) == "pre-training"
    assert algorithm(HF, "axolotl", {"rl": "kto"}) == "KTO"


def test_a_title_that_contradicts_the_names_is_not_believed():
    names = f"{SB3} train/actor_loss train/critic_loss train/ent_coef"

    assert algorithm(names, "stable-baselines3", called=["ppo_baseline"]) == "SAC"


def test_the_model_tells_what_a_plain_trainer_trains():
    one_score = {"id2label.0": "LABEL_0", "architectures": ["LlamaForCausalLM"]}

    assert algorithm(HF, "transformers", {"architectures": ["LlamaForCausalLM"]}) == "SFT"
    assert algorithm(HF, "transformers", {"architectures": ["BertForMaskedLM"]}) is None
    assert algorithm(HF, "transformers", one_score) == "reward model"


def test_a_loop_of_ones_own_is_known_by_what_only_one_algorithm_logs():
    clipped = {"policy/clip_fraction", "value/loss"}

    assert algorithm("a b", None, metrics=clipped) == "PPO"
    assert algorithm("grpo_loss reward", None) == "GRPO"
    assert algorithm("loss reward", None) is None


def test_settings_of_one_trainer_say_nothing_in_the_loop_of_another():
    config = {"normalize_advantages": True, "scale_rewards": False}

    assert algorithm_of(["policy/approx_kl"], None, config).id != "RLOO"
    assert algorithm_of(["loss"], "trl", {"normalize_advantages": True}).id == "RLOO"
