"""Names that garage logs, and the metrics they are."""

from runvitals.model import Alias, Framework

VPG_PPO_TRPO = ("VPG", "PPO", "TRPO", "NPO")
VPG_PPO_TRPO_3 = ("VPG", "PPO", "TRPO")
DDPG_TD3_DQN = ("DDPG", "TD3", "DQN")

FRAMEWORK = Framework(
    id="garage",
    title="garage",
    version="2020.09.0rc2-dev (commit 2d59480)",
    names=("rllab",),
    kind="classic",
    aliases=(
        Alias(
            "Evaluation/AverageReturn",
            "eval/return_mean",
            note=(
                "for on-policy algorithms these are the TRAINING episodes of the batch "
                "although the prefix says Evaluation"
            ),
        ),
        Alias(
            "Evaluation/StdReturn",
            "eval/return_std",
            note=(
                "for on-policy algorithms these are the TRAINING episodes of the batch "
                "although the prefix says Evaluation"
            ),
        ),
        Alias(
            "Evaluation/MaxReturn",
            "eval/return_max",
            note=(
                "for on-policy algorithms these are the TRAINING episodes of the batch "
                "although the prefix says Evaluation"
            ),
        ),
        Alias(
            "Evaluation/MinReturn",
            "eval/return_min",
            note=(
                "for on-policy algorithms these are the TRAINING episodes of the batch "
                "although the prefix says Evaluation"
            ),
        ),
        Alias(
            "Evaluation/AverageDiscountedReturn",
            "eval/outcome/return_discounted_mean",
            note=(
                "for on-policy algorithms these are the TRAINING episodes of the batch "
                "although the prefix says Evaluation"
            ),
        ),
        Alias(
            "Evaluation/TerminationRate",
            "eval/outcome/termination_rate",
            note=(
                "for on-policy algorithms these are the TRAINING episodes of the batch "
                "although the prefix says Evaluation"
            ),
        ),
        Alias(
            "Evaluation/SuccessRate",
            "eval/success_rate",
            note=(
                "for on-policy algorithms these are the TRAINING episodes of the batch "
                "although the prefix says Evaluation"
            ),
        ),
        Alias(
            "Evaluation/NumEpisodes",
            "eval/episode_count",
            note=(
                "for on-policy algorithms these are the TRAINING episodes of the batch "
                "although the prefix says Evaluation"
            ),
        ),
        Alias(
            "Evaluation/Iteration",
            "progress/step",
            note=(
                "for on-policy algorithms these are the TRAINING episodes of the batch "
                "although the prefix says Evaluation"
            ),
        ),
        Alias(
            "{task}/AverageReturn", "eval/return_mean", ("multi-task",), labels={"task": "{task}"}
        ),
        Alias("TotalEnvSteps", "progress/env_steps"),
        Alias(
            "{policy_object}/LossBefore",
            "policy/loss",
            VPG_PPO_TRPO,
            labels={"policy_object": "{policy_object}"},
            note="{policy} is the policy object's name, e.g. GaussianMLPPolicy",
        ),
        Alias(
            "{policy_object}/LossAfter",
            None,
            VPG_PPO_TRPO,
            note="{policy} is the policy object's name, e.g. GaussianMLPPolicy",
        ),
        Alias(
            "{policy_object}/dLoss",
            "policy/loss_delta",
            VPG_PPO_TRPO,
            labels={"policy_object": "{policy_object}"},
            scale=-1.0,
            note="{policy} is the policy object's name, e.g. GaussianMLPPolicy",
        ),
        Alias(
            "{policy_object}/KLBefore",
            None,
            VPG_PPO_TRPO,
            note="{policy} is the policy object's name, e.g. GaussianMLPPolicy",
        ),
        Alias(
            "{policy_object}/KL",
            "policy/approx_kl",
            VPG_PPO_TRPO,
            labels={"policy_object": "{policy_object}"},
            note=(
                "estimator exact KL(old||new); {policy} is the policy object's name, e.g. "
                "GaussianMLPPolicy"
            ),
        ),
        Alias(
            "{policy_object}/Entropy",
            "policy/entropy",
            VPG_PPO_TRPO,
            labels={"policy_object": "{policy_object}"},
            note="{policy} is the policy object's name, e.g. GaussianMLPPolicy",
        ),
        Alias(
            "{policy_object}/Perplexity",
            None,
            VPG_PPO_TRPO,
            note="{policy} is the policy object's name, e.g. GaussianMLPPolicy",
        ),
        Alias(
            "{value_object}/LossBefore",
            "value/loss",
            VPG_PPO_TRPO_3,
            labels={"value_object": "{value_object}"},
            note="negative log likelihood of a Gaussian value function",
        ),
        Alias("{value_object}/LossAfter", None, VPG_PPO_TRPO_3),
        Alias(
            "{value_object}/dLoss",
            "value/loss_delta",
            VPG_PPO_TRPO_3,
            labels={"value_object": "{value_object}"},
            scale=-1.0,
        ),
        Alias(
            "{value_object}/ExplainedVariance",
            "value/explained_variance",
            ("NPO (TF)",),
            labels={"value_object": "{value_object}"},
            note="1-Var(y-f)/(Var(y)+1e-8)",
        ),
        Alias("Policy/AveragePolicyLoss", "policy/loss", DDPG_TD3_DQN),
        Alias("QFunction/AverageQFunctionLoss", "value/loss", DDPG_TD3_DQN),
        Alias("QFunction/AverageQ", "value/q_mean", DDPG_TD3_DQN),
        Alias("QFunction/MaxQ", "value/q_max", DDPG_TD3_DQN),
        Alias("QFunction/AverageAbsQ", "value/q_abs_mean", DDPG_TD3_DQN),
        Alias("QFunction/AverageY", "value/q_target_mean", DDPG_TD3_DQN),
        Alias("QFunction/MaxY", "value/q_target_max", DDPG_TD3_DQN),
        Alias("QFunction/AverageAbsY", None, DDPG_TD3_DQN),
        Alias("Epoch", "progress/epoch", DDPG_TD3_DQN),
        Alias("Evaluation/100EpRewardMean", "outcome/return_mean", ("DQN",)),
        Alias("AlphaTemperature/mean", "policy/entropy_coef", ("SAC",)),
        Alias("Policy/Loss", "policy/loss_total", ("SAC",)),
        Alias("QF/Qf1Loss", "value/loss", ("SAC",), labels={"critic": "1"}),
        Alias("QF/Qf2Loss", "value/loss", ("SAC",), labels={"critic": "2"}),
        Alias("ReplayBuffer/buffer_size", "replay/size", ("SAC",)),
        Alias("Average/TrainAverageReturn", "outcome/return_mean", ("SAC",)),
        Alias("EpsilonGreedyPolicy/Epsilon", "explore/epsilon", ("DQN",)),
        Alias("AddGaussianNoise/Sigma", "explore/noise_std", ("DDPG", "TD3")),
        Alias("Extras/EpisodeRewardMean", "outcome/return_mean", ("NPO", "CEM", "CMA-ES")),
    ),
)
