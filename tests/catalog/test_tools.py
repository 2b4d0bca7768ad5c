"""Which tool wrote a log, and what its own names are, from name lists of real layouts."""

import pytest

from runvitals.catalog import FRAMEWORKS, algorithm_of, guess_framework, resolve, resolve_all

HF = "loss grad_norm learning_rate epoch"
HF_EVAL = "eval_loss eval_runtime eval_samples_per_second eval_steps_per_second"
HF_END = "train_runtime train_samples_per_second train_steps_per_second total_flos train_loss"
SB3 = (
    "rollout/ep_rew_mean rollout/ep_len_mean time/fps train/approx_kl train/clip_fraction "
    "train/clip_range train/entropy_loss train/explained_variance train/learning_rate train/loss "
    "train/policy_gradient_loss train/value_loss"
)
RLLIB_OLD = "info/learner/default_policy/"
PYMARL = "return_mean return_std test_return_mean ep_length_mean test_ep_length_mean episode"


@pytest.mark.parametrize(
    ("names", "tool"),
    [
        (HF, "transformers"),
        (f"{HF} {HF_EVAL} {HF_END}", "transformers"),
        (f"{HF} {HF_EVAL} eval_accuracy eval_f1 eval_precision eval_recall", "transformers"),
        ("train/loss train/learning_rate train/epoch eval/loss eval/runtime", "transformers"),
        ("train/global_step train/epoch train/loss train/grad_norm", "transformers"),
        (f"{HF} mean_token_accuracy num_tokens entropy", "trl"),
        (f"{HF} completion_length kl reward reward_std rewards/format_reward", "trl"),
        (f"{HF} rewards/chosen rewards/rejected rewards/margins logps/chosen", "trl"),
        ("train/loss train/reward train/reward_std train/completion_length train/kl train/epoch "
         "train/learning_rate train/rewards/accuracy_reward", "trl"),
        (f"{HF} token_acc memory(GiB) train_speed(iter/s)", "ms-swift"),
        ("current_steps total_steps loss lr epoch percentage elapsed_time remaining_time",
         "llamafactory"),
        ("train/n/ep train/n/st train/rew train/len test/rew test/len loss", "tianshou"),
        ("nb_steps nb_episode_steps episode_reward episode duration loss mean_q", "keras-rl"),
        ("epoch loss accuracy val_loss val_accuracy", "keras"),
        ("epoch step train_loss_step train_loss_epoch val_loss lr-AdamW", "pytorch-lightning"),
        ("progress/batch optim/lr progress/done_frac env/all/reward/total", "tinker"),
        ("episode_reward loss/loss loss/policy_gradient_loss loss/value_function_loss",
         "stable-baselines"),
        ("reward/avg_raw_reward", "skyrl"),
        (f"{PYMARL} epsilon loss grad_norm td_error_abs q_taken_mean target_mean", "pymarl"),
    ],
)  # fmt: skip
def test_the_tool_is_known_by_its_names(names, tool):
    assert guess_framework(names.split()).id == tool


def test_names_of_ones_own_do_not_hide_the_tool():
    custom = [f"custom/{name}_level" for name in "abcdefghijklmnopqrstu"]

    guess = guess_framework([*SB3.split(), *custom])

    assert guess.id == "stable-baselines3"
    assert guess.confidence >= 0.5


@pytest.mark.parametrize(
    "names",
    [
        "episode/reward episode/length episode/time episode/reward_per_time",
        "step loss reward",
        "loss lr epoch val_loss my_score",
        "epoch train_loss val_loss accuracy kl entropy",
    ],
)
def test_common_words_prove_no_tool_that_is_built_on_hugging_face_or_plays_games(names):
    found = guess_framework(names.split()).id

    assert found is None or FRAMEWORKS[found].kind == "general"


def test_a_file_of_the_trainer_is_the_trainers_however_little_it_holds():
    assert guess_framework(["loss", "step"], base="transformers").id == "transformers"
    assert guess_framework(["loss", "entropy"], base="transformers").id == "transformers"


def what(names, **context):
    names = names.split()
    found = resolve_all(names, **context)
    return {name: found[name].metric if name in found else None for name in names}


def test_a_plain_loss_of_hugging_face_is_the_training_loss_until_the_task_is_known():
    assert what(HF)["loss"] == "optim/loss"
    assert what(HF, framework="transformers", algorithm="SFT")["loss"] == "lm/loss"
    assert what(f"{HF} num_tokens mean_token_accuracy")["loss"] == "lm/loss"
    assert what(f"{HF} rewards/chosen rewards/rejected logps/chosen")["loss"] == "preference/loss"
    assert what("loss lr epoch", framework="llamafactory")["loss"] == "optim/loss"
    assert what("loss lr epoch accuracy", framework="llamafactory")["loss"] == "preference/loss"


def test_a_classifier_of_hugging_face_is_no_reward_model():
    found = what(f"{HF} {HF_EVAL} eval_accuracy eval_f1")

    assert found["eval_accuracy"] == "eval/supervised/accuracy"
    assert found["eval_f1"] == "eval/supervised/score"
    assert not any(metric.startswith(("rm/", "eval/rm/")) for metric in found.values())


def test_every_name_has_its_evaluation_version():
    names = f"{HF} rewards/chosen rewards/rejected rewards/accuracies logps/chosen "
    found = what(
        names + "eval_rewards/accuracies eval/rewards/chosen eval/rewards/accuracy "
        "eval_rewards/accuracy eval_logps/chosen eval_num_tokens num_tokens"
    )

    assert found["eval_rewards/accuracies"] == "eval/preference/accuracy"
    assert found["eval/rewards/accuracy"] == "eval/preference/accuracy"
    assert found["eval_rewards/accuracy"] == "eval/preference/accuracy"
    assert found["eval/rewards/chosen"] == "eval/preference/chosen_reward"
    assert found["eval_logps/chosen"] == "eval/preference/chosen_logprob"
    assert found["eval_num_tokens"] == "progress/tokens"


def test_a_counter_of_the_evaluation_keeps_a_label():
    names = [*HF.split(), "num_tokens", "mean_token_accuracy", "eval_num_tokens"]

    assert resolve_all(names)["eval_num_tokens"].labels == {"split": "eval"}


@pytest.mark.parametrize(
    ("name", "tool", "metric"),
    [
        ("generate/group_completion_time_p90", "skyrl", "time/group_p90_s"),
        ("rollout/vllm_retry_total", "trl", "rollout/retried_requests"),
        (RLLIB_OLD + "kl", "rllib", "policy/approx_kl"),
        (RLLIB_OLD + "entropy", "rllib", "policy/entropy"),
        (RLLIB_OLD + "policy_loss", "rllib", "policy/loss"),
        (RLLIB_OLD + "vf_loss", "rllib", "value/loss"),
        (RLLIB_OLD + "total_loss", "rllib", "optim/loss"),
        (RLLIB_OLD + "cur_lr", "rllib", "optim/learning_rate"),
        (RLLIB_OLD + "cur_kl_coeff", "rllib", "policy/kl_coef"),
        (RLLIB_OLD + "learner_stats/kl", "rllib", "policy/approx_kl"),
        ("ray/tune/" + RLLIB_OLD + "vf_loss", "rllib", "value/loss"),
        ("update/agent-0/loss/clip", "tianshou", "policy/loss"),
        ("update/agent-0/loss/vf", "tianshou", "value/loss"),
        ("update/loss/ent", "tianshou", "policy/entropy"),
        ("train/rew", "tianshou", "outcome/return_mean"),
        ("reward/avg_raw_reward", "skyrl", "reward/score_mean"),
        ("episode_lengths/frame", "rl-games", "outcome/episode_length_mean"),
        ("Episode/rew_tracking_lin_vel", "rsl-rl", "reward/component_mean"),
        ("Episode_Reward/action_rate", "rsl-rl", "reward/component_mean"),
        ("Episode/rew_torques", "rl-games", "reward/component_mean"),
    ],
)
def test_old_and_rare_names_of_known_tools(name, tool, metric):
    siblings = {
        "tianshou": "test/reward test/reward_std test/length train/episode update/loss/clip",
        "rl-games": "losses/a_loss losses/c_loss info/last_lr info/e_clip",
        "rsl-rl": "Train/mean_reward Loss/surrogate Perf/total_fps",
    }.get(tool, "")

    assert what(f"{name} {siblings}", framework=tool)[name] == metric


def test_a_name_that_several_tools_share_is_not_said_to_be_one_tools():
    found = resolve_all(["grad_norm", "some/other_thing", "and/one_more"])

    assert found["grad_norm"].framework is None


@pytest.mark.parametrize(
    ("algorithm", "expected"),
    [
        ("QMIX", {"loss": "value/loss", "q_taken_mean": "value/q_mean"}),
        ("QTRAN", {"loss": "optim/loss", "td_loss": "value/loss", "v_mean": "value/mean"}),
        ("COMA", {"target_mean": "value/q_target_mean", "coma_loss": "policy/loss_total"}),
        ("MAPPO", {"q_taken_mean": "value/mean", "target_mean": "returns/mean",
                   "pg_loss": "policy/loss", "agent_grad_norm": "policy/grad_norm"}),
        ("MADDPG", {"q_taken_mean": "value/q_mean", "pg_loss": "policy/loss"}),
    ],
)  # fmt: skip
def test_names_of_pymarl_go_by_the_learner(algorithm, expected):
    names = [*PYMARL.split(), *expected]

    found = resolve_all(names, framework="pymarl", algorithm=algorithm)

    assert {name: found[name].metric for name in expected} == expected


def test_tests_of_pymarl_are_evaluation():
    names = f"{PYMARL} battle_won_mean test_battle_won_mean test_episode_limit_mean".split()

    found = resolve_all([*names, "test_agent_1_return_mean"], framework="pymarl")

    assert found["return_mean"].metric == "outcome/return_mean"
    assert found["test_return_mean"].metric == "eval/return_mean"
    assert found["test_battle_won_mean"].metric == "eval/success_rate"
    assert found["test_episode_limit_mean"].apply(0.25) == 0.75
    assert found["test_agent_1_return_mean"].labels == {"agent": "1"}


@pytest.mark.parametrize(
    ("config", "expected"),
    [({"name": "qmix"}, "QMIX"), ({"name": "vdn"}, "VDN"), ({"name": "iql"}, "DQN"), ({}, "DQN")],
)
def test_independent_q_learning_of_pymarl_is_not_the_other_iql(config, expected):
    names = f"{PYMARL} epsilon loss grad_norm td_error_abs q_taken_mean target_mean".split()

    assert algorithm_of(names, "pymarl", config).id == expected


def test_rllibs_timers_say_what_they_time():
    found = resolve("timers/update_time_ms", framework="rllib")

    assert (found.metric, found.scale) == ("time/weight_sync_s", 0.001)
